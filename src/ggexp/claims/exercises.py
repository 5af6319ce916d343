"""Tests of the answers to CS208's exercises, and of what its notes say of histograms.

Each returns the comparisons that a claim makes; they need no results but the seed, where something
is simulated. What is printed is a parameter. Neighbours differ in the value of one record.
"""

from collections.abc import Callable, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.guarantees import renyi
from ggexp.mechanisms import calibration

ALPHAS = (1.1, 2.0, 10.0, 100.0)


def mean_query(
    results: Results, *, bound: float, n: int, epsilon: float, delta: float, rho: float
) -> list[Comparison]:
    """Return whether the printed σ of a mean's noise suffice for (ε, δ)-aDP and ρ-zCDP."""
    move = _largest_move(lambda x: x.mean(), n, bound)
    printed = sqrt(2 / epsilon**2 * log(1.25 / delta) * (2 * bound) ** 2 / n**2)
    least = _sigma("adp-exact", epsilon, delta, move)
    what = f"printed σ {printed:.5g} > least σ {least:.5g}"
    printed_zcdp = sqrt(2 * bound**2 / (rho * n**2))
    return [
        Comparison(what, place(epsilon, delta), printed / least - 1),
        _of_zcdp(printed_zcdp, move, rho),
    ]


def noise_on_points(
    results: Results, *, bound: float, n: int, epsilon: float, delta: float, power: float | None
) -> list[Comparison]:
    """Return whether noise on each of n points makes the variance of their mean n^power as large.

    As large as noise on the mean does. One record moves one point, so nothing composes. power: None
    for whether it is larger at all.
    """
    on_points = _sigma("adp-classical", epsilon, delta, 2 * bound) ** 2 / n
    move = _largest_move(lambda x: x.mean(), n, bound)
    ratio = on_points / _sigma("adp-classical", epsilon, delta, move) ** 2
    if power is None:
        return [Comparison(f"variances' ratio {ratio:.4g} > 1 at n = {n}", "", ratio - 1)]
    found = log(ratio) / log(n)
    return [
        Comparison(
            f"variances' ratio n^{power:g}, found n^{found:.3g}", "", 0.01 - abs(found - power)
        )
    ]


def sum_of_squares(results: Results, *, bound: float, n: int, rho: float) -> list[Comparison]:
    """Return whether Σx² moves by b² and noise of σ² = b⁴/(2ρ) makes it ρ-zCDP."""
    move = _largest_move(lambda x: (x**2).sum(), n, bound)
    return [
        Comparison("sensitivity is b²", "", 1e-9 - abs(move - bound**2)),
        _of_zcdp(sqrt(bound**4 / (2 * rho)), move, rho),
    ]


def gram_first_entry(results: Results, *, n: int, printed: float) -> list[Comparison]:
    """Return whether the first entry of XᵀX is what is printed; X has a column of ones."""
    x = np.column_stack([np.ones(n), np.linspace(-1, 1, n)])
    found = (x.T @ x)[0, 0]
    return [
        Comparison(
            f"printed {printed:g}, found {found:g} at n = {n}", "", 0.5 - abs(found - printed)
        )
    ]


def gram_not_psd(
    results: Results, *, bound: float, n: int, rho: float, value: float, draws: int
) -> list[Comparison]:
    """Return whether a released XᵀX may have a negative eigenvalue, from draws of the noise.

    value: all x_i. Σx and Σx² have half of ρ each.
    """
    rng = np.random.default_rng(results.seed)
    x = np.full(n, value)
    totals = []
    for function in (np.sum, lambda x: (x**2).sum()):
        b = calibration.zcdp_scale(rho / 2, sensitivity=_largest_move(function, n, bound))
        totals.append(function(x) + rng.normal(0, b / sqrt(2), draws))
    negative = n * totals[1] < totals[0] ** 2  # the determinant; n > 0
    share = float(negative.mean())
    error = sqrt(share * (1 - share) / draws)
    return [Comparison(f"Pr(not PSD) > 0, found {share:.3f}", f"n={n}, ρ={rho:g}", share, error)]


def histogram_is_private(results: Results, *, epsilon: float, printed: float) -> list[Comparison]:
    """Return whether Laplace noise of the printed multiple of 1/ε on each bin is of ε-DP.

    Over all tables of 3 records in 3 bins and their neighbours, of which one record differs.
    """
    tables = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T
    counts = np.array([np.bincount(table, minlength=3) for table in tables])
    near = (tables[:, None] != tables).sum(axis=2) <= 1
    moves = np.abs(counts[:, None] - counts).sum(axis=2)[near]
    largest = float(moves.max()) / (printed / epsilon)  # the sum of the coordinates' losses
    return [
        Comparison(
            f"largest loss {largest:.3g} <= ε", f"ε={epsilon:g}", epsilon * (1 + 1e-9) - largest
        )
    ]


def histogram_answers(
    results: Results,
    *,
    cells: Sequence[int],
    queries: Sequence[int],
    epsilon: float,
    constant: float,
    draws: int,
) -> list[Comparison]:
    """Return whether k queries by a Laplace histogram err by O(√(|X| ln k)/(εn)), with a constant.

    Of random queries, each of about half of the cells, the 95 % point of the largest error, from
    draws of the noise, with its error by batches of the draws. n cancels.
    """
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for size in cells:
        for k in queries:
            chosen = rng.integers(0, 2, (k, size))
            noise = rng.laplace(0, 2 / epsilon, (size, draws))
            largest = np.abs(chosen @ noise).max(axis=0) * epsilon / sqrt(size * log(k))
            points = np.quantile(largest.reshape(10, -1), 0.95, axis=1)
            error = float(points.std(ddof=1) / sqrt(10))
            where = f"|X|={size}, k={k}"
            difference = constant - float(points.mean())
            comparisons.append(
                Comparison(f"error : bound < {constant:g}", where, difference, error)
            )
    return comparisons


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


def _sigma(rule: str, epsilon: float, delta: float, move: float) -> float:
    """Return σ of Gaussian noise by a rule, on a statistic of that sensitivity."""
    return move * calibration.scale(rule, order=2, epsilon=epsilon, delta=delta) / sqrt(2)


def _of_zcdp(sigma: float, move: float, rho: float) -> Comparison:
    """Return whether the Rényi divergences of Gaussian noise are at most ρα."""
    worst = max(
        renyi.divergence(order=2, scale=sqrt(2) * sigma, alpha=a, sensitivity=move) / (rho * a)
        for a in ALPHAS
    )
    return Comparison("D_α <= ρα", f"ρ={rho:g}", 1 + 1e-9 - worst)


def _largest_move(function: Callable[[NDArray[np.float64]], float], n: int, bound: float) -> float:
    """Return how far a new value for one of n, all in [-b, b], moves a statistic at most.

    Tried from values -b, 0 and b to a grid of others.
    """
    x = np.resize([-bound, 0.0, bound], n)
    moves = []
    for new in np.linspace(-bound, bound, 21):
        for i in range(3):
            other = x.copy()
            other[i] = new
            moves.append(abs(float(function(x)) - float(function(other))))
    return max(moves)
