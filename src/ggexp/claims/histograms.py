"""Tests of what CS208's notes say of histograms with Laplace noise: sections 5.1 and 5.2.

Each returns the comparisons that a claim makes; they need no results but the seed, where something
is drawn. What is printed is a parameter. Neighbours differ in the value of one record.
"""

from collections.abc import Sequence
from math import exp, lgamma, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaincc, gammainccinv, gammaincinv

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test

FAILURE = 0.05  # "with high probability": in all but one of twenty releases
ROUNDING = 1e-9


@claim_test
def histogram_is_private(
    results: Results,
    *,
    bins: Sequence[int],
    records: int,
    tables: int,
    draws: int,
    epsilon: float,
    printed: float,
) -> list[Comparison]:
    """Return whether Laplace noise of the printed multiple of 1/ε on each bin is of ε-DP.

    For each number of bins, over so many random tables: one record moves to another bin, and the
    loss is the log ratio of the densities of a release, at random releases and at the counts.
    """
    rng = np.random.default_rng(results.seed)
    scale = printed / epsilon
    comparisons = []
    for size in bins:
        largest = 0.0
        for _ in range(tables):
            table = rng.integers(0, size, records)
            moved = table.copy()
            moved[0] = (table[0] + rng.integers(1, size)) % size
            one, other = (np.bincount(values, minlength=size) for values in (table, moved))
            releases = one + scale * rng.laplace(size=(draws, size))
            releases[0] = one
            losses = (np.abs(releases - other) - np.abs(releases - one)).sum(axis=1) / scale
            largest = max(largest, float(np.abs(losses).max()))
        what = f"largest loss {largest:.4g} <= ε = {epsilon:g}"
        comparisons.append(Comparison(what, f"{size} bins", epsilon * (1 + ROUNDING) - largest))
    return comparisons


@claim_test
def histogram_answers(
    *, cells: Sequence[int], queries: Sequence[int], constant: float
) -> list[Comparison]:
    """Return whether k queries by a Laplace histogram err by O(√(|X| ln k)/(εn)), with a constant.

    Whatever the queries: each sums the noise of some cells, and exceeds t at most as often as the
    sum S of all |X| noises does, whose distribution is the widest. So their largest error exceeds t
    with probability k Pr(|S| > t) at most, and the t where that is 5 % is compared; n and ε cancel.
    """
    comparisons = []
    for size in cells:
        for k in queries:
            if log(k) > size * log(2):  # there are no more queries than sets of cells
                continue
            largest = 40 * sqrt(8 * size)
            t = brentq(lambda t, m=size, k=k: log(2 * k * _tail(m, t) / FAILURE), 0, largest)
            what = f"error : bound < {constant:g}"
            ratio = t / sqrt(size * log(k))
            comparisons.append(Comparison(what, f"|X|={size}, k={k}", constant - ratio))
    return comparisons


def _tail(cells: int, t: float) -> float:
    """Return Pr(S > t) of the sum S of Laplace noise of scale 2 on so many cells.

    Each noise is the difference of two exponential variables, and S that of two gamma variables.
    """
    low, high = gammaincinv(cells, 1e-15), gammainccinv(cells, 1e-15)

    def beyond(x: float) -> float:
        density = exp((cells - 1) * log(x) - x - lgamma(cells))
        return float(density * gammaincc(cells, x + t / 2))

    return float(quad(beyond, low, high, epsrel=1e-10)[0])


@claim_test
def clamping_biases(
    results: Results, *, epsilon: float, counts: Sequence[int], draws: int
) -> list[Comparison]:
    """Return whether clamping Laplace(2/ε) noise at 0 makes the mean count too large, from draws.

    Counts are rounded after clamping; without rounding the bias is (1/ε) exp(-sε/2).
    """
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for count in counts:
        released = np.rint(np.maximum(count + rng.laplace(0, 2 / epsilon, draws), 0))
        bias, error = float(released.mean() - count), float(released.std() / sqrt(draws))
        comparisons.append(Comparison(f"bias > 0, found {bias:.3f}", f"count {count}", bias, error))
    return comparisons
