"""Many releases and many queries (Figure S5)."""

from functools import partial
from math import log

from facts import fact
from facts.library import coarse
from ggexp.companions import histogram_queries, queries
from ggexp.companions.claims.histograms import end_percentiles
from ggexp.companions.figures import tabulate_boundary
from ggexp.guarantees import composition


@fact
def composition_of_laplace():
    """ε of k Laplace releases by basic, advanced, zCDP and exact composition."""
    rows = []
    for k in (10, 100, 1000):
        epsilons = (
            composition.basic_of([(0.1, 0, k)]).epsilon,
            composition.advanced_of([(0.1, 0, k)], slack=1e-6).epsilon,
            composition.zcdp(rho=0.005, delta=1e-6, k=k),
            composition.exact(order=1, scale=10, k=k, delta=1e-6),
        )
        rows.append([k, *epsilons])
    return rows


@fact
def largest_errors():
    """The expected largest of k errors, and the gain of Laplace noise from exact composition."""
    largest = partial(coarse, queries.largest_error, epsilon=1)
    points = [(1e-6, k) for k in (10, 100, 1000)] + [(1e-3, k) for k in (10, 100)]
    rows = [[d, k, *(largest(way, delta=d, k=k) for way in queries.WAYS)] for d, k in points]
    (of_100,) = (row[2:] for row in rows if row[:2] == [1e-6, 100])
    laplace, _, exact, gaussian = of_100
    # the expected largest error is proportional to the scale
    return {"table": rows, "scale": exact / laplace, "behind": exact / gaussian}


@fact
def gaussian_wins_from():
    """The smallest k by bounds and by exact composition, with δ, and by the lecture's condition."""
    deltas = (1e-6, 1e-3)
    crossing = partial(coarse, queries.crossing, epsilon=1)
    pairs = (("laplace", "gaussian"), ("laplace-exact", "gaussian-exact"))
    by_bounds, exactly = ([crossing(*pair, delta=delta) for delta in deltas] for pair in pairs)
    return {
        "k": [by_bounds[0], deltas[0], by_bounds[1], deltas[1]],
        "exactly": [exactly[0], deltas[0], exactly[1], deltas[1]],
        "by-condition": [
            next(k for k in range(1, 99) if k * log(k) >= log(1 / delta)) for delta in deltas
        ],
    }


@fact
def histogram_or_one_by_one():
    """The boundary in bins per query, for each way to answer queries one by one."""
    parameters = {"epsilon": 1, "failure": 0.05}

    def boundary(way, delta, k):
        error = coarse(histogram_queries.one_by_one, way, **parameters, delta=delta, k=k)
        histogram = tabulate_boundary.HISTOGRAMS[tabulate_boundary.COMPARED_WITH[way]]
        return histogram_queries.most_cells(histogram, **parameters, error=error, k=k) / k

    points = [(1e-6, k) for k in (10, 100, 1000)] + [(1e-3, 1000)]
    rows = [
        [delta, k, *(boundary(way, delta, k) for way in histogram_queries.WAYS)]
        for delta, k in points
    ]
    assert all(5.5 < row[2] / row[4] < 11.5 for row in rows[1:])
    assert all(0.5 < row[3] / row[2] < 0.8 for row in rows[1:])
    return rows


@fact
def exercise_5_2():
    """95 % points for 100 records: of the count in the four end bins, and of their noisy counts."""
    points = ((*end_percentiles(100, bins, epsilon=1), bins) for bins in (11, 1001))
    return [x for without, noisy, bins in points for x in (without, round(noisy), bins)]
