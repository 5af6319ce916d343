"""Messages about an invalid configuration, with the key, the value and the allowed values."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

#: The names of schema types in messages.
TYPES = {
    "array": "a list",
    "object": "a mapping of keys to values",
    "string": "text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "null": "null",
}


def invalid(*problems: str) -> ValueError:
    """Return the error with a line for each problem."""
    return ValueError("the configuration is not valid:\n  " + "\n  ".join(problems))


def explain(error: "ValidationError") -> str:
    """Return a line with the key, the value and the allowed values.

    If the value must match a pattern, the line contains a description of the pattern, which the
    schema has under ``allowed``.
    """
    key = _key(error.absolute_path)
    rule = error.validator_value
    if list(error.schema_path)[-2:-1] == ["propertyNames"]:
        within = f"{key}: " if key else ""
        return (
            f"{within}the name {_yaml(error.instance)} is not allowed: {_name_requirement(error)}"
        )
    match error.validator:
        case "additionalProperties" if rule is False:
            known = sorted(error.schema["properties"])
            renamed = error.schema.get("renamed", {})
            unknown = [
                f"{name} (now {renamed[name]})" if name in renamed else str(name)
                for name in sorted(set(error.instance) - set(known), key=str)
            ]
            within = f" in {key}" if key else ""
            return f"unknown key{within}: {', '.join(unknown)}; allowed: {', '.join(known)}"
        case "required":
            missing = sorted(set(rule) - set(error.instance))
            return f"missing key{f' in {key}' if key else ''}: {', '.join(missing)}"
        case "type":
            return f"{key}: {wrong_type(error.instance, rule)}"
        case "exclusiveMinimum" | "exclusiveMaximum" | "minimum" | "maximum":
            signs = {"exclusiveMinimum": ">", "exclusiveMaximum": "<", "minimum": ">="}
            return (
                f"{key}: must be {signs.get(error.validator, '<=')} {rule}, got {error.instance!r}"
            )
        case "enum":
            return f"{key}: must be one of {', '.join(map(str, rule))}, got {error.instance!r}"
        case "minItems" if rule > 1:
            return f"{key}: must have at least {rule} values, got {error.instance!r}"
        case "minItems" | "minLength" | "minProperties":
            return f"{key}: must not be empty"
        case "uniqueItems":
            return f"{key}: must not contain a value twice, got {error.instance!r}"
        case "pattern" if "allowed" in error.schema:
            return f"{key}: must be {error.schema['allowed']}, got {error.instance!r}"
    return f"{key}: {error.message}"


def _name_requirement(error: "ValidationError") -> str:
    """Return the requirement that a name does not meet."""
    if error.validator == "type":
        return f"{wrong_type(error.instance, error.validator_value)}"
    if error.validator == "maxLength":
        return f"at most {error.validator_value} characters"
    return str(error.schema.get("allowed", error.message))


def wrong_type(value: Any, types: str | list[str]) -> str:
    """Return the message about a value of a wrong type: allowed types, value, advice on YAML."""
    allowed = [types] if isinstance(types, str) else types
    if set(allowed) <= {"number", "integer"}:
        text = f"{_yaml(value)} is not {_or(TYPES[name] for name in allowed)}"
        if isinstance(value, float) and value.is_integer():
            text += f" to YAML; write {value:.0f}"
        return text
    text = f"must be {_or(TYPES[name] for name in allowed)}"
    if allowed == ["array"]:
        if isinstance(value, bool | int | float | str):
            text += f", such as [{_yaml(value)}]"
        return f"{text}, got {_yaml(value)}"
    if "string" in allowed and isinstance(value, bool):
        words = ("yes", "on and true as true") if value else ("no", "off and false as false")
        return f'{text}, got {_yaml(value)}; YAML reads {words[0]}, {words[1]}: write "{words[0]}"'
    if "string" in allowed and not isinstance(value, list | Mapping):
        # the original text is unknown, because YAML reads 007 as 7, and 1_0 as 10
        return f"{text}, got {_yaml(value)}; write it in quotes"
    return f"{text}, got {_yaml(value)}"


def _or(words: Iterable[str]) -> str:
    return " or ".join(words)


def _yaml(value: Any) -> str:
    """Return a value as it is written in YAML."""
    names: list[tuple[Any, str]] = [(True, "true"), (False, "false"), (None, "null")]
    text = str(value) if isinstance(value, date) else repr(value)
    return next((name for known, name in names if value is known), text)


def _key(path: Iterable[Any]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(
        "."
    )
