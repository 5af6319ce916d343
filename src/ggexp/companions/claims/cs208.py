"""Tests of CS208's notes about histograms (sections 5.1 and 5.2), and of its answers to exercises.

The only results of a run that the tests use are the table of Figure S8 and the seed, for
simulations. Printed numbers are parameters. Neighbours differ in the value of one record.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from math import log, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaincc, ndtr, roots_genlaguerre
from scipy.stats import binom

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.claims.theory import noise_of
from ggexp.companions import renyi
from ggexp.companions.queries import of_histogram
from ggexp.mechanisms.budget import Budget

FAILURE = 0.05  # failure probability allowed by "with high probability"
ROUNDING = 1e-9
#: How queries are answered one by one in Figure S8 -> the noise and the composition.
WAYS = {
    "advanced": "Laplace noise with advanced composition",
    "laplace-exact": "Laplace noise with exact composition",
    "gaussian-exact": "Gaussian noise with exact composition",
}


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
) -> Comparisons:
    """Test whether Laplace noise with a scale of ``printed``/ε on each bin satisfies ε-DP.

    Neighbours are a random table and the same table with one record moved to another bin. The loss
    is computed at random releases and at the counts.
    """
    rng = np.random.default_rng(results.seed)
    scale = printed / epsilon
    for size in bins:
        largest = 0.0
        for _ in range(tables):
            table = rng.integers(0, size, records)
            neighbour = table.copy()
            neighbour[0] = (table[0] + rng.integers(1, size)) % size
            counts, neighbour_counts = (
                np.bincount(values, minlength=size) for values in (table, neighbour)
            )
            releases = counts + scale * rng.laplace(size=(draws, size))
            releases[0] = counts
            changes = np.abs(releases - neighbour_counts) - np.abs(releases - counts)
            losses = changes.sum(axis=1) / scale
            largest = max(largest, float(np.abs(losses).max()))
        what = f"largest loss ({largest:.4g}) <= ε = {epsilon:g}"
        yield Comparison(what, f"{size} bins", epsilon * (1 + ROUNDING) - largest)


@claim_test
def histogram_answers(
    *, cells: Sequence[int], queries: Sequence[int], constant: float
) -> Comparisons:
    """Test whether a Laplace histogram answers k queries to within O(√(|X| ln k)/(εn)).

    constant: the factor of the bound. The error is that of `ggexp.companions.queries.of_histogram`
    with a failure probability of 5 %; n and ε cancel.
    """
    for size, k in product(cells, queries):
        if log(k) <= size * log(2):  # otherwise there are fewer sets of cells than queries
            ratio = of_histogram(epsilon=1, cells=size, k=k, failure=FAILURE) / sqrt(size * log(k))
            what = f"error / bound < {constant:g}"
            yield Comparison(what, f"|X|={size}, k={k}", constant - ratio)


@claim_test
def boundary_is_proportional(
    results: Results, *, factor: float, queries: tuple[int, int]
) -> Comparisons:
    """Test whether |X|/|Q| on the boundary of Figure S8 changes by less than a factor."""
    for (way, delta), curve in _boundary(results, queries).groupby(["way", "delta"]):
        ratios = curve["value"] / curve["k"]
        what = f"{way}: |X|/|Q| from {ratios.min():.3g} to {ratios.max():.3g}"
        margin = float(factor - ratios.max() / ratios.min())
        yield Comparison(what, f"δ={delta:g}", margin)


@claim_test
def boundary_moves(
    results: Results, *, way: str, other: str, share: float, queries: tuple[int, int]
) -> Comparisons:
    """Test whether one boundary of Figure S8 has at most a share of the bins of another one."""
    table = _boundary(results, queries)
    first, second = (table[table["way"] == name] for name in (way, other))
    what = f"bins by {WAYS[way]} at most {share:.0%} of bins by {WAYS[other]}"
    for row in first.merge(second, on=["delta", "k"]).to_dict("records"):
        where = f"δ={row['delta']:g}, |Q|={row['k']}"
        yield Comparison(what, where, share - row["value_x"] / row["value_y"])


def _boundary(results: Results, queries: tuple[int, int]) -> pd.DataFrame:
    """Return the rows on the boundaries of Figure S8."""
    return results.rows("s8", between={"k": queries}, panel="boundary")


@claim_test
def end_bins(
    *, bins: Sequence[int], sizes: Sequence[int], epsilon: float, rise: float
) -> Comparisons:
    """Test whether noise raises the 95th percentile of four bins by at most ``rise`` records.

    As in Exercise 5.2, the bins are the first two and the last two from -1 to 1, with standard
    normal records and Laplace(2/ε) noise. The relative increase must also grow from each number of
    bins to the next.
    """
    for n in sizes:
        percentiles = {size: end_percentiles(n, size, epsilon) for size in bins}
        for size, (without, noisy) in percentiles.items():
            what = f"noisy 95th percentile ({noisy:.1f}) at most {rise:g} above {without:.0f}"
            yield Comparison(what, f"n={n}, {size} bins", rise - (noisy - without))
        for fewer, more in pairwise(bins):
            first, second = (
                noisy / without for without, noisy in (percentiles[fewer], percentiles[more])
            )
            what = f"relative increase with {more} bins > with {fewer} bins"
            yield Comparison(what, f"n={n}", second - first)


def end_percentiles(n: int, bins: int, epsilon: float) -> tuple[float, float]:
    """Return the 95th percentiles of the number of records in four bins and of its noisy value."""
    share = 2 * float(ndtr(1) - ndtr(1 - 4 / bins))  # two bins at each end, of width 2/bins
    first, last = (int(binom.ppf(probability, n, share)) for probability in (1e-14, 1 - 1e-14))
    counts = np.arange(first, last)
    probabilities = binom.pmf(counts, n, share)

    def excess(x: float) -> float:
        return float(probabilities @ _upper_tail_of_four((x - counts) * epsilon / 2)) - FAILURE

    noisy = brentq(excess, -40 / epsilon, n + 100 / epsilon)
    return float(binom.ppf(1 - FAILURE, n, share)), float(noisy)


def _upper_tail_of_four(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pr(S > x) for the sum S of four Laplace(1) variables."""
    # S is distributed as the difference of two independent gamma variables with shape 4
    node, weight = roots_genlaguerre(60, 3)
    above = gammaincc(4, np.abs(x)[:, None] + node) @ weight / 6
    return np.asarray(np.where(x >= 0, above, 1 - above))


