"""Integer bounds on exponentials, on tails of integer-valued noise, and the exact δ from them.

A real number x is represented by two integers, a lower and an upper bound on 2^bits x. The exact δ
is an independent derivation: it shares no formula with `IntegerValuedNoise.delta`, and uses no
floating-point numbers. `ExactSampler` decides its draws with the same bounds.
"""

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import accumulate, chain, count, pairwise
from math import ceil, floor
from typing import NamedTuple

#: Number of additional bits in the weights from which tails are computed.
GUARD_BITS = 64
#: The largest whole order for which weights are products; for higher orders exponentials are faster
MAX_FACTORS = 10
#: Additional bits of precision for sums of up to a million probabilities.
SUM_BITS = 32


class Enclosure(NamedTuple):
    """An integer lower bound and an integer upper bound on 2^bits times a number."""

    low: int
    high: int

    def plus(self, other: "Enclosure") -> "Enclosure":
        """Return bounds on the sum."""
        return Enclosure(self.low + other.low, self.high + other.high)


def exponential(x: Fraction, bits: int) -> Enclosure:
    """Return bounds on e^-x for an x >= 0."""
    down, up = contexts(bits)
    return _decay(quotient(x, down), quotient(x, up), bits)


def _decay(low: Decimal, high: Decimal, bits: int) -> Enclosure:
    """Return bounds on e^-x for an x in [low, high]."""
    down, up = contexts(bits)
    low, high = _exponential(high.copy_negate(), low.copy_negate(), bits)
    return Enclosure(floor(down.multiply(low, 2**bits)), ceil(up.multiply(high, 2**bits)))


def _exponential(low: Decimal, high: Decimal, bits: int) -> tuple[Decimal, Decimal]:
    """Return bounds on e^x for an x in [low, high]: e^low to the nearest number, and its error."""
    down, up = contexts(bits)
    e = down.exp(low)
    width = up.next_plus(up.exp(up.subtract(high, low)))
    return down.next_minus(e), up.multiply(up.next_plus(e), width)


def weights(order: Fraction, scale: Fraction, bits: int) -> Iterator[Enclosure]:
    """Yield bounds on 2^bits e^(-(k/b)^p) for k = 0, 1, …, for an order p and a scale b."""
    if order.denominator == 1 and order <= MAX_FACTORS:
        return _products(int(order), scale, bits)
    return chain([Enclosure(2**bits, 2**bits)], (_weight(order, scale, bits, k) for k in count(1)))


def _weight(order: Fraction, scale: Fraction, bits: int, k: int) -> Enclosure:
    """Return bounds on 2^bits e^(-(k/b)^p) for k >= 1, from (k/b)^p = e^y with y = p ln(k/b)."""
    down, up = contexts(bits)
    log = down.ln(quotient(k / scale, down))
    low = down.next_minus(log)
    high = up.add(up.next_plus(log), Decimal(10) ** (1 - up.prec))  # the error of the quotient
    low = down.multiply(low, quotient(order, down if low > 0 else up))
    high = up.multiply(high, quotient(order, up if high > 0 else down))
    return _decay(*_exponential(low, high, bits), bits)


def _products(order: int, scale: Fraction, bits: int) -> Iterator[Enclosure]:
    """Yield the bounds of `weights` for a whole order, by multiplication.

    Each weight is the previous one times a ratio, each ratio is the previous one times a ratio of
    ratios, and so on. After p of these steps the factor is constant, because the p-th differences
    of k^p are. After k steps the bounds differ by less than k^p units in the last place.
    """
    extra = GUARD_BITS + ceil(bits * scale**order).bit_length()
    differences = [k**order for k in range(order + 1)]
    factors = []
    for _ in range(order + 1):
        factors.append(exponential(differences[0] / scale**order, bits + extra))
        differences = [after - before for before, after in pairwise(differences)]
    lows, highs = ([factor[end] for factor in factors] for end in (0, 1))
    while True:
        yield Enclosure(lows[0] >> extra, -(-highs[0] >> extra))
        for j in range(order):
            lows[j] = lows[j] * lows[j + 1] >> bits + extra
            highs[j] = -(-highs[j] * highs[j + 1] >> bits + extra)


def contexts(bits: int) -> tuple[Context, Context]:
    """Return a decimal context that rounds down, and one that rounds up."""
    digits = bits * 3 // 10 + 20
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


def precision(bits: int, epsilon: Fraction) -> int:
    """Return the bits of bounds on tails from which `exact_delta` is within 2^-bits at this ε.

    δ contains probabilities multiplied by e^ε < 2^(1.45 ε).
    """
    return bits + SUM_BITS + ceil(epsilon * 29 / 20)


def exact_delta(
    tails: Sequence[Enclosure], epsilon: Fraction, shift: int, bits: int, *, probabilistic: bool
) -> Fraction:
    """Return the smallest δ of approximate or probabilistic DP at ε, to within 2^-bits.

    tails: bounds on 2^P Pr(|K| > k) for k = 0, 1, …, for symmetric noise on a count, where P is the
        `precision` for these bits.
    shift: Δ >= 1, the difference of the count between neighbours.
    """
    unit = precision(bits, epsilon)
    decay = exponential(epsilon, unit)  # e^-ε
    if tails[-1].high:  # the next tail cannot be distinguished from 0
        tails = [*tails, Enclosure(0, 1)]
    rest = Enclosure(0, tails[-1].high)  # bounds each further probability, and their sum
    half = [*_probabilities(tails, unit)]
    p = [*half[:0:-1], *half]
    delta = rest.high
    for probability, neighbour in zip(p, [rest] * shift + p, strict=False):  # p_k and p_(k-Δ)
        excess = decay.high * probability.high - (neighbour.low << unit)
        if probabilistic:
            is_above = excess > 0 or decay.high * neighbour.high > probability.low << unit
            delta += probability.high if is_above else 0
        elif excess > 0:
            delta += -(-excess // decay.low)
    return Fraction(min(delta >> unit - bits, 2**bits), 2**bits)


def _probabilities(tails: Sequence[Enclosure], bits: int) -> Iterator[Enclosure]:
    """Yield bounds on 2^bits Pr(K = k) for k = 0, 1, …, one for each tail."""
    yield Enclosure(2**bits - tails[0].high, 2**bits - tails[0].low)
    for before, after in pairwise(tails):
        yield Enclosure(max(0, before.low - after.high) // 2, -((after.low - before.high) // 2))
