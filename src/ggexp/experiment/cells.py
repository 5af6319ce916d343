"""Which cells of a data set are released: what its settings say, and what does not go together."""

from collections.abc import Iterator, Mapping
from typing import Any

from ggexp.experiment.sparse import STABILITY
from ggexp.mechanisms import calibration

NON_EMPTY = "non-empty"
#: What noise must be able to do for releases of a histogram whose cells are not listed.
NEEDED = ("upper_tail", "upper_point", "sample_above")


def is_sparse(settings: Mapping[str, Any]) -> bool:
    """Return whether the empty cells of a data set's histogram are taken into account unlisted."""
    return bool(settings.get("cells", NON_EMPTY) != NON_EMPTY)


def uses_delta(settings: Mapping[str, Any], rule: calibration.Rule) -> bool:
    """Return whether a mechanism of this rule has a δ there: its own, or that of stability."""
    return rule.uses_delta or settings.get("cells") == STABILITY


def machines(settings: Mapping[str, Any]) -> list[str]:
    """Return the mechanisms on whose releases machines are trained, none without a target."""
    if "target" not in settings.get("records", {}):
        return []
    return [*settings.get("machines", settings["mechanisms"])]


def misfits(dataset: str, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each setting of a data set that does not fit the cells it releases.

    config: one that its schema has passed, in which mechanisms have their names.
    """
    settings, key = config["histograms"][dataset], f"histograms.{dataset}"
    if not {*settings["mechanisms"]} <= {*config["mechanisms"]}:
        return  # others say so
    for name in set(settings.get("machines", [])) - {*settings["mechanisms"]}:
        yield f"{key}.machines: {name!r} is none of {key}.mechanisms"
    sparse = is_sparse(settings)
    figures = [kind for kind, number in settings.get("figures", {}).items() if number is not None]
    for kind in figures:
        if (kind == "survivors") != sparse:
            other = "threshold or stability" if kind == "survivors" else NON_EMPTY
            yield f"{key}.figures.{kind}: needs {key}.cells: {other}"
    computed = [f"{key}.figures.mode"] if "mode" in figures else []
    if "synthetic" in settings:
        computed.append(f"{key}.synthetic")
        if sparse:
            yield f"{key}.synthetic: needs {key}.cells: {NON_EMPTY}"
    for misfit in _lacking(settings, config, "scipy") if computed else []:
        yield f"{key}.mechanisms: {misfit}; {computed[0]} needs one"
    if not sparse:
        if "expected_empty" in settings:
            yield f"{key}.expected_empty: needs {key}.cells: threshold"
        return
    if settings["cells"] == STABILITY and config["neighbours"] == "replace-one":
        yield (
            f"{key}.cells: stability is private for neighbours: add-remove alone, where one record "
            "makes one cell at most empty or not"
        )
    for misfit in _lacking(settings, config, *NEEDED):
        yield f"{key}.mechanisms: {misfit}; {key}.cells: {settings['cells']} needs one"


def _lacking(
    settings: Mapping[str, Any], config: Mapping[str, Any], *capabilities: str
) -> Iterator[str]:
    """Yield which mechanisms of a data set add noise that lacks a capability, and which."""
    for name in settings["mechanisms"]:
        rule = config["mechanisms"][name]["calibration"]
        if rule not in calibration.RULES:
            continue  # others say so
        family = calibration.RULES[rule].family
        for lacking in family.lacks(*capabilities):
            yield f"{name!r} adds {family.family} noise, which has no {lacking}"