@claim_test
def clamping_biases(
    results: Results, *, epsilon: float, counts: Sequence[int], draws: int
) -> Comparisons:
    """Test whether clamping counts with Laplace(2/ε) noise at 0 biases them upwards, from draws.

    Counts are rounded after clamping; without rounding the bias is (1/ε) exp(-sε/2) for a count s.
    """
    rng = np.random.default_rng(results.seed)
    for count in counts:
        released = np.rint(np.maximum(count + rng.laplace(0, 2 / epsilon, draws), 0))
        bias, error = float(released.mean() - count), float(released.std() / sqrt(draws))
        yield Comparison(f"bias ({bias:.3f}) > 0", f"count {count}", bias, error)


ALPHAS = (1.1, 2.0, 10.0, 100.0)


@claim_test
def mean_query(*, bound: float, n: int, epsilon: float, delta: float, rho: float) -> Comparisons:
    """Test whether the printed σ for a mean are large enough for (ε, δ)-aDP and for ρ-zCDP."""
    sensitivity = _largest_change(lambda x: x.mean(), n, bound)
    printed = sqrt(2 / epsilon**2 * log(1.25 / delta) * (2 * bound) ** 2 / n**2)
    budget = Budget(epsilon, delta)
    smallest = _sigma("adp-exact", budget, sensitivity)
    what = f"printed σ {printed:.5g} > least σ {smallest:.5g}"
    printed_zcdp = sqrt(2 * bound**2 / (rho * n**2))
    yield Comparison(what, place(budget), printed / smallest - 1)
    yield _satisfies_zcdp(printed_zcdp, sensitivity, rho)


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
) -> Comparisons:
    """Test whether the mean of n noisy points has n^power times the variance of a noisy mean.

    Both variances are estimated from draws, for each n in ``sizes``. summed: whether to take the
    sum of the noisy points. power: None to test only whether the variance is larger. One record
    changes one point, therefore the releases of the points do not compose.
    """
    rng = np.random.default_rng(results.seed)
    budget = Budget(epsilon, delta)
    on_point = _sigma("adp-classical", budget, 2 * bound)
    ratios = []
    for n in sizes:
        on_mean = _sigma("adp-classical", budget, _largest_change(np.mean, n, bound))
        totals = rng.normal(0, on_point, (draws, n)).sum(axis=1) / (1 if summed else n)
        ratios.append(float(totals.var(ddof=1) / rng.normal(0, on_mean, draws).var(ddof=1)))
    # relative standard error of a ratio of two variances of normal draws
    relative_error = sqrt(4 / (draws - 1))
    if power is None:
        for n, ratio in zip(sizes, ratios, strict=True):
            what = f"ratio of variances {ratio:.4g} > 1"
            yield Comparison(what, f"n={n}", ratio - 1, relative_error * ratio)
        return
    log_ratio = log(sizes[1] / sizes[0])
    exponent = log(ratios[1] / ratios[0]) / log_ratio
    what = f"ratio of variances grows as n^{power:g} (n^{exponent:.3g} found)"
    where = f"n={sizes[0]} to {sizes[1]}"
    error = relative_error * sqrt(2) / log_ratio
    yield Comparison(what, where, 0.1 - abs(exponent - power), error)


