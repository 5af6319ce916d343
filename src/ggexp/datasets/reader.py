"""Read the columns of a data file: delimited text, Parquet, Excel, Stata, SPSS or SAS.

Arrow reads delimited text. If Arrow finds an error, or if Python's stricter csv reader may read the
text differently, Python reads the file again. Only Python's reader names the line of an error.
"""

import csv
import io
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from ggexp.datasets.columns import BATCH, EMPTY, Column, text_of
from ggexp.datasets.form import Form, line_error, type_of
from ggexp.datasets.text import BLOCK_BYTES, MAX_LINE_LENGTH, Source, shortened
from ggexp.datasets.workbook import read_workbook

if TYPE_CHECKING:
    from pandas import Series

#: Largest number of records of a file. A field takes about one byte in memory; this many records
#: take about one gigabyte per column.
MAX_RECORDS = 10**9
#: Largest number of bytes of a Stata, SPSS or SAS file, which is read into memory as a whole.
MAX_SURVEY_BYTES = 1_000_000_000

#: A function that returns the message for a row that differs in length from the first one. Its
#: arguments are the expected number of fields, the row, and the number of rows before it.
UnevenMessage = Callable[[int, Sequence[str], int], str]


class _UnlikePythonError(Exception):
    """Python's csv reader may read a text differently than Arrow."""


@dataclass(frozen=True)
class Rows:
    """The rows of a file that are not blank.

    form: how the file is written, with the name of the sheet if a workbook has several.
    first: the fields of the first row. columns: the other rows.
    lines: the line of each row, including the first; None for delimited text, where they are found
        only if a message needs them.
    notes: what was left out or assumed.
    """

    source: Source
    form: Form
    first: list[str]
    columns: list[Column]
    lines: Sequence[int] | None = None
    notes: list[str] = field(default_factory=list)

    def line(self, row: int) -> int:
        """Return the line of a row; the first row has the number 0."""
        if self.lines is not None:
            return self.lines[row]
        return next(islice(read_rows(self.source, self.form), row, None), (1, []))[0]

    @property
    def with_first(self) -> list[Column]:
        """The columns of all rows, including the first."""
        return [
            Column.concatenate([Column.of(pa.array([text], pa.large_string())), column])
            for text, column in zip(self.first, self.columns, strict=True)
        ]


def read_columns(
    source: Source,
    form: Form,
    uneven_message: UnevenMessage,
    wanted: Callable[[Rows], Sequence[int]] | None = None,
) -> Rows:
    """Return the rows of a file.

    The fields have no surrounding blanks. A line with only separators, as spreadsheets leave below
    a table, is blank. In a file with a type (`type_of`) the names of the columns are the first row;
    a missing value is the empty text, and labelled values become their labels.
    uneven_message: returns the message for a row that differs in length from the first one.
    wanted: a function from the rows, as yet without columns, to the positions of the columns to
        read; None reads all. They are returned in the order of these positions.
    Raises ValueError naming the file and the line if the file does not have this form, or if a row
    differs in length.
    """
    kind = type_of(source.path)
    if form.sheet is not None and kind != "Excel":
        raise ValueError(
            f"{source}: only Excel workbooks have sheets, got the sheet {form.sheet!r}"
        )
    if not kind:
        return _read_text(source, form, uneven_message, wanted)
    batches: Iterable[Sequence[Column]]
    if kind == "Excel":
        table = read_workbook(source, form.sheet)
        form = replace(form, sheet=table.sheet)
        first, *others = table.rows
        arrays = map(pa.array, zip(*others, strict=True)) if others else [pa.array([], pa.string())]
        batches = [[Column.of(array) for array in arrays]] if others else []
        rows = Rows(source, form, first, [], table.lines, table.notes)
    else:
        names, batches = (_read_parquet if kind == "Parquet" else _read_survey)(source)
        rows = Rows(source, form, names, [], range(1, MAX_RECORDS + 2))
    positions = range(len(rows.first)) if wanted is None else wanted(rows)
    columns = _collected(source, batches, positions)
    return replace(rows, first=[rows.first[i] for i in positions], columns=columns)


