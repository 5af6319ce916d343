"""Data sets that are like another one, spelled out, as far as a configuration may go.

What is too much is refused before it, or its aliases, take the computer's memory.
"""

from collections.abc import Mapping
from typing import Any

from ggexp.experiment.messages import invalid, wrong_type

#: Values of a configuration, counted wherever they are used (an alias each time).
VALUES = 100_000
TOO_MANY = f"the configuration has more than {VALUES:,} values"
#: How deep a configuration may be nested; the schema's deepest key is at 6.
DEPTH = 20


def spelled_out(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with every ``like`` followed, as far as it has the right shape.

    Raises ValueError, in words, for a ``like`` that leads nowhere or to itself, and for more values
    or levels than `VALUES` and `DEPTH`.
    """
    _check_size(config)
    histograms = config.get("histograms")
    if not isinstance(histograms, Mapping):
        return dict(config)
    followed, values = {}, 0
    for name in histograms:
        followed[name] = _followed(name, histograms, ())
        values += _check_size(followed[name])
        if values > VALUES:
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
    if len(seen) > DEPTH:
        raise invalid(f"{key}: more than {DEPTH} steps")
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
        if depth > DEPTH:
            raise ValueError(f"the configuration is nested more than {DEPTH} levels deep")
        if values > VALUES:
            raise ValueError(TOO_MANY)
        # beyond the limit there is no need to look
        if isinstance(value, Mapping | list):
            parts = list(value.values()) if isinstance(value, Mapping) else value
            waiting += [(part, depth + 1) for part in parts[: VALUES + 1]]
    return values
