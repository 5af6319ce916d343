"""The exact δ of whole-number noise, from integer bounds on its probabilities.

This derivation is independent of `WholeNoise.delta`: it shares no formula with it, and uses no
floating-point numbers. `ExactSampler` decides its draws with the same bounds.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from ggexp.mechanisms.enclosures import Enclosure, exponential

BITS = 256  # precision of the bounds
DELTA_BITS = 128  # precision of δ: a δ below 2^-DELTA_BITS counts as rounding of the bounds


def exact_delta(tails: Sequence[Enclosure], epsilon: Fraction, *, probabilistic: bool) -> Fraction:
    """Return the smallest δ of approximate or probabilistic DP at ε, to within 2^-DELTA_BITS.

    tails: bounds on 2^BITS Pr(|K| > k) for k = 0, 1, …, for symmetric noise on a count.
    """
    decay = exponential(epsilon, epsilon, BITS)  # e^-ε
    delta = tails[-1].high  # bounds the probability of all further values
    p = [*_probabilities(tails)]
    for probability, neighbour in [
        *pairwise(p),
        *((after, before) for before, after in pairwise(p)),
    ]:
        excess = decay.high * probability.high - (neighbour.low << BITS)  # e^-ε p_k - p_(k-1)
        if probabilistic:
            is_above = excess > 0 or decay.high * neighbour.high > probability.low << BITS
            delta += probability.high if is_above else 0
        elif excess > 0:
            delta += -(-excess // decay.low)
    return Fraction(delta >> BITS - DELTA_BITS, 2**DELTA_BITS)


def _probabilities(tails: Sequence[Enclosure]) -> Iterator[Enclosure]:
    """Yield bounds on 2^BITS Pr(K = k) for k = 0, 1, …, and last on the remaining probability."""
    yield Enclosure(2**BITS - tails[0].high, 2**BITS - tails[0].low)
    for before, after in pairwise(tails):
        yield Enclosure(max(0, before.low - after.high) // 2, -((after.low - before.high) // 2))
    yield Enclosure(0, tails[-1].high)
