"""Contingency tables: files with a count for each cell, or each non-empty one, checked in full."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.rows import PLAIN, Form, at_line, found_columns, read_rows

#: What the counts may sum to: double precision, in which noise is added, is exact up to here.
MAX_TOTAL = 2**53
#: Cells of a table whose empty ones are left out: they are all sanitized, so all are held.
CELLS = 1_000_000
#: What a wide table's column without a name is called, the names of its rows.
ROWS = "row"
#: The settings of a data set that say how its table is read.
SETTINGS = (
    *("counts", "factors", "total", "count", "omitted", "separator", "quote", "encoding"),
    *("decimal", "thousands", "drop", "wide"),
)
_NUMBER = re.compile(r"\+?\d+(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII)
_BLANKS = str.maketrans("\u00a0\u202f", "  ")


@dataclass(frozen=True)
class Counting:
    """How a file holds counts.

    count: the name of their column. wide: the factor whose levels are columns, each of counts; then
    there is no column of that name. decimal, thousands: the marks in numbers.
    drop: factor -> levels whose rows are left out, such as totals.
    """

    count: str = "count"
    wide: str | None = None
    decimal: str = "."
    thousands: str = ""
    drop: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def from_config(cls, settings: Mapping[str, Any]) -> "Counting":
        """Return what a data set's settings tell of it."""
        return cls(**{name: settings[name] for name in cls.__match_args__ if name in settings})

    def whole(self, text: str) -> int | None:
        """Return the count >= 0 that a text stands for, such as 3, 3.0 or 1e+05; None if none."""
        if text.isascii() and text.isdecimal() and len(text) < 20:  # as most are, and fast
            return int(text)
        if self.thousands:
            text = text.translate(_BLANKS) if self.thousands == " " else text
            if self.thousands in text and not is_grouped(text, self.thousands, self.decimal):
                return None
            text = text.replace(self.thousands, "")
        if self.decimal == ",":
            text = "." if "." in text else text.replace(",", ".")
        if not _NUMBER.fullmatch(text):
            return None
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else None


def is_grouped(text: str, thousands: str, decimal: str = ".") -> bool:
    """Return whether each mark between thousands is followed by exactly three digits."""
    mark, point = re.escape(thousands), re.escape(decimal)
    return re.fullmatch(rf"\+?\d{{1,3}}({mark}\d{{3}})+({point}\d*)?", text, re.ASCII) is not None


#: A column named count, of plain numbers.
COUNT = Counting()


