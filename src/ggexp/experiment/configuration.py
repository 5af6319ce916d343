"""Validate a configuration, resolve inheritance, and convert text to numbers.

Text is converted because all values in lists and mappings of Snakemake's ``--config`` are text, and
because YAML reads 1e-5 as text. Configurations that are too large are refused before they, or their
aliases, fill the computer's memory.
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import fields
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from ggexp.experiment.messages import explain, invalid, wrong_type
from ggexp.experiment.metrics import METRICS
from ggexp.mechanisms import calibration
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.kinds import ALL, KINDS, NON_EMPTY, kind_of, name_of, total_of
from ggexp.releases.records import COUNTS
from ggexp.releases.release import AS_PRINTED, PRIVATE, PUBLIC

#: The largest number of messages that are shown together, and of characters of each message.
MAX_MESSAGES, MAX_LENGTH = 20, 500
#: The largest number of jobs of a run. Snakemake plans this many within a minute, and a cluster's
#: queue accepts them.
MAX_JOBS = 20_000
#: The largest number of mechanisms of a data set with figures, which is the number of distinct line
#: styles (ggexp.figures.style).
MECHANISMS_OF_A_FIGURE = 12
#: The largest number of values of a configuration. An alias counts each time that it is used.
MAX_VALUES = 100_000
TOO_MANY = f"the configuration has more than {MAX_VALUES:,} values"
#: The largest number of nested levels of a configuration. The schema's deepest key is at level 6.
MAX_DEPTH = 20

_WORDS = {"true": True, "false": False, "null": None}

#: A JSON schema accepts 5.0 as an integer, but range() and file names need 5.
Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def check(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked configuration, in which each data set has all of its settings.

    Each ``like`` is resolved, missing settings of ``kl`` and ``classifier`` are copied from the
    general ones, and text that represents a number is converted to this number. If the totals are
    public, neighbours have the same total; therefore ``neighbours`` becomes replace-one.

    config: the configuration as a mapping.
    schema: a JSON schema (draft 2020-12).
    Raises ValueError if the configuration violates the schema, uses undefined names or is too
    large. The message has a line for each error, with the key, the value and the allowed values.
    """
    validator = Validator(schema)
    config = _read_scalars(_inherited(config), validator)
    errors = validator.iter_errors(config)
    problems = [explain(error) for error in sorted(errors, key=lambda e: list(map(str, e.path)))]
    # the later checks rely on the schema
    problems = [*_not_finite("", config)] or problems
    if not problems and PUBLIC in _totals(config).values():
        config["neighbours"] = "replace-one"
    if problems := problems or [*_problems(config)]:
        shown = [
            problem if len(problem) <= MAX_LENGTH else f"{problem[:MAX_LENGTH]} …"
            for problem in problems[:MAX_MESSAGES]
        ]
        if len(problems) > MAX_MESSAGES:
            shown.append(f"and {len(problems) - MAX_MESSAGES:,} more")
        raise invalid(*shown)
    config["histograms"] = {
        name: _completed(settings, config) for name, settings in config["histograms"].items()
    }
    _check_jobs(config)
    return config


def figures_of(histogram: Mapping[str, Any]) -> dict[str, int]:
    """Return figure kind -> figure number, from the settings of a data set."""
    figures = histogram.get("figures", {}).items()
    return {kind: number for kind, number in figures if number is not None}


def merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with changes: mappings are merged key by key, other values are replaced."""
    result = {**settings}
    for key, value in changes.items():
        are_mappings = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if are_mappings else value
    return result


def _totals(config: Mapping[str, Any]) -> dict[str, str]:
    """Return what is assumed of the total of each data set of the run, if histograms defines it."""
    histograms = config["histograms"]
    return {name: total_of(histograms[name]) for name in config["datasets"] if name in histograms}


def _inherited(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with every ``like`` resolved; other errors are left to the schema.

    Raises ValueError if the data set of a ``like`` is unknown or inherits from itself, or if there
    are more than `MAX_VALUES` values or `MAX_DEPTH` levels.
    """
    _check_size(config)
    histograms = config.get("histograms")
    if not isinstance(histograms, Mapping):
        return dict(config)
    resolved, values = {}, 0
    for name in histograms:
        resolved[name] = _resolve(name, histograms, ())
        values += _check_size(resolved[name])
        if values > MAX_VALUES:
            raise ValueError(TOO_MANY)
    return {**config, "histograms": resolved}


