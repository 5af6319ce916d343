"""The numbers of Figures 6, 8 and 10: one release, and the range over all repeats."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint, PointParameters
from ggexp.releases.release import from_parameters

#: Column -> percentile of the sanitized counts.
RANGE = {"low": 5, "quartile_1": 25, "median": 50, "quartile_3": 75, "high": 95}
# largest number of counts in memory for a range (128 MB), for example 500 repeats of 33,554 cells
MAX_POOLED_COUNTS = 2**24
MAX_POINTS = 1000  # cells that are drawn as single points; of more cells, only the range is drawn


def releases(
    histogram: pd.DataFrame,
    points: Iterable[PointParameters],
    release: Mapping[str, Any],
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return the first release of each grid point, and percentiles over the repeats.

    release: parameters of the kind of releases, which consist of exactly the histogram's cells.
    Up to `MAX_POINTS` cells, there is a row for each grid point and cell; for more, for each grid
    point and original count. If repeats × cells exceeds `MAX_POOLED_COUNTS`, the percentiles are
    over the first repeats that fit, at least one.
    """
    counts = histogram["count"].to_numpy()
    kind = from_parameters(release, counts.size)
    order = np.argsort(counts, kind="stable")
    levels, level, sizes = np.unique(counts, return_inverse=True, return_counts=True)
    pooled_repeats = min(repeats, max(1, MAX_POOLED_COUNTS // counts.size))
    pool = np.empty((pooled_repeats, counts.size))
    by_level = np.split(pool, np.cumsum(sizes)[:-1], axis=1)
    tables = []
    for noisy in log_progress([*map(NoisyPoint.from_parameters, points)], "grid points"):
        for repeat in range(pooled_repeats):
            released = kind.release(counts, noisy, seed=seed, repeat=repeat).counts
            if not repeat:
                first = released
            pool[repeat] = released[order]
        # sorted first, which takes half of the time that selecting five percentiles takes
        pooled = (np.sort(part, axis=None) for part in by_level)
        ranges = np.array([np.percentile(part, [*RANGE.values()]) for part in pooled])
        columns = {"original": levels, "cells": sizes, **dict(zip(RANGE, ranges.T, strict=True))}
        if counts.size <= MAX_POINTS:
            cells = {"cell": np.arange(counts.size), "original": counts, "sanitized": first}
            columns = cells | {name: columns[name][level] for name in ("low", "median", "high")}
        key = noisy.point.columns(len(columns["original"]))
        del key["dataset"]
        tables.append(key | columns)
    joined = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    return pd.DataFrame(joined)
