"""A configuration as it is meant, and what is wrong with it, in messages for whoever wrote it.

Data sets inherit, and text that stands for a number is one: the lists and mappings of Snakemake's
``--config`` hold nothing but text, and YAML takes 1e-5 for text. What is too much is refused before
it, or its aliases, take the computer's memory.
"""

import math
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
from ggexp.releases.kinds import ALL, KINDS, NON_EMPTY, kind_of, name_of

#: Mistakes that are told at once, and the characters of each.
MAX_MESSAGES, MAX_LENGTH = 20, 500
#: Jobs of a run. Snakemake plans this many within a minute, and a cluster's queue holds them.
MAX_JOBS = 20_000
#: Mechanisms of a data set that has figures: so many are told apart (ggexp.figures.style).
MECHANISMS_OF_A_FIGURE = 12
#: Values of a configuration, counted wherever they are used (an alias each time).
MAX_VALUES = 100_000
TOO_MANY = f"the configuration has more than {MAX_VALUES:,} values"
#: How deep a configuration may be nested; the schema's deepest key is at 6.
MAX_DEPTH = 20

_WORDS = {"true": True, "false": False, "null": None}

#: A schema's own integers have 5.0 among them, which neither range() nor a file's name takes.
Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def check(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which each data set has all of its settings.

    No data set is ``like`` another one, and what it does not say of ``kl`` and ``classifier`` is
    taken from the general ones. Text that stands for a number is that number.
    config: the configuration as a mapping.
    schema: a JSON schema (draft 2020-12).
    Raises ValueError if the configuration breaks the schema, names what it does not define, or
    asks for too much. The message has a line for each mistake: the key, the value, what is allowed.
    """
    validator = Validator(schema)
    config = _read_scalars(_inherited(config), validator)
    errors = validator.iter_errors(config)
    problems = [explain(error) for error in sorted(errors, key=lambda e: list(map(str, e.path)))]
    # where the schema holds, what follows can rely on it
    if problems := problems or [*_not_finite("", config)] or [*_problems(config)]:
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
    """Return kind -> number of the figures that a data set's settings ask for."""
    figures = histogram.get("figures", {}).items()
    return {kind: number for kind, number in figures if number is not None}


def _inherited(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with every ``like`` followed, as far as it has the right shape.

    Raises ValueError, in words, for a ``like`` that leads nowhere or to itself, and for more values
    or levels than `MAX_VALUES` and `MAX_DEPTH`.
    """
    _check_size(config)
    histograms = config.get("histograms")
    if not isinstance(histograms, Mapping):
        return dict(config)
    followed, values = {}, 0
    for name in histograms:
        followed[name] = _followed(name, histograms, ())
        values += _check_size(followed[name])
        if values > MAX_VALUES:
            raise ValueError(TOO_MANY)
    return {**config, "histograms": followed}


def _followed(name: str, histograms: Mapping[str, Any], seen: tuple[str, ...]) -> Any:
    """Return a data set's settings: those of the one that it is like, and its own over them."""
    settings = histograms[name]
    if not isinstance(settings, Mapping) or "like" not in settings:
        return settings
    model, key = settings["like"], f"histograms.{name}.like"
    if not isinstance(model, str):
        raise invalid(f"{key}: {wrong_type(model, 'string')}")
    if model not in histograms:
        known = ", ".join(map(str, histograms))
        raise invalid(f"{key}: unknown data set {model!r}; histograms defines {known}")
    if model in (*seen, name):
        raise invalid(f"{key}: {model!r} inherits from itself")
    if len(seen) > MAX_DEPTH:
        raise invalid(f"{key}: more than {MAX_DEPTH} steps of inheritance")
    inherited = _followed(model, histograms, (*seen, name))
    if not isinstance(inherited, Mapping):
        raise invalid(f"histograms.{model}: {inherited!r} is not a mapping")
    inherited = {**inherited}
    inherited.pop("figures", None)  # two figures cannot have one number
    return _merged(inherited, {part: value for part, value in settings.items() if part != "like"})


def _merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with changes: mappings are merged key by key, all else is replaced."""
    merged = {**settings}
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _check_size(config: Any) -> int:
    """Return how many values there are; ValueError where there are too many, or nested too deep."""
    waiting, values = [(config, 1)], 0
    while waiting:
        value, depth = waiting.pop()
        values += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"the configuration is nested more than {MAX_DEPTH} levels deep")
        if values > MAX_VALUES:
            raise ValueError(TOO_MANY)
        # beyond the limit there is no need to look
        if isinstance(value, Mapping | list):
            parts = list(value.values()) if isinstance(value, Mapping) else value
            waiting += [(part, depth + 1) for part in parts[: MAX_VALUES + 1]]
    return values


def _read_scalars(config: Mapping[str, Any], validator: Draft202012Validator) -> dict[str, Any]:
    """Return the configuration with each text replaced that its schema refuses, but not its value.

    validator: of the schema. Text that spells no value that the schema allows is left as it is.
    """
    read = deepcopy(dict(config))
    for error in [*validator.iter_errors(read)]:
        value = _value(error)
        if value is not error.instance:
            *above, last = error.absolute_path
            holder: Any = read
            for part in above:
                holder = holder[part]
            holder[last] = value
    return read


def _value(error: ValidationError) -> Any:
    """Return what the refused text stands for, or else what was refused itself."""
    text = error.instance
    if not isinstance(text, str) or error.validator not in ("type", "pattern"):
        return text
    types = error.schema.get("type", [])  # a name that is refused has none
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
    """Return a data set's settings with those that it takes from the general ones."""
    completed = {**settings, "kl": config["kl"] | settings.get("kl", {})}
    if "classifier" in settings:
        general = {"mechanisms": settings["mechanisms"], **config["classifier"]}
        classifier = completed["classifier"] = general | settings["classifier"]
        repeats = config["repeats"]
        classifier["repeats"] = min(classifier["repeats"] or repeats, repeats)
    return completed


def _not_finite(key: str, value: Any) -> Iterator[str]:
    """Yield a message for each NaN and infinity, which a schema's bounds do not all catch."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _not_finite(f"{key}.{name}".lstrip("."), part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _not_finite(f"{key}[{i}]", part)
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{key}: must be a finite number, got {value!r}"


def _problems(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each name that is not defined, and for what does not go together."""
    yield from _alike("mechanisms", config["mechanisms"])
    yield from _alike("histograms", config["histograms"])
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
    numbers: dict[int, str] = {}
    for dataset in config["datasets"]:
        if dataset not in config["histograms"]:
            known = ", ".join(config["histograms"])
            yield f"datasets: unknown data set {dataset!r}; histograms defines {known}"
            continue
        settings, key = config["histograms"][dataset], f"histograms.{dataset}"
        yield from _clashing_files(dataset, config)
        yield from _of_mechanisms(settings, key, config)
        yield from _of_release(settings, key, config["neighbours"])
        yield from _of_split(settings, key, config["histograms"])
        for kind, number in figures_of(settings).items():
            if number in numbers:
                yield f"{key}.figures.{kind}: {number} is also the number of {numbers[number]}"
            numbers[number] = f"{key}.figures.{kind}"


def _alike(key: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a message for each name that differs from an earlier one in case alone."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(name.casefold(), name)) != name:
            yield (
                f"{key}.{name}: differs from {other!r} only in upper and lower case, which some "
                "file systems do not distinguish; choose another name"
            )


def _clashing_files(dataset: str, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message where a data set's histogram is stored as another's test records are."""
    for other in config["datasets"]:
        is_records = "records" in config["histograms"].get(other, {})
        if is_records and f"{other}_test".casefold() == dataset.casefold():
            yield (
                f"datasets: {dataset!r} is the name under which the test records of {other!r} are "
                "stored; choose another name"
            )


def _of_mechanisms(
    settings: Mapping[str, Any], key: str, config: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a message for each mechanism that a data set of these settings cannot have."""
    mechanisms, needed = settings["mechanisms"], _needed(settings, key)
    for name in mechanisms:
        if name not in config["mechanisms"]:
            known = ", ".join(config["mechanisms"])
            yield (f"{key}.mechanisms: unknown mechanism {name!r}; mechanisms defines {known}")
            continue
        mechanism = config["mechanisms"][name]
        if (rule := calibration.RULES.get(mechanism["calibration"])) is None:
            continue  # Mechanism reports it
        by_norm = config["neighbours"] == "replace-one" and rule.family.has_norm
        # two cells move by one: at other orders no single sensitivity says what that costs
        if by_norm and mechanism.get("order") not in (1, 2):
            yield (
                f"{key}.mechanisms: {name!r} has order {mechanism.get('order')!r}, but with "
                "neighbours: replace-one the order must be 1 or 2"
            )
        yield from (
            f"{key}.mechanisms: {name!r} adds {rule.family.family} noise, which has no "
            f"{lacking}; {needing} needs one"
            for capability, needing in needed.items()
            for lacking in rule.family.lacks(capability)
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
    """Return what a data set's noise must be able to do, and which of its settings needs it."""
    name = name_of(settings)
    needs = KINDS[name].needs if name in KINDS else ()  # _of_release reports an unknown one
    needed = dict.fromkeys(needs, f"{key}.release.kind: {name}")
    if "synthetic" in settings:
        needed |= dict.fromkeys(("upper_tail", "upper_point"), f"{key}.synthetic")
    if "mode" in figures_of(settings):
        needed["scipy"] = f"{key}.figures.mode"
    return needed


def _of_release(settings: Mapping[str, Any], key: str, neighbours: str) -> Iterator[str]:
    """Yield a message for each setting of a data set that does not fit how it is released."""
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
    if "synthetic" in settings and not kind.lists_cells:
        yield f"{key}.synthetic: needs {key}.release.kind: {NON_EMPTY} or {ALL}"
    if "records" not in settings and (kind.lists_empty or not kind.lists_cells):
        yield f"{key}.release.kind: {name} is for records, because a table lists its empty cells"
    for setting in {*settings.get("release", {})} - {"kind"}:
        having = [other for other in KINDS if setting in {own.name for own in fields(KINDS[other])}]
        if name not in having:
            yield f"{key}.release.{setting}: needs {key}.release.kind: {' or '.join(having)}"


def _of_split(
    settings: Mapping[str, Any], key: str, histograms: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a message for each reason why a data set cannot have the split of another one."""
    records = settings.get("records", {})
    if "split_of" not in records:
        return
    model, key = records["split_of"], f"{key}.records.split_of"
    if "records" not in histograms.get(model, {}):
        known = ", ".join(name for name, other in histograms.items() if "records" in other)
        yield f"{key}: unknown data set of records {model!r}; histograms defines {known}"
        return
    other = histograms[model]["records"]
    if "split_of" in other:
        yield f"{key}: {model!r} has the split of {other['split_of']!r}; name that one"
    for part, own, others in (
        ("training", records.get("training"), other.get("training")),
        ("expected.kept", *(of.get("expected", {}).get("kept") for of in (records, other))),
    ):
        if own is None or own != others:
            yield (
                f"{key}: both data sets must have the same records.{part}, got {own or 'none'} "
                f"and, for {model!r}, {others or 'none'}"
            )


def _check_jobs(config: Mapping[str, Any]) -> None:
    """Raise ValueError where a design has more than `MAX_JOBS` jobs, and say what to change.

    config: one in which each data set has all of its settings.
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
        of_classifiers = sum(points[name] for name in classifier["mechanisms"])
        parts = -(-classifier["repeats"] // config["execution"]["repeats_per_job"])
        trained = parts * of_classifiers
        total = sum(points.values())
        jobs += total + trained
        line = f"{dataset}: {total:,} of grid points, {trained:,} of classifiers"
        if "synthetic" in settings:  # a job to make records, and one to train on them
            of_records = total + of_classifiers
            jobs += of_records
            line += f", {of_records:,} of synthetic records"
        lines.append(line)
    if jobs > MAX_JOBS:
        raise ValueError(
            f"the design has {jobs:,} jobs, at most {MAX_JOBS:,} are allowed ({'; '.join(lines)}). "
            "Use fewer values of epsilon or delta, fewer mechanisms or data sets per run, or a "
            "larger execution.repeats_per_job"
        )
