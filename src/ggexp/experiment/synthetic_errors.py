"""How far synthetic records of a grid point are from the original: marginals and cells."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.grid import GridPoint, NoisyPoint
from ggexp.experiment.marginals import Marginals
from ggexp.experiment.metrics import l1
from ggexp.experiment.sanitize import release
from ggexp.experiment.synthetic import COUNTS, clamping_bias, record_counts
from ggexp.progress import log_remaining

#: The release itself, which records are compared with: its counts are no whole numbers.
RELEASE = "release"
#: Repeats whose marginals are summed at once.
BLOCK = 25

Counts = NDArray[np.int64] | NDArray[np.float64]


def measure_records(
    cells: pd.DataFrame,
    noisy: NoisyPoint,
    methods: Sequence[str],
    *,
    seed: int,
    repeats: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return errors by repeat, errors by marginal, and errors by original count, as three tables.

    cells: a row for each cell, its attributes and ``count``. methods: of `record_counts`.
    Each table has the columns dataset, mechanism, epsilon, delta and method ("release", the release
    itself, or how its records were made), and

    - a row for each method and repeat: repeat, records (how many), l1 (over the cells), and the
      mean over all marginals of one attribute, one_way, and of two, two_way, of
      `Marginals.errors`; and by how much these are more than those of the release of the same
      repeat, one_way_added and two_way_added;
    - a row for each method and marginal: attribute, other (null for one attribute), repeats, and
      the mean, sd and se of its error;
    - a row for each method and original count: original, cells (that have it), repeats, the mean
      and the se of what their counts have gained, and exact, what it is by `clamping_bias`
      (for the method "counts" alone).
    """
    counts, point = cells["count"].to_numpy(), noisy.point
    marginals = Marginals(cells.drop(columns="count"))
    levels, level, sizes = np.unique(counts, return_inverse=True, return_counts=True)
    by_repeat, by_marginal, by_count = [], [], []
    for method in [RELEASE, *methods]:
        made = _maker(counts, noisy, method, seed)
        errors, gains, rows = [], [], []
        for start in log_remaining(range(0, repeats, BLOCK), f"blocks of {method}"):
            block = [made(repeat) for repeat in range(start, min(start + BLOCK, repeats))]
            errors.append(marginals.errors(counts, block))
            gains += [np.bincount(level, weights=one - counts) / sizes for one in block]
            rows += [(float(one.sum()), l1(counts, one)) for one in block]
        of_marginals = np.concatenate(errors)
        totals, distances = np.array(rows).T
        ways = [_mean(of_marginals[:, marginals.ways == number]) for number in (1, 2)]
        if method == RELEASE:
            of_release = ways
        by_repeat.append(
            _table(
                point,
                method,
                repeat=np.arange(repeats),
                records=totals,
                l1=distances,
                one_way=ways[0],
                two_way=ways[1],
                one_way_added=ways[0] - of_release[0],
                two_way_added=ways[1] - of_release[1],
            )
        )
        attributes = [[*names, None][:2] for names in marginals.names]
        by_marginal.append(
            _table(
                point,
                method,
                attribute=[one for one, _ in attributes],
                other=[other for _, other in attributes],
                **_summary(of_marginals),
            )
        )
        exact = np.full(levels.size, np.nan)
        if method == COUNTS:
            exact[:] = [clamping_bias(int(s), noisy.noise, rounded=True) for s in levels]
        gained = _summary(np.array(gains))
        del gained["sd"]
        by_count.append(_table(point, method, original=levels, cells=sizes, **gained, exact=exact))
    return pd.concat(by_repeat), pd.concat(by_marginal), pd.concat(by_count)


def _maker(
    counts: NDArray[np.int64], noisy: NoisyPoint, method: str, seed: int
) -> Callable[[int], Counts]:
    """Return a function from a repeat to the counts of its release, or of its records."""
    if method == RELEASE:
        return lambda repeat: release(counts, noisy, seed=seed, repeat=repeat)
    return lambda repeat: record_counts(counts, noisy, method, seed=seed, repeat=repeat)


def _summary(values: NDArray[np.float64]) -> dict[str, Counts]:
    """Return repeats, mean, sd and se of the columns; the last two are NaN for a single repeat."""
    repeats = len(values)
    sd = values.std(axis=0, ddof=1) if repeats > 1 else np.full(values.shape[1], np.nan)
    number = np.full(values.shape[1], repeats)
    return {
        "repeats": number,
        "mean": values.mean(axis=0),
        "sd": sd,
        "se": sd / np.sqrt(repeats),
    }


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of rows, NaN where they are empty: one attribute has no two-way marginal."""
    return values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)


def _table(point: GridPoint, method: str, **columns: Any) -> pd.DataFrame:
    """Return columns after those that tell the grid point and the method."""
    (rows,) = {len(column) for column in columns.values()}
    return pd.DataFrame({**point.columns(rows), "method": [method] * rows, **columns})