def _resolve(name: str, histograms: Mapping[str, Any], seen: tuple[str, ...]) -> Any:
    """Return the settings of a data set: inherited settings, updated with its own settings.

    seen: the data sets that inherit from this one.
    """
    settings = histograms[name]
    if not isinstance(settings, Mapping) or "like" not in settings:
        return settings
    parent, key = settings["like"], f"histograms.{name}.like"
    if parent is None:
        raise invalid(f"{key}: must be text, got null; name a data set, or omit this key")
    if not isinstance(parent, str):
        raise invalid(f"{key}: {wrong_type(parent, 'string')}")
    if parent not in histograms:
        known = ", ".join(map(str, histograms))
        raise invalid(f"{key}: unknown data set {parent!r}; histograms defines {known}")
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


def _check_size(config: Any) -> int:
    """Return the number of values; raise ValueError if there are too many values or levels."""
    pending, values = [(config, 1)], 0
    while pending:
        value, depth = pending.pop()
        values += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"the configuration is nested more than {MAX_DEPTH} levels deep")
        if values > MAX_VALUES:
            raise ValueError(TOO_MANY)
        # parts beyond the limit need not be visited
        if isinstance(value, Mapping | list):
            parts = list(value.values()) if isinstance(value, Mapping) else value
            pending += [(part, depth + 1) for part in parts[: MAX_VALUES + 1]]
    return values


def _read_scalars(config: Mapping[str, Any], validator: Draft202012Validator) -> dict[str, Any]:
    """Return the configuration with text converted to numbers, booleans and null.

    validator: the validator of the schema. Text is converted if the schema refuses it and if it
    represents a value of an allowed type.
    """
    read = deepcopy(dict(config))
    for error in [*validator.iter_errors(read)]:
        value = _represented_value(error)
        if value is not error.instance:
            *parents, last = error.absolute_path
            container: Any = read
            for part in parents:
                container = container[part]
            container[last] = value
    return read


