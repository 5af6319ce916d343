"""Checks of a configuration, in messages for whoever wrote it."""

import math
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from ggexp import calibration
from ggexp.experiment import limits

#: Mistakes that are told at once, and the characters of each.
TOLD, LENGTH = 20, 500


def check(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise ValueError if a configuration breaks the schema, or names what it does not define.

    config: the configuration as a mapping.
    schema: a JSON schema (draft 2020-12).
    The message has a line for each mistake: the key, the value, and what is allowed.
    """
    limits.check_size(config)
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
    limits.check_jobs(config, uses_delta)


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
        for kind, number in histogram.get("figures", {}).items():
            key = f"histograms.{dataset}.figures.{kind}"
            if number in figures:
                yield f"{key}: {number} is also the number of {figures[number]}"
            figures[number] = key
