"""The numbers of Figure S8: a histogram for all queries, or noise on each of them."""

from itertools import product

import numpy as np
import pandas as pd

from ggexp.guarantees import histogram_queries
from ggexp.progress import log_progress

FIGURES = {"s8": "histogram or noise on each query"}

EPSILON = 1.0
DELTAS = (1e-6, 1e-3)  # of the queries that are answered one by one
FAILURE = 0.05  # "with high probability": in all but one of twenty releases
CELLS = 1000.0  # of the histogram whose errors are drawn
KS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
HISTOGRAMS = {
    "histogram-bound": histogram_queries.of_histogram_by_bound,
    "histogram": histogram_queries.of_histogram,
}
#: With which histogram a way to answer one by one is compared: bounds with bounds.
BESIDE = {
    "advanced": "histogram-bound",
    "laplace-exact": "histogram",
    "gaussian-exact": "histogram",
}


def tabulate() -> pd.DataFrame:
    """Return panel, way, delta, cells, k, value of Figure S8.

    panel "error": the error in records that all of k answers are within, in 95 % of the releases,
    at ε = 1: from a histogram, whose δ is empty, and one by one. panel "boundary": the number of
    bins up to which the histogram has the smaller error, 0 if none; each way as in `BESIDE`.
    """
    at = {"epsilon": EPSILON, "failure": FAILURE}
    rows = [
        ("error", way, np.nan, CELLS, k, error(cells=CELLS, k=k, **at))
        for way, error in HISTOGRAMS.items()
        for k in KS
    ]
    points = [*product(BESIDE.items(), DELTAS, KS)]
    for (way, other), delta, k in log_progress(points, "points of the boundary"):
        error = histogram_queries.one_by_one(way, delta=delta, k=k, **at)
        cells = histogram_queries.most_cells(HISTOGRAMS[other], error=error, k=k, **at)
        rows.append(("error", way, delta, np.nan, k, error))
        rows.append(("boundary", way, delta, np.nan, k, cells))
    return pd.DataFrame(rows, columns=["panel", "way", "delta", "cells", "k", "value"])
