"""The errors of k counting queries, each with its own noise or all from a noisy histogram.

One record changes each of the k answers by at most 1. Therefore their l_1 sensitivity is k and
their l_2 sensitivity is √k (approximate-DP lecture notes, section 2.2).

A histogram with Laplace noise of scale 2/ε on each bin answers every query by a sum over bins
(CS208 notes, section 5.1). Neighbours then differ in the value of one record, so that two bins
change by 1. Its error is the number t of records that no answer's error exceeds, except with a
stated failure probability. `one_by_one` is the same error of queries with their own noise.
"""

from collections.abc import Callable
from math import exp, expm1, inf, lgamma, log, log1p, sqrt
from typing import NamedTuple

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaincc, gammainccinv, gammaincinv

from ggexp import checks
from ggexp.companions.rules import noise_by
from ggexp.guarantees import composition
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.solver import checked
from ggexp.ranges import Delta, Epsilon, Order, Releases, Scale

MAX_CELLS = 10**7  #: the largest number of bins in the search


class Way(NamedTuple):
    """A way to answer k queries: the order of the noise, and the scale for given (ε, δ) and k."""

    order: float
    scale: Callable[[Budget, int], float]


def _lecture(budget: Budget, k: int) -> float:
    """Return the scale by the lecture's Eqn 29, with σ = √(2k ln(2/δ))/ε."""
    epsilon, delta = budget.epsilon, budget.delta
    return noise_by("adp-lecture", 2, epsilon=epsilon, delta=delta, sensitivity=sqrt(k)).scale


def _advanced(budget: Budget, k: int) -> float:
    """Return the scale 1/ε₀, where k releases with ε₀-DP have the joint ε by Theorem 4.5."""
    epsilon, delta = budget.epsilon, budget.delta

    def excess(log_epsilon: float) -> float:
        releases = [(Budget(exp(log_epsilon)), k)]
        return composition.advanced_of(releases, slack=delta).epsilon - epsilon

    low = log(epsilon / k)  # satisfies ε by basic composition
    found = float(brentq(excess, low - 1e-9, log(epsilon) + 1e-9, xtol=1e-12))
    return exp(-checked(lambda x: excess(x) <= ROUNDING * epsilon, found, -1e-12))


def _exact(order: float) -> Way:
    """Return the way with the smallest scale of an order that satisfies (ε, δ)-aDP."""
    return Way(order, lambda budget, k: composition.exact_scale(order=order, budget=budget, k=k))


WAYS = {
    # ε-DP by the l_1 sensitivity, which is basic composition
    "laplace": Way(1, lambda budget, k: k / budget.epsilon),
    "gaussian": Way(2, _lecture),
    "advanced": Way(1, _advanced),
    "laplace-exact": _exact(1),
    "gaussian-exact": _exact(2),
}


