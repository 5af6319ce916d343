"""Check a configuration: its size, inheritance, and what keys must fulfil together."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from math import ceil
from typing import Any

from pydantic import ValidationError

from ggexp.datasets.layout import RecordsSettings
from ggexp.experiment.keys import Configuration, RecordsData, TableData
from ggexp.mechanisms import calibration
from ggexp.mechanisms.noise import OPTIONAL
from ggexp.releases.kinds import ALL, KINDS, NON_EMPTY
from ggexp.releases.records import COUNTS
from ggexp.releases.release import AS_PRINTED, PRIVATE, PUBLIC
from ggexp.section import NOT_IN_PATHS, PATH, Settings, in_yaml, problems_of
from ggexp.words import in_ten_digits, shortened

#: The largest number of messages that are shown together.
MAX_MESSAGES = 20
#: The largest number of grid points and jobs of a run, which Snakemake plans within a minute.
MAX_JOBS = 20_000
#: The largest number of mechanisms of a data set with figures: of looks in ggexp.figures.style.
MECHANISMS_OF_A_FIGURE = 12
#: The largest number of values of a configuration. An alias counts each time that it is used.
MAX_VALUES = 100_000
#: The largest number of nested levels of a configuration. The deepest key is at level 6.
MAX_DEPTH = 20


def check(settings: Settings) -> Configuration:
    """Return the configuration, in which each data set has all of its settings.

    Each ``like`` is resolved, and missing settings of ``kl`` and ``classifier`` are copied from the
    general ones. If the totals are public, neighbours have the same total; therefore ``neighbours``
    becomes replace-one.

    Raises ValueError with a line for each error: the key, the value and the allowed values.
    """
    try:
        config = Configuration.model_validate(_inherited(settings))
    except ValidationError as error:
        raise invalid(*problems_of(error)) from None
    running = [name for name in config.datasets if name in config.histograms]
    totals = {name: config.histograms[name].release.total for name in running}
    if PUBLIC in totals.values():
        config = config.model_copy(update={"neighbours": "replace-one"})
    if problems := [*_problems(config, totals)]:
        raise invalid(*problems)
    completed = {name: _completed(data, config) for name, data in config.histograms.items()}
    config = config.model_copy(update={"histograms": completed})
    _check_jobs(config)
    return config


def invalid(*problems: str) -> ValueError:
    """Return the error with a line for each problem, at most `MAX_MESSAGES`."""
    shown = [*map(shortened, problems[:MAX_MESSAGES])]
    if len(problems) > MAX_MESSAGES:
        shown.append(f"and {len(problems) - MAX_MESSAGES:,} more")
    return ValueError("\n  ".join(["the configuration is not valid:", *shown]))


def merged(settings: Settings, changes: Settings) -> Settings:
    """Return settings with changes: mappings are merged key by key, other values are replaced."""
    result = {**settings}
    for key, value in changes.items():
        are_mappings = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if are_mappings else value
    return result


def _completed(data: TableData | RecordsData, config: Configuration) -> TableData | RecordsData:
    """Return the settings of a data set, completed from the general settings."""
    completed: dict[str, object] = {"kl": data.kl or config.kl}
    if own := data.classifier:
        repeats = (own if "repeats" in own.model_fields_set else config.classifier).repeats
        trained = data.mechanisms if own.mechanisms is None else own.mechanisms
        limits = {"mechanisms": trained, "repeats": min(repeats or config.repeats, config.repeats)}
        completed["classifier"] = own.model_copy(update=limits)
    return data.model_copy(update=completed)


def _inherited(config: Settings) -> Settings:
    """Return the configuration with every ``like`` resolved; other errors are left to pydantic.

    Raises ValueError if the data set of a ``like`` is unknown or inherits from itself.
    """
    _check_size(config)
    histograms = config.get("histograms")
    if not isinstance(histograms, Mapping):
        return dict(config)
    resolved, values = {}, 0
    for name in histograms:
        resolved[name] = _resolve(name, histograms, ())
        values = _check_size(resolved[name], values)  # before the next one fills the memory
    return {**config, "histograms": resolved}


def _resolve(name: str, histograms: Settings, seen: tuple[str, ...]) -> Any:
    """Return the settings of a data set, with inherited ones. seen: its heirs."""
    settings = histograms[name]
    if not isinstance(settings, Mapping) or "like" not in settings:
        return settings
    parent, key = settings["like"], f"histograms.{name}.like"
    if not isinstance(parent, str) or parent not in histograms:
        known = ", ".join(map(str, histograms))
        raise invalid(f"{key}: no data set {in_yaml(parent)}; histograms defines {known}")
    if parent in (*seen, name):
        raise invalid(f"{key}: {parent!r} inherits from itself")
    if len(seen) > MAX_DEPTH:
        raise invalid(f"{key}: more than {MAX_DEPTH} steps of inheritance")
    inherited = _resolve(parent, histograms, (*seen, name))
    if not isinstance(inherited, Mapping):
        raise invalid(f"histograms.{parent}: {inherited!r} is not a mapping")
    inherited = {**inherited}
    inherited.pop("figures", None)  # two figures cannot have the same number
    return merged(inherited, {part: value for part, value in settings.items() if part != "like"})


def _check_size(config: Any, values: int = 0) -> int:
    """Return the number of values of a configuration or a part of it, plus those counted before.

    values: the number of those counted before. Raises ValueError for too many values or levels.
    """
    pending = [(config, 1)]
    while pending:
        value, depth = pending.pop()
        values += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"the configuration is nested more than {MAX_DEPTH} levels deep")
        if values > MAX_VALUES:
            raise ValueError(f"the configuration has more than {MAX_VALUES:,} values")
        if isinstance(value, Mapping | list):
            parts = value.values() if isinstance(value, Mapping) else value
            # parts beyond the limit need not be visited
            pending += [(part, depth + 1) for part in islice(parts, MAX_VALUES + 1)]
    return values


def _problems(config: Configuration, totals: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each undefined name, and for each combination that is not allowed."""
    for key, names in (("mechanisms", config.mechanisms), ("histograms", config.histograms)):
        yield from _alike(key, names, str.casefold, "on a file system that ignores case")
    for key, numbers in (("epsilon", config.epsilon), ("delta", config.delta)):
        yield from _alike(key, numbers, in_ten_digits, "in the ten digits that results have")
    if len({total == PUBLIC for total in totals.values()}) > 1:
        listed = ", ".join(f"{name} ({total})" for name, total in totals.items())
        yield (
            "datasets: data sets with release.total: public need a run of their own, because their "
            f"neighbours differ; got {listed}"
        )
    for name in config.datasets:
        if name not in config.histograms:
            yield f"datasets: {_unknown('data set', name, 'histograms', config.histograms)}"
            continue
        data, key = config.histograms[name], f"histograms.{name}"
        for other in {*config.datasets} & {*config.histograms}:
            is_test = name.casefold() == f"{other}_test".casefold()
            if is_test and config.histograms[other].records:
                yield f"datasets: {name!r} is the name of the test records of {other!r}"
        if not re.fullmatch(PATH, data.source):
            part = "records.file" if data.records else "counts"
            yield f"{key}.{part}: must be a path without {NOT_IN_PATHS}, got {data.source!r}"
        yield from _mechanism_problems(data, key, config)
        yield from _release_problems(data, key, config.neighbours)
        if data.records and data.records.split_of:
            yield from _split_problems(data.records, f"{key}.records.split_of", config)


