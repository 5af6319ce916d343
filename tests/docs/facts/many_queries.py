"""Many releases and many queries (Figure S5)."""

from functools import partial
from math import log

from facts import fact
from facts.library import coarse
from ggexp.claims.histograms import end_points
from ggexp.figures import tabulate_boundary
from ggexp.guarantees import composition, histogram_queries, queries


@fact
def composition_of_laplace():
    """ε of k releases by basic, advanced, zCDP and exact composition."""
    rows = []
    for k in (10, 100, 1000):
        found = (
            composition.basic(epsilon=0.1, delta=0, k=k)[0],
            composition.advanced(epsilon=0.1, delta=0, k=k, slack=1e-6)[0],
            composition.zcdp(rho=0.005, delta=1e-6, k=k),
            composition.exact(order=1, scale=10, k=k, delta=1e-6),
        )
        rows.append([k, *found])
    return rows


@fact
def largest_errors():
    """The expected largest of k errors, and what Laplace noise gains by exact composition."""
    largest = partial(coarse, queries.largest_error, epsilon=1)
    points = [(1e-6, k) for k in (10, 100, 1000)] + [(1e-3, k) for k in (10, 100)]
    rows = [[*at, *(largest(way, delta=at[0], k=at[1]) for way in queries.WAYS)] for at in points]
    (at_100,) = (row[2:] for row in rows if row[:2] == [1e-6, 100])
    laplace, _, exact, gaussian = at_100
    # the expected largest error is proportional to the scale
    return {"table": rows, "scale": exact / laplace, "behind": exact / gaussian}


@fact
def gaussian_wins_from():
    """The least k, each with its δ; by exact composition; and by the lecture's condition."""
    deltas = (1e-6, 1e-3)
    crossing = partial(coarse, queries.crossing, epsilon=1)
    ways = (("laplace", "gaussian"), ("laplace-exact", "gaussian-exact"))
    by_bounds, exactly = ([crossing(*two, delta=delta) for delta in deltas] for two in ways)
    return {
        "k": [by_bounds[0], deltas[0], by_bounds[1], deltas[1]],
        "exactly": [exactly[0], deltas[0], exactly[1], deltas[1]],
        "by-condition": [
            next(k for k in range(1, 99) if k * log(k) >= log(1 / delta)) for delta in deltas
        ],
    }


@fact
def histogram_or_one_by_one():
    """The boundary in bins for each query, by each way to answer one by one."""
    at = {"epsilon": 1, "failure": 0.05}

    def boundary(way, delta, k):
        error = coarse(histogram_queries.one_by_one, way, **at, delta=delta, k=k)
        histogram = tabulate_boundary.HISTOGRAMS[tabulate_boundary.COMPARED_WITH[way]]
        return histogram_queries.most_cells(histogram, **at, error=error, k=k) / k

    points = [(1e-6, k) for k in (10, 100, 1000)] + [(1e-3, 1000)]
    rows = [
        [delta, k, *(boundary(way, delta, k) for way in histogram_queries.WAYS)]
        for delta, k in points
    ]
    assert all(5.5 < row[2] / row[4] < 11.5 for row in rows[1:])
    return rows


@fact
def exercise_5_2():
    """The 95 % points: of 100 records in the four bins, of their noisy counts, and the bins."""
    points = ((*end_points(100, bins, epsilon=1), bins) for bins in (11, 1001))
    return [x for without, noisy, bins in points for x in (without, round(noisy), bins)]
