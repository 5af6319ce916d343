"""Read a user's own table of counts for a release: the labels of each cell and its count."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.sniff import sniff
from ggexp.datasets.tables import add_empty
from ggexp.proposal.counted import NO_OPTIONS, CountOptions, read_counts


class LabelledTable(NamedTuple):
    """Cells of a table of counts, sorted by their levels.

    The order of the file's rows is not kept, because it may depend on the counts or show which rows
    were added.

    levels: factor -> its levels, numbers in ascending order before text.
    labels: factor -> the level of each cell.
    name: the name of the column of counts.
    counts: int64.
    absent: the number of combinations of levels that are not cells.
    messages: levels that were left out as totals, and levels that may be totals.
    """

    levels: dict[str, list[str]]
    labels: dict[str, list[str]]
    name: str
    counts: NDArray[np.int64]
    absent: int
    messages: list[str]


def read_labelled(
    path: str | Path, *, complete: bool = False, count_options: CountOptions = NO_OPTIONS
) -> LabelledTable:
    """Return the table in a file of counts, read as described in `ggexp.proposal.counted`.

    complete: whether combinations of levels without a row become cells with the count 0.
    count_options: the user's options for reading the file.
    Raises ValueError naming the file, the line and the error, and OSError if the file cannot be
    read.
    """
    table = read_counts(path, sniff(Path(path)), count_options)
    levels, cells, absent = table.factors, table.cells, table.absent
    if complete:
        add_empty(path, levels, cells)
        absent = 0
    ranks = [
        {level: rank for rank, level in enumerate(factor_levels)}
        for factor_levels in levels.values()
    ]
    ordered = sorted(
        cells, key=lambda cell: [rank[level] for rank, level in zip(ranks, cell, strict=True)]
    )
    labels = dict(zip(levels, map(list, zip(*ordered, strict=True)), strict=True))
    counts = np.array([cells[cell] for cell in ordered], dtype=np.int64)
    messages = [*(f"left out: {message}" for message in table.left_out), *table.warnings]
    return LabelledTable(levels, labels, table.counting.count, counts, absent, messages)
