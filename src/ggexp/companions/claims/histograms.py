"""Tests of claims of CS208's notes about histograms with Laplace noise: sections 5.1 and 5.2.

The only results of a run that the tests use are the table of Figure S8 and the seed, for
simulations. Printed numbers are parameters. Neighbours differ in the value of one record.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaincc, ndtr, roots_genlaguerre
from scipy.stats import binom

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.companions import histogram_queries
from ggexp.companions.claims.rows import rows_of

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
) -> list[Comparison]:
    """Test whether Laplace noise with a scale of ``printed``/ε on each bin satisfies ε-DP.

    For each number of bins, neighbours are a random table and the same table with one record moved
    to another bin. The loss is the log ratio of the densities of a release for the two tables. It
    is computed at random releases and at the counts.
    """
    rng = np.random.default_rng(results.seed)
    scale = printed / epsilon
    comparisons = []
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
            losses = (np.abs(releases - neighbour_counts) - np.abs(releases - counts)).sum(
                axis=1
            ) / scale
            largest = max(largest, float(np.abs(losses).max()))
        what = f"largest loss ({largest:.4g}) <= ε = {epsilon:g}"
        comparisons.append(Comparison(what, f"{size} bins", epsilon * (1 + ROUNDING) - largest))
    return comparisons


@claim_test
def histogram_answers(
    *, cells: Sequence[int], queries: Sequence[int], constant: float
) -> list[Comparison]:
    """Test whether a Laplace histogram answers k queries to within O(√(|X| ln k)/(εn)).

    constant: the factor of the bound. The error is that of
    `ggexp.companions.histogram_queries.of_histogram` with a failure probability of 5 %; n and ε
    cancel.
    """
    comparisons = []
    for size in cells:
        for k in queries:
            if log(k) > size * log(2):  # there are fewer sets of cells than queries
                continue
            t = histogram_queries.of_histogram(epsilon=1, cells=size, k=k, failure=FAILURE)
            what = f"error / bound < {constant:g}"
            ratio = t / sqrt(size * log(k))
            comparisons.append(Comparison(what, f"|X|={size}, k={k}", constant - ratio))
    return comparisons


@claim_test
def boundary_is_proportional(
    results: Results, *, factor: float, queries: tuple[int, int]
) -> list[Comparison]:
    """Test whether |X|/|Q| on the boundary of Figure S8 changes by less than a factor.

    queries: the smallest and the largest |Q|.
    """
    comparisons = []
    for (way, delta), curve in _boundary(results, queries).groupby(["way", "delta"]):
        ratios = curve["value"] / curve["k"]
        what = f"{way}: |X|/|Q| from {ratios.min():.3g} to {ratios.max():.3g}"
        margin = float(factor - ratios.max() / ratios.min())
        comparisons.append(Comparison(what, f"δ={delta:g}", margin))
    return comparisons


@claim_test
def boundary_moves(
    results: Results, *, way: str, other: str, share: float, queries: tuple[int, int]
) -> list[Comparison]:
    """Test whether one boundary of Figure S8 has at most a share of the bins of another one."""
    table = _boundary(results, queries)
    first, second = (table[table["way"] == name] for name in (way, other))
    what = f"bins by {WAYS[way]} at most {share:.0%} of bins by {WAYS[other]}"
    return [
        Comparison(
            what,
            f"δ={row['delta']:g}, |Q|={row['k']}",
            share - row["value_x"] / row["value_y"],
        )
        for row in first.merge(second, on=["delta", "k"]).to_dict("records")
    ]


def _boundary(results: Results, queries: tuple[int, int]) -> pd.DataFrame:
    """Return the rows on the boundaries of Figure S8."""
    return rows_of(results, "s8", between={"k": queries}, panel="boundary")


@claim_test
def end_bins(
    *, bins: Sequence[int], sizes: Sequence[int], epsilon: float, rise: float
) -> list[Comparison]:
    """Test whether noise raises the 95th percentile of four bins by at most ``rise`` records.

    As in Exercise 5.2, the bins are the first two and the last two from -1 to 1, the records are
    standard normal values, and each bin has Laplace(2/ε) noise. A second comparison is whether the
    increase, relative to the percentile without noise, grows from each number of bins to the next.
    """
    comparisons = []
    for n in sizes:
        percentiles = {size: end_percentiles(n, size, epsilon) for size in bins}
        for size, (without, noisy) in percentiles.items():
            what = f"noisy 95th percentile ({noisy:.1f}) at most {rise:g} above {without:.0f}"
            comparisons.append(Comparison(what, f"n={n}, {size} bins", rise - (noisy - without)))
        for fewer, more in pairwise(bins):
            first, second = (
                noisy / without for without, noisy in (percentiles[fewer], percentiles[more])
            )
            what = f"relative increase with {more} bins > with {fewer} bins"
            comparisons.append(Comparison(what, f"n={n}", second - first))
    return comparisons


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
    """Return Pr(S > x) for the sum S of four Laplace(1) variables.

    S is distributed as the difference of two independent gamma variables with shape 4.
    """
    node, weight = roots_genlaguerre(60, 3)
    above = gammaincc(4, np.abs(x)[:, None] + node) @ weight / 6
    return np.asarray(np.where(x >= 0, above, 1 - above))


@claim_test
def clamping_biases(
    results: Results, *, epsilon: float, counts: Sequence[int], draws: int
) -> list[Comparison]:
    """Test whether clamping counts with Laplace(2/ε) noise at 0 biases them upwards, from draws.

    Counts are rounded after clamping; without rounding the bias is (1/ε) exp(-sε/2) for a count s.
    """
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for count in counts:
        released = np.rint(np.maximum(count + rng.laplace(0, 2 / epsilon, draws), 0))
        bias, error = float(released.mean() - count), float(released.std() / sqrt(draws))
        comparisons.append(Comparison(f"bias ({bias:.3f}) > 0", f"count {count}", bias, error))
    return comparisons
