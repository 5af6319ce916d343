"""Integer bounds on exponentials and on the tails of whole-number noise.

A real number x is represented by two integers, a lower and an upper bound on 2^bits x.
"""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

#: Number of additional bits in the weights from which tails are computed.
GUARD_BITS = 64


class Enclosure(NamedTuple):
    """An integer lower bound and an integer upper bound on 2^bits times a number."""

    low: int
    high: int

    def plus(self, other: "Enclosure") -> "Enclosure":
        """Return bounds on the sum."""
        return Enclosure(self.low + other.low, self.high + other.high)


def exponential(low: Fraction, high: Fraction, bits: int) -> Enclosure:
    """Return bounds on e^-x for an x in [low, high], with low >= 0."""
    down, up = contexts(bits)
    lower = down.next_minus(down.exp(down.minus(quotient(high, up))))
    upper = up.next_plus(up.exp(up.minus(quotient(low, down))))
    return Enclosure(int(Fraction(lower) * 2**bits), -int(-Fraction(upper) * 2**bits // 1))


def power(x: Fraction, order: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return bounds on x^p for x >= 0 and p >= 1; they are equal if p is an integer."""
    if order.denominator == 1:
        return (x ** int(order),) * 2
    down, up = contexts(bits)
    low = down.next_minus(down.ln(quotient(x, down)))
    high = up.next_plus(up.ln(quotient(x, up)))
    low = down.multiply(low, quotient(order, down if low > 0 else up))
    high = up.multiply(high, quotient(order, up if high > 0 else down))
    return Fraction(down.next_minus(down.exp(low))), Fraction(up.next_plus(up.exp(high)))


def contexts(bits: int) -> tuple[Context, Context]:
    """Return a decimal context that rounds down, and one that rounds up."""
    digits = bits * 3 // 10 + 30
    return Context(digits, ROUND_FLOOR), Context(digits, ROUND_CEILING)


def quotient(x: Fraction, context: Context) -> Decimal:
    """Return a fraction as a decimal number, rounded according to the context."""
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def tails_of(weights: Iterator[Enclosure], bits: int) -> Iterator[Enclosure]:
    """Yield bounds on 2^bits Pr(|K| > k) for k = 0, 1, 2, …, for noise with given weights.

    weights: bounds on 2^(bits + GUARD_BITS) w_k for k = 0, 1, …, an infinite sequence. Pr(K = k)
    is proportional to w_k. The ratio w_(k+1)/w_k must not increase with k, so that the sum of all
    weights after w_n is at most w_n²/(w_(n-1) - w_n).
    """
    kept = [next(weights), next(weights)]
    while (remaining := _sum_after(*kept[-2:])) is None or remaining > 2 ** (GUARD_BITS // 2):
        kept.append(next(weights))
    lower = [*accumulate(weight.low for weight in kept[:0:-1])][::-1]
    upper = [*accumulate((weight.high for weight in kept[:0:-1]), initial=remaining)][:0:-1]
    heads = accumulate(kept[1:-1], Enclosure.plus, initial=Enclosure(0, 0))
    for head, low, high in zip(heads, lower, upper, strict=True):
        inside = kept[0].plus(head).plus(head)  # the weight of |K| <= k
        yield Enclosure(
            (2 * low << bits) // (inside.high + 2 * low),
            -((-2 * high << bits) // (inside.low + 2 * high)),
        )


def _sum_after(before: Enclosure, last: Enclosure) -> int | None:
    """Return an upper bound on the sum of all later weights, None if they do not decrease yet."""
    decrease = before.low - last.high
    return last.high**2 // decrease + 1 if decrease > 0 else None
