"""The exact δ of integer-valued noise, from integer bounds on its probabilities.

This derivation is independent of `IntegerValuedNoise.delta`: it shares no formula with it, and
uses no floating-point numbers. `ExactSampler` decides its draws with the same bounds.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil

from ggexp.mechanisms.enclosures import Enclosure, exponential

#: Additional bits of precision for sums of up to a million probabilities.
SUM_BITS = 32


#: Probabilities of two cells are used one by one if they exceed 2^BODY_BITS units.
BODY_BITS = 64


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


def exact_delta_of_two(
    tails: Sequence[Enclosure], epsilon: Fraction, bits: int, *, probabilistic: bool
) -> Fraction:
    """Return the smallest δ for two cells that both change by 1, rounded up by about 2^-bits.

    tails: as for `exact_delta`, with the `precision` for ``bits`` + `BODY_BITS`. The loss of the
        noise must not increase with the noise, as for log-concave probabilities.
    For noise x on the first cell, the joint loss exceeds ε if the noise on the second one is at
    most t(x). The threshold t(x) decreases in x. The contribution of x to δ is the largest value of
    p_x Pr(K <= t) - e^ε p_(x-1) Pr(K < t) over all t. Noise of low probability counts in full.
    """
    unit = precision(bits + BODY_BITS, epsilon)
    decay = exponential(epsilon, epsilon, unit)  # e^-ε
    half = [*_probabilities(tails, unit)]
    half.append(Enclosure(0, tails[-1].high))
    size = sum(probability.low > 2**BODY_BITS for probability in half)
    body = [*half[:size][:0:-1], *half[: size + 1]]  # the last value is the first improbable one
    p_low, p_high = zip(*body, strict=True)
    q_low, q_high = zip(half[size], *body[:-1], strict=True)
    sums_p, sums_low, sums_q = ([0, *accumulate(terms)] for terms in (p_high, q_low, q_high))
    possible = certain = len(body)  # bounds on the number of values up to the threshold
    total = 2 * (2**unit - sum(p_low)) << unit
    if probabilistic:
        total += 2 * (2**unit - sum(q_low)) << unit
    for x in range(len(body)):
        least, most = q_low[x] << unit, q_high[x] << unit
        while (
            possible
            and decay.high * p_high[x] * p_high[possible - 1] <= least * q_low[possible - 1]
        ):
            possible -= 1
        while certain and decay.low * p_low[x] * p_low[certain - 1] <= most * q_high[certain - 1]:
            certain -= 1
        if probabilistic:
            total += p_high[x] * sums_p[possible] + q_high[x] * sums_q[possible]
        else:
            total += max(
                p_high[x] * sums_p[t] - least * sums_low[t] // decay.high
                for t in range(certain, possible + 1)
            )
    return Fraction(min(-(-total >> 2 * unit - bits), 2**bits), 2**bits)


def _probabilities(tails: Sequence[Enclosure], bits: int) -> Iterator[Enclosure]:
    """Yield bounds on 2^bits Pr(K = k) for k = 0, 1, …, one for each tail."""
    yield Enclosure(2**bits - tails[0].high, 2**bits - tails[0].low)
    for before, after in pairwise(tails):
        yield Enclosure(max(0, before.low - after.high) // 2, -((after.low - before.high) // 2))
