"""Checks of arguments that many functions share: each raises an error with name, value, range."""

import math
from typing import Any

import numpy as np


def _is_finite(value: Any) -> bool:
    """Return whether the value is a number that floating point holds, and finite."""
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def finite(name: str, value: float) -> float:
    """Return the value if it is a finite number, else raise ValueError."""
    if not _is_finite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return value


def positive(name: str, value: float) -> float:
    """Return the value if it is a finite number > 0, else raise ValueError."""
    if not (_is_finite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return value


def not_negative(name: str, value: float) -> float:
    """Return the value if it is a finite number >= 0, else raise ValueError."""
    if not (_is_finite(value) and value >= 0):
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return value


def at_least_one(name: str, value: float | None) -> float:
    """Return the value if it is a finite number >= 1, else raise ValueError."""
    if value is None or not (_is_finite(value) and value >= 1):
        raise ValueError(f"{name} must be a finite number >= 1, got {value!r}")
    return value


def above_one(name: str, value: float) -> float:
    """Return the value if it is a finite number > 1, else raise ValueError."""
    if not (_is_finite(value) and value > 1):
        raise ValueError(f"{name} must be a finite number > 1, got {value!r}")
    return value


def count(name: str, value: int) -> int:
    """Return the value if it is a whole number >= 1, else raise ValueError."""
    if not (isinstance(value, int | np.integer) and value >= 1):
        raise ValueError(f"{name} must be a whole number >= 1, got {value!r}")
    return int(value)


def whole(name: str, value: float) -> int:
    """Return a positive whole number, as an int."""
    if value != int(positive(name, value)):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    return int(value)


def below_one(name: str, value: float) -> float:
    """Return the value if it is a number >= 0 and < 1, else raise ValueError."""
    if not (_is_finite(value) and 0 <= value < 1):
        raise ValueError(f"{name} must be a number >= 0 and < 1, got {value!r}")
    return value


def open_unit(name: str, value: float | None) -> float:
    """Return the value if it lies strictly between 0 and 1, else raise ValueError."""
    if value is None or not (_is_finite(value) and 0 < value < 1):
        raise ValueError(f"{name} must be a number strictly between 0 and 1, got {value!r}")
    return value


def width(low: float, high: float) -> float:
    """Return high - low of finite bounds in that order, else raise ValueError."""
    if not (_is_finite(low) and _is_finite(high) and low < high):
        raise ValueError(f"bounds must be finite with low < high, got {low!r} and {high!r}")
    return high - low


def generator(name: str, value: Any) -> np.random.Generator:
    """Return the value if it is a numpy Generator, else raise TypeError."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            f"{name} must be a numpy.random.Generator, such as numpy.random.default_rng(), got "
            f"{value!r}"
        )
    return value


def all_finite(name: str, values: Any) -> None:
    """Raise ValueError if one of the values is not a finite number, with it and its place."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    wrong = np.argwhere(~np.isfinite(array))
    if wrong.size:
        place = tuple(wrong[0].tolist())
        raise ValueError(
            f"{name} must be finite numbers, got {float(array[place])!r} at "
            f"{place[0] if len(place) == 1 else place}"
        )


def same_shape(name: str, shape: tuple[int, ...], other: str, as_that: tuple[int, ...]) -> None:
    """Raise ValueError if two shapes differ."""
    if shape != as_that:
        raise ValueError(f"{name} must have the shape of {other}, {as_that}, got {shape}")
