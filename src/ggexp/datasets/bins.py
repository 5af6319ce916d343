"""Bins for the numbers of a column: of one width, or narrow where most of its numbers are."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The largest share of the records in one of several bins of one width, and in one of two or three.
MAX_SHARE, MAX_SHARE_OF_FEW_BINS = 1 / 2, 3 / 4
#: How far an edge may lie from its quantile, as a share of a bin's records.
SLACK = 0.25


@dataclass(frozen=True)
class Numbers:
    """The numbers of some records.

    values: sorted. ends: how many records have the value at that place or one before it.
    """

    values: NDArray[np.float64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> "Numbers":
        """Return the numbers of which so many records each have one; None for one record each."""
        order = np.argsort(values, kind="stable")
        return cls(
            values[order], np.cumsum(np.ones_like(order) if counts is None else counts[order])
        )

    def __len__(self) -> int:
        return int(self.ends[-1]) if self.ends.size else 0

    def __getitem__(self, place: int) -> np.float64:
        """Return the number of a record, counted from 0 in ascending order."""
        return self.values[np.searchsorted(self.ends, place, side="right")]

    def below(self, bounds: ArrayLike, side: Literal["left", "right"] = "left") -> Any:
        """Return how many are below a bound; on the right side, or equal to it."""
        return np.append(0, self.ends)[np.searchsorted(self.values, bounds, side=side)]


def bins_of(numbers: Numbers, about: int) -> dict[str, Any] | None:
    """Return about so many bins, two at least, as in a configuration: edges, or a width.

    numbers: not all alike. None where floating point has no such bins.
    """
    low, high = _exact(numbers[0]), _exact(numbers[len(numbers) - 1])
    form = round_bins(low, high, about)
    if form and round((form["to"] - form["from"]) / form["width"]) == 1:
        form = round_bins(low, high, 2 * about)
    if form and _is_uneven(numbers, form):
        edges = quantile_edges(numbers, about)
        return {"edges": edges} if edges else form
    return form


def _is_uneven(numbers: Numbers, form: dict[str, Any]) -> bool:
    """Return whether a bin of one width holds more than its largest share of the numbers."""
    start, stop, width = form["from"], form["to"], form["width"]
    bins = round((stop - start) / width)
    inner = start + (stop - start) * (np.arange(1, bins) / bins)
    counts = np.diff(numbers.below(inner), prepend=0, append=len(numbers))
    return bool(counts.max() > len(numbers) * (MAX_SHARE if bins > 3 else MAX_SHARE_OF_FEW_BINS))


def quantile_edges(numbers: Numbers, about: int) -> list[int | float] | None:
    """Return edges of bins with about as many numbers each: numbers with few digits.

    A number that more records have than a bin should hold is alone in its bin, as far as numbers
    with few digits allow. None where floating point has no such edges.
    """
    n, done = len(numbers), 0
    edges = [_rounded(_exact(numbers[0]), ROUND_FLOOR)]
    for left in range(about, 1, -1):
        size = (n - done) / left
        low, high = (
            numbers[min(n - 1, int(done + size * share))] for share in (1 - SLACK, 1 + SLACK)
        )
        if low == high:
            after = int(numbers.below(low, "right"))
            if after == n:  # the largest value, which many have
                before = int(numbers.below(low)) - 1
                if before < done:
                    break
                low = numbers[before]
            else:
                high = numbers[after]
        edges.append(_shortest(_exact(low), _exact(high)))
        done = int(numbers.below(float(edges[-1])))
        if done >= n:
            break
    stop = _rounded(_exact(numbers[n - 1]), ROUND_CEILING)
    if stop <= edges[-1]:
        stop += Decimal(1).scaleb(stop.adjusted() - 1)
    written = [_plain(edge) for edge in [*edges, stop]]
    return written if all(lower < upper for lower, upper in pairwise(written)) else None


def _shortest(low: Decimal, high: Decimal) -> Decimal:
    """Return the number with the fewest digits that is above one number and at most another."""
    with localcontext() as context:
        context.prec = 700
        power = max(abs(low), abs(high)).adjusted() + 1
        while True:
            step = Decimal(1).scaleb(power)
            number = (high / step).to_integral_value(ROUND_FLOOR) * step
            if number > low:
                return number
            power -= 1


def _rounded(number: Decimal, rounding: str) -> Decimal:
    """Return a number rounded to two significant digits."""
    return number.quantize(Decimal(1).scaleb(number.adjusted() - 1), rounding) if number else number


def _exact(number: float) -> Decimal:
    """Return a number as it is written, with as many digits as tell it from others."""
    return Decimal(repr(float(number)))


def round_bins(low: Decimal, high: Decimal, about: int) -> dict[str, int | float] | None:
    """Return from, to and width of about so many bins that hold both numbers.

    The width is 1, 2 or 5 times a power of ten, and from and to are multiples of it. None where
    floating point has no such bins.
    """
    with localcontext() as context:
        context.prec = 700  # of numbers as far apart as 1e-300 and 1e300
        span = high - low
        if not span:
            return None
        power = (span / about).adjusted()
        width = next(
            step
            for step in (Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10))
            if step * about >= span
        )
        start = (low / width).to_integral_value(ROUND_FLOOR) * width
        stop = (high / width).to_integral_value(ROUND_CEILING) * width
        bins = round((stop - start) / width)
    form = {"from": _plain(start), "to": _plain(stop), "width": _plain(width)}
    edges = [form["from"] + (form["to"] - form["from"]) * i / bins for i in range(bins)]
    edges.append(form["to"])
    grows = all(lower < upper for lower, upper in pairwise(edges))
    holds = form["from"] <= float(low) and float(high) <= form["to"]
    exact = form["width"] > 0 and abs((form["to"] - form["from"]) / form["width"] - bins) < 1e-9
    return form if grows and holds and exact else None


def _plain(number: Decimal) -> int | float:
    """Return a number as a whole one, if it is one that is written without an exponent."""
    return (
        int(number)
        if number == number.to_integral_value() and abs(number) < 10**15
        else float(number)
    )
