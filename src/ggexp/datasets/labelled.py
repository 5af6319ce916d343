"""Somebody's own table of counts: a file with labels of each cell and its count."""

from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.tables import LARGEST_TOTAL, read_cells

COUNT = "count"


class LabelledTable(NamedTuple):
    """The cells of a table of counts, in its file's order.

    labels: factor -> level of each cell. counts: int64. absent: how many combinations of the levels
    that occur have no row.
    """

    labels: dict[str, list[str]]
    counts: NDArray[np.int64]
    absent: int


def read_labelled(path: str | Path) -> LabelledTable:
    """Return the table of a file whose first line names the factors, and ``count``.

    path: comma-separated text in UTF-8, perhaps compressed, or Parquet. Each row is one cell: a
    level of each factor, as text, and a whole number >= 0.
    Raises ValueError naming the file, the line and what is wrong, OSError for a file that cannot be
    read.
    """
    names, cells = read_cells(path, count=COUNT)
    if not cells:
        raise ValueError(f"{path}: no row below the header")
    if (total := sum(cells.values())) > LARGEST_TOTAL:
        raise ValueError(f"{path}: the counts sum to {total}, at most {LARGEST_TOTAL} is exact")
    columns = [list(levels) for levels in zip(*cells, strict=True)]
    absent = prod(len(set(levels)) for levels in columns) - len(cells)
    labels = dict(zip(names, columns, strict=True))
    return LabelledTable(labels, np.array([*cells.values()], dtype=np.int64), absent)
