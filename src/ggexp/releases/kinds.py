"""The kinds of releases, by their names in ``release: {kind: …}`` of a data set."""

from ggexp.releases.release import Kind
from ggexp.releases.sanitize import AllCells, Listed
from ggexp.releases.unlisted import Stability, Threshold

NON_EMPTY, ALL, THRESHOLD, STABILITY = "non-empty", "all", "threshold", "stability"
#: The kinds by name; docs/extending.md explains how to add one.
KINDS: dict[str, type[Kind]] = {
    NON_EMPTY: Listed,
    ALL: AllCells,
    THRESHOLD: Threshold,
    STABILITY: Stability,
}