def _unknown(what: str, name: str, key: str, known: Iterable[str]) -> str:
    return f"unknown {what} {name!r}; {key} defines {', '.join(known)}"


def _alike(
    key: str, values: Iterable[Any], form: Callable[[Any], object], where: str
) -> Iterator[str]:
    """Yield a message for each value that has the same form as an earlier one."""
    seen: dict[object, object] = {}
    for value in values:
        if (earlier := seen.setdefault(form(value), value)) != value:
            yield f"{key}: {earlier!r} and {value!r} are the same {where}; keep one of them"


def _mechanism_problems(
    data: TableData | RecordsData, key: str, config: Configuration
) -> Iterator[str]:
    """Yield a message for each mechanism that the data set cannot have."""
    # method of the noise -> the setting of the data set that needs it
    needed = dict.fromkeys(data.release.type.needs, f"{key}.release.kind: {data.release.kind}")
    if "mode" in data.numbers:
        needed["scipy"] = f"{key}.figures.mode"
    for name in data.mechanisms:
        if name not in config.mechanisms:
            unknown = _unknown("mechanism", name, "mechanisms", config.mechanisms)
            yield f"{key}.mechanisms: {unknown}"
            continue
        family = calibration.rule(config.mechanisms[name].calibration).family
        yield from (
            f"{key}.mechanisms: {name!r} adds {family.family} noise, which has no "
            f"{OPTIONAL[method]}; {setting} needs one"
            for method, setting in needed.items()
            if family.lacks(method)
        )
    for name in data.trained:
        if name not in data.mechanisms:
            yield f"{key}.classifier.mechanisms: {name!r} is not in {key}.mechanisms"
    if data.numbers and len(data.mechanisms) > MECHANISMS_OF_A_FIGURE:
        yield (
            f"{key}.mechanisms: at most {MECHANISMS_OF_A_FIGURE} are allowed for a data set with "
            f"figures, got {len(data.mechanisms)}; distribute them over this data set and others "
            "that are like it, or use a data set without figures"
        )


