"""The absolute size of generalized Cauchy noise, with density proportional to 1 / (1 + |x|^γ).

Other authors release statistics with such noise, scaled by a smooth sensitivity. This project only
computes the size of the noise. Source: Laud and Pankova, App. A.1, with γ = 4.
"""

from math import inf
from sys import float_info

from scipy.special import betainc, betaincinv

from ggexp import checks


def within(size: float, *, order: float) -> float:
    """Return the probability that the absolute noise is at most the given size.

    size: > 0, in units of the noise's scale. order: γ > 1.
    With t = |x|^γ, the ratio t/(1 + t) has the distribution Beta(1/γ, 1 - 1/γ).
    """
    shape = 1 / checks.above_one("order", order)
    ratio = 1 / (1 + checks.positive("size", size) ** -order)
    return float(betainc(shape, 1 - shape, ratio))


def reach(probability: float, *, order: float) -> float:
    """Return the size that bounds the absolute noise with the given probability.

    probability: in (0, 1). order: γ > 1.
    This is the inverse of `within`. A size near the largest floating-point number becomes infinity.
    """
    shape = 1 / checks.above_one("order", order)
    checks.open_unit("probability", probability)
    ratio = betaincinv(shape, 1 - shape, probability)
    complement = betaincinv(1 - shape, shape, 1 - probability)  # 1 - ratio without cancellation
    return float((ratio / complement) ** shape) if complement > float_info.min else inf
