"""Contingency tables: a file with a row for every cell, or every non-empty one, checked in full."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.rows import PLAIN, Form, at_line, found_columns, read_rows

#: What the counts may sum to: double precision, in which noise is added, is exact up to here.
LARGEST_TOTAL = 2**53
#: Cells of a table whose empty ones are left out: they are all sanitized, so all are held.
CELLS = 1_000_000
#: The settings of a data set that say how its table is read.
SETTINGS = ("counts", "factors", "total", "count", "omitted", "separator", "quote", "encoding")


def make_table(
    settings: Mapping[str, Any], key: str
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return the cells and counts of the table that a data set's settings ask for.

    settings: ``histograms: …:`` of a configuration, of which those named in `SETTINGS` are used.
    key: where they stand in the configuration. The rest is as for `read_table`.
    """
    return read_table(
        settings["counts"],
        settings["factors"],
        settings["total"],
        form=Form.from_config(settings, key),
        count=settings.get("count", "count"),
        omits_zeros=settings.get("omitted") == "zero",
    )


def read_table(
    path: str | Path,
    factors: Mapping[str, Sequence[str]],
    total: int,
    *,
    form: Form = PLAIN,
    count: str = "count",
    omits_zeros: bool = False,
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return a table's cells (factor -> level of each cell) and their counts, in the file's order.

    path: a file whose first line names its columns: the factors, in any order, and the counts.
        Other columns are not read.
    factors: each factor's levels. Every combination must have exactly one row.
    total: what the counts must sum to.
    form: how the file is written. count: the name of the column of counts.
    omits_zeros: combinations that have no row are cells with the count 0, which come after the
        others, the last factor's levels varying fastest.
    Raises ValueError naming the file, the line, the value and what is allowed.
    """
    if "count" in factors:
        raise ValueError(f"{path}: 'count' is the name of the cells' counts, not free for a factor")
    cells = prod(len(levels) for levels in factors.values())
    counts = read_cells(path, factors, form, count)
    if omits_zeros:
        add_empty(path, factors, counts)
    if len(counts) != cells:
        raise ValueError(
            f"{path}: {len(counts)} cells, but the factors' levels have {cells} combinations; "
            "where empty cells are left out, say so with omitted: zero"
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


def read_cells(
    path: str | Path,
    factors: Mapping[str, Sequence[str]],
    form: Form = PLAIN,
    count: str = "count",
) -> dict[tuple[str, ...], int]:
    """Return the count of each cell that has a row, in the file's order.

    factors: those that are wanted, in this order, each with its levels; other columns are not read.
    The rest is as for `read_table`.
    """
    known = {name: frozenset(levels) for name, levels in factors.items()}
    places: list[int] = []
    fields = 0
    counts: dict[tuple[str, ...], int] = {}
    for line, row in read_rows(path, form):
        if not places:
            places, fields = found_columns(path, row, [*factors, count]), len(row)
            continue
        if len(row) != fields:
            raise at_line(path, line, f"{fields} fields expected, got {len(row)}: {','.join(row)}")
        *cell, number = (row[place] for place in places)
        for name, level in zip(factors, cell, strict=True):
            if level not in known[name]:
                levels = ", ".join(factors[name])
                raise at_line(path, line, f"{name} must be one of {levels}, got {level!r}")
        # isdecimal also accepts digits of other scripts, which are not what a count looks like
        if not (number.isascii() and number.isdecimal()):
            raise at_line(
                path, line, f"{count} must be a non-negative whole number, got {number!r}"
            )
        # int() refuses thousands of digits in words of its own
        if len(number) > 30 or int(number) > LARGEST_TOTAL:
            raise at_line(path, line, f"{count} must be at most {LARGEST_TOTAL}, got {number}")
        if tuple(cell) in counts:
            raise at_line(path, line, f"a second row for the cell {','.join(cell)}")
        counts[tuple(cell)] = int(number)
    if not places:
        raise at_line(path, 1, "the header must name the columns, but there is none")
    return counts


def add_empty(
    path: str | Path, factors: Mapping[str, Sequence[str]], counts: dict[tuple[str, ...], int]
) -> None:
    """Add the combinations of the factors' levels that have no row, with the count 0.

    They come after the others, the last factor's levels varying fastest.
    Raises ValueError naming the file if the combinations are too many.
    """
    cells = prod(len(levels) for levels in factors.values())
    if cells > CELLS:
        raise ValueError(
            f"{path}: the factors' levels have {cells:,} combinations, at most {CELLS:,} are "
            "allowed where empty cells are left out; use fewer factors or levels"
        )
    for cell in product(*factors.values()):
        counts.setdefault(cell, 0)
