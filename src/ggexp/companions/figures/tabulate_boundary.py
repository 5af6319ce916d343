"""The numbers of Figure S8: a histogram for all queries compared with noise on each query."""

from itertools import product

import numpy as np
import pandas as pd

from ggexp.companions import histogram_queries
from ggexp.progress import log_progress

EPSILON = 1.0
DELTAS = (1e-6, 1e-3)  # for all queries together, if they are answered one by one
FAILURE = 0.05  # "with high probability" means in 95 % of the releases
CELLS = 1000.0  # bins of the histogram whose errors are drawn
KS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
HISTOGRAMS = {
    "histogram-bound": histogram_queries.of_histogram_by_bound,
    "histogram": histogram_queries.of_histogram,
}
#: Each way to answer queries one by one -> the histogram that it is compared with. Bounds are
#: compared with bounds, and exact errors with exact errors.
COMPARED_WITH = {
    "advanced": "histogram-bound",
    "laplace-exact": "histogram",
    "gaussian-exact": "histogram",
}


def tabulate() -> pd.DataFrame:
    """Return the columns of Figure S8: panel, way, delta, cells, k, value.

    panel "error": the error in records that none of the k answers exceeds in 95 % of the releases,
    at ε = 1. Rows of a histogram have no δ; the other ways answer one by one. panel "boundary": the
    number of bins up to which the histogram in `COMPARED_WITH` has a smaller error than this way, 0
    if there is no such number.
    """
    setting = {"epsilon": EPSILON, "failure": FAILURE}
    rows = [
        ("error", way, np.nan, CELLS, k, error(cells=CELLS, k=k, **setting))
        for way, error in HISTOGRAMS.items()
        for k in KS
    ]
    points = [*product(COMPARED_WITH.items(), DELTAS, KS)]
    for (way, histogram), delta, k in log_progress(points, "points of the boundary"):
        error = histogram_queries.one_by_one(way, delta=delta, k=k, **setting)
        cells = histogram_queries.most_cells(HISTOGRAMS[histogram], error=error, k=k, **setting)
        rows.append(("error", way, delta, np.nan, k, error))
        rows.append(("boundary", way, delta, np.nan, k, cells))
    return pd.DataFrame(rows, columns=["panel", "way", "delta", "cells", "k", "value"])
