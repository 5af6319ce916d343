"""The numbers of Figures S5 and S8: the errors of many queries, and the cost of many releases."""

from itertools import product
from math import sqrt

import numpy as np
import pandas as pd

from ggexp.companions import queries, renyi
from ggexp.guarantees import composition
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.progress import log_progress

EPSILON = 0.1  # of each release that is composed
DELTA = 1e-6  # of all releases together
DELTAS = (1e-6, 1e-3)  # of all answers together, at ε = 1
RELEASES = tuple(int(k) for k in np.unique(np.geomspace(1, 1000, 46).round()))
KS = (1, 2, 3, 4, 5, 7, 8, 10, 12, 20, 30, 50, 100, 200, 300, 500, 1000)
SIMULATED = (1, 3, 10, 30, 100, 300, 1000)  # values of k that are simulated
DRAWS = 4000  # for each simulated k
WAYS = ("laplace", "gaussian", "laplace-exact", "gaussian-exact")
CROSSINGS = (("laplace", "gaussian"), ("laplace-exact", "gaussian-exact"))

# ---- Figure S8
FAILURE = 0.05  # "with high probability" means in 95 % of the releases
CELLS = 1000.0  # bins of the histogram whose errors are drawn
QUERIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
HISTOGRAMS = {"histogram-bound": queries.of_histogram_by_bound, "histogram": queries.of_histogram}
#: Each way to answer queries one by one -> the histogram that it is compared with. Bounds are
#: compared with bounds, and exact errors with exact errors.
COMPARED_WITH = {
    "advanced": "histogram-bound",
    "laplace-exact": "histogram",
    "gaussian-exact": "histogram",
}


def many_queries(seed: int) -> pd.DataFrame:
    """Return the columns of Figure S5: panel, kind, way, delta, k, value, se.

    panel "composition": the ε at δ = 1e-6 of k Laplace releases that each satisfy 0.1-DP, by each
    accountant. panel "queries": the expected largest error of k counts at ε = 1 and two δ, in
    records. kind "curve": computed. kind "simulated": the mean of `DRAWS` simulations, with its
    standard error. kind "crossing": the smallest k from which Gaussian noise has the smaller
    error.
    """
    rng = np.random.default_rng(seed)
    rows = [("composition", "curve", *row, np.nan) for row in _compositions()]
    for delta in DELTAS:
        for way, k in log_progress([*product(WAYS, KS)], f"points at delta {delta}"):
            order, scale = queries.WAYS[way].order, queries.scale(way, epsilon=1, delta=delta, k=k)
            expected = queries.expected_largest(order=order, scale=scale, k=k)
            rows.append(("queries", "curve", way, delta, k, expected, np.nan))
            if k in SIMULATED:
                noise = GeneralizedGaussian(order, scale).sample(rng, DRAWS * k)
                largest = np.abs(noise).reshape(DRAWS, k).max(axis=1)
                se = largest.std(ddof=1) / sqrt(DRAWS)
                rows.append(("queries", "simulated", way, delta, k, largest.mean(), se))
        for ways in CROSSINGS:
            crossing = queries.crossing(*ways, epsilon=1, delta=delta)
            if crossing is not None:
                value = queries.largest_error(ways[1], epsilon=1, delta=delta, k=crossing)
                rows.append(("queries", "crossing", ways[1], delta, crossing, value, np.nan))
    columns = ["panel", "kind", "way", "delta", "k", "value", "se"]
    return pd.DataFrame(rows, columns=columns)


def _compositions() -> list[tuple[str, float, int, float]]:
    """Return accountant, δ, k and ε. Noise for ε-DP satisfies ε²/2-zCDP (Bun and Steinke 2016)."""
    rows = []
    noise = GeneralizedGaussian(1, 1 / EPSILON)
    for k in RELEASES:
        epsilons = {
            "basic": composition.basic_of([(Budget(EPSILON), k)]).epsilon,
            "advanced": composition.advanced_of([(Budget(EPSILON), k)], slack=DELTA).epsilon,
            "zcdp": renyi.zcdp_epsilon(rho=EPSILON**2 / 2, delta=DELTA, k=k),
            "exact": composition.Composition([(noise, k)]).sufficient_epsilon(delta=DELTA),
        }
        rows += [(way, DELTA, k, epsilon) for way, epsilon in epsilons.items()]
    return rows


def boundary() -> pd.DataFrame:
    """Return the columns of Figure S8: panel, way, delta, cells, k, value.

    panel "error": the error in records that none of the k answers exceeds in 95 % of the releases,
    at ε = 1. Rows of a histogram have no δ; the other ways answer one by one. panel "boundary": the
    number of bins up to which the histogram in `COMPARED_WITH` has a smaller error than this way, 0
    if there is no such number.
    """
    setting = {"epsilon": 1.0, "failure": FAILURE}
    rows = [
        ("error", way, np.nan, CELLS, k, error(cells=CELLS, k=k, **setting))
        for way, error in HISTOGRAMS.items()
        for k in QUERIES
    ]
    points = [*product(COMPARED_WITH.items(), DELTAS, QUERIES)]
    for (way, histogram), delta, k in log_progress(points, "points of the boundary"):
        error = queries.one_by_one(way, delta=delta, k=k, **setting)
        cells = queries.most_cells(HISTOGRAMS[histogram], error=error, k=k, **setting)
        rows.append(("error", way, delta, np.nan, k, error))
        rows.append(("boundary", way, delta, np.nan, k, cells))
    return pd.DataFrame(rows, columns=["panel", "way", "delta", "cells", "k", "value"])
