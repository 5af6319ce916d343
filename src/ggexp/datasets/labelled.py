"""Somebody's own table of counts, for a release: labels of each cell and its count."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.counted import NOTHING, Asked, read_counts
from ggexp.datasets.sniff import sniff
from ggexp.datasets.tables import add_empty


class LabelledTable(NamedTuple):
    """The cells of a table of counts, ordered by their levels and not as in the file.

    The order of a file's rows may depend on the counts, or tell which rows were added.

    levels: of each factor, numbers by their size, before text.
    labels: factor -> level of each cell. name: of the column of counts. counts: int64.
    absent: how many combinations of the levels are no cell.
    messages: what was left out as a total, or may be one.
    """

    levels: dict[str, list[str]]
    labels: dict[str, list[str]]
    name: str
    counts: NDArray[np.int64]
    absent: int
    messages: list[str]


def read_labelled(
    path: str | Path, *, complete: bool = False, asked: Asked = NOTHING
) -> LabelledTable:
    """Return the table of a file of counts, as `ggexp.datasets.counted` reads it.

    complete: whether combinations of the levels that have no row are cells with the count 0.
    asked: what is known of the file.
    Raises ValueError naming the file, the line and what is wrong, OSError for a file that cannot be
    read.
    """
    found = read_counts(path, sniff(Path(path)), asked)
    levels, cells, absent = found.factors, found.cells, found.absent
    if complete:
        add_empty(path, levels, cells)
        absent = 0
    ranks = [{level: rank for rank, level in enumerate(each)} for each in levels.values()]
    ordered = sorted(
        cells, key=lambda cell: [rank[level] for rank, level in zip(ranks, cell, strict=True)]
    )
    labels = dict(zip(levels, map(list, zip(*ordered, strict=True)), strict=True))
    counts = np.array([cells[cell] for cell in ordered], dtype=np.int64)
    messages = [*(f"left out: {what}" for what in found.left_out), *found.warnings]
    return LabelledTable(levels, labels, found.counting.count, counts, absent, messages)
