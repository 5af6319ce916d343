"""A configuration as it is meant: data sets inherit, and text that stands for a number is one.

What is too much is refused before it, or its aliases, take the computer's memory. The lists and
mappings of Snakemake's ``--config`` hold nothing but text, and YAML takes 1e-5 for text. If only a
number can stand there, the text of one is that number.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from ggexp.experiment.messages import invalid, wrong_type

#: Values of a configuration, counted wherever they are used (an alias each time).
MAX_VALUES = 100_000
TOO_MANY = f"the configuration has more than {MAX_VALUES:,} values"
#: How deep a configuration may be nested; the schema's deepest key is at 6.
MAX_DEPTH = 20

_WORDS = {"true": True, "false": False, "null": None}


def spelled_out(config: Mapping[str, Any]) -> dict[str, Any]:
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
        raise invalid(f"{key}: unknown data set {model!r}, defined in histograms are: {known}")
    if model in (*seen, name):
        raise invalid(f"{key}: {model} is like itself")
    if len(seen) > MAX_DEPTH:
        raise invalid(f"{key}: more than {MAX_DEPTH} steps")
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


def read_scalars(config: Mapping[str, Any], validator: Draft202012Validator) -> dict[str, Any]:
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
