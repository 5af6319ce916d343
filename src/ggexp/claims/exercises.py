"""Tests of the answers to CS208's exercises.

Each returns the comparisons that a claim makes; they need no results but the seed, where something
is simulated. What is printed is a parameter. Neighbours differ in the value of one record.
"""

from collections.abc import Callable, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.claims.registry import claim_test
from ggexp.guarantees import renyi
from ggexp.mechanisms import calibration

ALPHAS = (1.1, 2.0, 10.0, 100.0)


@claim_test
def mean_query(
    *, bound: float, n: int, epsilon: float, delta: float, rho: float
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


@claim_test
def noise_on_points(
    results: Results,
    *,
    bound: float,
    sizes: Sequence[int],
    epsilon: float,
    delta: float,
    draws: int,
    power: float | None,
    summed: bool = False,
) -> list[Comparison]:
    """Return whether noise on each of n points makes the variance of their mean n^power as large.

    As large as noise on the mean does, from draws of both at two n. summed: the variance of the
    points' sum in place of their mean's. power: None for whether it is larger at all. One record
    moves one point, so nothing composes.
    """
    rng = np.random.default_rng(results.seed)
    on_point = _sigma("adp-classical", epsilon, delta, 2 * bound)
    ratios = []
    for n in sizes:
        on_mean = _sigma("adp-classical", epsilon, delta, _largest_move(np.mean, n, bound))
        totals = rng.normal(0, on_point, (draws, n)).sum(axis=1) / (1 if summed else n)
        ratios.append(float(totals.var(ddof=1) / rng.normal(0, on_mean, draws).var(ddof=1)))
    relative = sqrt(4 / (draws - 1))  # standard error of a ratio of two variances of normal draws
    if power is None:
        return [
            Comparison(f"variances' ratio {ratio:.4g} > 1", f"n={n}", ratio - 1, relative * ratio)
            for n, ratio in zip(sizes, ratios, strict=True)
        ]
    steps = log(sizes[1] / sizes[0])
    found = log(ratios[1] / ratios[0]) / steps
    what = f"variances' ratio grows as n^{power:g}, found n^{found:.3g}"
    where = f"n from {sizes[0]} to {sizes[1]}"
    return [Comparison(what, where, 0.1 - abs(found - power), relative * sqrt(2) / steps)]


@claim_test
def sum_of_squares(*, bound: float, n: int, rho: float) -> list[Comparison]:
    """Return whether Σx² moves by b² and noise of σ² = b⁴/(2ρ) makes it ρ-zCDP."""
    move = _largest_move(lambda x: (x**2).sum(), n, bound)
    return [
        Comparison("sensitivity is b²", "", 1e-9 - abs(move - bound**2)),
        _of_zcdp(sqrt(bound**4 / (2 * rho)), move, rho),
    ]


@claim_test
def gram_entries(results: Results, *, bound: float, sizes: Sequence[int]) -> list[Comparison]:
    """Return whether XᵀX has the entries that are printed, 1, n x̄, n x̄ and Σx², at random points.

    X has a column of ones and one of the points.
    """
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for n in sizes:
        x = rng.uniform(-bound, bound, n)
        matrix = np.column_stack([np.ones(n), x])
        found = matrix.T @ matrix
        printed = np.array([[1, n * x.mean()], [n * x.mean(), (x**2).sum()]])
        for i, j in np.ndindex(2, 2):
            off = abs(float(found[i, j] - printed[i, j]))
            what = f"entry ({i + 1}, {j + 1}) is {printed[i, j]:.4g}"
            comparisons.append(Comparison(what, f"n={n}", 1e-9 * n - off))
    return comparisons


@claim_test
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
