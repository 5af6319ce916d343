"""The records of a survey as codes, and the tables that count them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.layout import Domain

#: The names of the workloads that list all tables of one and of two columns.
WAYS = {"one-way": 1, "two-way": 2, "three-way": 3}
LISTED = "listed"  #: the name of a workload whose tables are lists of columns
MAX_TABLE_CELLS = 10_000_000  #: the largest number of cells of one table

Columns = tuple[str, ...]


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
    def of(cls, domain: Domain, cells: pd.DataFrame) -> "Survey":
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
    """Return the columns of each table, each in the order of the names.

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
    listed: list[Columns] = []
    for number, given in enumerate(tables, 1):
        columns = [given] if isinstance(given, str) else [*given]
        if unknown := [name for name in columns if name not in names]:
            raise ValueError(
                f"table {number}: no column {unknown[0]!r}; there are {', '.join(names)}"
            )
        ordered = tuple(name for name in names if name in columns)
        if not columns or len(ordered) != len(columns):
            raise ValueError(
                f"table {number} must list different columns, got {', '.join(columns)}"
            )
        if ordered in listed:
            raise ValueError(
                f"table {number} is table {listed.index(ordered) + 1} again: {', '.join(ordered)}"
            )
        listed.append(ordered)
    return listed
