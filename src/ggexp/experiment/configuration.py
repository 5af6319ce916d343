"""Checks of a configuration, in messages for whoever wrote it.

What is too much is refused before Snakemake, or a file, takes the computer's memory.
"""

import math
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from ggexp.mechanisms import calibration

#: Mistakes that are told at once, and the characters of each.
TOLD, LENGTH = 20, 500
#: Jobs of a run. Snakemake plans this many within a minute, and a cluster's queue holds them.
JOBS = 20_000
#: Values of a configuration, counted wherever they are used (an alias each time).
VALUES = 100_000
TOO_MANY = f"the configuration has more than {VALUES:,} values"
#: How deep a configuration may be nested; the schema's deepest key is at 6.
DEPTH = 20


def check(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which no data set is ``like`` another one, but all are spelled out.

    config: the configuration as a mapping.
    schema: a JSON schema (draft 2020-12).
    Raises ValueError if the configuration breaks the schema, names what it does not define, or
    asks for too much. The message has a line for each mistake: the key, the value, what is allowed.
    """
    _check_size(config)
    config = _spelled_out(config)
    errors = Draft202012Validator(schema).iter_errors(config)
    problems = [_explain(error) for error in sorted(errors, key=lambda e: list(map(str, e.path)))]
    # where the schema holds, what follows can rely on it
    if problems := problems or [*_not_finite("", config)] or [*_unknown_names(config)]:
        told = [p if len(p) <= LENGTH else f"{p[:LENGTH]} …" for p in problems[:TOLD]]
        if len(problems) > TOLD:
            told.append(f"and {len(problems) - TOLD:,} more")
        raise ValueError("the configuration is not valid:\n  " + "\n  ".join(told))
    uses_delta = {
        name: calibration.rule(mechanism["calibration"]).uses_delta
        for name, mechanism in config["mechanisms"].items()
    }
    _check_jobs(config, uses_delta)
    return config


def _spelled_out(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with every ``like`` followed, as far as it has the right shape."""
    histograms = config.get("histograms")
    if not isinstance(histograms, Mapping):
        return dict(config)
    spelled_out, values = {}, 0
    for name in histograms:
        spelled_out[name] = _followed(name, histograms, ())
        values += _check_size(spelled_out[name])
        if values > VALUES:
            raise ValueError(TOO_MANY)
    return {**config, "histograms": spelled_out}


def _followed(name: str, histograms: Mapping[str, Any], seen: tuple[str, ...]) -> Any:
    """Return a data set's settings: those of the one that it is like, and its own over them."""
    settings = histograms[name]
    if not isinstance(settings, Mapping) or "like" not in settings:
        return settings
    model, key = settings["like"], f"histograms.{name}.like"
    if not isinstance(model, str) or model not in histograms:
        known = ", ".join(map(str, histograms))
        raise ValueError(
            f"the configuration is not valid:\n  {key}: unknown data set {model!r}, defined in "
            f"histograms are: {known}"
        )
    if model in (*seen, name):
        raise ValueError(f"the configuration is not valid:\n  {key}: {model} is like itself")
    if len(seen) > DEPTH:
        raise ValueError(f"the configuration is not valid:\n  {key}: more than {DEPTH} steps")
    inherited = _followed(model, histograms, (*seen, name))
    if not isinstance(inherited, Mapping):
        raise ValueError(
            f"the configuration is not valid:\n  histograms.{model}: {inherited!r} is not a mapping"
        )
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


def _explain(error: ValidationError) -> str:
    """Return one line: the key, the value, what is allowed."""
    key = _key(error.absolute_path)
    rule = error.validator_value
    match error.validator:
        case "additionalProperties" if rule is False:
            known = sorted(error.schema["properties"])
            unknown = sorted(set(error.instance) - set(known), key=str)
            within = f" in {key}" if key else ""
            return (
                f"unknown key{within}: {', '.join(map(str, unknown))}; allowed: {', '.join(known)}"
            )
        case "required":
            missing = sorted(set(rule) - set(error.instance))
            return f"missing key{f' in {key}' if key else ''}: {', '.join(missing)}"
        case "type" if rule in ("number", "integer"):
            text = (
                f"{key}: {error.instance!r} is not a {'whole ' if rule == 'integer' else ''}number"
            )
            if isinstance(error.instance, str) and _is_number(error.instance):
                text += " but text; YAML reads 1e-5 as text, write 1.0e-5"
            return text
        case "exclusiveMinimum" | "exclusiveMaximum" | "minimum" | "maximum":
            sign = {"exclusiveMinimum": ">", "exclusiveMaximum": "<", "minimum": ">="}
            return (
                f"{key}: must be {sign.get(error.validator, '<=')} {rule}, got {error.instance!r}"
            )
        case "enum":
            return f"{key}: must be one of {', '.join(map(str, rule))}, got {error.instance!r}"
        case "minItems":
            return f"{key}: must not be empty"
        case "uniqueItems":
            return f"{key}: names a value twice: {error.instance!r}"
        case "pattern" if list(error.schema_path)[-2:-1] == ["propertyNames"]:
            return f"{key}: a name has lower-case letters, digits and '-', got {error.instance!r}"
    return f"{key}: {error.message}"


def _key(path: Any) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(
        "."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _not_finite(key: str, value: Any) -> Any:
    """Yield a message for each NaN and infinity, which a schema's bounds do not all catch."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _not_finite(f"{key}.{name}".lstrip("."), part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _not_finite(f"{key}[{i}]", part)
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{key}: must be a finite number, got {value!r}"


def _unknown_names(config: Mapping[str, Any]) -> Any:
    """Yield a message for each data set, mechanism or calibration that is used but not defined."""
    for name, mechanism in config["mechanisms"].items():
        try:
            calibration.rule(mechanism["calibration"]).check_order(mechanism["order"])
        except ValueError as error:
            yield f"mechanisms.{name}: {error}"
    figures: dict[int, str] = {}
    for dataset in config["datasets"]:
        if dataset not in config["histograms"]:
            known = ", ".join(config["histograms"])
            yield f"datasets: unknown data set {dataset!r}, defined in histograms are: {known}"
            continue
        histogram = config["histograms"][dataset]
        for mechanism in histogram["mechanisms"]:
            if mechanism not in config["mechanisms"]:
                known = ", ".join(config["mechanisms"])
                yield (
                    f"histograms.{dataset}.mechanisms: unknown mechanism {mechanism!r}, defined in "
                    f"mechanisms are: {known}"
                )
            elif config["neighbours"] == "replace-one":
                # two cells move by one: at other orders no single sensitivity says what that costs
                if (order := config["mechanisms"][mechanism]["order"]) not in (1, 2):
                    yield (
                        f"histograms.{dataset}.mechanisms: {mechanism!r} is of order {order!r}; "
                        "with neighbours: replace-one only the orders 1 and 2 have a scale"
                    )
        for kind, number in histogram.get("figures", {}).items():
            key = f"histograms.{dataset}.figures.{kind}"
            if number in figures:
                yield f"{key}: {number} is also the number of {figures[number]}"
            figures[number] = key


def _check_size(config: Any) -> int:
    """Return how many values there are; ValueError where there are too many, or nested too deep."""
    waiting, values = [(config, 1)], 0
    while waiting:
        value, depth = waiting.pop()
        values += 1
        if depth > DEPTH:
            raise ValueError(f"the configuration is nested more than {DEPTH} levels deep")
        if values > VALUES:
            raise ValueError(TOO_MANY)
        # beyond the limit there is no need to look
        if isinstance(value, Mapping | list):
            parts = list(value.values()) if isinstance(value, Mapping) else value
            waiting += [(part, depth + 1) for part in parts[: VALUES + 1]]
    return values


def _check_jobs(config: Mapping[str, Any], uses_delta: Mapping[str, bool]) -> None:
    """Raise ValueError where a design has more than `JOBS` jobs, and say what to change.

    config: a configuration that its schema has passed. uses_delta: of each mechanism.
    """
    lines, jobs = [], 0
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        points = sum(
            len(config["epsilon"]) * (len(config["delta"]) if uses_delta[name] else 1)
            for name in settings["mechanisms"]
        )
        parts = -(-config["repeats"] // config["svm"]["repeats_per_job"])
        if "target" not in settings.get("records", {}):
            parts = 0
        jobs += points * (1 + parts)
        lines.append(f"{dataset}: {points:,} grid points × {1 + parts:,}")
    if jobs > JOBS:
        raise ValueError(
            f"the design has {jobs:,} jobs, at most {JOBS:,} are allowed ({'; '.join(lines)}). "
            "Take fewer values of epsilon or delta, fewer mechanisms or data sets in a run, or a "
            "larger svm.repeats_per_job"
        )