@claim_test
def sum_of_squares(*, bound: float, n: int, rho: float) -> Comparisons:
    """Test whether Σx² has sensitivity b², and satisfies ρ-zCDP with noise of σ² = b⁴/(2ρ)."""
    sensitivity = _largest_change(lambda x: (x**2).sum(), n, bound)
    yield Comparison("sensitivity is b²", "", 1e-9 - abs(sensitivity - bound**2))
    yield _satisfies_zcdp(sqrt(bound**4 / (2 * rho)), sensitivity, rho)


@claim_test
def gram_entries(results: Results, *, bound: float, sizes: Sequence[int]) -> Comparisons:
    """Test whether XᵀX has the printed entries, 1, n x̄, n x̄ and Σx², at random points."""
    rng = np.random.default_rng(results.seed)
    for n in sizes:
        x = rng.uniform(-bound, bound, n)
        matrix = np.column_stack([np.ones(n), x])
        gram = matrix.T @ matrix
        printed = np.array([[1, n * x.mean()], [n * x.mean(), (x**2).sum()]])
        for i, j in np.ndindex(2, 2):
            deviation = abs(float(gram[i, j] - printed[i, j]))
            what = f"entry ({i + 1}, {j + 1}) is {printed[i, j]:.4g}"
            yield Comparison(what, f"n={n}", 1e-9 * n - deviation)


@claim_test
def gram_not_psd(
    results: Results, *, bound: float, n: int, rho: float, value: float, draws: int
) -> Comparisons:
    """Test whether a released XᵀX can have a negative eigenvalue, from draws of the noise.

    value: the value of every x_i. Σx and Σx² are released with ρ/2 each.
    """
    rng = np.random.default_rng(results.seed)
    x = np.full(n, value)
    totals = []
    for function in (np.sum, lambda x: (x**2).sum()):
        b = renyi.zcdp_scale(rho / 2, sensitivity=_largest_change(function, n, bound))
        totals.append(function(x) + rng.normal(0, b / sqrt(2), draws))
    negative = n * totals[1] < totals[0] ** 2  # the determinant; n > 0
    share = float(negative.mean())
    error = sqrt(share * (1 - share) / draws)
    what = f"Pr(not positive semidefinite) = {share:.3f} > 0"
    yield Comparison(what, f"n={n}, ρ={rho:g}", share, error)


def _sigma(rule: str, budget: Budget, sensitivity: float) -> float:
    """Return σ of Gaussian noise by a calibration rule, for a statistic of a given sensitivity."""
    return sensitivity * noise_of(rule, 2, budget).scale / sqrt(2)


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
    """Return the sensitivity of a statistic of n values in [-b, b], by enumeration."""
    x = np.resize([-bound, 0.0, bound], n)
    changes = []
    for new in np.linspace(-bound, bound, 21):
        for i in range(3):
            neighbour = x.copy()
            neighbour[i] = new
            changes.append(abs(float(function(x)) - float(function(neighbour))))
    return max(changes)
