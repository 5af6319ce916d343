"""Tests of the answers to CS208's exercises.

Each returns the comparisons of a claim; the only result that they need is the seed of a simulation.
Printed numbers are parameters. Neighbours differ in the value of one record.
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
    """Return whether the printed σ for a mean suffice for (ε, δ)-aDP and ρ-zCDP."""
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
    """Return whether noise on each of n points gives their mean n^power times the variance.

    Relative to noise on the mean, from draws of both at two n. summed: whether to take the variance
    of the sum of the points. power: None for whether the variance is larger at all. One record
    changes one point, therefore the releases of the points do not compose.
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
            Comparison(f"ratio of variances {ratio:.4g} > 1", f"n={n}", ratio - 1, relative * ratio)
            for n, ratio in zip(sizes, ratios, strict=True)
        ]
    steps = log(sizes[1] / sizes[0])
    found = log(ratios[1] / ratios[0]) / steps
    what = f"ratio of variances grows as n^{power:g} (n^{found:.3g} found)"
    where = f"n={sizes[0]} to {sizes[1]}"
    return [Comparison(what, where, 0.1 - abs(found - power), relative * sqrt(2) / steps)]


@claim_test
def sum_of_squares(*, bound: float, n: int, rho: float) -> list[Comparison]:
    """Return whether Σx² has sensitivity b², and satisfies ρ-zCDP with noise of σ² = b⁴/(2ρ)."""
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

    value: of all x_i. Σx and Σx² are released with ρ/2 each.
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
    return [
        Comparison(
            f"Pr(not positive semidefinite) = {share:.3f} > 0", f"n={n}, ρ={rho:g}", share, error
        )
    ]


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
    """Return the sensitivity of a statistic of n values in [-b, b] to a change of one value.

    Found by enumeration: from the values -b, 0 and b to a grid of others.
    """
    x = np.resize([-bound, 0.0, bound], n)
    moves = []
    for new in np.linspace(-bound, bound, 21):
        for i in range(3):
            other = x.copy()
            other[i] = new
            moves.append(abs(float(function(x)) - float(function(other))))
    return max(moves)
