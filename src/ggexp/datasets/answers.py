"""The answers of individual records: the columns that the settings name, checked and coded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.columns import EMPTY, MISSING, Column
from ggexp.datasets.form import Source, line_error, shortened, type_of
from ggexp.datasets.layout import CATEGORICAL, ColumnForm, RecordsSettings
from ggexp.datasets.reader import Fields, read_columns
from ggexp.datasets.table import CODEBOOK, FILE, Table

#: Smallest number of records with which a first line may be taken for a header.
MIN_RECORDS_TO_DETECT_HEADER = 10


def read_answers(
    source: Source, layout: RecordsSettings, key: str
) -> tuple[Fields, dict[str, Column]]:
    """Return the rows of the file, and its columns by their names in the settings."""
    names, rows = [*layout.columns], read_columns(source, layout)
    first = rows.names
    if not first:
        return rows, dict.fromkeys(names, EMPTY)
    if type_of(layout.file) or layout.header:
        return rows, dict(zip(names, rows.select(names, first), strict=True))
    if len(first) != len(names):
        message = f"{len(names)} fields expected, got {len(first)}: {','.join(first)}"
        raise line_error(source, rows.first_line, message)
    if [*map(str.casefold, first)] == [*map(str.casefold, names)]:
        message = f"the line names the columns and is not a record; set {key}.header: true"
        raise line_error(source, rows.first_line, message)
    is_large = rows.records >= MIN_RECORDS_TO_DETECT_HEADER
    if layout.header is None and is_large and rows.seems_to_have_header():
        raise line_error(
            source,
            rows.first_line,
            "the line may name the columns, because no other line is like it: "
            f"{','.join(first)}. Set {key}.header: true if it does, else false",
        )
    rows = rows.without_header()
    return rows, dict(zip(names, rows.columns, strict=True))


@dataclass(frozen=True)
class Answers:
    """The answers in a column of a file; only those of kept records must be right."""

    rows: Fields
    name: str
    column: Column
    layout: RecordsSettings
    kept: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Refuse a column that cannot be used."""
        self.rows.check_usable({self.name: self.column})

    @property
    def form(self) -> ColumnForm:
        """The levels or bins of the column."""
        return self.layout.attributes.get(self.name, CATEGORICAL)

    def values(self) -> NDArray[Any]:
        """Return the values of the texts: float64 if the column is numeric, otherwise text."""
        texts = self.column.texts.to_numpy(zero_copy_only=False)
        if not self.form.bounds:
            return texts
        plain = self.layout.plain_texts(self.column.texts).to_numpy(zero_copy_only=False)
        numbers = pd.to_numeric(pd.Series(plain, dtype=object), errors="coerce").to_numpy(float)
        allowed = "a number with a decimal comma" if self.layout.decimal == "," else "a number"
        self.check(~np.isfinite(numbers), allowed)
        return numbers

    def levels(self) -> Sequence[str]:
        """Return the levels, in order: those of the settings, otherwise those of `Column`."""
        self.check_levels()
        omitted = {*self.layout.missing_texts, *map(str, self.layout.drop.get(self.name, ()))}
        return self.form.levels or self.column.levels_of(self.kept, omitted)

    def check_answers(self) -> None:
        """Raise ValueError if a kept record has no answer, although no text is declared as none."""
        absent = {"", *(MISSING if self.form.bounds or self.form.levels else ())}
        texts = self.column.texts.to_pylist()
        wrong = np.array(
            [text in absent and text not in (self.form.levels or ()) for text in texts]
        )
        self.check(
            wrong, "an answer (--missing omit leaves the record out, --missing level counts it)"
        )

    def check_levels(self) -> None:
        """Raise ValueError if a kept record has a text that is no level."""
        texts = self.values()
        if levels := self.form.levels:
            self.check(~np.isin(texts, levels), f"one of {', '.join(levels)}")
        self.check(texts == "", "a non-empty level")

    def bins(self) -> NDArray[np.int64]:
        """Return the bin of the number in each text; a kept record must be in one."""
        values, edges = self.values(), np.array(self.form.bounds)
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", self.layout.decimal)
        self.check((values < edges[0]) | (values > edges[-1]), f"within its bins, {bounds}")
        return np.searchsorted(edges[1:-1], values, side="right")

    def check(self, wrong: NDArray[np.bool_], allowed: str) -> None:
        """Raise ValueError for the first kept record whose text is wrong; `allowed` is right."""
        if wrong.any() and (wrong_records := wrong[self.column.codes] & self.kept).any():
            first = int(wrong_records.argmax())
            got = shortened(repr(self.column.text_of(first)))
            message = f"{self.name} must be {allowed}, got {got}"
            raise line_error(self.rows.source, self.rows.line(first), message)


def code_records(
    rows: Fields,
    columns: Mapping[str, Column],
    layout: RecordsSettings,
    kept: Mapping[str, NDArray[np.bool_]],
    *,
    has_names: bool,
) -> Table:
    """Return a table in which each record is a cell.

    kept: column -> whether each record has an answer in it that counts; the others need not be
        right. has_names: whether bins have names; otherwise they have their midpoints.
    """
    factors: dict[str, Any] = {}
    codes, sources = [], {}
    for name, is_kept in kept.items():
        column = columns[name]
        answers = Answers(rows, name, column, layout, is_kept)
        if bounds := answers.form.bounds:
            factors[name] = _bin_names(bounds) if has_names else answers.form.midpoints
            positions = answers.bins()
        else:
            factors[name] = answers.levels()
            positions = pd.Index(factors[name]).get_indexer(column.texts.to_pylist())
            if not answers.form.levels:
                sources[name] = CODEBOOK if column.levels else FILE
        smallest = np.min_scalar_type(-1 - len(factors[name]))
        codes.append(np.where(is_kept, positions.astype(smallest)[column.codes], smallest.type(-1)))
    counts = np.ones(rows.records, np.int64)
    return Table(factors, codes, counts, sources=sources, notes=rows.notes)


def records_to_drop(
    rows: Fields,
    columns: Mapping[str, Column],
    layout: RecordsSettings,
    kept: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which of the kept records have a value that the settings drop."""
    dropped = np.zeros(len(kept), dtype=bool)
    for name, unwanted in layout.drop.items():
        answered = kept & ~columns[name].records_with(layout.missing_texts)
        field = Answers(rows, name, columns[name], layout, answered)
        wanted_type = unwanted if field.form.bounds else [*map(str, unwanted)]
        dropped |= np.isin(field.values(), wanted_type)[columns[name].codes]
    return dropped & kept


def _bin_names(edges: Sequence[float]) -> list[str]:
    """Return the names of bins: each contains its lower edge, and the last one also its upper."""
    texts = [f"{edge:.15g}" for edge in edges]
    names = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return [*names[:-1], f"{names[-1][:-1]}]"]
