"""Tests of claims of two sets of lecture notes about the definition of approximate DP.

The notes are those on approximate DP (sections 1 and 2.2.1) and CS208's (section 2). Each test
returns the comparisons of a claim, computed from sets of outcomes and from densities independently
of the library. Noise is added to a statistic of sensitivity 1.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from math import exp, expm1, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.mechanisms import calibration, privacy_loss, sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.tails import inner, upper_tail
from ggexp.streams import digest

OUTCOME_COUNTS = range(2, 7)  # numbers of outcomes of random mechanisms
ROUNDING = 1e-9


@claim_test
def lemma_1_4(
    results: Results, *, orders: Sequence[float], scales: Sequence[float], mechanisms: int
) -> Comparisons:
    """Test whether δ is at most Pr(L > ε), for GG noise and for mechanisms with few outcomes.

    For each order, ε is 1 and b is the scale with the smallest margin. Random mechanisms,
    ``mechanisms`` per number of outcomes, are tested over all sets of outcomes.
    """
    for order in orders:
        shares = {
            b: privacy_loss.delta(order=order, scale=b, epsilon=1)
            / upper_tail(order, privacy_loss.where_loss_is(1, order, 1 / b))
            for b in scales
        }
        b = max(shares, key=lambda b: shares[b])
        yield Comparison(f"p={order:g}: δ <= Pr(L > 1)", f"b={b:g}", 1 - shares[b])
    rng = np.random.default_rng(results.seed)
    for outcomes in OUTCOME_COUNTS:
        p, q = rng.dirichlet(np.full(outcomes, 0.5), (2, mechanisms))
        q *= np.exp(rng.uniform(0, 2, (mechanisms, 1)))  # times e^ε
        margin = (p * (p > q)).sum(axis=1) - _sums_over_sets(p - q).max(axis=1)
        yield Comparison("δ <= Pr(L > ε)", f"{outcomes} outcomes", float(margin.min()) + 1e-12)


@claim_test
def exercise_1_5(
    *, epsilons: Sequence[float], deltas: Sequence[float], constant: float
) -> Comparisons:
    """Test whether truncated Laplace noise has at most the claimed δ, and a bound of O(ln(1/δ)/ε).

    δ is integrated from the densities. constant: the largest allowed bound, in units of ln(1/δ)/ε.
    """
    for epsilon in epsilons:
        for delta in deltas:
            noise = calibration.calibrate("adp-truncated", order=1, epsilon=epsilon, delta=delta)
            bound = noise.numbers["bound"]
            assert bound is not None  # for mypy
            exact = _delta_of_truncated(epsilon, bound)
            share = epsilon * bound / log(1 / delta)
            where = place(epsilon, delta)
            yield Comparison("δ / claimed δ <= 1", where, 1 + 1e-6 - exact / delta)
            yield Comparison(f"bound / (ln(1/δ)/ε) < {constant:g}", where, constant - share)


def _delta_of_truncated(epsilon: float, bound: float) -> float:
    """Return ∫ max(0, f(x) - e^ε f(x + 1)) dx for the density f ∝ e^(-ε|x|) within the bound."""

    def excess(x: float) -> float:
        neighbour = exp(epsilon - epsilon * abs(x + 1)) if abs(x + 1) <= bound else 0.0
        difference = exp(-epsilon * abs(x)) - neighbour
        # smaller differences are rounding errors
        return difference if difference > 1e-13 * neighbour else 0.0

    mass = -2 * expm1(-epsilon * bound) / epsilon
    edges = sorted({-bound, *(x for x in (-1.0, 0.0, bound - 1) if abs(x) < bound), bound})
    return sum(quad(excess, *ends, epsabs=0, epsrel=1e-9)[0] for ends in pairwise(edges)) / mass


@claim_test
def max_divergence(
    results: Results,
    *,
    orders: Sequence[float],
    scale: float,
    deltas: Sequence[float],
    mechanisms: int,
) -> Comparisons:
    """Test whether the smallest ε at δ is the smoothed max divergence of Definition 2.2.

    For GG noise it is the largest divergence over the sets {e > t}, on a grid of t; for random
    mechanisms it is the largest over all sets, and ε is found by bisection.
    """
    what = "smoothed max divergence = ε"
    for order in orders:
        for delta in deltas:
            epsilon = privacy_loss.epsilon(order=order, scale=scale, delta=delta)
            t = np.linspace(-5, GeneralizedGaussian(order).upper_point(delta), 20_000)[:-1]
            tails, neighbour_tails = (0.5 * (1 - inner(order, x)) for x in (t, t + 1 / scale))
            divergence = max(0.0, float(np.log((tails - delta) / neighbour_tails).max()))
            where = f"p={order:g}, δ={delta:g}"
            yield Comparison(what, where, 1e-5 - abs(divergence - epsilon))
    rng = np.random.default_rng(results.seed)
    for outcomes in OUTCOME_COUNTS:
        for delta in deltas:
            p, q = rng.dirichlet(np.full(outcomes, 0.5), (2, mechanisms))
            ratios = np.maximum(_sums_over_sets(p) - delta, 1e-300) / _sums_over_sets(q)
            divergences = np.maximum(0, np.log(ratios.max(axis=1)))
            deviation = float(np.abs(divergences - _smallest_epsilon(p, q, delta)).max())
            yield Comparison(what, f"{outcomes} outcomes, δ={delta:g}", 1e-9 - deviation)


def _smallest_epsilon(
    p: NDArray[np.float64], q: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    """Return the smallest ε >= 0 with Σ max(0, p - e^ε q) <= δ for each row, by bisection."""
    low, high = np.zeros(len(p)), np.log(p / q).max(axis=1).clip(0)
    for _ in range(60):
        middle = (low + high) / 2
        enough = np.maximum(0, p - np.exp(middle)[:, None] * q).sum(axis=1) <= delta
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)


def _sums_over_sets(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums over all nonempty sets of outcomes, one row per mechanism."""
    outcomes = values.shape[1]
    sets = (np.arange(1, 2**outcomes)[:, None] >> np.arange(outcomes)) & 1
    return np.asarray(values @ sets.T)


@claim_test
def between_norms(results: Results, *, sizes: Sequence[int], records: int) -> Comparisons:
    """Test whether Δ_2 <= Δ_1 <= √k Δ_2, for k sums over records.

    The sums are random contributions of ``records`` records, or counting queries, all of which one
    record may change, with Δ_1 = k and Δ_2 = √k.
    """
    rng = np.random.default_rng([results.seed, digest("claim: between norms")])
    for k in sizes:
        drawn = np.abs(rng.uniform(-1, 1, (records, k)) * rng.exponential(size=k))
        # answers for one record: all combinations for k up to 8, otherwise all ones
        answers = np.array(list(product((0, 1), repeat=k))) if k <= 8 else np.ones((1, k))
        for name, contributions in (("random sums", drawn), ("counting queries", answers)):
            rows = [row[row > 0].tolist() for row in contributions if row.any()]
            d1, d2 = (
                max(sensitivity.of_coordinates(order, row) for row in rows) for order in (1, 2)
            )
            where = f"k={k}, {name}"
            yield Comparison("Δ_2 <= Δ_1", where, 1 - d2 / d1 + ROUNDING)
            yield Comparison("Δ_1 <= √k Δ_2", where, 1 - d1 / (sqrt(k) * d2) + ROUNDING)
        deviation = abs(d1 - k) + abs(d2 - sqrt(k))  # for the counting queries
        yield Comparison("Δ_1 = k and Δ_2 = √k", f"k={k} queries", ROUNDING * k - deviation)
