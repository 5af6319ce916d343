"""The expected largest error of k counting queries, each answered with noise of the same scale.

One record moves each of the k answers by at most 1, so that their l_1 sensitivity is k and their
l_2 sensitivity √k (approximate-DP lecture notes, section 2.2).
"""

from collections.abc import Callable
from math import expm1, log1p, sqrt
from typing import NamedTuple

from scipy.special import gammaincc, gammainccinv

from ggexp import checks
from ggexp.guarantees import composition
from ggexp.mechanisms import calibration


class Way(NamedTuple):
    """A way to answer k queries: order of the noise, and its scale as a function of (ε, δ, k)."""

    order: float
    function: Callable[[float, float, int], float]


WAYS = {
    # ε-DP by the l_1 sensitivity, which is basic composition
    "laplace": Way(1, lambda epsilon, delta, k: k / epsilon),
    # (ε, δ)-aDP by the l_2 sensitivity and the lecture's Eqn 29, with σ = √(2k ln(2/δ))/ε
    "gaussian": Way(
        2,
        lambda epsilon, delta, k: calibration.scale(
            "adp-lecture", order=2, epsilon=epsilon, delta=delta, sensitivity=sqrt(k)
        ),
    ),
    # (ε, δ)-aDP by exact composition: the least noise of either kind
    "laplace-exact": Way(
        1,
        lambda epsilon, delta, k: composition.exact_scale(
            order=1, epsilon=epsilon, delta=delta, k=k
        ),
    ),
    "gaussian-exact": Way(
        2,
        lambda epsilon, delta, k: composition.exact_scale(
            order=2, epsilon=epsilon, delta=delta, k=k
        ),
    ),
}


def scale(way: str, *, epsilon: float, delta: float, k: int) -> float:
    """Return the scale b of the noise on each of k counts that satisfy (ε, δ) together.

    way: a name in `WAYS`. epsilon: ε > 0. delta: δ in (0, 1), which "laplace" ignores.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    return WAYS[way].function(epsilon, delta, checks.count("k", k))


def expected_largest(*, order: float, scale: float, k: int) -> float:
    """Return E max |e_j| over k independent draws of GG noise, in the units of the scale.

    It is ∫ 1 - (1 - Pr(|e| > x))^k dx, which is b (1 + 1/2 + … + 1/k) for order 1.
    order: p >= 1. scale: b > 0. k: the number of draws.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    from scipy.integrate import quad

    checks.at_least_one("order", order)
    checks.positive("scale", scale)
    checks.count("k", k)

    def beyond(x: float) -> float:  # the probability that the largest exceeds x
        tail = float(gammaincc(1 / order, x**order))
        return -expm1(k * log1p(-tail)) if tail < 1 else 1.0

    # about one of the k exceeds the first, and none exceeds the second
    usual, end = (float(gammainccinv(1 / order, t)) ** (1 / order) for t in (0.5 / k, 1e-18 / k))
    pieces = ((0.0, usual), (usual, end))
    return scale * sum(quad(beyond, low, high, epsabs=0, epsrel=1e-11)[0] for low, high in pieces)


def largest_error(way: str, *, epsilon: float, delta: float, k: int) -> float:
    """Return the expected largest error among k counts, in records; arguments as in `scale`."""
    b = scale(way, epsilon=epsilon, delta=delta, k=k)
    return expected_largest(order=WAYS[way].order, scale=b, k=k)


def crossing(one: str, other: str, *, epsilon: float, delta: float, most: int = 1000) -> int | None:
    """Return the least k at which the other way has the smaller expected largest error.

    None if there is no such k up to ``most``. The arguments are those of `scale`.
    """
    for k in range(1, most + 1):
        first, second = (
            largest_error(way, epsilon=epsilon, delta=delta, k=k) for way in (one, other)
        )
        if second < first:
            return k
    return None
