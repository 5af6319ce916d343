"""The kinds of releases, by their names in ``release: {kind: …}`` of a data set."""

from collections.abc import Mapping
from typing import Any

from ggexp.releases.release import PRIVATE, Kind
from ggexp.releases.sanitize import AllCells, Listed
from ggexp.releases.stability import Stability
from ggexp.releases.threshold import Threshold

NON_EMPTY, ALL, THRESHOLD, STABILITY = "non-empty", "all", "threshold", "stability"
#: The kinds by name; docs/extending.md explains how to add one.
KINDS: dict[str, type[Kind]] = {
    NON_EMPTY: Listed,
    ALL: AllCells,
    THRESHOLD: Threshold,
    STABILITY: Stability,
}


def name_of(settings: Mapping[str, Any]) -> str:
    """Return the name of the kind of releases in the settings of a data set."""
    return settings.get("release", {}).get("kind", NON_EMPTY)


def kind_of(settings: Mapping[str, Any]) -> type[Kind]:
    """Return the kind of releases in the settings of a data set."""
    return KINDS[name_of(settings)]


def total_of(settings: Mapping[str, Any]) -> str:
    """Return what is assumed of n, the sum of a data set's counts (`Kind.total`)."""
    return settings.get("release", {}).get("total", PRIVATE)


def is_private(settings: Mapping[str, Any]) -> bool:
    """Return whether the releases of a data set are differentially private.

    They are not if only the non-empty cells of records are sanitized.
    """
    return "records" not in settings or name_of(settings) != NON_EMPTY


def parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kind and its settings as plain values, for `release.from_parameters`."""
    kind = kind_of(settings)
    return {**settings.get("release", {}), "kind": f"{kind.__module__}.{kind.__name__}"}
