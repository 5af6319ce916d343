"""The expected largest error of k counting queries, each answered with noise of the same scale.

One record changes each of the k answers by at most 1. Therefore their l_1 sensitivity is k and
their l_2 sensitivity is √k (approximate-DP lecture notes, section 2.2).
"""

from collections.abc import Callable
from math import expm1, log1p, sqrt
from typing import NamedTuple

from scipy.special import gammaincc, gammainccinv

from ggexp import checks
from ggexp.guarantees import composition
from ggexp.mechanisms import calibration
from ggexp.ranges import Delta, Epsilon, Order, Releases, Scale


class Way(NamedTuple):
    """A way to answer k queries: the order of the noise, and the scale for given (ε, δ, k)."""

    order: float
    scale: Callable[[float, float, int], float]


WAYS = {
    # ε-DP by the l_1 sensitivity, which is basic composition
    "laplace": Way(1, lambda epsilon, delta, k: k / epsilon),
    # (ε, δ)-aDP by the l_2 sensitivity and the lecture's Eqn 29, with σ = √(2k ln(2/δ))/ε
    "gaussian": Way(
        2,
        lambda epsilon, delta, k: (
            calibration.calibrate(
                "adp-lecture", order=2, epsilon=epsilon, delta=delta, sensitivity=sqrt(k)
            ).scale
        ),
    ),
    # (ε, δ)-aDP by exact composition: the smallest scale of each order
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


def scale(way: str, *, epsilon: Epsilon, delta: Delta, k: Releases) -> float:
    """Return the scale b of the noise on each of k counts that jointly satisfy (ε, δ).

    way: a name in `WAYS`. "laplace" ignores δ.
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    return WAYS[way].scale(epsilon, delta, checks.count("k", k))


def expected_largest(*, order: Order, scale: Scale, k: Releases) -> float:
    """Return E max |e_j| over k independent draws of GG noise, in the units of the scale.

    The expectation is ∫ 1 - (1 - Pr(|e| > x))^k dx, or b (1 + 1/2 + … + 1/k) for order 1.
    """
    from scipy.integrate import quad

    checks.at_least_one("order", order)
    checks.positive("scale", scale)
    checks.count("k", k)

    def largest_tail(x: float) -> float:  # Pr(largest > x)
        tail = float(gammaincc(1 / order, x**order))
        return -expm1(k * log1p(-tail)) if tail < 1 else 1.0

    # about one of the k draws exceeds the typical value, and practically none exceeds the end
    typical, end = (float(gammainccinv(1 / order, t)) ** (1 / order) for t in (0.5 / k, 1e-18 / k))
    pieces = ((0.0, typical), (typical, end))
    return scale * sum(
        quad(largest_tail, low, high, epsabs=0, epsrel=1e-11)[0] for low, high in pieces
    )


def largest_error(way: str, *, epsilon: Epsilon, delta: Delta, k: Releases) -> float:
    """Return the expected largest error among k counts, in records; arguments as in `scale`."""
    b = scale(way, epsilon=epsilon, delta=delta, k=k)
    return expected_largest(order=WAYS[way].order, scale=b, k=k)


def crossing(
    first: str, second: str, *, epsilon: Epsilon, delta: Delta, largest_k: int = 1000
) -> int | None:
    """Return the smallest k at which the second way has the smaller expected largest error.

    The result is None if there is no such k up to ``largest_k``.
    """
    for k in range(1, largest_k + 1):
        first_error, second_error = (
            largest_error(way, epsilon=epsilon, delta=delta, k=k) for way in (first, second)
        )
        if second_error < first_error:
            return k
    return None