def scale(way: str, *, epsilon: Epsilon, delta: Delta, k: Releases) -> float:
    """Return the scale b of the noise on each of k counts that jointly satisfy (ε, δ).

    way: a name in `WAYS`. "laplace" ignores δ.
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    return WAYS[way].scale(Budget(epsilon, delta), checks.count("k", k))


def expected_largest(*, order: Order, scale: Scale, k: Releases) -> float:
    """Return E max |e_j| over k independent draws of GG noise, in the units of the scale.

    The expectation is ∫ 1 - (1 - Pr(|e| > x))^k dx, or b (1 + 1/2 + … + 1/k) for order 1.
    """
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
    """Return the smallest k at which the second way has the smaller expected error, or None."""
    for k in range(1, largest_k + 1):
        first_error, second_error = (
            largest_error(way, epsilon=epsilon, delta=delta, k=k) for way in (first, second)
        )
        if second_error < first_error:
            return k
    return None


def sum_tail(cells: float, t: float) -> float:
    """Return Pr(S > t) for the sum S of Laplace noise of scale 2 on |X| >= 1 bins, t >= 0.

    The noise of a bin is the difference of two exponential variables. Therefore S is the difference
    of two gamma variables.
    """
    low, high = gammaincinv(cells, 1e-15), gammainccinv(cells, 1e-15)

    def integrand(x: float) -> float:
        density = exp((cells - 1) * log(x) - x - lgamma(cells))
        return float(density * gammaincc(cells, x + t / 2))

    return float(quad(integrand, low, high, epsrel=1e-10, limit=200)[0])


def of_histogram(*, epsilon: Epsilon, cells: float, k: Releases, failure: float) -> float:
    """Return the error of any k queries on a histogram with ``cells`` bins and ε-DP.

    The error is valid for all queries. The error of a query is a sum of the noise of some bins. Its
    probability of exceeding t is largest for the sum S of all bins. Therefore t is the number for
    which k Pr(|S| > t) is the failure probability. Only this union bound is not exact.
    """
    _check(epsilon, k, failure)
    largest = _chernoff(cells, k, failure)
    t = brentq(lambda t: log(max(2 * k * sum_tail(cells, t), 1e-300) / failure), 0, largest)
    return float(t) / epsilon


def of_histogram_by_bound(*, epsilon: Epsilon, cells: float, k: Releases, failure: float) -> float:
    """Return an upper bound on `of_histogram` by Chernoff's bound: Theorem 5.1 with constants.

    For many bins, it is close to 4 √(|X| ln(2k/β))/ε, with the failure probability β.
    """
    _check(epsilon, k, failure)
    return _chernoff(cells, k, failure) / epsilon


def _chernoff(cells: float, k: int, failure: float) -> float:
    """Return the minimum of (ln(2k/β) - |X| ln(1 - 4λ²)) / λ over λ in (0, 1/2), at ε = 1."""
    log_union = log(2 * k / failure)

    def slope(share: float) -> float:  # the derivative of the quotient, times λ²; λ = share / 2
        remaining = 1 - share * share
        return cells * (2 * share * share / remaining + log1p(-share * share)) - log_union

    share = float(brentq(slope, 0, 1 - 1e-15, xtol=1e-16))
    return 2 * (log_union - cells * log1p(-share * share)) / share


def one_by_one(way: str, *, epsilon: Epsilon, delta: Delta, k: Releases, failure: float) -> float:
    """Return the error of k queries that each have their own noise and jointly satisfy (ε, δ).

    way: a name in `WAYS`. The distribution of the largest of k errors is exact, but for "advanced",
    which has the union bound.
    """
    _check(epsilon, k, failure)
    failure_of_one = failure / k if way == "advanced" else -expm1(log1p(-failure) / k)
    b = scale(way, epsilon=epsilon, delta=delta, k=k)
    return b * GeneralizedGaussian(WAYS[way].order).upper_point(failure_of_one / 2)


def most_cells(
    histogram: Callable[..., float], *, error: float, epsilon: Epsilon, k: Releases, failure: float
) -> float:
    """Return the largest |X| at which a histogram's error is at most ``error``, or 0.

    histogram: `of_histogram` or `of_histogram_by_bound`. A histogram with fewer bins than |X| has a
    smaller error. The result is a real number, so that curves are smooth. It is infinite if it
    would exceed `MAX_CELLS`.
    """

    def excess(log_cells: float) -> float:
        histogram_error = histogram(epsilon=epsilon, cells=exp(log_cells), k=k, failure=failure)
        return log(histogram_error / error)

    low, high = 0.0, log(MAX_CELLS)
    if excess(high) < 0:
        return inf
    if excess(low) > 0:
        return 0.0
    return exp(float(brentq(excess, low, high, xtol=1e-6)))


def _check(epsilon: float, k: int, failure: float) -> None:
    checks.positive("epsilon", epsilon)
    checks.count("k", k)
    checks.open_unit("failure", failure)
