"""Tests of the paper's claims that compare the errors on two data sets.

Each returns the comparisons of a claim: none if the results lack one of the data sets.
"""

from collections.abc import Sequence
from math import log, nan

from ggexp.claims.evidence import Comparison, Estimate, Grid, Results, contrast, place
from ggexp.claims.registry import claim_test


@claim_test
def nearer(
    results: Results, *, datasets: Sequence[str], metric: str, mechanisms: Sequence[str]
) -> list[Comparison]:
    """Return whether the mean, relative to the number of records, is smaller on the first data set.

    For each mechanism, at each (ε, δ).
    """
    if not set(datasets) <= results.tallies.keys():
        return []
    grids = [results.grid(dataset, metric, mechanisms) for dataset in datasets]
    sizes = [
        int(results.tallies[dataset].set_index("quantity")["count"]["records"])
        for dataset in datasets
    ]
    comparisons = []
    for mechanism, epsilon, delta in _shared(*grids):
        near, far = (grid.at(mechanism, epsilon, delta) for grid in grids)
        room = contrast((1 / sizes[1], far), (-1 / sizes[0], near))
        what = f"{mechanism}: {metric}/n on {datasets[0]} < on {datasets[1]}"
        comparisons.append(Comparison(what, place(epsilon, delta), *room))
    return comparisons


@claim_test
def nears_faster(
    results: Results,
    *,
    datasets: Sequence[str],
    metric: str,
    mechanisms: Sequence[str],
    along: str,
) -> list[Comparison]:
    """Return whether a smaller share of the mean remains on the first data set, from end to end.

    along: "epsilon" from the first to the last ε at each δ, "delta" likewise. The logarithms of the
    shares are compared; the standard error of a mean's logarithm is the relative error of the mean.
    """
    grids = [results.grid(dataset, metric, mechanisms) for dataset in datasets]
    comparisons = []
    points = _shared(*grids)
    for mechanism in dict.fromkeys(mechanism for mechanism, _, _ in points):
        own = [(epsilon, delta) for m, epsilon, delta in points if m == mechanism]
        epsilons = sorted({epsilon for epsilon, _ in own})
        deltas = grids[0].deltas(mechanism)
        if along == "epsilon":
            ends = [((epsilons[0], d), (epsilons[-1], d)) for d in deltas]
        else:
            ends = [((e, deltas[0]), (e, deltas[-1])) for e in epsilons]
        for first, last in ends:
            if first == last:
                continue
            near, far = (
                ((-sign, _log(grid.at(mechanism, *last))), (sign, _log(grid.at(mechanism, *first))))
                for grid, sign in zip(grids, (1, -1), strict=True)
            )
            what = f"{mechanism}: share of {metric} remaining on {datasets[0]} < {datasets[1]}"
            where = f"{place(*first)} to {place(*last)}"
            comparisons.append(Comparison(what, where, *contrast(*near, *far)))
    return comparisons


def _shared(one: Grid, other: Grid) -> list[tuple[str, float, float | None]]:
    """Return the mechanism, ε and δ that both have."""
    return [point for point in one.estimates if point in other.estimates]


def _log(one: Estimate) -> Estimate:
    """Return the estimate of the logarithm, which is undecided (nan) for a mean of 0."""
    if one.mean == 0:
        return one._replace(mean=nan, se=nan)
    return one._replace(mean=log(one.mean), se=one.se / one.mean)
