"""Published contingency tables: a CSV file with a row for every cell, checked in full."""

import csv
import io
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.text import read_text, shown

#: What the counts may sum to: double precision, in which noise is added, is exact up to here.
LARGEST_TOTAL = 2**53


def read_table(
    path: str | Path, factors: Mapping[str, Sequence[str]], total: int
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return a table's cells (factor -> level of each cell) and their counts, in the file's order.

    path: CSV file in UTF-8 with a header, the factors' columns in their order and then ``count``.
    factors: each factor's levels. Every combination must have exactly one row.
    total: what the counts must sum to.
    Raises ValueError naming the file, the line, the value and what is allowed.
    """
    if "count" in factors:
        raise ValueError(f"{path}: 'count' is the name of the cells' counts, not free for a factor")
    header = [*factors, "count"]
    counts: dict[tuple[str, ...], int] = {}
    lines = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        found = next(lines, [])
        if found != header:
            raise ValueError(f"the header must be {','.join(header)}, got {','.join(found)}")
        for row in lines:
            cell, count = _read_row(row, factors)
            if cell in counts:
                raise ValueError(f"a second row for the cell {','.join(cell)}")
            counts[cell] = count
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}, line {max(lines.line_num, 1)}: {shown(error)}") from error
    cells = prod(len(levels) for levels in factors.values())
    if len(counts) != cells:
        raise ValueError(
            f"{path}: {len(counts)} cells, but the factors' levels have {cells} combinations"
        )
    if (found_total := sum(counts.values())) != total:
        raise ValueError(f"{path}: the counts sum to {found_total}, but must sum to {total}")
    if total > LARGEST_TOTAL:
        raise ValueError(f"{path}: the counts sum to {total}, at most {LARGEST_TOTAL} is exact")
    values = np.fromiter(counts.values(), dtype=np.int64)
    columns = {
        name: list(levels) for name, levels in zip(factors, zip(*counts, strict=True), strict=True)
    }
    return columns, values


def _read_row(row: list[str], factors: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], int]:
    """Return a row's cell and count, or raise ValueError saying what is wrong with it."""
    if len(row) != len(factors) + 1:
        raise ValueError(f"{len(factors) + 1} fields expected, got {len(row)}: {','.join(row)}")
    *cell, count = row
    for (name, levels), level in zip(factors.items(), cell, strict=True):
        if level not in levels:
            raise ValueError(f"{name} must be one of {', '.join(levels)}, got {level!r}")
    # isdecimal also accepts digits of other scripts, which are not what a count looks like
    if not (count.isascii() and count.isdecimal()):
        raise ValueError(f"count must be a non-negative whole number, got {count!r}")
    return tuple(cell), int(count)