def _release_problems(data: TableData | RecordsData, key: str, neighbours: str) -> Iterator[str]:
    """Yield a message for each setting of a data set that does not fit its kind of release."""
    name, kind = data.release.kind, data.release.type
    if neighbours not in kind.neighbours:
        yield (
            f"{key}.release.kind: {name} is private only for neighbours: "
            f"{' or '.join(kind.neighbours)}, because one record then makes at most one cell empty "
            "or non-empty"
        )
    rescaled = [method for method in data.synthetic or () if method != COUNTS]
    if rescaled and data.release.total == PRIVATE:
        yield (
            f"{key}.synthetic: {' and '.join(rescaled)} make n records; this needs "
            f"{key}.release.total: {PUBLIC} or {AS_PRINTED}, got {PRIVATE}"
        )
    if data.synthetic and not kind.lists_cells:
        yield f"{key}.synthetic: needs {key}.release.kind: {NON_EMPTY} or {ALL}"
    if not data.records and (kind.lists_empty or not kind.lists_cells):
        yield f"{key}.release.kind: {name} is for records, because a table lists its empty cells"
    for setting in data.release.model_fields_set - {"kind"}:
        kinds = [known for known in KINDS if setting in KINDS[known].__dataclass_fields__]
        if name not in kinds:
            yield f"{key}.release.{setting}: needs {key}.release.kind: {' or '.join(kinds)}"


def _split_problems(records: RecordsSettings, key: str, config: Configuration) -> Iterator[str]:
    """Yield a message for each error of ``split_of``, the data set whose split is shared."""
    name = str(records.split_of)
    known = {name: data.records for name, data in config.histograms.items() if data.records}
    if (shared := known.get(name)) is None:
        yield f"{key}: {_unknown('data set of records', name, 'histograms', known)}"
        return
    if shared.split_of:
        yield f"{key}: {name!r} has the split of {shared.split_of!r}; name the latter"
    own, other = (
        {"training": each.training, "expected.kept": each.expected.kept}
        for each in (records, shared)
    )
    for part, value in own.items():
        if value is None or value != other[part]:
            yield (
                f"{key}: both data sets must have the same records.{part}, got {value or 'none'} "
                f"and, for {name!r}, {other[part] or 'none'}"
            )


def _check_jobs(config: Configuration) -> None:
    """Raise ValueError if the design has more than `MAX_JOBS` grid points and jobs, with advice."""
    lines, jobs = [], 0
    for name, data in config.data.items():
        points = {each: len(config.budgets(each, data)) for each in data.mechanisms}
        trained = [points[mechanism] for mechanism in data.trained]
        repeats = (data.classifier and data.classifier.repeats) or 0
        jobs_of_a_point = ceil(repeats / config.execution.repeats_per_job)
        parts = sum(
            1 if config.execution.is_one_job(count, repeats) else count * jobs_of_a_point
            for count in trained
        )
        # jobs that make records, and jobs that train on them
        made = sum(points.values()) + sum(trained) if data.synthetic else 0
        jobs += sum(points.values()) + parts + made
        lines.append(
            f"{name}: {sum(points.values()):,} grid points, {parts:,} jobs for classifiers, "
            f"{made:,} for synthetic records"
        )
    if jobs > MAX_JOBS:
        raise ValueError(
            f"the design has {jobs:,} grid points and jobs, at most {MAX_JOBS:,} are allowed "
            f"({'; '.join(lines)}). Use fewer values of epsilon or delta, fewer mechanisms or data "
            "sets per run, or a larger execution.repeats_per_job"
        )
