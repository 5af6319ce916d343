"""Argument checks, whose errors name argument, value and what is allowed; errors about data."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

#: Largest sum of the counts: double precision, in which noise is added, is exact up to this number.
MAX_TOTAL = 2**53


def _is_finite(value: Any) -> bool:
    """Return whether the value is a finite number that fits into a float."""
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


class Range(NamedTuple):
    """A range of finite numbers: its words, and whether a finite number is in it.

    It is called like a function, with the name and the value of an argument.
    """

    words: str
    contains: Callable[[float], bool]

    def __call__(self, name: str, value: Any) -> float:
        """Return the value if it is in the range, else raise ValueError."""
        if not (_is_finite(value) and self.contains(value)):
            raise ValueError(f"{name} must be {self.words}, got {value!r}")
        return value


positive = Range("a finite number > 0", lambda x: x > 0)
not_negative = Range("a finite number >= 0", lambda x: x >= 0)
at_least_one = Range("a finite number >= 1", lambda x: x >= 1)
unit = Range("a number from 0 to 1", lambda x: 0 <= x <= 1)
below_one = Range("a number >= 0 and < 1", lambda x: 0 <= x < 1)
open_unit = Range("a number strictly between 0 and 1", lambda x: 0 < x < 1)


def count(name: str, value: int, least: int = 1) -> int:
    """Return the value if it is a whole number >= ``least``, else raise ValueError."""
    if not (isinstance(value, int | np.integer) and value >= least):
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}")
    return int(value)


def whole(name: str, value: float) -> int:
    """Return the value as an int if it is a whole number > 0, else raise ValueError."""
    if value != int(positive(name, value)):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    return int(value)


def width(low: float, high: float) -> float:
    """Return high - low if the bounds are finite and low < high, else raise ValueError."""
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
    """Raise ValueError if a value is not finite, and name the first such value and its index."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    wrong = np.argwhere(~np.isfinite(array))
    if wrong.size:
        index = tuple(wrong[0].tolist())
        raise ValueError(
            f"{name} must be finite numbers, got {float(array[index])!r} at "
            f"{index[0] if len(index) == 1 else index}"
        )


class RefusedTableError(ValueError):
    """Data that cannot be read, or that a design refuses."""

    exit_code = 1  # of a command, whose options are right


@contextmanager
def table_errors() -> Iterator[None]:
    """Raise each ValueError in the context, or in a decorated function, as `RefusedTableError`."""
    try:
        yield
    except ValueError as error:
        raise RefusedTableError(str(error)) from error
