"""Bins for the numbers of a column: of one width, or narrow where most of its numbers are."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The largest share of the records in one of several bins of one width, and in one of two or three.
LARGEST, LARGEST_OF_FEW = 1 / 2, 3 / 4
#: How far an edge may lie from its quantile, as a share of a bin's records.
SLACK = 0.25


def bins_of(values: NDArray[np.float64], about: int) -> dict[str, Any] | None:
    """Return about so many bins, two at least, as in a configuration: edges, or a width.

    values: sorted, not all alike. None where floating point has no such bins.
    """
    low, high = _exact(values[0]), _exact(values[-1])
    form = round_bins(low, high, about)
    if form and round((form["to"] - form["from"]) / form["width"]) == 1:
        form = round_bins(low, high, 2 * about)
    if form and _is_uneven(values, form):
        edges = quantile_edges(values, about)
        return {"edges": edges} if edges else form
    return form


def _is_uneven(values: NDArray[np.float64], form: dict[str, Any]) -> bool:
    """Return whether a bin of one width holds more than its largest share of sorted values."""
    start, stop, width = form["from"], form["to"], form["width"]
    bins = round((stop - start) / width)
    inner = start + (stop - start) * (np.arange(1, bins) / bins)
    counts = np.diff(np.searchsorted(values, inner), prepend=0, append=values.size)
    return bool(counts.max() > values.size * (LARGEST if bins > 3 else LARGEST_OF_FEW))


def quantile_edges(values: NDArray[np.float64], about: int) -> list[int | float] | None:
    """Return edges of bins with about as many values each: numbers with few digits.

    values: sorted. A value that more records have than a bin should hold is alone in its bin, as
    far as numbers with few digits allow. None where floating point has no such edges.
    """
    n, done = values.size, 0
    edges = [_rounded(_exact(values[0]), ROUND_FLOOR)]
    for left in range(about, 1, -1):
        size = (n - done) / left
        low, high = (
            values[min(n - 1, int(done + size * share))] for share in (1 - SLACK, 1 + SLACK)
        )
        if low == high:
            after = int(np.searchsorted(values, low, side="right"))
            if after == n:  # the largest value, which many have
                before = int(np.searchsorted(values, low)) - 1
                if before < done:
                    break
                low = values[before]
            else:
                high = values[after]
        edges.append(_shortest(_exact(low), _exact(high)))
        done = int(np.searchsorted(values, float(edges[-1])))
        if done >= n:
            break
    stop = _rounded(_exact(values[-1]), ROUND_CEILING)
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
