"""The errors of synthetic records in marginals and in cells, compared with their release."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.marginals import Counts, Marginals
from ggexp.experiment.metrics import RECORDS, measure
from ggexp.progress import log_progress
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import COUNTS, Records, clamping_bias
from ggexp.releases.release import Kind, Release

#: The value of the column ``method`` for the release itself.
RELEASE = "release"
#: The number of repeats whose marginals are computed together.
BLOCK = 25


def measure_records(
    cells: pd.DataFrame,
    release_kind: Kind,
    noisy: NoisyPoint,
    methods: Sequence[str],
    *,
    seed: int,
    repeats: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return three tables on the synthetic records of each method, and on the release itself.

    The first has the errors of each repeat, of which one_way and two_way are means over the
    marginals. The second has the mean error of each marginal over the repeats. The third has, for
    each original count, by how much it increases on average; exact is the expected increase by
    `clamping_bias`, where it is known.
    """
    counts, point = cells["count"].to_numpy(), noisy.point
    marginals = Marginals(cells.drop(columns="count"))
    levels, level, sizes = np.unique(counts, return_inverse=True, return_counts=True)
    by_repeat, by_marginal, by_count = [], [], []
    ways = {"one_way": marginals.ways == 1, "two_way": marginals.ways == 2}
    records = {method: Records(counts.size, method) for method in methods}
    for method, kind in {RELEASE: release_kind, **records}.items():
        errors, increases, rows = [], [], []
        for start in log_progress(range(0, repeats, BLOCK), f"blocks of {method}"):
            block = [
                kind.release(counts, noisy, seed=seed, repeat=repeat).counts
                for repeat in range(start, min(start + BLOCK, repeats))
            ]
            errors.append(marginals.errors(counts, block))
            increases += [np.bincount(level, weights=release - counts) / sizes for release in block]
            means = {name: _mean(errors[-1][:, is_way]) for name, is_way in ways.items()}
            for i, release in enumerate(block):
                known = {name: mean[i] for name, mean in means.items()}
                known["records"] = float(release.sum())
                rows.append(measure(counts, Release(release), RECORDS, point, **known))
        metrics = pd.DataFrame(rows)
        if method == RELEASE:
            release_metrics = metrics
        added = {f"{name}_added": metrics[name] - release_metrics[name] for name in ways}
        keys = _table(point, method, repeat=np.arange(repeats))
        by_repeat.append(keys.join(metrics.assign(**added)))
        first, second = zip(*([*names, None][:2] for names in marginals.names), strict=True)
        summary = _summary(np.concatenate(errors))
        by_marginal.append(_table(point, method, attribute=first, other=second, **summary))
        exact = np.full(levels.size, np.nan)
        if method == COUNTS:
            exact[:] = [clamping_bias(int(s), noisy.noise, rounded=True) for s in levels]
        mean_increases = _summary(np.array(increases))
        del mean_increases["sd"]
        by_count.append(
            _table(point, method, original=levels, cells=sizes, **mean_increases, exact=exact)
        )
    return pd.concat(by_repeat), pd.concat(by_marginal), pd.concat(by_count)


def _summary(values: NDArray[np.float64]) -> dict[str, Counts]:
    """Return repeats, mean, sd and se of each column; sd and se are NaN for a single repeat."""
    repeats = len(values)
    sd = values.std(axis=0, ddof=1) if repeats > 1 else np.full(values.shape[1], np.nan)
    number = np.full(values.shape[1], repeats)
    return {"repeats": number, "mean": values.mean(axis=0), "sd": sd, "se": sd / np.sqrt(repeats)}


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of rows, NaN for empty rows: one attribute has no two-way marginal."""
    return values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)


def _table(point: GridPoint, method: str, **columns: Any) -> pd.DataFrame:
    """Return a table of the columns, preceded by the key columns of the grid point and method."""
    (rows,) = {len(column) for column in columns.values()}
    return pd.DataFrame({**point.columns(rows), "method": [method] * rows, **columns})
