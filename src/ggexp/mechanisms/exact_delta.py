"""The δ of whole-number noise, from the integer bounds of the probabilities with which it is drawn.

It is a second derivation, which shares no formula and no floating-point number with
`WholeNoise.delta`. `ExactSampler` decides its draws by the same bounds.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from ggexp.mechanisms.enclosures import Between, exponential

BITS = 256  # of the bounds
KEPT = 128  # of δ: less than 2^-KEPT counts as rounding of the bounds


def exact_delta(tails: Sequence[Between], epsilon: Fraction, *, probabilistic: bool) -> Fraction:
    """Return the smallest δ of approximate DP at ε, or of probabilistic DP, to 2^-KEPT.

    tails: bounds of 2^BITS Pr(|K| > k) for k = 0, 1, … of symmetric noise on a count.
    """
    falls = exponential(epsilon, epsilon, BITS)  # e^-ε
    delta = tails[-1].high  # the probability of all values beyond the bounds
    p = [*_probabilities(tails)]
    for probability, neighbour in [
        *pairwise(p),
        *((after, before) for before, after in pairwise(p)),
    ]:
        excess = falls.high * probability.high - (neighbour.low << BITS)  # e^-ε p_k - p_(k-1)
        if probabilistic:
            is_beyond = excess > 0 or falls.high * neighbour.high > probability.low << BITS
            delta += probability.high if is_beyond else 0
        elif excess > 0:
            delta += -(-excess // falls.low)
    return Fraction(delta >> BITS - KEPT, 2**KEPT)


def _probabilities(tails: Sequence[Between]) -> Iterator[Between]:
    """Yield bounds of 2^BITS Pr(K = k) for k = 0, 1, …, and last of the remaining probability."""
    yield Between(2**BITS - tails[0].high, 2**BITS - tails[0].low)
    for before, after in pairwise(tails):
        yield Between(max(0, before.low - after.high) // 2, -((after.low - before.high) // 2))
    yield Between(0, tails[-1].high)
