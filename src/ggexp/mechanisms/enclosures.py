"""Integer bounds of exponentials, and of the tails of whole-number noise.

A real number x is represented by two whole numbers, a lower and an upper bound of 2^bits x.
"""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

#: Additional bits of the weights from which tails are computed.
GUARD = 64


class Between(NamedTuple):
    """Two whole numbers, a lower and an upper bound of 2^bits times a number."""

    low: int
    high: int

    def plus(self, other: "Between") -> "Between":
        """Return the bounds of the sum."""
        return Between(self.low + other.low, self.high + other.high)


def exponential(low: Fraction, high: Fraction, bits: int) -> Between:
    """Return bounds of e^-x for an x between two numbers >= 0."""
    down, up = contexts(bits)
    least = down.next_minus(down.exp(down.minus(quotient(high, up))))
    most = up.next_plus(up.exp(up.minus(quotient(low, down))))
    return Between(int(Fraction(least) * 2**bits), -int(-Fraction(most) * 2**bits // 1))


def power(x: Fraction, order: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of x^p for x >= 0 and p >= 1, equal if p is a whole number."""
    if order.denominator == 1:
        return (x ** int(order),) * 2
    down, up = contexts(bits)
    low = down.next_minus(down.ln(quotient(x, down)))
    high = up.next_plus(up.ln(quotient(x, up)))
    low = down.multiply(low, quotient(order, down if low > 0 else up))
    high = up.multiply(high, quotient(order, up if high > 0 else down))
    return Fraction(down.next_minus(down.exp(low))), Fraction(up.next_plus(up.exp(high)))


def contexts(bits: int) -> tuple[Context, Context]:
    """Return decimal arithmetic that rounds down, and one that rounds up."""
    digits = bits * 3 // 10 + 30
    return Context(digits, ROUND_FLOOR), Context(digits, ROUND_CEILING)


def quotient(x: Fraction, context: Context) -> Decimal:
    """Return a fraction as a decimal number, rounded by the context."""
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def tails_of(weights: Iterator[Between], bits: int) -> Iterator[Between]:
    """Yield bounds of 2^bits Pr(|K| > k) for k = 0, 1, 2 and so on.

    weights: bounds of 2^(bits + GUARD) w_k for k = 0, 1, …, without an end. Pr(K = k) is
    proportional to w_k. The ratio w_(k+1)/w_k must not increase in k, so that the sum of all
    weights after w_n is at most w_n²/(w_(n-1) - w_n).
    """
    kept = [next(weights), next(weights)]
    while (beyond := _all_after(*kept[-2:])) is None or beyond > 2 ** (GUARD // 2):
        kept.append(next(weights))
    least = [*accumulate(weight.low for weight in kept[:0:-1])][::-1]
    most = [*accumulate((weight.high for weight in kept[:0:-1]), initial=beyond)][:0:-1]
    heads = accumulate(kept[1:-1], Between.plus, initial=Between(0, 0))
    for head, low, high in zip(heads, least, most, strict=True):
        without = kept[0].plus(head).plus(head)
        yield Between(
            (2 * low << bits) // (without.high + 2 * low),
            -((-2 * high << bits) // (without.low + 2 * high)),
        )


def _all_after(before: Between, last: Between) -> int | None:
    """Return an upper bound of the sum of all later weights, None if they do not fall yet."""
    falls = before.low - last.high
    return last.high**2 // falls + 1 if falls > 0 else None