def make_table(
    settings: Mapping[str, Any], key: str
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return the cells and counts of the table that a data set's settings ask for.

    settings: ``histograms: …:`` of a configuration, of which those named in `SETTINGS` are used.
    key: where they stand in the configuration. The rest is as for `read_table`.
    """
    factors, counting = settings["factors"], Counting.from_config(settings)
    for setting, names in (("drop", counting.drop), ("wide", [counting.wide])):
        for name in {*names} - {None, *factors}:
            known = ", ".join(factors)
            raise ValueError(f"{key}.{setting}: unknown factor {name!r}; the factors are {known}")
    for name, levels in counting.drop.items():
        if both := {*levels} & {*factors[name]}:
            raise ValueError(f"{key}.drop.{name}: {min(both)!r} is also in {key}.factors.{name}")
    return read_table(
        settings["counts"],
        factors,
        settings["total"],
        form=Form.from_config(settings, key),
        counting=counting,
        omits_zeros=settings.get("omitted") == "zero",
    )


def read_table(
    path: str | Path,
    factors: Mapping[str, Sequence[str]],
    total: int,
    *,
    form: Form = PLAIN,
    counting: Counting = COUNT,
    omits_zeros: bool = False,
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return a table's cells (factor -> level of each cell) and their counts, in the file's order.

    path: a file whose first line names its columns: the factors, in any order, and the counts.
        Other columns are not read.
    factors: each factor's levels. Every combination must have exactly one count.
    total: what the counts must sum to.
    form: how the file is written. counting: how it holds counts.
    omits_zeros: combinations that have no row are cells with the count 0, which come after the
        others, the last factor's levels varying fastest.
    Raises ValueError naming the file, the line, the value and what is allowed.
    """
    if "count" in factors:
        raise ValueError(f"{path}: no factor may be named 'count', the name of the cells' counts")
    cells = prod(len(levels) for levels in factors.values())
    counts = read_cells(path, factors, form, counting)
    if omits_zeros:
        add_empty(path, factors, counts)
    if len(counts) != cells:
        raise ValueError(
            f"{path}: {len(counts)} cells, but the factors' levels have {cells} combinations; "
            "if the file leaves out empty cells, set omitted: zero"
        )
    if (found_total := sum(counts.values())) != total:
        raise ValueError(f"{path}: the counts sum to {found_total}, but must sum to {total}")
    check_total(path, total)
    values = np.fromiter(counts.values(), dtype=np.int64)
    columns = {
        name: list(levels) for name, levels in zip(factors, zip(*counts, strict=True), strict=True)
    }
    return columns, values


def check_total(path: str | Path, total: int) -> None:
    """Raise ValueError for a sum of counts above `MAX_TOTAL`."""
    if total > MAX_TOTAL:
        raise ValueError(f"{path}: the counts sum to {total}, at most {MAX_TOTAL} is allowed")


def read_cells(
    path: str | Path,
    factors: Mapping[str, Sequence[str]],
    form: Form = PLAIN,
    counting: Counting = COUNT,
) -> dict[tuple[str, ...], int]:
    """Return the count of each cell that has one, in the file's order.

    factors: those that are wanted, in this order, each with its levels; other columns are not read.
    The rest is as for `read_table`.
    """
    known = {name: frozenset(levels) for name, levels in factors.items()}
    drop = counting.drop
    unwanted = {place: {*drop[name]} for place, name in enumerate(factors) if name in drop}
    counts: dict[tuple[str, ...], int] = {}
    lines: dict[tuple[str, ...], int] = {}
    for line, name, cell, text in _rows(path, factors, form, counting):
        if any(cell[place] in levels for place, levels in unwanted.items()):
            continue
        for factor, level in zip(factors, cell, strict=True):
            if level not in known[factor]:
                levels = ", ".join(factors[factor])
                raise at_line(path, line, f"{factor} must be one of {levels}, got {level!r}")
        number = counting.whole(text)
        if number is None:
            raise at_line(path, line, f"{name} must be a non-negative whole number, got {text!r}")
        if number > MAX_TOTAL:
            raise at_line(path, line, f"{name} must be at most {MAX_TOTAL}, got {text}")
        if cell in counts:
            raise at_line(
                path,
                line,
                f"a second row for the cell {','.join(cell)}; the first is line {lines[cell]}",
            )
        counts[cell], lines[cell] = number, line
    return counts


def _rows(
    path: str | Path, factors: Mapping[str, Sequence[str]], form: Form, counting: Counting
) -> Iterator[tuple[int, str, tuple[str, ...], str]]:
    """Yield line, column, cell and the text of its count, of each count of a file."""
    wide = counting.wide
    named = [name for name in factors if name != wide]
    columns = [counting.count] if wide is None else [*factors[wide]]
    before = [*factors].index(wide) if wide is not None else len(named)
    header: list[str] = []
    for line, row in read_rows(path, form):
        if not header:
            header = header_of(row, wide)
            places = found_columns(path, header, [*named, *columns])
            of_levels, of_counts = places[: len(named)], places[len(named) :]
            continue
        if len(row) != len(header):
            raise at_line(
                path, line, f"{len(header)} fields expected, got {len(row)}: {','.join(row)}"
            )
        levels = tuple(row[place] for place in of_levels)
        for name, place in zip(columns, of_counts, strict=True):
            cell = levels if wide is None else (*levels[:before], name, *levels[before:])
            yield line, name, cell, row[place]
    if not header:
        raise at_line(path, 1, "the first line must name the columns, but the file is empty")


def header_of(names: Sequence[str], wide: str | None) -> list[str]:
    """Return the names of a table's columns; of a wide one the column without a name has one."""
    return [name or ROWS if wide is not None else name for name in names]


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
            "allowed if empty cells are left out; use fewer factors or levels"
        )
    for cell in product(*factors.values()):
        counts.setdefault(cell, 0)
