"""Checks of arguments that many functions share: each raises ValueError with name, value, range."""

import math


def finite(name: str, value: float) -> float:
    """Return the value if it is a finite number, else raise ValueError."""
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return value


def positive(name: str, value: float) -> float:
    """Return the value if it is a finite number > 0, else raise ValueError."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return value


def not_negative(name: str, value: float) -> float:
    """Return the value if it is a finite number >= 0, else raise ValueError."""
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return value


def at_least_one(name: str, value: float) -> float:
    """Return the value if it is a finite number >= 1, else raise ValueError."""
    if not (math.isfinite(value) and value >= 1):
        raise ValueError(f"{name} must be a finite number >= 1, got {value!r}")
    return value


def open_unit(name: str, value: float | None) -> float:
    """Return the value if it lies strictly between 0 and 1, else raise ValueError."""
    if value is None or not 0 < value < 1:
        raise ValueError(f"{name} must be a number strictly between 0 and 1, got {value!r}")
    return value


def width(low: float, high: float) -> float:
    """Return high - low of finite bounds in that order, else raise ValueError."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"bounds must be finite with low < high, got {low!r} and {high!r}")
    return high - low
