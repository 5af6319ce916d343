"""Tests of the paper's claims that compare the errors on two data sets.

A test yields nothing if the results lack one of the data sets.
"""

from collections.abc import Sequence
from math import hypot, nan

from ggexp.claims.evidence import Comparison, Comparisons, Estimate, Grid, Results, contrast, place
from ggexp.claims.registry import claim_test


@claim_test
def nearer(
    results: Results, *, datasets: Sequence[str], metric: str, mechanisms: Sequence[str]
) -> Comparisons:
    """Test whether the mean, divided by the number of records, is smaller on the first data set.

    The means are compared for each mechanism, at each (ε, δ).
    """
    if not set(datasets) <= results.tallies.keys():
        return
    grids = [results.grid(dataset, metric, mechanisms) for dataset in datasets]
    sizes = [
        int(results.tallies[dataset].set_index("quantity")["count"]["records"])
        for dataset in datasets
    ]
    for mechanism, epsilon, delta in _shared(*grids):
        first, second = (grid.at(mechanism, epsilon, delta) for grid in grids)
        margin = contrast((1 / sizes[1], second), (-1 / sizes[0], first))
        what = f"{mechanism}: {metric}/n on {datasets[0]} < on {datasets[1]}"
        yield Comparison(what, place(epsilon, delta), *margin)


@claim_test
def nears_faster(
    results: Results,
    *,
    datasets: Sequence[str],
    metric: str,
    mechanisms: Sequence[str],
    along: str,
) -> Comparisons:
    """Test whether a mean decreases to a smaller share of its first value on the first data set.

    along: "epsilon" for the decrease from the first to the last ε at each δ, "delta" for the
    decrease from the first to the last δ at each ε.
    """
    grids = [results.grid(dataset, metric, mechanisms) for dataset in datasets]
    points = _shared(*grids)
    for mechanism in dict.fromkeys(mechanism for mechanism, _, _ in points):
        own_points = [(epsilon, delta) for m, epsilon, delta in points if m == mechanism]
        epsilons = sorted({epsilon for epsilon, _ in own_points})
        deltas = grids[0].deltas(mechanism)
        if along == "epsilon":
            ends = [((epsilons[0], d), (epsilons[-1], d)) for d in deltas]
        else:
            ends = [((e, deltas[0]), (e, deltas[-1])) for e in epsilons]
        for start, end in ends:
            if start == end:
                continue
            first, second = (
                _share(grid.at(mechanism, *end), grid.at(mechanism, *start)) for grid in grids
            )
            what = f"{mechanism}: share of {metric} remaining on {datasets[0]} < {datasets[1]}"
            where = f"{place(*start)} to {place(*end)}"
            yield Comparison(what, where, *contrast((-1, first), (1, second)))


def _shared(first: Grid, second: Grid) -> list[tuple[str, float, float | None]]:
    """Return the mechanism, ε and δ of each point that both grids have."""
    return [point for point in first.estimates if point in second.estimates]


def _share(end: Estimate, start: Estimate) -> Estimate:
    """Return the ratio of two independent means; it is nan, hence undecided, if a mean is 0."""
    if end.mean == 0 or start.mean == 0:
        return end._replace(mean=nan, se=nan)
    share = end.mean / start.mean
    return end._replace(mean=share, se=share * hypot(end.se / end.mean, start.se / start.mean))
