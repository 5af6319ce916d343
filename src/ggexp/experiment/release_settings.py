"""How the releases of a data set are made and measured: what in its settings does not fit."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from ggexp.mechanisms import calibration
from ggexp.releases.kinds import KINDS, NON_EMPTY


def problems(dataset: str, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each setting of a data set that does not fit how it is released.

    config: one that its schema has passed, in which mechanisms have their names.
    """
    settings, key = config["histograms"][dataset], f"histograms.{dataset}"
    release = settings.get("release", {})
    name = release.get("kind", NON_EMPTY)
    if name not in KINDS:
        yield f"{key}.release.kind: must be one of {', '.join(KINDS)}, got {name!r}"
    if name not in KINDS or not {*settings["mechanisms"]} <= {*config["mechanisms"]}:
        return  # others say so of the mechanisms
    for unknown in {*settings.get("classifier", {}).get("mechanisms", [])} - {
        *settings["mechanisms"]
    }:
        yield f"{key}.classifier.mechanisms: {unknown!r} is none of {key}.mechanisms"
    kind = KINDS[name]
    yield from _of_kind(settings, key, name)
    if config["neighbours"] not in kind.neighbours:
        yield (
            f"{key}.release.kind: {name} is private for neighbours: {' or '.join(kind.neighbours)} "
            "alone, where one record makes one cell at most empty or not"
        )
    needed = dict.fromkeys(kind.needs, f"{key}.release.kind: {name}")
    has_mode = settings.get("figures", {}).get("mode") is not None
    if has_mode or "synthetic" in settings:
        needed["scipy"] = f"{key}.{'figures.mode' if has_mode else 'synthetic'}"
    for mechanism in settings["mechanisms"]:
        yield from _lacking(mechanism, config["mechanisms"][mechanism]["calibration"], key, needed)


def _of_kind(settings: Mapping[str, Any], key: str, name: str) -> Iterator[str]:
    """Yield a message for each setting that needs another kind of releases."""
    kind = KINDS[name]
    if name != NON_EMPTY and "synthetic" in settings:
        yield f"{key}.synthetic: needs {key}.release.kind: {NON_EMPTY}"
    if not (kind.lists_cells or "records" in settings):
        yield f"{key}.release.kind: {name} is for records, as a table lists its empty cells"
    for setting in {*settings.get("release", {})} - {"kind"}:
        taking = [
            name
            for name, kind in KINDS.items()
            if setting in {field.name for field in fields(kind)}
        ]
        if name not in taking:
            yield f"{key}.release.{setting}: needs {key}.release.kind: {' or '.join(taking)}"


def _lacking(mechanism: str, rule: str, key: str, needed: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each capability that the noise of a mechanism lacks.

    needed: capability -> the setting of the data set, with this key, that needs it.
    """
    if rule not in calibration.RULES:
        return  # others say so
    family = calibration.RULES[rule].family
    for capability, needing in needed.items():
        for lacking in family.lacks(capability):
            yield (
                f"{key}.mechanisms: {mechanism!r} adds {family.family} noise, which has no "
                f"{lacking}; {needing} needs one"
            )
