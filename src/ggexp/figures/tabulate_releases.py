"""The numbers of Figures 6, 8 and 10: one release, and the range over all repeats."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind, from_parameters

RANGE = (5, 50, 95)  # percentiles: low, median, high
# largest number of counts in memory for a range (32 MB), for example 500 repeats of 8,388 cells
MAX_POOLED_COUNTS = 2**22
MAX_POINTS = 1000  # cells that are drawn as single points; more cells are counted in bins
BIN_HEIGHT = 0.25  # of a bin of sanitized counts, in records


def tabulate(
    histogram: pd.DataFrame,
    points: Iterable[Mapping[str, Any]],
    release: Mapping[str, Any],
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return the numbers of a figure of releases: see `tabulate_releases`.

    histogram: the cells of a data set, with their ``count``. points: parameters of grid points.
    release: parameters of the kind of releases, which consist of exactly these cells.
    """
    noisy = list(map(NoisyPoint.from_parameters, points))
    counts = histogram["count"].to_numpy()
    kind = from_parameters(release, counts.size)
    return tabulate_releases(counts, kind, noisy, seed=seed, repeats=repeats)


def tabulate_releases(
    counts: NDArray[np.int64],
    kind: Kind,
    points: Sequence[NoisyPoint],
    *,
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return a row for each grid point and cell: original count, first release, range over repeats.

    The columns are mechanism, epsilon, delta, cell (its row in the histogram), original, sanitized
    (repeat 0), low, median and high (5, 50 and 95 % quantiles of the sanitized counts of all cells
    with that original count, over the repeats). If repeats × cells exceeds `MAX_POOLED_COUNTS`, the
    range is over the first repeats that fit, at least one. If there are many cells, `bin_releases`
    counts them in bins at each grid point.
    """
    _, level = np.unique(counts, return_inverse=True)
    cells_by_level = np.split(np.argsort(level, kind="stable"), np.cumsum(np.bincount(level))[:-1])
    pooled_repeats = min(repeats, max(1, MAX_POOLED_COUNTS // counts.size))
    frames = []
    for noisy in log_progress(points, "grid points"):
        pool = np.empty((pooled_repeats, counts.size))
        for repeat in range(pooled_repeats):
            pool[repeat] = kind.release(counts, noisy, seed=seed, repeat=repeat).counts
        ranges = np.array([np.percentile(pool[:, cells], RANGE) for cells in cells_by_level])
        table = bin_releases(
            pd.DataFrame(
                {
                    "cell": np.arange(counts.size),
                    "original": counts,
                    "sanitized": pool[0],
                    "low": ranges[level, 0],
                    "median": ranges[level, 1],
                    "high": ranges[level, 2],
                }
            )
        )
        key = noisy.point.columns(len(table))
        del key["dataset"]
        frames.append(pd.DataFrame(key | table.to_dict("series")))
    return pd.concat(frames, ignore_index=True)


def bin_releases(table: pd.DataFrame) -> pd.DataFrame:
    """Return a release and its range, with the cells counted in bins if there are many.

    table: the columns of `tabulate_releases` without mechanism, epsilon and delta.
    If it has more than `MAX_POINTS` cells, rows with the same original count are merged if their
    sanitized counts are in the same bin of height `BIN_HEIGHT`. Then ``sanitized`` is the middle
    of the bin (0 is a separate bin), and the column ``cells``, with the number of merged cells,
    replaces ``cell``.
    """
    if len(table) <= MAX_POINTS:
        return table
    bins = np.ceil(table["sanitized"] / BIN_HEIGHT)
    middle = np.where(bins > 0, (bins - 0.5) * BIN_HEIGHT, 0.0)
    keys = ["original", "sanitized", "low", "median", "high"]
    return table.assign(sanitized=middle).groupby(keys, sort=False).size().reset_index(name="cells")
