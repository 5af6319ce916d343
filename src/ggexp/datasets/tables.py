"""Read and check contingency tables: files with a count for each cell, or each non-empty one."""

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

from ggexp.datasets.rows import PLAIN, Form, column_positions, line_error, read_rows

#: Largest sum of the counts: double precision, in which noise is added, is exact up to this number.
MAX_TOTAL = 2**53
#: Largest number of cells of a table that omits empty ones. Empty cells are sanitized too;
#: therefore all cells must fit into memory.
MAX_CELLS = 1_000_000
#: The name given to a wide table's unnamed column, which holds the names of its rows.
ROW_NAMES = "row"
#: The keys of a data set that describe how its table is read.
SETTINGS = (
    *("counts", "factors", "total", "count", "omitted", "separator", "quote", "encoding"),
    *("decimal", "thousands", "drop", "wide"),
)
_NUMBER = re.compile(r"\+?\d+(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII)
_BLANKS = str.maketrans("\u00a0\u202f", "  ")


@dataclass(frozen=True)
class Counting:
    """How a file stores counts.

    count: the name of the column of counts.
    wide: the factor whose levels are columns of counts; there is then no column `count`.
    decimal, thousands: the decimal and thousands marks of the numbers.
    drop: factor -> levels whose rows are left out, such as totals.
    """

    count: str = "count"
    wide: str | None = None
    decimal: str = "."
    thousands: str = ""
    drop: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def from_config(cls, settings: Mapping[str, Any]) -> "Counting":
        """Return the parts of a data set's settings that describe its counts."""
        return cls(**{name: settings[name] for name in cls.__match_args__ if name in settings})

    def parse(self, text: str) -> int | None:
        """Return the count >= 0 in a text such as 3, 3.0 or 1e+05; None if it is not a count."""
        if text.isascii() and text.isdecimal() and len(text) < 20:  # usual, and fast
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
    """Return whether exactly three digits follow each thousands mark."""
    mark, point = re.escape(thousands), re.escape(decimal)
    return re.fullmatch(rf"\+?\d{{1,3}}({mark}\d{{3}})+({point}\d*)?", text, re.ASCII) is not None


#: A column named count, with numbers without thousands marks.
DEFAULT_COUNTING = Counting()


def make_table(
    settings: Mapping[str, Any], key: str
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return the cells and counts of the table described by a data set's settings.

    settings: ``histograms: …:`` of a configuration; only the keys in `SETTINGS` are used.
    key: the path of the settings in the configuration.
    The returned values and the errors are those of `read_table`.
    """
    factors, counting = settings["factors"], Counting.from_config(settings)
    for setting, names in (("drop", counting.drop), ("wide", [counting.wide])):
        for name in {*names} - {None, *factors}:
            known = ", ".join(factors)
            raise ValueError(f"{key}.{setting}: unknown factor {name!r}; the factors are {known}")
    for name, levels in counting.drop.items():
        if common := {*levels} & {*factors[name]}:
            raise ValueError(f"{key}.drop.{name}: {min(common)!r} is also in {key}.factors.{name}")
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
    counting: Counting = DEFAULT_COUNTING,
    omits_zeros: bool = False,
) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """Return a table's cells (factor -> level of each cell) and their counts, in the file's order.

    path: a file whose first line names its columns: the factors in any order, and the counts. Other
        columns are not read.
    factors: factor -> its levels. Every combination of levels must have exactly one count.
    total: the required sum of the counts.
    form: how the file is written. counting: how it stores counts.
    omits_zeros: whether combinations without a row are cells with the count 0. These follow the
        other cells, and the last factor's levels vary fastest.
    Raises ValueError naming the file, the line, the value and the allowed values.
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
    """Raise ValueError if a sum of counts exceeds `MAX_TOTAL`."""
    if total > MAX_TOTAL:
        raise ValueError(f"{path}: the counts sum to {total}, at most {MAX_TOTAL} is allowed")


def read_cells(
    path: str | Path,
    factors: Mapping[str, Sequence[str]],
    form: Form = PLAIN,
    counting: Counting = DEFAULT_COUNTING,
) -> dict[tuple[str, ...], int]:
    """Return cell -> count for each cell with a count, in the file's order.

    factors: the wanted factors, in the order of the returned cells' levels; other columns are not
        read.
    The other parameters are those of `read_table`.
    """
    allowed = {name: frozenset(levels) for name, levels in factors.items()}
    drop = counting.drop
    unwanted = {position: {*drop[name]} for position, name in enumerate(factors) if name in drop}
    counts: dict[tuple[str, ...], int] = {}
    lines: dict[tuple[str, ...], int] = {}
    for line, name, cell, text in _rows(path, factors, form, counting):
        if any(cell[position] in levels for position, levels in unwanted.items()):
            continue
        for factor, level in zip(factors, cell, strict=True):
            if level not in allowed[factor]:
                levels = ", ".join(factors[factor])
                raise line_error(path, line, f"{factor} must be one of {levels}, got {level!r}")
        number = counting.parse(text)
        if number is None:
            raise line_error(
                path, line, f"{name} must be a non-negative whole number, got {text!r}"
            )
        if number > MAX_TOTAL:
            raise line_error(path, line, f"{name} must be at most {MAX_TOTAL}, got {text}")
        if cell in counts:
            raise line_error(
                path,
                line,
                f"a second row for the cell {','.join(cell)}; the first is line {lines[cell]}",
            )
        counts[cell], lines[cell] = number, line
    return counts


def _rows(
    path: str | Path, factors: Mapping[str, Sequence[str]], form: Form, counting: Counting
) -> Iterator[tuple[int, str, tuple[str, ...], str]]:
    """Yield the line, the name of the column, the cell and the text of each count in a file."""
    wide = counting.wide
    named = [name for name in factors if name != wide]
    columns = [counting.count] if wide is None else [*factors[wide]]
    wide_position = [*factors].index(wide) if wide is not None else len(named)
    header: list[str] = []
    for line, row in read_rows(path, form):
        if not header:
            header = header_names(row, wide)
            positions = column_positions(path, header, [*named, *columns])
            level_positions, count_positions = positions[: len(named)], positions[len(named) :]
            continue
        if len(row) != len(header):
            raise line_error(
                path, line, f"{len(header)} fields expected, got {len(row)}: {','.join(row)}"
            )
        levels = tuple(row[position] for position in level_positions)
        for name, position in zip(columns, count_positions, strict=True):
            cell = (
                levels if wide is None else (*levels[:wide_position], name, *levels[wide_position:])
            )
            yield line, name, cell, row[position]
    if not header:
        raise line_error(path, 1, "the first line must name the columns, but the file is empty")


def header_names(names: Sequence[str], wide: str | None) -> list[str]:
    """Return the names of a table's columns; an unnamed one of a wide table is `ROW_NAMES`."""
    return [name or ROW_NAMES if wide is not None else name for name in names]


def add_empty(
    path: str | Path, factors: Mapping[str, Sequence[str]], counts: dict[tuple[str, ...], int]
) -> None:
    """Add the combinations of levels without a row, with the count 0.

    They follow the other cells, and the last factor's levels vary fastest.
    Raises ValueError naming the file if there are too many combinations.
    """
    cells = prod(len(levels) for levels in factors.values())
    if cells > MAX_CELLS:
        raise ValueError(
            f"{path}: the factors' levels have {cells:,} combinations, at most {MAX_CELLS:,} are "
            "allowed if empty cells are left out; use fewer factors or levels"
        )
    for cell in product(*factors.values()):
        counts.setdefault(cell, 0)