def read_rows(source: Source, form: Form) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each row of delimited text that is not blank.

    Raises ValueError naming the file and the line if the file does not have this form.
    """
    reader = csv_reader(source.lines(form.encoding), form)
    try:
        for row in reader:
            fields = [text.strip() for text in row]
            if any(fields):
                yield reader.line_num, fields
    except csv.Error as error:
        raise line_error(source, max(reader.line_num, 1), error) from error


def csv_reader(lines: Iterable[str], form: Form) -> Any:
    """Return Python's csv reader for lines in this form."""
    return csv.reader(
        lines,
        delimiter=form.separator,
        quotechar=form.quote,
        skipinitialspace=True,
        strict=True,
    )


def _read_text(
    source: Source,
    form: Form,
    uneven_message: UnevenMessage,
    wanted: Callable[[Rows], Sequence[int]] | None,
) -> Rows:
    _, first = next(read_rows(source, form), (0, []))
    rows = Rows(source, form, first, [])
    if not first:
        return rows
    width = len(first)
    positions = range(width) if wanted is None else wanted(rows)
    try:
        batches = _batches_of_arrow(source, form, width)
        columns = _collected(source, batches, positions, skip_blank=True)
    except (pa.ArrowInvalid, _UnlikePythonError):
        batches = _batches_of_rows(source, form, width, uneven_message)
        columns = _collected(source, batches, positions)
    return replace(
        rows,
        first=[first[position] for position in positions],
        columns=[column.without_first() for column in columns],
    )


def _collected(
    source: Source,
    batches: Iterable[Sequence[Column]],
    positions: Sequence[int],
    *,
    skip_blank: bool = False,
) -> list[Column]:
    """Return the columns at these positions, with the records of all batches.

    skip_blank: whether records are left out if all of their fields are empty.
    """
    parts: list[list[Column]] = [[] for _ in positions]
    records = 0
    for batch in batches:
        columns = [batch[position] for position in positions]
        if skip_blank and all(column.has("") for column in batch):
            blank = np.logical_and.reduce([column.records_with([""]) for column in batch])
            if blank.any():
                columns = [column.where(~blank) for column in columns]
        records += len(columns[0])
        if records > MAX_RECORDS:
            raise ValueError(f"{source}: at most {MAX_RECORDS:,} records are allowed")
        for column, part in zip(columns, parts, strict=True):
            part.append(column)
    return [Column.concatenate(part) if part else EMPTY for part in parts]


def _batches_of_arrow(source: Source, form: Form, width: int) -> Iterator[list[Column]]:
    """Yield the columns of delimited text, block by block, including the first row.

    Raises pa.ArrowInvalid if a row has not this number of fields or for invalid text, and
    _UnlikePythonError if Python may read a block differently.
    """
    if form.separator == " " or not (form.separator + form.quote).isascii():
        raise _UnlikePythonError
    if form.encoding == "utf-16":  # its bytes are not those of the separators and quotes
        raise _UnlikePythonError
    names = [str(position) for position in range(width)]
    text = pa.dictionary(pa.int32(), pa.string())
    for block in _blocks(source, form):
        if b"\0" in block or not _is_simply_quoted(block, form):
            raise _UnlikePythonError
        table = arrow_csv.read_csv(
            pa.BufferReader(block),
            arrow_csv.ReadOptions(
                use_threads=False,
                block_size=len(block) + 1,
                column_names=names,
                encoding=form.encoding,
            ),
            arrow_csv.ParseOptions(
                delimiter=form.separator, quote_char=form.quote, newlines_in_values=True
            ),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, text), null_values=[]),
        )
        yield [Column.of(column.combine_chunks()) for column in table.columns]


def _blocks(source: Source, form: Form) -> Iterator[bytes]:
    """Yield the bytes of a text in blocks of whole lines, which do not end within quotes."""
    rest, quote = b"", form.quote.encode()
    with source.decompressed() as stream:
        if (start := stream.read(len(BOM_UTF8))) != BOM_UTF8:
            rest = start
        while chunk := stream.read(BLOCK_BYTES):
            block = rest + chunk
            # the line feed after a final carriage return may be in the next chunk
            end = 1 + max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1))
            if block.count(quote, 0, end) % 2:
                end = 0
            if block[:end].strip(b"\r\n"):
                yield block[:end]
            rest = block[end:]
            if len(rest) > MAX_LINE_LENGTH:
                raise _UnlikePythonError
    if rest.strip(b"\r\n"):
        yield rest


