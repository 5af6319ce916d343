"""Choose bins for the numbers of a column: of equal width, or narrower where numbers are dense."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.layout import ColumnForm

#: The largest share of the records that a bin may contain if there are more than three bins, all of
#: equal width, and if there are two or three.
MAX_SHARE, MAX_SHARE_OF_FEW_BINS = 1 / 2, 3 / 4
#: The distance allowed between an edge and its quantile, as a share of the records per bin.
SLACK = 0.25


def bins_of(numbers: NDArray[np.float64], count: int) -> dict[str, Any] | None:
    """Return about `count` bins, at least two, as in a configuration: by edges, or of equal width.

    numbers: one for each record, ascending, at least two different ones. Returns None if floating
        point cannot represent such bins.
    """
    low, high = _exact(numbers[0]), _exact(numbers[-1])
    form = round_bins(low, high, count)
    if form and len(edges_of(form)) == 2:
        form = round_bins(low, high, 2 * count)
    if not form:
        return None
    inner = edges_of(form)[1:-1]
    sizes = np.diff(np.searchsorted(numbers, inner), prepend=0, append=len(numbers))
    allowed = MAX_SHARE if len(inner) > 2 else MAX_SHARE_OF_FEW_BINS
    if sizes.max() <= allowed * len(numbers):
        return form
    edges = quantile_edges(numbers, count)
    return {"edges": edges} if edges else form


def edges_of(form: dict[str, Any]) -> tuple[float, ...]:
    """Return the edges of bins as in a configuration; raise ValueError if they do not increase."""
    return ColumnForm.model_validate(form).bounds


def quantile_edges(numbers: NDArray[np.float64], count: int) -> list[int | float] | None:
    """Return edges with few digits, between which lie about equally many records.

    If more records share a number than a bin should contain, this number has its own bin, as far as
    edges with few digits allow. Returns None if floating point cannot represent such edges.
    """
    n, binned = len(numbers), 0
    edges = [_rounded(_exact(numbers[0]), ROUND_FLOOR)]
    for remaining in range(count, 1, -1):
        size = (n - binned) / remaining
        lower, upper = (
            numbers[min(n - 1, int(binned + size * share))] for share in (1 - SLACK, 1 + SLACK)
        )
        if lower == upper:
            after = int(np.searchsorted(numbers, lower, side="right"))
            if after == n:  # the largest value, and many records have it
                before = int(np.searchsorted(numbers, lower)) - 1
                if before < binned:
                    break
                lower = numbers[before]
            else:
                upper = numbers[after]
        edges.append(_shortest(_exact(lower), _exact(upper)))
        binned = int(np.searchsorted(numbers, float(edges[-1])))
        if binned >= n:
            break
    stop = _rounded(_exact(numbers[-1]), ROUND_CEILING)
    if stop <= edges[-1]:
        stop += Decimal(1).scaleb(stop.adjusted() - 1)
    written = [_plain(edge) for edge in [*edges, stop]]
    return written if all(lower < upper for lower, upper in pairwise(written)) else None


def _shortest(lower: Decimal, upper: Decimal) -> Decimal:
    """Return the number with the fewest digits in (lower, upper]."""
    with localcontext() as context:
        context.prec = 700
        power = max(abs(lower), abs(upper)).adjusted() + 1
        while True:
            step = Decimal(1).scaleb(power)
            number = (upper / step).to_integral_value(ROUND_FLOOR) * step
            if number > lower:
                return number
            power -= 1


def _rounded(number: Decimal, rounding: str) -> Decimal:
    """Return a number rounded to two significant digits."""
    return number.quantize(Decimal(1).scaleb(number.adjusted() - 1), rounding) if number else number


def _exact(number: float) -> Decimal:
    """Return a number exactly as Python prints it, with the fewest digits that identify it."""
    return Decimal(repr(float(number)))


def round_bins(lower: Decimal, upper: Decimal, count: int) -> dict[str, int | float] | None:
    """Return from, to and width of about `count` equal bins that cover both numbers.

    The width is 1, 2 or 5 times a power of ten; from and to are multiples of it. Returns None if
    floating point cannot represent such bins.
    """
    with localcontext() as context:
        context.prec = 700  # enough digits for numbers as far apart as 1e-300 and 1e300
        span = upper - lower
        if not span:
            return None
        power = (span / count).adjusted()
        width = next(
            step
            for step in (Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10))
            if step * count >= span
        )
        start = (lower / width).to_integral_value(ROUND_FLOOR) * width
        stop = (upper / width).to_integral_value(ROUND_CEILING) * width
    form = {"from": _plain(start), "to": _plain(stop), "width": _plain(width)}
    try:
        edges = edges_of(form)
    except ValueError:
        return None
    return form if edges[0] <= float(lower) and float(upper) <= edges[-1] else None


def _plain(number: Decimal) -> int | float:
    """Return a number as int if it is whole and below 10^15, otherwise as float."""
    is_short = number == number.to_integral_value() and abs(number) < 10**15
    return int(number) if is_short else float(number)
