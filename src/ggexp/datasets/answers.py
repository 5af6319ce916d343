"""The answers of individual records: the columns that the settings name, checked and coded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.columns import MISSING, Column
from ggexp.datasets.form import Source, line_error, type_of
from ggexp.datasets.layout import RecordsSettings
from ggexp.datasets.reader import Fields, read_columns
from ggexp.datasets.table import CODEBOOK, FILE, Table

#: Smallest number of records with which a first line may be taken for a header.
MIN_RECORDS_TO_DETECT_HEADER = 10

Kept = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """The answers of individual records, of which only those that are kept must be right.

    rows: of the file. columns: by their names in the settings. layout: the settings.
    """

    rows: Fields
    columns: Mapping[str, Column]
    layout: RecordsSettings

    @classmethod
    def read(cls, data: Path | Fields, layout: RecordsSettings, key: str) -> "Answers":
        """Return the answers in a file or its rows. key: of its settings in the configuration."""
        rows = data if isinstance(data, Fields) else read_columns(Source(data), layout)
        names = [*layout.columns]
        first = rows.names
        if type_of(layout.file) or layout.header:
            return cls(rows, rows.select(names, first), layout)
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
        rows = rows.without_header()
        return cls(rows, dict(zip(names, rows.columns, strict=True)), layout)

    def answered(self, name: str) -> Kept:
        """Return which records have an answer in a column."""
        return ~self.columns[name].records_with(self.layout.missing_texts)

    def dropped(self, kept: Kept) -> Kept:
        """Return which of the kept records have a value that the settings drop."""
        dropped = np.zeros(len(kept), dtype=bool)
        for name, unwanted in self.layout.drop.items():
            is_numeric = self.layout.form(name).bounds
            wanted_type = unwanted if is_numeric else [*map(str, unwanted)]
            values = self._values(name, kept & self.answered(name))
            dropped |= np.isin(values, wanted_type)[self.columns[name].codes]
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
                positions = self._bins(name, is_kept)
            else:
                factors[name] = self._levels(name, is_kept)
                positions = pd.Index(factors[name]).get_indexer(column.texts.to_pylist())
                if not form.levels:
                    sources[name] = CODEBOOK if column.levels else FILE
            smallest = np.min_scalar_type(-1 - len(factors[name]))
            coded = positions.astype(smallest)[column.codes]
            codes.append(np.where(is_kept, coded, smallest.type(-1)))
        counts = np.ones(self.rows.records, np.int64)
        return Table(factors, codes, counts, sources=sources, notes=self.rows.notes)

    def check_answered(self, name: str, kept: Kept) -> None:
        """Raise ValueError if a kept record has no answer, although no text is declared as none."""
        form, column = self.layout.form(name), self.columns[name]
        self.rows.check_usable({name: column})
        absent = {"", *(MISSING if form.bounds or form.levels else ())} - {*(form.levels or ())}
        advice = "an answer (--missing omit leaves the record out, --missing level counts it)"
        is_absent = np.array([text in absent for text in column.texts.to_pylist()])
        self.rows.check(name, column, is_absent, advice, kept)

    def _values(self, name: str, kept: Kept) -> NDArray[Any]:
        """Return the values of the texts: float64 if the column is numeric, otherwise text."""
        column = self.columns[name]
        self.rows.check_usable({name: column})
        if not self.layout.form(name).bounds:
            return column.texts.to_numpy(zero_copy_only=False)
        plain = self.layout.plain_texts(column.texts).to_numpy(zero_copy_only=False)
        numbers = pd.to_numeric(pd.Series(plain, dtype=object), errors="coerce").to_numpy(float)
        allowed = "a number with a decimal comma" if self.layout.decimal == "," else "a number"
        self.rows.check(name, column, ~np.isfinite(numbers), allowed, kept)
        return numbers

    def _levels(self, name: str, kept: Kept) -> Sequence[str]:
        """Return the levels, in order: those of the settings, otherwise those of `Column`."""
        column, levels = self.columns[name], self.layout.form(name).levels
        texts = self._values(name, kept)
        if levels:
            unknown, allowed = ~np.isin(texts, levels), f"one of {', '.join(levels)}"
            self.rows.check(name, column, unknown, allowed, kept)
        self.rows.check(name, column, texts == "", "a non-empty level", kept)
        omitted = {*self.layout.missing_texts, *map(str, self.layout.drop.get(name, ()))}
        return levels or column.levels_of(kept, omitted)

    def _bins(self, name: str, kept: Kept) -> NDArray[np.int64]:
        """Return the bin of the number in each text; a kept record must be in one."""
        values, edges = self._values(name, kept), np.array(self.layout.form(name).bounds)
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", self.layout.decimal)
        is_outside = (values < edges[0]) | (values > edges[-1])
        allowed = f"within its bins, {bounds}"
        self.rows.check(name, self.columns[name], is_outside, allowed, kept)
        return np.searchsorted(edges[1:-1], values, side="right")
