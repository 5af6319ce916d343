"""The answers of individual records: the columns that the settings name, checked and coded."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.columns import MISSING, Column, numbers_in
from ggexp.datasets.form import Source, line_error, type_of
from ggexp.datasets.layout import ColumnForm, RecordsSettings
from ggexp.datasets.reader import Fields, read_columns
from ggexp.datasets.table import Table, code_type

#: Smallest number of records with which a first line may be taken for a header.
MIN_RECORDS_TO_DETECT_HEADER = 10

Kept = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """The answers of individual records, of which only those that are kept must be right."""

    rows: Fields
    columns: Mapping[str, Column]
    layout: RecordsSettings

    @classmethod
    def read(cls, data: Path | Fields, layout: RecordsSettings, key: str) -> "Answers":
        """Return the answers in a file or its rows. key: of its settings in the configuration."""
        rows = data if isinstance(data, Fields) else read_columns(Source(data), layout)
        names, first = [*layout.columns], rows.names
        if not rows.header:
            return cls(rows, rows.named(names).by_name, layout)
        if type_of(layout.file) or layout.header:
            return cls(rows, rows.select(names), layout)
        message, is_large = "", rows.records >= MIN_RECORDS_TO_DETECT_HEADER
        if len(first) != len(names):
            message = f"{len(names)} fields expected, got {len(first)}: {','.join(first)}"
        elif [*map(str.casefold, first)] == [*map(str.casefold, names)]:
            message = f"the line names the columns and is not a record; set {key}.header: true"
        elif layout.header is None and is_large and rows.seems_to_have_header():
            message = (
                "the line may name the columns, because no other line is like it: "
                f"{','.join(first)}. Set {key}.header: true if it does, else false"
            )
        if message:
            raise line_error(rows.source, rows.first_line, message)
        rows = rows.without_header(names)
        return cls(rows, rows.by_name, layout)

    def answered(self, name: str) -> Kept:
        """Return which records have an answer in a column."""
        return ~self.columns[name].records_with(self.layout.missing_texts)

    def dropped(self, kept: Kept) -> Kept:
        """Return which of the kept records have a value that the settings drop."""
        dropped = np.zeros(len(kept), dtype=bool)
        for name, unwanted in self.layout.drop.items():
            column = self.columns[name]
            self.rows.check_usable(column)
            if self.layout.form(name).bounds:
                numbers = self._numbers(column, kept & self.answered(name))
                dropped |= np.isin(numbers, unwanted)[column.codes]
            else:
                dropped |= column.records_with(map(str, unwanted))
        return dropped & kept

    def table(self, kept: Mapping[str, Kept], *, has_names: bool) -> Table:
        """Return a table in which each record is a cell.

        kept: column -> which records have an answer in it that counts. has_names: whether bins have
            names, not midpoints.
        """
        factors: dict[str, Any] = {}
        codes, sources = [], {}
        for name, is_kept in kept.items():
            column, form = self.columns[name], self.layout.form(name)
            if form.bounds:
                factors[name] = form.bin_names if has_names else form.midpoints
                positions = self._bins(column, form, is_kept)
            else:
                omitted = {*self.layout.missing_texts, *map(str, self.layout.drop.get(name, ()))}
                factors[name], positions = self.rows.code(column, form.levels, is_kept, omitted)
                self.rows.check(column, column.among([""]), "a non-empty level", is_kept)
                if not form.levels:
                    sources[name] = column.levels_from
            smallest = code_type(len(factors[name]))
            coded = positions.astype(smallest)[column.codes]
            codes.append(np.where(is_kept, coded, smallest.type(-1)))
        counts = np.ones(self.rows.records, np.int64)
        return Table(factors, codes, counts, sources=sources, notes=self.rows.notes)

    def check_answered(self, name: str, kept: Kept) -> None:
        """Raise ValueError if a kept record has no answer, although no text is declared as none."""
        form, column = self.layout.form(name), self.columns[name]
        absent = {"", *(MISSING if form.bounds or form.levels else ())} - {*(form.levels or ())}
        advice = "an answer (--missing omit leaves the record out, --missing level counts it)"
        self.rows.check(column, column.among(absent), advice, kept)

    def _bins(self, column: Column, form: ColumnForm, kept: Kept) -> NDArray[np.int64]:
        """Return the bin of the number in each text; a kept record must be in one."""
        numbers, edges = self._numbers(column, kept), np.array(form.bounds)
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", self.layout.decimal)
        is_outside = (numbers < edges[0]) | (numbers > edges[-1])
        self.rows.check(column, is_outside, f"within its bins, {bounds}", kept)
        return np.searchsorted(edges[1:-1], numbers, side="right")

    def _numbers(self, column: Column, kept: Kept) -> NDArray[np.float64]:
        """Return the number in each text; each kept record must have one."""
        numbers = numbers_in(self.layout.plain_texts(column.texts))
        allowed = "a number with a decimal comma" if self.layout.decimal == "," else "a number"
        self.rows.check(column, np.isnan(numbers), allowed, kept)
        return numbers
