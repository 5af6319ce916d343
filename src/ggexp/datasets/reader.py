"""Read the columns of a data file: delimited text, Parquet, Excel, Stata, SPSS or SAS."""

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from ggexp.datasets.columns import (
    BATCH,
    CONTROL,
    MISSING,
    Column,
    are_numbers,
    is_number,
    level_key,
    text_of,
)
from ggexp.datasets.form import MAX_LINE_LENGTH, READERS, Form, Source, line_error, type_of
from ggexp.words import shortened

#: Largest number of records of a file; they take about one gigabyte of memory per column.
MAX_RECORDS = 10**9
#: Largest probability with which a record is taken for names although columns contain some of them.
MAX_CHANCE = 0.01
#: The name of a data frame in messages.
FRAME = "the data frame"


@dataclass(frozen=True)
class Fields:
    """The rows of a file that are not blank.

    form: how the file is written, with the name of the sheet if a workbook has several.
    header: whether the first row names the columns; otherwise it is a record, and names are made.
    lines: of all rows; None for delimited text, where they are found only if a message needs them.
    notes: what was left out or assumed.
    """

    source: Source
    form: Form
    columns: list[Column]
    header: bool = True
    lines: Sequence[int] | None = None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> "Fields":
        """Return the rows of a data frame, whose line 1 is its first row. Categories are texts."""
        if frame.empty:
            raise ValueError(f"{FRAME}: no records")
        columns = []
        for _, column in frame.items():
            try:
                codes, values = pd.factorize(column)
            except TypeError:  # lists, for example, are not hashable
                empty = Column.of(pa.nulls(len(frame), pa.string()))
                columns.append(replace(empty, flaw="its values are not single values"))
                continue
            texts = pa.array([*map(text_of, values.tolist())], pa.large_string())
            array = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), texts)
            columns.append(Column.of(array))
        fields = cls(Source(Path(FRAME)), Form(), columns, True, range(len(frame) + 1))
        return fields.named(map(str, frame.columns))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names; of columns with the same name, the last one."""
        return {column.name: column for column in self.columns}

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.columns[0])

    @property
    def first_line(self) -> int:
        """The line of the first row."""
        return self.line(-int(self.header))

    def line(self, record: int) -> int:
        """Return the line of a record, counted from 0."""
        row = record + self.header
        if self.lines is not None:
            return self.lines[row]
        return next(islice(read_rows(self.source, self.form), row, None), (1, []))[0]

    def named(self, names: Iterable[str]) -> "Fields":
        """Return the same rows with these names of the columns."""
        pairs = zip(self.columns, names, strict=True)
        return replace(self, columns=[replace(column, name=name) for column, name in pairs])

    def select(self, wanted: Sequence[str]) -> dict[str, Column]:
        """Return the columns with the wanted names, each of which one column must have."""
        names, columns = self.names, self.by_name
        for name in wanted:
            if (number := names.count(name)) != 1:
                problem = f"has {number} columns named" if number else "has no"
                message = f"the header {problem} {name!r}; it has {', '.join(map(repr, names))}"
                raise line_error(self.source, self.first_line, message)
        return {name: columns[name] for name in wanted}

    def check_usable(self, column: Column) -> None:
        """Raise ValueError if a column cannot be used."""
        if column.flaw:
            raise ValueError(
                f"{self.source}: the column {column.name!r} is unusable: {column.flaw}"
            )

    def check(
        self, column: Column, wrong: NDArray[np.bool_], allowed: str, kept: Any = True
    ) -> None:
        """Raise ValueError for an unusable column, or the first kept record with a wrong text."""
        self.check_usable(column)
        if wrong.any() and (wrong_records := wrong[column.codes] & kept).any():
            record = int(wrong_records.argmax())
            got = shortened(repr(column.text_of(record)))
            message = f"{column.name} must be {allowed}, got {got}"
            raise line_error(self.source, self.line(record), message)

    def code(
        self,
        column: Column,
        levels: Sequence[str] | None,
        kept: NDArray[np.bool_],
        omitted: Collection[str],
    ) -> tuple[Sequence[str], NDArray[np.int64]]:
        """Return the levels of a column, and the position of each of its texts among them.

        levels: all that the kept records may have. None takes those that the file declares, or
            else those of the kept records, ascending; omitted texts are no levels.
        """
        if not levels:
            used = pa.array(np.unique(column.codes[kept]))
            known = column.levels or sorted(column.texts.take(used).to_pylist(), key=level_key)
            levels = [level for level in known if level not in omitted]
        positions = pd.Index(levels).get_indexer(column.texts.to_pylist())
        self.check(column, positions < 0, f"one of {', '.join(levels)}", kept)
        return levels, positions

    def without_header(self, names: Iterable[str] | None = None) -> "Fields":
        """Return the same rows, of which the first one is a record too, with other names."""
        columns = [
            Column.concatenate([Column.of(pa.array([column.name], pa.large_string())), column])
            for column in self.columns
        ]
        made = (f"column-{number}" for number in range(1, len(columns) + 1))
        return replace(self, columns=columns, header=False).named(names or made)

    def seems_to_have_header(self) -> bool:
        """Return whether the first row names the columns.

        It does if one of its fields is text above numbers, or if its non-empty fields are text that
        no other row has in the same column. If a few are repeated, the others must be too unlikely
        for a record: one of s texts that occur once among n records has probability s/n.
        """
        first = self.names
        if not self.records:
            return len({*first}) > 1 and not any(map(is_number, first))
        for column in self.columns:
            values, _ = column.without(MISSING)
            is_word = not is_number(column.name) and column.name not in MISSING
            if is_word and len(values) and are_numbers(values):
                return True
        if any(map(is_number, first)) or not any(first):
            return False
        named = [column for column in self.columns if column.name]
        new = [column for column in named if not column.has(column.name)]
        chances = [(1 + int((column.counts == 1).sum())) / (1 + len(column)) for column in new]
        is_unlikely = len({*first}) == len(first) and prod(chances) < MAX_CHANCE
        return is_unlikely or len(new) == len(named)


def read_columns(source: Source, form: Form) -> Fields:
    """Return the rows of a file, of which the first one is taken for the names of the columns.

    A line with only separators, as spreadsheets leave below a table, is blank. In a file with a
    type (`type_of`) a missing value is the empty text, and labelled values become their labels.
    """
    kind, notes = type_of(source.path), list[str]()
    lines: Sequence[int] | None = range(1, MAX_RECORDS + 2)
    if form.sheet is not None and kind != "Excel":
        raise ValueError(
            f"{source}: only Excel workbooks have sheets, got the sheet {form.sheet!r}"
        )
    if not kind:
        rows, lines = read_rows(source, form), None
        names = [text.strip() for text in next(rows, (0, []))[1]]
        columns = _collected(source, _batches_of_rows(source, rows, len(names)), len(names))
    elif kind == "Excel":
        read = import_module(READERS[kind]).read_workbook
        sheet, (names, *cells), lines, notes = read(source, form.sheet)
        form = form.model_copy(update={"sheet": sheet})
        texts = zip(names, *cells, strict=True)
        columns = [Column.of(pa.array(below, pa.string())) for _, *below in texts]
    elif kind == "Parquet":
        names, columns = _read_parquet(source)
    else:
        names, columns = import_module(READERS[kind]).read_labelled(source)
    if not names:
        raise ValueError(f"{source}: no records")
    fields = Fields(source, form, columns, True, lines, notes).named(names)
    for name in filter(CONTROL.search, names):
        message = f"a name must not contain control or bidirectional characters, got {name!r}"
        raise line_error(source, fields.first_line, message)
    return fields


def read_rows(source: Source, form: Form) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each row of delimited text that is not blank."""
    reader = csv_reader(source.lines(form.encoding), form)
    try:
        for row in reader:
            if any(map(str.strip, row)):
                yield reader.line_num, row
    except csv.Error as error:
        raise line_error(source, max(reader.line_num, 1), error) from error


