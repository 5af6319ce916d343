"""Somebody's own table of counts: a file with labels of each cell and its count."""

from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.counted import counts_and_factors, levels_of
from ggexp.datasets.rows import at_line
from ggexp.datasets.sniff import sniff
from ggexp.datasets.tables import LARGEST_TOTAL, add_empty, read_cells


class LabelledTable(NamedTuple):
    """The cells of a table of counts, ordered by their levels and not as in the file.

    The order of a file's rows may depend on the counts, or tell which rows were added.

    levels: of each factor, numbers by their size, before text.
    labels: factor -> level of each cell. name: of the column of counts. counts: int64.
    absent: how many combinations of the levels are no cell.
    """

    levels: dict[str, list[str]]
    labels: dict[str, list[str]]
    name: str
    counts: NDArray[np.int64]
    absent: int


def read_labelled(path: str | Path, *, complete: bool = False) -> LabelledTable:
    """Return the table of a file whose first line names the factors and one column of counts.

    path: delimited text, perhaps compressed, or Parquet, as `ggexp.datasets.describe` reads it.
        Each row is one cell: a level of each factor, as text, and a whole number >= 0.
    complete: whether combinations of the levels that have no row are cells with the count 0.
    Raises ValueError naming the file, the line and what is wrong, OSError for a file that cannot be
    read.
    """
    sniffed = sniff(Path(path))
    try:
        place, factors = counts_and_factors(sniffed)
    except ValueError as error:
        raise at_line(path, 1, error) from error
    levels, name = levels_of(sniffed, factors), sniffed.names[place]
    cells = read_cells(path, levels, sniffed.form, name)
    if (total := sum(cells.values())) > LARGEST_TOTAL:
        raise ValueError(f"{path}: the counts sum to {total}, at most {LARGEST_TOTAL} is exact")
    if complete:
        add_empty(path, levels, cells)
    ranks = [{level: rank for rank, level in enumerate(each)} for each in levels.values()]
    ordered = sorted(
        cells, key=lambda cell: [rank[level] for rank, level in zip(ranks, cell, strict=True)]
    )
    labels = dict(zip(levels, map(list, zip(*ordered, strict=True)), strict=True))
    counts = np.array([cells[cell] for cell in ordered], dtype=np.int64)
    return LabelledTable(levels, labels, name, counts, prod(map(len, levels.values())) - len(cells))