def _is_simply_quoted(block: bytes, form: Form) -> bool:
    """Return whether each pair of quotes encloses a whole field, and all quotes are in pairs.

    Python's reader accepts blanks before an opening quote, and nothing after a closing one.
    """
    if form.quote.encode() not in block:
        return True
    data = np.frombuffer(b"\n" + block + b"\n", np.uint8)
    positions = np.flatnonzero(data == ord(form.quote))
    if len(positions) % 2:
        return False
    outer = np.concatenate([data[positions[::2] - 1], data[positions[1::2] + 1]])
    return bool(np.isin(outer, np.frombuffer(f"{form.separator}\r\n".encode(), np.uint8)).all())


def _batches_of_rows(
    source: Source, form: Form, width: int, uneven_message: UnevenMessage
) -> Iterator[list[Column]]:
    """Yield the columns of delimited text as Python reads it, including the first row.

    Raises ValueError naming the line of a row that has not this number of fields.
    """

    def checked() -> Iterator[list[str]]:
        for position, (line, row) in enumerate(read_rows(source, form)):
            if len(row) != width:
                raise line_error(source, line, uneven_message(width, row, position))
            yield row

    rows = checked()
    while batch := [*islice(rows, BATCH)]:
        yield [Column.of(pa.array(texts, pa.string())) for texts in zip(*batch, strict=True)]


def _read_parquet(source: Source) -> tuple[list[str], Iterator[list[Column]]]:
    """Return the names of the columns, and the columns in batches."""

    @contextmanager
    def opened() -> Iterator[parquet.ParquetFile]:
        with source.open() as file:
            try:
                yield parquet.ParquetFile(file)
            except (pa.ArrowException, OSError, ArithmeticError, KeyError) as error:
                message = f"{source}: not a Parquet file, or damaged ({shortened(error)})"
                raise ValueError(message) from error

    def batches() -> Iterator[list[Column]]:
        with opened() as file:
            for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
                yield [Column.of(array, _categories(array)) for array in batch.columns]

    with opened() as file:
        return list(file.schema_arrow.names), batches()


def _categories(array: pa.Array) -> tuple[str, ...] | None:
    """Return the levels that a column of Parquet declares, such as pandas' categories."""
    if not pa.types.is_dictionary(array.type):
        return None
    return tuple(map(text_of, array.dictionary.to_pylist()))


def _read_survey(source: Source) -> tuple[list[str], list[list[Column]]]:
    """Return the names of the columns, and the columns in one batch, of a Stata, SPSS or SAS file.

    Values that SPSS declares missing are the empty text.
    """
    import pyreadstat

    with source.open() as file:
        content = file.read(MAX_SURVEY_BYTES + 1)
    if len(content) > MAX_SURVEY_BYTES:
        raise ValueError(f"{source}: at most {MAX_SURVEY_BYTES:,} bytes are allowed")
    readers: dict[str, Any] = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    is_spss = type_of(source.path) == "SPSS"
    try:
        options = {"user_missing": True} if is_spss else {}
        frame, metadata = readers[source.ending](io.BytesIO(content), **options)
    except Exception as error:  # pyreadstat has errors of its own
        message = f"{source}: not a valid {type_of(source.path)} file ({shortened(error)})"
        raise ValueError(message) from error
    columns = []
    for name in frame:
        values, labels = frame[name], metadata.variable_value_labels.get(name, {})
        for missing in metadata.missing_ranges.get(name, ()) if is_spss else ():
            values = values.mask(values.between(missing["lo"], missing["hi"]))
            labels = {
                value: label
                for value, label in labels.items()
                if not missing["lo"] <= value <= missing["hi"]
            }
        columns.append(_coded(values, labels))
    return list(map(str, frame.columns)), [columns]


def _coded(values: "Series[Any]", labels: Mapping[Any, str]) -> Column:
    """Return values as a column of their labels, or of the values if one of them has no label.

    A label that stands for several values gets the value beside it. All labels are levels.
    """
    codes, different = values.factorize(use_na_sentinel=True)
    texts = [text_of(value) for value in different]
    levels = None
    if labels and all(value in labels for value in different):
        repeated = Counter(label.strip() for label in labels.values())
        names = {
            value: f"{label.strip()} ({text_of(value)})"
            if repeated[label.strip()] > 1
            else label.strip()
            for value, label in labels.items()
            if isinstance(value, str) == (values.dtype == object)
        }
        texts = [names[value] for value in different]
        levels = tuple(names[value] for value in sorted(names))
    indices = pa.array(codes, mask=codes < 0)
    return Column.of(pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string())), levels)
