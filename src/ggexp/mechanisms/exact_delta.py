"""The exact δ of whole-number noise, from integer bounds on its probabilities.

This derivation is independent of `WholeNoise.delta`: it shares no formula with it, and uses no
floating-point numbers. `ExactSampler` decides its draws with the same bounds.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

from ggexp.mechanisms.enclosures import Enclosure, exponential

#: Additional bits of precision for sums of up to a million probabilities.
SUM_BITS = 32


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
    decay = exponential(epsilon, epsilon, unit)  # e^-ε
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
