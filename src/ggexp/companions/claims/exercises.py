"""Tests of the answers to CS208's exercises.

The only result of a run that the tests use is the seed, for simulations. Printed numbers are
parameters. Neighbours differ in the value of one record.
"""

from collections.abc import Callable, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.claims.registry import claim_test
from ggexp.companions import renyi
from ggexp.mechanisms import calibration

ALPHAS = (1.1, 2.0, 10.0, 100.0)


@claim_test
def mean_query(
    *, bound: float, n: int, epsilon: float, delta: float, rho: float
) -> list[Comparison]:
    """Test whether the printed σ for a mean are large enough for (ε, δ)-aDP and for ρ-zCDP."""
    sensitivity = _largest_change(lambda x: x.mean(), n, bound)
    printed = sqrt(2 / epsilon**2 * log(1.25 / delta) * (2 * bound) ** 2 / n**2)
    smallest = _sigma("adp-exact", epsilon, delta, sensitivity)
    what = f"printed σ {printed:.5g} > least σ {smallest:.5g}"
    printed_zcdp = sqrt(2 * bound**2 / (rho * n**2))
    return [
        Comparison(what, place(epsilon, delta), printed / smallest - 1),
        _satisfies_zcdp(printed_zcdp, sensitivity, rho),
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
    """Test whether the mean of n noisy points has n^power times the variance of a noisy mean.

    Both variances are estimated from draws, for each n in ``sizes`` (two of them, unless ``power``
    is None). summed: whether to take the sum of the noisy points instead of their mean. power: None
    to test only whether the variance is larger. One record changes one point, therefore the
    releases of the points do not compose.
    """
    rng = np.random.default_rng(results.seed)
    on_point = _sigma("adp-classical", epsilon, delta, 2 * bound)
    ratios = []
    for n in sizes:
        on_mean = _sigma("adp-classical", epsilon, delta, _largest_change(np.mean, n, bound))
        totals = rng.normal(0, on_point, (draws, n)).sum(axis=1) / (1 if summed else n)
        ratios.append(float(totals.var(ddof=1) / rng.normal(0, on_mean, draws).var(ddof=1)))
    # relative standard error of a ratio of two variances of normal draws
    relative_error = sqrt(4 / (draws - 1))
    if power is None:
        return [
            Comparison(
                f"ratio of variances {ratio:.4g} > 1", f"n={n}", ratio - 1, relative_error * ratio
            )
            for n, ratio in zip(sizes, ratios, strict=True)
        ]
    log_ratio = log(sizes[1] / sizes[0])
    exponent = log(ratios[1] / ratios[0]) / log_ratio
    what = f"ratio of variances grows as n^{power:g} (n^{exponent:.3g} found)"
    where = f"n={sizes[0]} to {sizes[1]}"
    return [
        Comparison(what, where, 0.1 - abs(exponent - power), relative_error * sqrt(2) / log_ratio)
    ]


@claim_test
def sum_of_squares(*, bound: float, n: int, rho: float) -> list[Comparison]:
    """Test whether Σx² has sensitivity b², and satisfies ρ-zCDP with noise of σ² = b⁴/(2ρ)."""
    sensitivity = _largest_change(lambda x: (x**2).sum(), n, bound)
    return [
        Comparison("sensitivity is b²", "", 1e-9 - abs(sensitivity - bound**2)),
        _satisfies_zcdp(sqrt(bound**4 / (2 * rho)), sensitivity, rho),
    ]


@claim_test
def gram_entries(results: Results, *, bound: float, sizes: Sequence[int]) -> list[Comparison]:
    """Test whether XᵀX has the printed entries, 1, n x̄, n x̄ and Σx², at random points.

    X has a column of ones and a column of the points.
    """
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for n in sizes:
        x = rng.uniform(-bound, bound, n)
        matrix = np.column_stack([np.ones(n), x])
        gram = matrix.T @ matrix
        printed = np.array([[1, n * x.mean()], [n * x.mean(), (x**2).sum()]])
        for i, j in np.ndindex(2, 2):
            deviation = abs(float(gram[i, j] - printed[i, j]))
            what = f"entry ({i + 1}, {j + 1}) is {printed[i, j]:.4g}"
            comparisons.append(Comparison(what, f"n={n}", 1e-9 * n - deviation))
    return comparisons


@claim_test
def gram_not_psd(
    results: Results, *, bound: float, n: int, rho: float, value: float, draws: int
) -> list[Comparison]:
    """Test whether a released XᵀX can have a negative eigenvalue, from draws of the noise.

    value: the value of every x_i. Σx and Σx² are released with ρ/2 each.
    """
    rng = np.random.default_rng(results.seed)
    x = np.full(n, value)
    totals = []
    for function in (np.sum, lambda x: (x**2).sum()):
        b = calibration.zcdp_scale(rho / 2, sensitivity=_largest_change(function, n, bound))
        totals.append(function(x) + rng.normal(0, b / sqrt(2), draws))
    negative = n * totals[1] < totals[0] ** 2  # the determinant; n > 0
    share = float(negative.mean())
    error = sqrt(share * (1 - share) / draws)
    return [
        Comparison(
            f"Pr(not positive semidefinite) = {share:.3f} > 0", f"n={n}, ρ={rho:g}", share, error
        )
    ]


def _sigma(rule: str, epsilon: float, delta: float, sensitivity: float) -> float:
    """Return σ of Gaussian noise by a calibration rule, for a statistic of a given sensitivity."""
    return (
        sensitivity
        * calibration.calibrate(rule, order=2, epsilon=epsilon, delta=delta).scale
        / sqrt(2)
    )


def _satisfies_zcdp(sigma: float, sensitivity: float, rho: float) -> Comparison:
    """Return the comparison of the Rényi divergences of Gaussian noise with ρα, at the worst α."""
    worst = max(
        renyi.divergence(order=2, scale=sqrt(2) * sigma, alpha=alpha, sensitivity=sensitivity)
        / (rho * alpha)
        for alpha in ALPHAS
    )
    return Comparison("D_α <= ρα", f"ρ={rho:g}", 1 + 1e-9 - worst)


def _largest_change(
    function: Callable[[NDArray[np.float64]], float], n: int, bound: float
) -> float:
    """Return the sensitivity of a statistic of n values in [-b, b] to a change of one value.

    It is found by enumeration: one of the values -b, 0 and b is replaced by each value of a grid.
    """
    x = np.resize([-bound, 0.0, bound], n)
    changes = []
    for new in np.linspace(-bound, bound, 21):
        for i in range(3):
            neighbour = x.copy()
            neighbour[i] = new
            changes.append(abs(float(function(x)) - float(function(neighbour))))
    return max(changes)
