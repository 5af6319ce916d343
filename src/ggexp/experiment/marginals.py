"""The errors of releases in one-way margins, and of synthetic records in marginals and cells."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ggexp.datasets.table import Table
from ggexp.experiment.metrics import RECORDS, measure
from ggexp.progress import log_progress
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import COUNTS, Records, clamping_bias
from ggexp.releases.release import Kind, Release

#: The value of the column ``method`` for the release itself, with which synthetic records are
#: compared. Its counts are not whole numbers.
RELEASE = "release"
#: The number of repeats whose marginals are computed together.
BLOCK = 25
#: The columns of the table of margins.
COLUMNS = ["mechanism", "epsilon", "delta", "margin", "total_error"]

Counts = NDArray[np.int64] | NDArray[np.float64]


class Marginals:
    """All one-way and two-way marginals of a histogram, as sums over its cells.

    attributes: a row for each cell, a column for each attribute.

    `names` lists the attributes of each marginal, in the order of the columns: the one-way
    marginals, then the two-way marginals. `ways` is the number of attributes of each marginal.
    """

    def __init__(self, attributes: pd.DataFrame) -> None:
        self.names: list[tuple[str, ...]] = [
            names for ways in (1, 2) for names in combinations(map(str, attributes), ways)
        ]
        self.ways = np.array([len(names) for names in self.names])
        cells = len(attributes)
        # the place of each cell in each marginal, in order of first appearance
        groups = (attributes.groupby([*names], sort=False) for names in self.names)
        places = [group.ngroup().to_numpy() for group in groups]
        sizes = [place.max(initial=-1) + 1 for place in places]
        self._starts = np.cumsum([0, *sizes[:-1]])
        rows = np.concatenate(
            [place + start for place, start in zip(places, self._starts, strict=True)]
        )
        indices = rows, np.tile(np.arange(cells), len(self.names))
        self._sums = csr_array((np.ones(rows.size), indices), shape=(sum(sizes), cells))

    def errors(
        self, original: NDArray[np.int64], releases: Sequence[Counts]
    ) -> NDArray[np.float64]:
        """Return the total variation distance of each marginal, of shape releases x marginals.

        original, releases: counts >= 0 of the cells.
        The distance is ½ Σ |f* - f| in [0, 1], f being shares of the records. It is the share of
        records that would have to move to another cell of the marginal. It is 1 if all counts are
        0, because they have no shares.
        Raises ValueError if the original has no records.
        """
        if not (n := original.sum()) > 0:
            raise ValueError(f"original must have at least one record, got {n}")
        totals = np.array([float(np.sum(release)) for release in releases])
        shares = np.stack(releases, axis=1) / np.where(totals > 0, totals, 1)
        differences = np.abs(self._sums @ shares - (self._sums @ (original / n))[:, None])
        distances = np.add.reduceat(differences, self._starts, axis=0).T / 2
        distances[totals == 0] = 1
        return np.asarray(distances)


def measure_records(
    cells: pd.DataFrame,
    release_kind: Kind,
    noisy: NoisyPoint,
    methods: Sequence[str],
    *,
    seed: int,
    repeats: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return three tables of errors: by repeat, by marginal, and by original count.

    methods: of making records (`ggexp.releases.records`). The column ``method`` is "release" for
    the release itself.

    The tables have the columns of the files errors, marginals and gains of synthetic records. In
    the first one, one_way and two_way are means of `Marginals.errors` over the marginals of one and
    of two attributes, and one_way_added and two_way_added their increases compared with the release
    of the same repeat. In the last one, mean is that of the increase of counts, and exact the
    expected increase by `clamping_bias`, for the method "counts" only.
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
        marginal_errors = np.concatenate(errors)
        attributes = [[*names, None][:2] for names in marginals.names]
        by_marginal.append(
            _table(
                point,
                method,
                attribute=[first for first, _ in attributes],
                other=[second for _, second in attributes],
                **_summary(marginal_errors),
            )
        )
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


def margin_errors(table: Table, released: Release) -> NDArray[np.float64]:
    """Return Σ |released - original| over the levels of each attribute, in records.

    table: of the listed cells.
    """
    changes = released.counts - table.counts
    added = table.at(table.empty(released.places), released.values)
    errors = []
    for codes, added_codes, size in zip(table.codes, added.codes, table.shape, strict=True):
        # the counts that are spread evenly over unlisted cells
        spread = table.combinations / size - np.bincount(codes, minlength=size)
        margin = np.bincount(codes, changes, size) + np.bincount(added_codes, added.counts, size)
        errors.append(np.abs(margin + released.remaining_count * spread).sum())
    return np.array(errors)


def measure_margins(
    table: Table,
    kind: Kind,
    points: Sequence[NoisyPoint],
    *,
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return mechanism, epsilon, delta, and the mean errors margin and total_error, over n.

    margin is the l1 error of a one-way margin, and total_error the absolute error of the sum of all
    counts. The means are over the attributes and over the repeats, which are the first repeats of
    `measure_releases`. The table has no rows if the histogram has no records.
    table: of the listed cells. kind: the kind of the releases.
    """
    rows: list[tuple[Any, ...]] = []
    n = table.counts.sum()
    for noisy in log_progress(points if n else [], "grid points"):
        errors, totals = [], []
        for repeat in range(repeats):
            released = kind.release(table.counts, noisy, seed=seed, repeat=repeat)
            errors.append(margin_errors(table, released).mean())
            totals.append(abs(released.total - n))
        point = noisy.point
        key = point.mechanism, float(point.epsilon), point.delta
        rows.append((*key, np.mean(errors) / n, np.mean(totals) / n))
    return pd.DataFrame(rows, columns=COLUMNS)
