"""The errors of synthetic records of a grid point: marginals and cells."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ggexp.experiment.metrics import RECORDS, measure
from ggexp.progress import log_progress
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import COUNTS, Records, clamping_bias
from ggexp.releases.release import Release
from ggexp.releases.sanitize import Listed

#: The release itself, which records are compared with: its counts are no whole numbers.
RELEASE = "release"
#: Repeats whose marginals are summed at once.
BLOCK = 25

Counts = NDArray[np.int64] | NDArray[np.float64]


class Marginals:
    """All one-way and two-way marginals of the cells of a histogram, as sums over its cells.

    attributes: a row for each cell, a column for each attribute.

    `names` are the attributes of each marginal, first those of one attribute, then those of two,
    in the order of the columns. `ways` is how many attributes each has.
    """

    def __init__(self, attributes: pd.DataFrame) -> None:
        codes = {str(name): pd.factorize(attributes[name])[0] for name in attributes}
        self.names: list[tuple[str, ...]] = [
            names for ways in (1, 2) for names in combinations(codes, ways)
        ]
        self.ways = np.array([len(names) for names in self.names])
        cells = np.arange(len(attributes))
        rows: list[NDArray[np.intp]] = []
        sizes: list[int] = []
        for names in self.names:
            one = codes[names[0]]
            joint = one if len(names) == 1 else one * (codes[names[1]].max() + 1) + codes[names[1]]
            places, levels = pd.factorize(joint)
            rows.append(places + sum(sizes))
            sizes.append(len(levels))
        self._starts = np.cumsum([0, *sizes[:-1]])
        entries = np.ones(len(self.names) * len(cells))
        where = (np.concatenate(rows), np.tile(cells, len(self.names)))
        self._sums = csr_array((entries, where), shape=(sum(sizes), len(cells)))

    def errors(self, original: NDArray[np.int64], others: Sequence[Counts]) -> NDArray[np.float64]:
        """Return the total variation distance of each marginal, others x marginals.

        original: the counts of the cells, at least one record. others: counts >= 0 of these cells.
        It is ½ Σ |f* - f| of the shares f of the records, in [0, 1]: the share of records that
        would have to be moved. Counts that are all 0 have no shares: the distance is taken as 1.
        Raises ValueError for an original without records.
        """
        if not (n := original.sum()) > 0:
            raise ValueError(f"original must have at least one record, got {n}")
        totals = np.array([float(np.sum(other)) for other in others])
        shares = np.stack(others, axis=1) / np.where(totals > 0, totals, 1)
        apart = np.abs(self._sums @ shares - (self._sums @ (original / n))[:, None])
        distances = np.add.reduceat(apart, self._starts, axis=0).T / 2
        distances[totals == 0] = 1
        return np.asarray(distances)


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

    - a row for each method and repeat: repeat and each of `METRICS` that can measure records:
      records (how many), l1 (over the cells), and the mean over all marginals of one attribute,
      one_way, and of two, two_way, of `Marginals.errors`; and by how much these are more than those
      of the release of the same repeat, one_way_added and two_way_added;
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
    ways = {"one_way": marginals.ways == 1, "two_way": marginals.ways == 2}
    records = {method: Records(counts.size, method) for method in methods}
    for method, kind in {RELEASE: Listed(counts.size), **records}.items():
        errors, gains, found = [], [], []
        for start in log_progress(range(0, repeats, BLOCK), f"blocks of {method}"):
            block = [
                kind.release(counts, noisy, seed=seed, repeat=repeat).counts
                for repeat in range(start, min(start + BLOCK, repeats))
            ]
            errors.append(marginals.errors(counts, block))
            gains += [np.bincount(level, weights=release - counts) / sizes for release in block]
            means = {name: _mean(errors[-1][:, chosen]) for name, chosen in ways.items()}
            for place, release in enumerate(block):
                known = {name: mean[place] for name, mean in means.items()}
                known["records"] = float(release.sum())
                found.append(measure(counts, Release(release), RECORDS, **known))
        by_method = pd.DataFrame(found)
        if method == RELEASE:
            of_release = by_method
        added = {f"{name}_added": by_method[name] - of_release[name] for name in ways}
        repeat = _table(point, method, repeat=np.arange(repeats))
        by_repeat.append(repeat.join(by_method.assign(**added)))
        of_marginals = np.concatenate(errors)
        attributes = [[*names, None][:2] for names in marginals.names]
        by_marginal.append(
            _table(
                point,
                method,
                attribute=[first for first, _ in attributes],
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
