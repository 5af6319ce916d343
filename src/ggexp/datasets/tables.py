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
    if omits_zeros and cells > CELLS:
        raise ValueError(
            f"{path}: the factors' levels have {cells:,} combinations, at most {CELLS:,} are "
            "allowed where empty cells are left out; use fewer factors or levels"
        )
    counts = _read_counts(path, factors, form, count)
    if omits_zeros:
        for cell in product(*factors.values()):
            counts.setdefault(cell, 0)
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


def _read_counts(
    path: str | Path, factors: Mapping[str, Sequence[str]], form: Form, count: str
) -> dict[tuple[str, ...], int]:
    """Return the count of each cell that has a row, in the file's order."""
    header = [*factors, count]
    places: list[int] = []
    counts: dict[tuple[str, ...], int] = {}
    known = {name: frozenset(levels) for name, levels in factors.items()}
    for line, row in read_rows(path, form):
        if not places:
            if sorted(row) != sorted(header):
                raise at_line(
                    path, line, f"the header must be {','.join(header)}, got {','.join(row)}"
                )
            places = found_columns(path, row, header)
            continue
        if len(row) != len(header):
            raise at_line(
                path, line, f"{len(header)} fields expected, got {len(row)}: {','.join(row)}"
            )
        try:
            cell, number = _read_row([row[place] for place in places], factors, known)
        except ValueError as error:
            raise at_line(path, line, error) from None
        if cell in counts:
            raise at_line(path, line, f"a second row for the cell {','.join(cell)}")
        counts[cell] = number
    if not places:
        raise at_line(path, 1, f"the header must be {','.join(header)}, got ")
    return counts


def _read_row(
    row: list[str], factors: Mapping[str, Sequence[str]], known: Mapping[str, frozenset[str]]
) -> tuple[tuple[str, ...], int]:
    """Return a row's cell and count, or raise ValueError saying what is wrong with it."""
    *cell, count = row
    for (name, levels), level in zip(factors.items(), cell, strict=True):
        if level not in known[name]:
            raise ValueError(f"{name} must be one of {', '.join(levels)}, got {level!r}")
    # isdecimal also accepts digits of other scripts, which are not what a count looks like
    if not (count.isascii() and count.isdecimal()):
        raise ValueError(f"count must be a non-negative whole number, got {count!r}")
    if len(count) > 30:  # int() refuses thousands of digits in words of its own
        raise ValueError(f"count must be at most {LARGEST_TOTAL}, got {count!r}")
    return tuple(cell), int(count)
