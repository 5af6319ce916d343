"""The records of a survey as codes, the tables that count them, and consistent noisy tables.

Consistent tables have equal common margins. Making noisy tables consistent is post-processing: the
guarantee of the noisy tables stays. The counts are then neither whole nor all non-negative.

A table is a sum of orthogonal parts, one for each subset of its columns: the total, the effects of
one column, the interactions of two, and so on. Tables that share a subset estimate the same part
independently. Least squares takes their mean, weighted by the inverse of the variance of a cell of
the margin, which is the variance of a cell times the number of cells summed (Barak et al. 2007;
Qardaji, Yang and Li 2014). Subsets are treated in ascending size; a correction spread evenly over
the cells of a margin leaves the parts of all other subsets as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.domain import Domain

if TYPE_CHECKING:
    import pandas as pd

#: The names of the workloads that list all tables of one and of two columns.
WAYS = {"one-way": 1, "two-way": 2, "three-way": 3}
LISTED = "listed"  #: the name of a workload whose tables are lists of columns
MAX_TABLE_CELLS = 10_000_000  #: the largest number of cells of one table

PRECISION = 0.01  #: records; of non-negative counts
MAX_ROUNDS = 1000  #: of projections

Columns = tuple[str, ...]
Tables = Mapping[Columns, NDArray[np.float64]]


@dataclass(frozen=True)
class Survey:
    """Records whose columns have known levels.

    levels: column -> its levels, also those that no record has.
    codes: the position of each record's level, of shape columns x rows.
    weights: the number of records that each row stands for; whole numbers, but for noisy counts.
    """

    levels: Mapping[str, NDArray[np.generic]]
    codes: NDArray[np.int64]
    weights: NDArray[np.int64]

    @classmethod
    def of(cls, domain: Domain, cells: "pd.DataFrame") -> "Survey":
        """Return the survey of a histogram's cells: the attributes' values and ``count``."""
        codes = [np.searchsorted(values, cells[name]) for name, values in domain.values.items()]
        weights = np.ones(len(cells), np.int64) if "count" not in cells else cells["count"]
        return cls(domain.values, np.array(codes, np.int64), np.asarray(weights, np.int64))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [*self.levels]

    def shape(self, columns: Columns) -> tuple[int, ...]:
        """Return the numbers of levels of the columns."""
        return tuple(len(self.levels[name]) for name in columns)

    def count(self, columns: Columns) -> NDArray[np.int64]:
        """Return the table of these columns: an axis for each, its levels in their order.

        Raises ValueError for more than `MAX_TABLE_CELLS` cells.
        """
        shape = self.shape(columns)
        cells = int(np.prod(shape, dtype=object))
        if cells > MAX_TABLE_CELLS:
            raise ValueError(
                f"a table must have at most {MAX_TABLE_CELLS:,} cells, but "
                f"{' x '.join(columns)} has {cells:,}"
            )
        places = np.zeros(len(self.weights), np.int64)
        for name, size in zip(columns, shape, strict=True):
            places = places * size + self.codes[self.names.index(name)]
        counts = np.bincount(places, self.weights, minlength=cells)
        return counts.reshape(shape).astype(self.weights.dtype)


def workload(names: Sequence[str], tables: str | Sequence[str | Sequence[str]]) -> list[Columns]:
    """Return the columns of each table.

    names: the columns of the records. tables: tables as lists of columns, or a name in `WAYS`
        for all tables of one, two or three columns.
    Raises ValueError for an unknown or repeated column, or a repeated table.

    >>> from ggexp.tables.survey import workload
    >>> workload(["age", "sex", "region"], "two-way")
    [('age', 'sex'), ('age', 'region'), ('sex', 'region')]
    """
    if isinstance(tables, str):
        if tables not in WAYS:
            raise ValueError(
                f"tables must be lists of columns or one of {', '.join(WAYS)}, got {tables!r}"
            )
        return [*combinations(names, WAYS[tables])]
    listed: dict[frozenset[str], int] = {}
    found: list[Columns] = []
    for number, given in enumerate(tables, 1):
        columns = [given] if isinstance(given, str) else [*given]
        if unknown := [name for name in columns if name not in names]:
            raise ValueError(
                f"table {number}: no column {unknown[0]!r}; there are {', '.join(names)}"
            )
        if not columns or len({*columns}) != len(columns):
            raise ValueError(
                f"table {number} must list different columns, got {', '.join(columns)}"
            )
        if (other := listed.setdefault(frozenset(columns), number)) < number:
            raise ValueError(f"table {number} is table {other} again: {', '.join(columns)}")
        found.append((*columns,))
    return found


def margin(table: NDArray[np.float64], columns: Columns, kept: Columns) -> NDArray[np.float64]:
    """Return the sums of a table over the columns that are not kept, on the same axes."""
    axes = tuple(axis for axis, name in enumerate(columns) if name not in kept)
    return np.asarray(table.sum(axis=axes, keepdims=True))


def consistent(
    tables: Tables, variances: Mapping[Columns, float] | None = None
) -> dict[Columns, NDArray[np.float64]]:
    """Return the tables with equal common margins that are nearest in weighted least squares.

    tables: noisy counts, by the columns of the axes, which stand in the same order in all tables.
    variances: of the noise of a cell of each table; None if all are equal.

    >>> import numpy as np
    >>> from ggexp.tables.survey import consistent
    >>> noisy = {("a",): np.array([4.0, 8.0]), ("b",): np.array([5.0, 4.0])}
    >>> fitted = consistent(noisy)
    >>> fitted[("a",)].tolist(), fitted[("b",)].tolist()
    ([3.25, 7.25], [5.75, 4.75])
    """
    variances = variances or dict.fromkeys(tables, 1.0)
    fitted = {columns: np.array(table, dtype=np.float64) for columns, table in tables.items()}
    shared = {
        subset
        for columns in tables
        for size in range(len(columns) + 1)
        for subset in combinations(columns, size)
    }
    for subset in sorted(shared, key=lambda names: (len(names), names)):  # not in the set's order
        holders = [columns for columns in tables if {*subset} <= {*columns}]
        if len(holders) < 2:
            continue
        margins = [margin(fitted[columns], columns, subset) for columns in holders]
        summed = [fitted[c].size // m.size for c, m in zip(holders, margins, strict=True)]
        weights = [1 / (variances[c] * number) for c, number in zip(holders, summed, strict=True)]
        flat = np.average([values.ravel() for values in margins], axis=0, weights=weights)
        for columns, values, number in zip(holders, margins, summed, strict=True):
            fitted[columns] += (flat.reshape(values.shape) - values) / number
    return fitted


def non_negative(
    tables: Tables, variances: Mapping[Columns, float] | None = None
) -> dict[Columns, NDArray[np.float64]]:
    """Return the non-negative consistent tables that are nearest in weighted least squares.

    Projections onto consistent and onto non-negative tables alternate (Dykstra's algorithm), until
    no count changes by more than `PRECISION`. The parameters are those of `consistent`.
    """
    fitted = {columns: np.array(table, dtype=np.float64) for columns, table in tables.items()}
    removed = {columns: np.zeros_like(table) for columns, table in fitted.items()}
    for _ in range(MAX_ROUNDS):
        before = fitted
        sums = {c: table + removed[c] for c, table in consistent(before, variances).items()}
        fitted = {columns: np.maximum(table, 0) for columns, table in sums.items()}
        removed = {columns: table - fitted[columns] for columns, table in sums.items()}
        if all(np.abs(fitted[c] - before[c]).max() <= PRECISION for c in fitted):
            break
    return fitted


def nearest_counts(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the non-negative counts with the same total that are nearest to a table.

    The nearest counts (in least squares) are the table's minus one number, or 0 where this is
    negative. They are all 0 if the total is not positive.

    >>> import numpy as np
    >>> from ggexp.tables.survey import nearest_counts
    >>> nearest_counts(np.array([[6.0, 3.0], [-2.0, 1.0]])).round(2).tolist()
    [[5.33, 2.33], [0.0, 0.33]]
    """
    total = float(table.sum())
    if total <= 0:
        return np.zeros(table.shape)
    descending = np.sort(table, axis=None)[::-1]
    surplus = (np.cumsum(descending) - total) / np.arange(1, table.size + 1)
    last = np.flatnonzero(descending > surplus)[-1]
    return np.maximum(table - surplus[last], 0)
