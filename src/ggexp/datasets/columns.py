"""Read the columns of a data file with Arrow: their different texts, and a code for each record.

Text is read block by block. Arrow reads plain blocks. Any other block goes to Python's csv reader,
which can also name the line of an error.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from ggexp.datasets.frames import read_frame
from ggexp.datasets.rows import (
    BATCH,
    BlockRows,
    Form,
    line_error,
    open_parquet,
    read_rows,
    text_of,
    type_of,
)
from ggexp.datasets.text import read_blocks

#: Largest number of records of a file. A field takes about one byte in memory; this many records
#: take about one gigabyte per column.
MAX_RECORDS = 10**9
#: Largest number of possible combinations of values for which the counts are held in an array with
#: one element per combination. If more combinations are possible, those that occur are sorted.
MAX_COUNTED_COMBINATIONS = 1 << 24

#: A function that returns the message for a row that differs in length from the first one. Its
#: arguments are the expected number of fields, the row, and the number of rows before it.
UnevenMessage = Callable[[int, Sequence[str], int], str]


@dataclass(frozen=True)
class Column:
    """A column of a file.

    texts: the different fields, without surrounding blanks, in order of first appearance.
    codes: for each record, the position of its text in `texts`, as an unsigned integer.
    """

    texts: pa.LargeStringArray
    codes: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def concatenate(cls, parts: Sequence["Column"]) -> "Column":
        """Return one column with the records of all parts, in order."""
        combined = pa.concat_arrays([part.texts for part in parts]).dictionary_encode()
        positions = combined.indices.to_numpy()
        starts = np.cumsum([0, *(len(part.texts) for part in parts)])
        codes = np.empty(sum(len(part) for part in parts), smallest_dtype(len(combined.dictionary)))
        filled = 0
        for part, start in zip(parts, starts, strict=False):
            codes[filled : filled + len(part)] = positions[start:][part.codes]
            filled += len(part)
        return cls(combined.dictionary, codes)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of records with each text."""
        return np.bincount(self.codes, minlength=len(self.texts))

    def where(self, kept: NDArray[np.bool_]) -> "Column":
        """Return the column of the kept records only."""
        used, codes = np.unique(self.codes[kept], return_inverse=True)
        return Column(self.texts.take(pa.array(used)), codes.astype(smallest_dtype(len(used))))

    def has(self, text: str) -> bool:
        """Return whether a record has this text."""
        return pc.index(self.texts, text).as_py() >= 0

    def text_of(self, record: int) -> str:
        """Return the text of a record, counted from 0."""
        return str(self.texts[int(self.codes[record])])

    def records_with(self, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each record whether its text is among the wanted ones."""
        return self.among(wanted).to_numpy(zero_copy_only=False)[self.codes]

    def without(self, excluded: Iterable[str]) -> "tuple[pa.LargeStringArray, NDArray[np.int64]]":
        """Return the texts except the excluded ones, and the number of records with each."""
        kept = pc.invert(self.among(excluded))
        return self.texts.filter(kept), self.counts[kept.to_numpy(zero_copy_only=False)]

    def among(self, wanted: Iterable[str]) -> pa.BooleanArray:
        """Return for each of the column's texts whether it is among the wanted ones."""
        return pc.is_in(self.texts, pa.array([*wanted], pa.large_string()))


#: A column without records.
EMPTY = Column(pa.array([], pa.large_string()), np.empty(0, np.uint8))


@dataclass(frozen=True)
class Rows:
    """The rows of a file: the first one and its line number, and the columns of the others."""

    line: int
    first: list[str]
    columns: list[Column]

    @property
    def with_first(self) -> list[Column]:
        """The columns of all rows, including the first."""
        return [
            Column.concatenate([_single(text), column])
            for text, column in zip(self.first, self.columns, strict=True)
        ]


def read_columns(
    path: str | Path,
    form: Form,
    uneven_message: UnevenMessage,
    wanted: Callable[[list[str]], Sequence[int]] | None = None,
) -> Rows:
    """Return the rows that `read_rows` yields for a file, as columns.

    uneven_message: returns the message for a row that differs in length from the first one.
    wanted: a function from the first row to the positions of the columns to read; None reads all.
        The columns and the fields of the first row are returned in the order of these positions.
    Raises ValueError naming the file and the line if the file does not have this form, or if a row
    differs in length.
    """
    kind = type_of(path)
    if kind == "Parquet":
        line, first, batches = _read_parquet(Path(path))
    elif kind:
        rows = read_frame(Path(path))
        line, first = next(rows)
        batches = _batches_of_rows(path, rows, len(first), uneven_message)
    else:
        line, first, batches = _read_text(path, form, uneven_message)
    positions = range(len(first)) if wanted is None or not first else wanted(first)
    parts: list[list[Column]] = [[] for _ in positions]
    records = 0
    for batch in batches:
        columns = [_coded(batch[position]) for position in positions]
        if not kind and all(column.has("") for column in columns):
            columns = _without_blank_records(columns, batch)
        records += len(columns[0])
        if records > MAX_RECORDS:
            raise ValueError(f"{path}: at most {MAX_RECORDS:,} records are allowed")
        for column, part in zip(columns, parts, strict=True):
            part.append(column)
    columns = [Column.concatenate(part) if part else EMPTY for part in parts]
    return Rows(line, [first[position] for position in positions], columns)


def line_of(path: str | Path, form: Form, record: int) -> int:
    """Return the line number of a record, counted from 0 among the rows that `read_rows` yields."""
    return next(islice(read_rows(path, form), record, None))[0]


Codes = NDArray[np.integer[Any]]


def distinct(codes: Sequence[Codes], sizes: Sequence[int]) -> tuple[list[Codes], NDArray[np.int64]]:
    """Return the distinct rows of some columns, ascending, and the number of records with each.

    codes: for each column, the records' codes, from 0 to the column's size minus 1.
    """
    combined, size = codes[0].astype(np.int64), sizes[0]
    for column, number in zip(codes[1:], sizes[1:], strict=True):
        if size * number > 2**62:
            combined = np.unique(combined, return_inverse=True)[1]
            size = int(combined.max(initial=0)) + 1
        combined *= number
        combined += column
        size *= number
    if prod(sizes) > MAX_COUNTED_COMBINATIONS:
        _, first, counts = np.unique(combined, return_index=True, return_counts=True)
        return [column[first] for column in codes], counts
    counts = np.bincount(combined, minlength=1)
    present = np.flatnonzero(counts)
    rows: list[Codes] = []
    remaining = present
    for number in reversed(sizes):
        remaining, code = np.divmod(remaining, number)
        rows.insert(0, code)
    return rows, counts[present]


def iter_texts(texts: pa.LargeStringArray) -> Iterator[str]:
    """Yield the texts as Python strings, converting only some of them at a time."""
    for start in range(0, len(texts), BATCH):
        yield from texts[start : start + BATCH].to_pylist()


def smallest_dtype(values: int) -> np.dtype[Any]:
    """Return the smallest unsigned integer type for this number of different values."""
    return np.min_scalar_type(max(values - 1, 0))


def _single(text: str) -> Column:
    return Column(pa.array([text], pa.large_string()), np.zeros(1, np.uint8))


def _without_blank_records(columns: list[Column], batch: Sequence[pa.Array]) -> list[Column]:
    """Return columns without the records whose fields are empty in all columns of the batch."""

    def are_empty(column: Column) -> NDArray[np.bool_]:
        return pc.equal(column.texts, "").to_numpy(zero_copy_only=False)[column.codes]

    blank = np.logical_and.reduce([are_empty(column) for column in columns])
    if blank.any():
        blank = np.logical_and.reduce([blank, *(are_empty(_coded(array)) for array in batch)])
    return [column.where(~blank) for column in columns] if blank.any() else columns


def _coded(array: pa.Array) -> Column:
    """Return an array as a column, in which every value is text."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    try:
        coded = array.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:  # for example, lists
        array = pa.array([text_of(value) for value in array.to_pylist()], pa.large_string())
        coded = array.dictionary_encode()
    texts = coded.dictionary
    is_text = pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)
    # strip texts whose first or last character may be a blank
    if not is_text or texts.null_count or pc.any(_have_outer_blanks(texts)).as_py():
        texts = pa.array([text_of(value) for value in texts.to_pylist()], pa.large_string())
    codes = coded.indices.to_numpy().astype(smallest_dtype(len(texts)))
    return Column(texts.cast(pa.large_string()), codes)


def _have_outer_blanks(texts: pa.Array) -> pa.BooleanArray:
    return pc.match_substring_regex(texts, r"^[^!-~]|[^!-~]$")


def _read_parquet(path: Path) -> tuple[int, list[str], Iterator[Sequence[pa.Array]]]:
    def batches() -> Iterator[Sequence[pa.Array]]:
        with open_parquet(path) as file:
            for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
                yield batch.columns

    with open_parquet(path) as file:
        return 1, list(file.schema_arrow.names), batches()


def _batches_of_rows(
    path: str | Path,
    rows: Iterable[tuple[int, list[str]]],
    width: int,
    uneven_message: UnevenMessage,
    preceding: int = 1,
) -> Iterator[Sequence[pa.Array]]:
    """Yield the columns of rows, in batches.

    width: the expected number of fields. preceding: the number of rows before these.
    """

    def checked() -> Iterator[list[str]]:
        for position, (line, row) in enumerate(rows, preceding):
            if len(row) != width:
                raise line_error(path, line, uneven_message(width, row, position))
            yield row

    even_rows = checked()
    while batch := [*islice(even_rows, BATCH)]:
        yield [pa.array(column, pa.large_string()) for column in zip(*batch, strict=True)]


def _read_text(
    path: str | Path, form: Form, uneven_message: UnevenMessage
) -> tuple[int, list[str], Iterator[Sequence[pa.Array]]]:
    blocks, line_before = read_blocks(path, form.encoding), 0
    for block in blocks:
        rows = BlockRows(path, block, blocks, form, line_before)
        for line, first in rows:
            remaining = chain([rows.rest], blocks)
            return (
                line,
                first,
                _batches_of_blocks(path, remaining, form, len(first), uneven_message, rows.line),
            )
        line_before = rows.line
    return 0, [], iter(())


def _batches_of_blocks(
    path: str | Path,
    blocks: Iterator[str],
    form: Form,
    width: int,
    uneven_message: UnevenMessage,
    line: int,
) -> Iterator[Sequence[pa.Array]]:
    """Yield the columns of blocks of text, in batches.

    width: the number of fields in a row. line: the number of lines before the blocks.
    """
    records = 1
    for block in filter(None, blocks):
        columns = _split(block, form, width)
        if columns is not None:
            line += block.count("\n")
            records += len(columns[0])
            yield columns
            continue
        rows = BlockRows(path, block, blocks, form, line)
        for batch in _batches_of_rows(path, rows, width, uneven_message, records):
            records += len(batch[0])
            yield batch
        line = rows.line


def _split(block: str, form: Form, width: int) -> list[pa.Array] | None:
    """Return the columns of a block of text, or None if Arrow and Python may read it differently.

    Python's csv reader skips blanks before quotes, and accepts quotes within a field.
    """
    characters = form.separator + form.quote
    if form.separator == " " or not characters.isascii():
        return None
    content = block.encode()
    if form.quote in block and not _is_simply_quoted(content, form):
        return None
    if "\r" in block and block.count("\r") != block.count("\r\n"):
        return None
    names = [str(position) for position in range(width)]
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(use_threads=False, block_size=len(content) + 1, column_names=names),
            csv.ParseOptions(delimiter=form.separator, quote_char=form.quote, double_quote=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), check_utf8=False, null_values=[]
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [column.combine_chunks() for column in table.columns]


def _is_simply_quoted(content: bytes, form: Form) -> bool:
    """Return whether quotes enclose only whole fields, within one line, and occur nowhere else."""
    data = np.frombuffer(content, np.uint8)
    positions = np.flatnonzero(data == ord(form.quote))
    if len(positions) % 2:
        return False
    opening, closing = positions[::2], positions[1::2]
    delimiters = np.frombuffer(f"{form.separator}\r\n".encode(), np.uint8)
    lines = np.flatnonzero(data == ord("\n"))
    return bool(
        np.isin(data[opening[opening > 0] - 1], delimiters).all()
        and np.isin(data[closing[closing < len(data) - 1] + 1], delimiters).all()
        and (np.searchsorted(lines, opening) == np.searchsorted(lines, closing)).all()
    )