def csv_reader(lines: Iterable[str], form: Form) -> Any:
    """Return Python's csv reader for lines in this form."""
    csv.field_size_limit(MAX_LINE_LENGTH)
    return csv.reader(
        lines, delimiter=form.separator, quotechar=form.quote, skipinitialspace=True, strict=True
    )


def _collected(source: Source, batches: Iterable[Sequence[Column]], width: int) -> list[Column]:
    """Return the columns of all batches."""
    parts: list[Sequence[Column]] = []
    records = 0
    for batch in batches:
        parts.append(batch)
        records += len(batch[0])
        if records > MAX_RECORDS:
            raise ValueError(f"{source}: at most {MAX_RECORDS:,} records are allowed")
    columns = [Column.concatenate(column) for column in zip(*parts, strict=True)]
    return columns or [Column.of(pa.nulls(0, pa.string()))] * width


def _batches_of_rows(
    source: Source, rows: Iterator[tuple[int, list[str]]], width: int
) -> Iterator[list[Column]]:
    """Yield the columns of the rows below the first one, whose lengths must be the width."""

    def checked() -> Iterator[list[str]]:
        for position, (line, row) in enumerate(rows, 1):
            if len(row) != width:
                raise line_error(source, line, _uneven_message(width, len(row), position))
            yield row

    texts = checked()
    while batch := [*islice(texts, BATCH)]:
        yield [Column.of(pa.array(column, pa.string())) for column in zip(*batch, strict=True)]


def _uneven_message(expected: int, got: int, position: int) -> str:
    """Return the message for a row that differs in length from the first row, with advice."""
    advice = "; if the first line is a title or a comment, delete it"
    if got == expected + 1 > 2:
        advice = (
            "; if the lines begin with R's row names, add a name for them at the start of the "
            "first line, or write the file with row.names = FALSE"
        )
    message = f"{expected} fields expected, as in the first line, but got {got}"
    return message + advice * (position == 1)


def _read_parquet(source: Source) -> tuple[list[str], list[Column]]:
    """Return the names of the columns, and the columns; pandas' categories are their levels."""
    with source.open() as file:
        try:
            content = parquet.ParquetFile(file)
            names = list(content.schema_arrow.names)
            batches = (
                [
                    Column.of(array, tuple(map(text_of, array.dictionary.to_pylist())))
                    if pa.types.is_dictionary(array.type)
                    else Column.of(array)
                    for array in batch.columns
                ]
                for batch in content.iter_batches(batch_size=BATCH, use_threads=False)
            )
            return names, _collected(source, batches, len(names))
        except (pa.ArrowException, OSError, ArithmeticError, KeyError) as error:
            message = f"{source}: not a Parquet file, or damaged ({shortened(error)})"
            raise ValueError(message) from error