def _represented_value(error: ValidationError) -> Any:
    """Return the value that the refused text represents, or the refused value itself."""
    text = error.instance
    if not isinstance(text, str) or error.validator not in ("type", "pattern"):
        return text
    types = error.schema.get("type", [])  # the schema of a name (propertyNames) states no type
    allowed = {types} if isinstance(types, str) else {*types}
    if text in _WORDS and {"boolean", "null"} & allowed:
        return _WORDS[text]
    if {"number", "integer"} & allowed:
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _completed(settings: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a data set, completed from the general settings."""
    completed = {**settings, "kl": config["kl"] | settings.get("kl", {})}
    if "classifier" in settings:
        general = {"mechanisms": settings["mechanisms"], **config["classifier"]}
        classifier = completed["classifier"] = general | settings["classifier"]
        repeats = config["repeats"]
        classifier["repeats"] = min(classifier["repeats"] or repeats, repeats)
    return completed


def _not_finite(key: str, value: Any) -> Iterator[str]:
    """Yield a message for each number that is not finite, or too large for double precision.

    Bounds in a schema do not always exclude these.
    """
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _not_finite(f"{key}.{name}".lstrip("."), part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _not_finite(f"{key}[{i}]", part)
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{key}: must be a finite number, got {value!r}"
    elif isinstance(value, int) and abs(value) > sys.float_info.max:
        digits = math.floor(math.log10(abs(value))) + 1
        yield f"{key}: must be at most {sys.float_info.max:.2g}, got a number of {digits} digits"


def _problems(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each undefined name, and for each combination that is not allowed."""
    yield from _names_alike("mechanisms", config["mechanisms"])
    yield from _names_alike("histograms", config["histograms"])
    for name, mechanism in config["mechanisms"].items():
        try:
            Mechanism(**{"order": None, **mechanism})
        except ValueError as error:
            yield f"mechanisms.{name}: {error}"
    yield from (
        f"metrics: unknown metric {name!r}; the metrics are {', '.join(METRICS)}"
        for name in config["metrics"]
        if name not in METRICS
    )
    totals = _totals(config)
    if len({total == PUBLIC for total in totals.values()}) > 1:
        yield (
            "datasets: data sets with release.total: public need a run of their own, because their "
            "neighbours differ; got "
            + ", ".join(f"{name} ({total})" for name, total in totals.items())
        )
    for key in ("epsilon", "delta"):
        yield from _numbers_alike(key, config[key])
    for dataset in config["datasets"]:
        if dataset not in config["histograms"]:
            known = ", ".join(config["histograms"])
            yield f"datasets: unknown data set {dataset!r}; histograms defines {known}"
            continue
        settings, key = config["histograms"][dataset], f"histograms.{dataset}"
        yield from _clashing_files(dataset, config)
        yield from _mechanism_problems(settings, key, config)
        yield from _release_problems(settings, key, config["neighbours"])
        yield from _split_problems(settings, key, config["histograms"])


def _numbers_alike(key: str, numbers: Iterable[float]) -> Iterator[str]:
    """Yield a message for each number that results, with their ten digits, write as another one."""
    seen: dict[str, float] = {}
    for number in numbers:
        if (earlier := seen.setdefault(f"{number:.10g}", number)) != number:
            yield (
                f"{key}: {earlier!r} and {number!r} agree in the ten digits that results have; "
                "keep one of them"
            )


def _names_alike(key: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a message for each name that differs from an earlier one only by case."""
    seen: dict[str, str] = {}
    for name in names:
        if (earlier := seen.setdefault(name.casefold(), name)) != name:
            yield (
                f"{key}.{name}: differs from {earlier!r} only in upper and lower case, which some "
                "file systems do not distinguish; choose another name"
            )


def _clashing_files(dataset: str, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message if a data set's histogram has the file name of another's test records."""
    for other in config["datasets"]:
        is_records = "records" in config["histograms"].get(other, {})
        if is_records and f"{other}_test".casefold() == dataset.casefold():
            yield (
                f"datasets: {dataset!r} is the name under which the test records of {other!r} are "
                "stored; choose another name"
            )


def _mechanism_problems(
    settings: Mapping[str, Any], key: str, config: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a message for each mechanism that the data set cannot have."""
    mechanisms, needed = settings["mechanisms"], _needed(settings, key)
    for name in mechanisms:
        if name not in config["mechanisms"]:
            known = ", ".join(config["mechanisms"])
            yield (f"{key}.mechanisms: unknown mechanism {name!r}; mechanisms defines {known}")
            continue
        mechanism = config["mechanisms"][name]
        if (rule := calibration.RULES.get(mechanism["calibration"])) is None:
            continue  # reported by Mechanism
        yield from (
            f"{key}.mechanisms: {name!r} adds {rule.family.family} noise, which has no "
            f"{missing}; {setting} needs one"
            for capability, setting in needed.items()
            for missing in rule.family.lacks(capability)
        )
    for name in settings.get("classifier", {}).get("mechanisms", []):
        if name not in mechanisms:
            yield f"{key}.classifier.mechanisms: {name!r} is not in {key}.mechanisms"
    if figures_of(settings) and len(mechanisms) > MECHANISMS_OF_A_FIGURE:
        yield (
            f"{key}.mechanisms: at most {MECHANISMS_OF_A_FIGURE} are allowed for a data set with "
            f"figures, got {len(mechanisms)}; distribute them over this data set and others that "
            "are like it, or use a data set without figures"
        )


def _needed(settings: Mapping[str, Any], key: str) -> dict[str, str]:
    """Return method of the noise -> the setting of the data set that needs this method."""
    name = name_of(settings)
    needs = KINDS[name].needs if name in KINDS else ()  # _release_problems reports unknown kinds
    needed = dict.fromkeys(needs, f"{key}.release.kind: {name}")
    if "synthetic" in settings:
        needed |= dict.fromkeys(("upper_tail", "upper_point"), f"{key}.synthetic")
    if "mode" in figures_of(settings):
        needed["scipy"] = f"{key}.figures.mode"
    return needed


def _release_problems(settings: Mapping[str, Any], key: str, neighbours: str) -> Iterator[str]:
    """Yield a message for each setting of a data set that does not fit its kind of release."""
    name = name_of(settings)
    if name not in KINDS:
        yield f"{key}.release.kind: must be one of {', '.join(KINDS)}, got {name!r}"
        return
    kind = KINDS[name]
    if neighbours not in kind.neighbours:
        yield (
            f"{key}.release.kind: {name} is private only for neighbours: "
            f"{' or '.join(kind.neighbours)}, because one record then makes at most one cell empty "
            "or non-empty"
        )
    rescaled = [method for method in settings.get("synthetic", []) if method != COUNTS]
    if rescaled and total_of(settings) == PRIVATE:
        yield (
            f"{key}.synthetic: {' and '.join(rescaled)} make n records; this needs "
            f"{key}.release.total: {PUBLIC} or {AS_PRINTED}, got {PRIVATE}"
        )
    if "synthetic" in settings and not kind.lists_cells:
        yield f"{key}.synthetic: needs {key}.release.kind: {NON_EMPTY} or {ALL}"
    if "records" not in settings and (kind.lists_empty or not kind.lists_cells):
        yield f"{key}.release.kind: {name} is for records, because a table lists its empty cells"
    for setting in {*settings.get("release", {})} - {"kind"}:
        kinds = [
            known for known in KINDS if setting in {field.name for field in fields(KINDS[known])}
        ]
        if name not in kinds:
            yield f"{key}.release.{setting}: needs {key}.release.kind: {' or '.join(kinds)}"


def _split_problems(
    settings: Mapping[str, Any], key: str, histograms: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a message for each error of ``split_of``, the data set whose split is shared."""
    records = settings.get("records", {})
    if "split_of" not in records:
        return
    source, key = records["split_of"], f"{key}.records.split_of"
    if "records" not in histograms.get(source, {}):
        known = ", ".join(name for name, part in histograms.items() if "records" in part)
        yield f"{key}: unknown data set of records {source!r}; histograms defines {known}"
        return
    shared = histograms[source]["records"]
    if "split_of" in shared:
        yield f"{key}: {source!r} has the split of {shared['split_of']!r}; name the latter"
    for part, own, expected in (
        ("training", records.get("training"), shared.get("training")),
        ("expected.kept", *(side.get("expected", {}).get("kept") for side in (records, shared))),
    ):
        if own is None or own != expected:
            yield (
                f"{key}: both data sets must have the same records.{part}, got {own or 'none'} "
                f"and, for {source!r}, {expected or 'none'}"
            )


def _check_jobs(config: Mapping[str, Any]) -> None:
    """Raise ValueError if the design has more than `MAX_JOBS` jobs, with advice.

    config: the configuration, in which each data set has all of its settings.
    """
    uses_delta = {
        name: calibration.rule(mechanism["calibration"]).uses_delta
        for name, mechanism in config["mechanisms"].items()
    }
    lines, jobs = [], 0
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        points = {
            name: len(config["epsilon"])
            * (len(config["delta"]) if uses_delta[name] or kind_of(settings).uses_delta else 1)
            for name in settings["mechanisms"]
        }
        classifier = settings.get("classifier", {"mechanisms": [], "repeats": 0})
        trained_points = sum(points[name] for name in classifier["mechanisms"])
        parts = -(-classifier["repeats"] // config["execution"]["repeats_per_job"])
        classifier_jobs = parts * trained_points
        point_jobs = sum(points.values())
        jobs += point_jobs + classifier_jobs
        line = f"{dataset}: {point_jobs:,} for grid points, {classifier_jobs:,} for classifiers"
        if "synthetic" in settings:  # jobs that make records, and jobs that train on them
            record_jobs = point_jobs + trained_points
            jobs += record_jobs
            line += f", {record_jobs:,} for synthetic records"
        lines.append(line)
    if jobs > MAX_JOBS:
        raise ValueError(
            f"the design has {jobs:,} jobs, at most {MAX_JOBS:,} are allowed ({'; '.join(lines)}). "
            "Use fewer values of epsilon or delta, fewer mechanisms or data sets per run, or a "
            "larger execution.repeats_per_job"
        )
