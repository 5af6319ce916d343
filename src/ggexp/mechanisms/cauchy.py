"""The size of generalized Cauchy noise, whose density is proportional to 1 / (1 + |x|^γ).

Other work adds such noise, scaled by a smooth sensitivity. This project computes its size but does
not release with it. Source: Laud and Pankova, App. A.1, with γ = 4.
"""

from math import inf
from sys import float_info

from scipy.special import betainc, betaincinv

from ggexp import checks


def within(size: float, *, order: float) -> float:
    """Return the probability that the absolute noise is at most a size.

    size: a > 0, in units of the noise's scale. order: γ > 1.
    With t = |x|^γ the ratio t/(1 + t) has the distribution Beta(1/γ, 1 - 1/γ).
    Raises ValueError naming the argument, its value and what is allowed.
    """
    share = 1 / checks.above_one("order", order)
    ratio = 1 / (1 + checks.positive("size", size) ** -order)
    return float(betainc(share, 1 - share, ratio))


def reach(probability: float, *, order: float) -> float:
    """Return the size that bounds the noise with a probability, the inverse of `within`.

    probability: in (0, 1). order: γ > 1. Infinite near the end of the floating-point numbers.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    share = 1 / checks.above_one("order", order)
    checks.open_unit("probability", probability)
    ratio = betaincinv(share, 1 - share, probability)
    rest = betaincinv(1 - share, share, 1 - probability)  # 1 - ratio, without its loss of digits
    return float((ratio / rest) ** share) if rest > float_info.min else inf
