"""Read and check contingency tables: files with a count for each cell, or each non-empty one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.columns import iter_texts
from ggexp.datasets.contingency import ContingencyTable
from ggexp.datasets.form import Form, Marks, column_positions, line_error
from ggexp.datasets.sniff import Sniffed, level_key, sniff

#: Largest sum of the counts: double precision, in which noise is added, is exact up to this number.
MAX_TOTAL = 2**53
#: The name given to a wide table's unnamed column, which holds the names of its rows.
ROW_NAMES = "row"
#: The keys of a data set that describe how its table is read.
SETTINGS = (
    *("counts", "factors", "total", "count", "omitted", "separator", "quote", "encoding"),
    *("sheet", "decimal", "thousands", "drop", "wide"),
)
_NUMBER = re.compile(r"\+?\d+(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII)
#: A number with decimal or thousands marks.
_MARKED = re.compile(r"\d[\d.,' \u00a0\u202f’]*", re.ASCII)


@dataclass(frozen=True)
class TableDesign:
    """What a file of counts is declared to hold.

    factors: factor -> its levels, in order; None takes those that the file declares, otherwise
        those that occur: texts that begin with a number, in ascending order, before other text.
    count: the name of the column of counts.
    wide: the factor whose levels are columns of counts; there is then no column `count`.
    decimal, thousands: the decimal and thousands marks of the numbers.
    drop: factor -> levels whose rows are left out, such as totals.
    form: how the file is written; None detects it.
    """

    factors: Mapping[str, Sequence[str] | None]
    count: str = "count"
    wide: str | None = None
    decimal: str = "."
    thousands: str = ""
    drop: Mapping[str, Sequence[str]] = field(default_factory=dict)
    form: Form | None = None

    @classmethod
    def from_config(cls, settings: Mapping[str, Any], key: str) -> "TableDesign":
        """Return the design in a data set's settings, ``histograms: …:`` of a configuration.

        key: the path of the settings in the configuration.
        Raises ValueError naming the key, the value and the allowed values.
        """
        given = {name: settings[name] for name in cls.__match_args__ if name in settings}
        design = cls(**given | {"form": Form.from_config(settings, key)})
        if "count" in design.factors:
            raise ValueError(
                f"{key}.factors: no factor may be named 'count', the name of the cells' counts"
            )
        for setting, names in (("drop", design.drop), ("wide", [design.wide])):
            for name in {*names} - {None, *design.factors}:
                known = ", ".join(design.factors)
                raise ValueError(
                    f"{key}.{setting}: unknown factor {name!r}; the factors are {known}"
                )
        for name, levels in design.drop.items():
            if common := {*levels} & {*(design.factors[name] or ())}:
                raise ValueError(
                    f"{key}.drop.{name}: {min(common)!r} is also in {key}.factors.{name}"
                )
        return design

    def parse(self, text: str) -> int | None:
        """Return the count >= 0 in a text such as 3, 3.0 or 1e+05; None if it is not a count."""
        if text.isascii() and text.isdecimal() and len(text) < 20:  # usual, and fast
            return int(text)
        text = Marks(self.decimal, self.thousands).plain(text)
        if not _NUMBER.fullmatch(text):
            return None
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else None


def make_table(settings: Mapping[str, Any], key: str) -> ContingencyTable:
    """Return the table described by a data set's settings, and checked against them.

    settings: ``histograms: …:`` of a configuration; only the keys in `SETTINGS` are used.
    key: the path of the settings in the configuration.
    If the settings omit empty cells, all combinations of levels are cells, in the order of the
    levels. Otherwise the cells are in the file's order.
    Raises ValueError naming the file, the line, the value and the allowed values.
    """
    path = settings["counts"]
    table = read_counts(path, TableDesign.from_config(settings, key))
    if settings.get("omitted") == "zero":
        try:
            table = table.completed()
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    if table.absent:
        raise ValueError(
            f"{path}: {table.counts.size} cells, but the factors' levels have "
            f"{table.combinations} combinations; if the file leaves out empty cells, set omitted: "
            "zero"
        )
    if table.total != settings["total"]:
        raise ValueError(
            f"{path}: the counts sum to {table.total}, but must sum to {settings['total']}"
        )
    return table


def read_counts(source: str | Path | Sniffed, design: TableDesign) -> ContingencyTable:
    """Return the table of counts in a file, in the file's order of cells.

    source: a file whose first line names its columns, or its fields. Columns that the design does
        not name are ignored.
    The table has a cell for each combination of levels that has a count.
    Raises ValueError naming the file, the line and the value: if the file lacks a column, if a
    level is not declared, if a value is not a count, if a cell has two counts, or if the counts
    sum to more than `MAX_TOTAL`.
    """
    fields = source
    if not isinstance(fields, Sniffed):
        fields = sniff(fields, design.form, header=True)
    named = [name for name in design.factors if name != design.wide]
    counted = [design.count] if design.wide is None else [*(design.factors[design.wide] or ())]
    header = header_names(fields.names, design.wide)
    positions = column_positions(fields.path, header, [*named, *counted], fields.rows.line(0))
    factor_columns = [fields.columns[position] for position in positions[: len(named)]]
    count_columns = [fields.columns[position] for position in positions[len(named) :]]
    kept = np.ones(fields.records, dtype=bool)
    for name, column in zip(named, factor_columns, strict=True):
        kept &= ~column.records_with(design.drop.get(name, ()))
    records = np.flatnonzero(kept)
    errors: list[tuple[int, str]] = []  # records and what is wrong with them
    factors: dict[str, Sequence[str]] = {}
    codes: dict[str, NDArray[np.int64]] = {}
    for name, column in zip(named, factor_columns, strict=True):
        factors[name] = (
            design.factors[name]
            or [level for level in column.levels or () if level not in design.drop.get(name, ())]
            or sorted(column.where(kept).texts.to_pylist(), key=level_key)
        )
        positions_of_texts = pd.Index(factors[name]).get_indexer(column.texts.to_pylist())
        codes[name] = positions_of_texts[column.codes[kept]]
        for position in np.flatnonzero(codes[name] < 0)[:1]:
            text, levels = column.text_of(records[position]), ", ".join(factors[name])
            errors.append((records[position], f"{name} must be one of {levels}, got {text!r}"))
    numbers = []
    for name, column in zip(counted, count_columns, strict=True):
        values = [design.parse(text) for text in iter_texts(column.texts)]
        known = [value if value is not None and value <= MAX_TOTAL else -1 for value in values]
        numbers.append(np.array(known, dtype=np.int64)[column.codes[kept]])
        for position in np.flatnonzero(numbers[-1] < 0)[:1]:
            text = column.text_of(records[position])
            errors.append((records[position], f"{name} must be {_required(text, design)}"))
    cells = pd.DataFrame(codes)
    for position in np.flatnonzero(cells.duplicated())[:1]:
        first = records[(cells == cells.iloc[position]).all(axis="columns").argmax()]
        cell = ",".join(column.text_of(records[position]) for column in factor_columns)
        line = fields.line(int(first))
        errors.append(
            (records[position], f"a second row for the cell {cell}; the first is line {line}")
        )
    if errors:
        record, message = min(errors)
        raise line_error(fields.path, fields.line(int(record)), message)
    if design.wide is not None:
        codes = {name: np.repeat(code, len(counted)) for name, code in codes.items()}
        codes[design.wide] = np.tile(np.arange(len(counted)), len(records))
        factors[design.wide] = counted
    table = ContingencyTable.of(
        {name: factors[name] for name in design.factors},
        [codes[name] for name in design.factors],
        np.column_stack(numbers).ravel(),
    )
    if table.total > MAX_TOTAL:
        raise ValueError(
            f"{fields.path}: the counts sum to {table.total}, at most {MAX_TOTAL} is allowed"
        )
    return table


def header_names(names: Sequence[str], wide: str | None) -> list[str]:
    """Return the names of a table's columns; an unnamed one of a wide table is `ROW_NAMES`."""
    return [name or ROW_NAMES if wide is not None else name for name in names]


def _required(text: str, design: TableDesign) -> str:
    """Return what a count must be, the wrong text, and a hint that fits it."""
    if design.parse(text) is not None:
        return f"at most {MAX_TOTAL}, got {text}"
    is_marked = _MARKED.fullmatch(text) and not text.isdecimal()
    hint = "; --decimal and --thousands name its separators" if is_marked else ""
    return f"a non-negative whole number, got {text!r}{hint}"
