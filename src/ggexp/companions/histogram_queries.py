"""The largest error of k counting queries, answered from a noisy histogram or one by one.

Neighbours differ in the value of one record. Therefore two bins change by 1, and each query changes
by at most 1. A histogram with Laplace noise of scale 2/ε on each bin answers every query by a sum
over bins (CS208 notes, section 5.1). Alternatively, each of k queries has its own Laplace or
Gaussian noise, by composition (Theorem 4.5, or exact). The error is the number t of records that no
answer's error exceeds, except with a stated failure probability.
"""

from collections.abc import Callable
from math import exp, expm1, inf, lgamma, log, log1p
from typing import NamedTuple

from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaincc, gammainccinv, gammaincinv

from ggexp import checks
from ggexp.guarantees import composition
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.ranges import Delta, Epsilon, Releases

MAX_CELLS = 10**7  #: the largest number of bins in the search


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


def advanced_scale(*, epsilon: Epsilon, delta: Delta, k: Releases) -> float:
    """Return the scale b of Laplace noise on each of k counts that satisfy (ε, δ) by Theorem 4.5.

    It is 1/ε₀, where k releases with ε₀-DP have the joint ε by `composition.advanced_of`.
    """
    checks.positive("epsilon", epsilon)

    def excess(log_epsilon: float) -> float:
        return composition.advanced_of([(exp(log_epsilon), 0.0, k)], slack=delta).epsilon - epsilon

    low = log(epsilon / checks.count("k", k))  # satisfies ε by basic composition
    return exp(-float(brentq(excess, low - 1e-9, log(epsilon) + 1e-9, xtol=1e-12)))


class OneByOne(NamedTuple):
    """A way to answer queries one by one: the order of the noise, and the scale for (ε, δ, k)."""

    order: float
    scale: Callable[..., float]


def _exact(order: float) -> OneByOne:
    def scale(*, epsilon: float, delta: float, k: int) -> float:
        return composition.exact_scale(order=order, epsilon=epsilon, delta=delta, k=k)

    return OneByOne(order, scale)


WAYS = {
    "advanced": OneByOne(1, advanced_scale),
    "laplace-exact": _exact(1),
    "gaussian-exact": _exact(2),
}


def one_by_one(way: str, *, epsilon: Epsilon, delta: Delta, k: Releases, failure: float) -> float:
    """Return the error of k queries that each have their own noise and jointly satisfy (ε, δ).

    way: "advanced", for Laplace noise by Theorem 4.5 with the union bound; or "laplace-exact" or
    "gaussian-exact", for the smallest scale by exact composition, with the exact distribution of
    the largest of k errors.
    """
    _check(epsilon, k, failure)
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    order, scale = WAYS[way]
    failure_of_one = failure / k if way == "advanced" else -expm1(log1p(-failure) / k)
    b = scale(epsilon=epsilon, delta=delta, k=k)
    return b * GeneralizedGaussian(order).upper_point(failure_of_one / 2)


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
