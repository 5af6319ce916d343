"""Somebody's own table of counts: a CSV file with labels of each cell and its count."""

import csv
import io
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.tables import LARGEST_TOTAL
from ggexp.datasets.text import read_text, shown

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
    """Return the table of a CSV file in UTF-8, whose header names the factors, and ``count``.

    path: each row is one cell: a level of each factor, as text, and a whole number >= 0.
    Raises ValueError naming the file, the line and what is wrong, OSError for a file that cannot be
    read.
    """
    lines = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    cells: dict[tuple[str, ...], int] = {}
    try:
        header = next(lines, [])
        _check(header)
        place = header.index(COUNT)
        for row in lines:
            if len(row) != len(header):
                raise ValueError(f"{len(header)} fields expected, got {len(row)}: {','.join(row)}")
            count = row.pop(place)
            # isdecimal also accepts digits of other scripts, which are not what a count looks like
            if not (count.isascii() and count.isdecimal()):
                raise ValueError(f"count must be a non-negative whole number, got {count!r}")
            if tuple(row) in cells:
                raise ValueError(f"a second row for the cell {','.join(row)}")
            if len(count) > len(str(LARGEST_TOTAL)) or int(count) > LARGEST_TOTAL:
                raise ValueError(f"count must be at most {LARGEST_TOTAL}, got {count}")
            cells[tuple(row)] = int(count)
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}, line {max(lines.line_num, 1)}: {shown(error)}") from error
    if not cells:
        raise ValueError(f"{path}: no row below the header")
    if (total := sum(cells.values())) > LARGEST_TOTAL:
        raise ValueError(f"{path}: the counts sum to {total}, at most {LARGEST_TOTAL} is exact")
    columns = [list(levels) for levels in zip(*cells, strict=True)]
    names = [name for name in header if name != COUNT]
    labels = dict(zip(names, columns, strict=True))
    absent = prod(len(set(levels)) for levels in columns) - len(cells)
    return LabelledTable(labels, np.array([*cells.values()], dtype=np.int64), absent)


def _check(header: list[str]) -> None:
    """Raise ValueError for a header without the column of counts, labels, or names for them."""
    if header.count(COUNT) != 1 or len(header) < 2:
        raise ValueError(
            f"the header must name one or more factors and {COUNT!r}, got {','.join(header)!r}"
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"the header names {', '.join(map(repr, twice))} twice")
