"""The columns of a file of data, read by Arrow: the texts of each, and which of them a record has.

Text is read block by block. Where a block is anything but plain, Python's own reader takes it,
which knows the line of what is wrong.
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
    at_line,
    open_parquet,
    read_rows,
    text_of,
    type_of,
)
from ggexp.datasets.text import read_blocks

#: Records of a file. A byte a field is held, so that these are some gigabytes.
MAX_RECORDS = 10**9
#: Combinations of values that are counted in a place each; of more those that occur are sorted.
PLACES = 1 << 24

#: What is said of a row whose number of fields is not that of the first one: expected number of
#: fields, the row, and how many rows are before it.
Uneven = Callable[[int, Sequence[str], int], str]


@dataclass(frozen=True)
class Column:
    """A column of a file.

    texts: the different fields that it has, without surrounding blanks, in the order in which they
        are met. codes: the place of each record's text among them, unsigned.
    """

    texts: pa.LargeStringArray
    codes: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, parts: Sequence["Column"]) -> "Column":
        """Return the column of which these are the parts, one below the other."""
        whole = pa.concat_arrays([part.texts for part in parts]).dictionary_encode()
        places = whole.indices.to_numpy()
        starts = np.cumsum([0, *(len(part.texts) for part in parts)])
        codes = np.empty(sum(len(part) for part in parts), smallest(len(whole.dictionary)))
        done = 0
        for part, start in zip(parts, starts, strict=False):
            codes[done : done + len(part)] = places[start:][part.codes]
            done += len(part)
        return cls(whole.dictionary, codes)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each text."""
        return np.bincount(self.codes, minlength=len(self.texts))

    def where(self, kept: NDArray[np.bool_]) -> "Column":
        """Return the column of some of the records."""
        found, codes = np.unique(self.codes[kept], return_inverse=True)
        return Column(self.texts.take(pa.array(found)), codes.astype(smallest(len(found))))

    def has(self, text: str) -> bool:
        """Return whether a record has this text."""
        return pc.index(self.texts, text).as_py() >= 0

    def without(self, texts: Iterable[str]) -> "tuple[pa.LargeStringArray, NDArray[np.int64]]":
        """Return the texts but for some, and how many records have each."""
        kept = pc.invert(self.among(texts))
        return self.texts.filter(kept), self.counts[kept.to_numpy(zero_copy_only=False)]

    def among(self, texts: Iterable[str]) -> pa.BooleanArray:
        """Return which of its texts are among some."""
        return pc.is_in(self.texts, pa.array([*texts], pa.large_string()))


#: A column without a record.
EMPTY = Column(pa.array([], pa.large_string()), np.empty(0, np.uint8))


@dataclass(frozen=True)
class Rows:
    """The rows of a file: the first, with the number of its line, and columns of the others."""

    line: int
    first: list[str]
    columns: list[Column]

    @property
    def with_first(self) -> list[Column]:
        """The columns of all rows."""
        return [
            Column.of([_one(text), column])
            for text, column in zip(self.first, self.columns, strict=True)
        ]


def read_columns(
    path: str | Path,
    form: Form,
    uneven: Uneven,
    wanted: Callable[[list[str]], Sequence[int]] | None = None,
) -> Rows:
    """Return the rows of a file, blank ones left out as `read_rows` does.

    wanted: the places of the columns that are read, a function of the first row; None for all. The
        columns and the first row's fields have their order.
    Raises ValueError naming the file and the line where it is not of that form, or uneven.
    """
    kind = type_of(path)
    if kind == "Parquet":
        line, first, batches = _of_parquet(Path(path))
    elif kind:
        rows = read_frame(Path(path))
        line, first = next(rows)
        batches = _of_rows(path, rows, len(first), uneven)
    else:
        line, first, batches = _of_text(path, form, uneven)
    places = range(len(first)) if wanted is None or not first else wanted(first)
    parts: list[list[Column]] = [[] for _ in places]
    records = 0
    for batch in batches:
        columns = [_coded(batch[place]) for place in places]
        if not kind and all(column.has("") for column in columns):
            columns = _not_blank(columns, batch)
        records += len(columns[0])
        if records > MAX_RECORDS:
            raise ValueError(f"{path}: at most {MAX_RECORDS:,} records are allowed")
        for column, part in zip(columns, parts, strict=True):
            part.append(column)
    columns = [Column.of(part) if part else EMPTY for part in parts]
    return Rows(line, [first[place] for place in places], columns)


def line_of(path: str | Path, form: Form, record: int) -> int:
    """Return the number of the line on which a row is, of those that `read_rows` yields."""
    return next(islice(read_rows(path, form), record, None))[0]


Codes = NDArray[np.integer[Any]]


def distinct(codes: Sequence[Codes], sizes: Sequence[int]) -> tuple[list[Codes], NDArray[np.int64]]:
    """Return the different rows of some columns, ascending, and how many records have each.

    codes: of the records in each column, from 0, below its size.
    """
    whole, size = codes[0].astype(np.int64), sizes[0]
    for more, number in zip(codes[1:], sizes[1:], strict=True):
        if size * number > 2**62:
            whole = np.unique(whole, return_inverse=True)[1]
            size = int(whole.max(initial=0)) + 1
        whole *= number
        whole += more
        size *= number
    if prod(sizes) > PLACES:
        _, first, counts = np.unique(whole, return_index=True, return_counts=True)
        return [column[first] for column in codes], counts
    counts = np.bincount(whole, minlength=1)
    found = np.flatnonzero(counts)
    rows: list[Codes] = []
    left = found
    for number in reversed(sizes):
        left, code = np.divmod(left, number)
        rows.insert(0, code)
    return rows, counts[found]


def each(texts: pa.LargeStringArray) -> Iterator[str]:
    """Yield texts, of which few are held at once."""
    for start in range(0, len(texts), BATCH):
        yield from texts[start : start + BATCH].to_pylist()


def smallest(values: int) -> np.dtype[Any]:
    """Return the smallest type of unsigned numbers that has so many values."""
    return np.min_scalar_type(max(values - 1, 0))


def _one(text: str) -> Column:
    return Column(pa.array([text], pa.large_string()), np.zeros(1, np.uint8))


def _not_blank(columns: list[Column], batch: Sequence[pa.Array]) -> list[Column]:
    """Return columns without the records that are empty in all columns of a batch."""

    def are_empty(column: Column) -> NDArray[np.bool_]:
        return pc.equal(column.texts, "").to_numpy(zero_copy_only=False)[column.codes]

    blank = np.logical_and.reduce([are_empty(column) for column in columns])
    if blank.any():
        blank = np.logical_and.reduce([blank, *(are_empty(_coded(other)) for other in batch)])
    return [column.where(~blank) for column in columns] if blank.any() else columns


def _coded(array: pa.Array) -> Column:
    """Return the column of some values as they stand in text."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    try:
        coded = array.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:  # of lists
        array = pa.array([text_of(value) for value in array.to_pylist()], pa.large_string())
        coded = array.dictionary_encode()
    texts = coded.dictionary
    is_text = pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)
    # a first or last character that may be a blank
    if not is_text or texts.null_count or pc.any(_ends(texts)).as_py():
        texts = pa.array([text_of(value) for value in texts.to_pylist()], pa.large_string())
    codes = coded.indices.to_numpy().astype(smallest(len(texts)))
    return Column(texts.cast(pa.large_string()), codes)


def _ends(texts: pa.Array) -> pa.BooleanArray:
    return pc.match_substring_regex(texts, r"^[^!-~]|[^!-~]$")


def _of_parquet(path: Path) -> tuple[int, list[str], Iterator[Sequence[pa.Array]]]:
    def batches() -> Iterator[Sequence[pa.Array]]:
        with open_parquet(path) as file:
            for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
                yield batch.columns

    with open_parquet(path) as file:
        return 1, list(file.schema_arrow.names), batches()


def _of_rows(
    path: str | Path,
    rows: Iterable[tuple[int, list[str]]],
    width: int,
    uneven: Uneven,
    before: int = 1,
) -> Iterator[Sequence[pa.Array]]:
    """Yield the columns of rows, some records at once.

    width: the number of their fields. before: how many rows are before them.
    """

    def even() -> Iterator[list[str]]:
        for place, (line, row) in enumerate(rows, before):
            if len(row) != width:
                raise at_line(path, line, uneven(width, row, place))
            yield row

    left = even()
    while batch := [*islice(left, BATCH)]:
        yield [pa.array(column, pa.large_string()) for column in zip(*batch, strict=True)]


def _of_text(
    path: str | Path, form: Form, uneven: Uneven
) -> tuple[int, list[str], Iterator[Sequence[pa.Array]]]:
    blocks, before = read_blocks(path, form.encoding), 0
    for block in blocks:
        rows = BlockRows(path, block, blocks, form, before)
        for line, first in rows:
            left = chain([rows.rest], blocks)
            return line, first, _of_blocks(path, left, form, len(first), uneven, rows.line)
        before = rows.line
    return 0, [], iter(())


def _of_blocks(
    path: str | Path,
    blocks: Iterator[str],
    form: Form,
    width: int,
    uneven: Uneven,
    line: int,
) -> Iterator[Sequence[pa.Array]]:
    """Yield the columns of blocks of text.

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
        for batch in _of_rows(path, rows, width, uneven, records):
            records += len(batch[0])
            yield batch
        line = rows.line


def _split(block: str, form: Form, width: int) -> list[pa.Array] | None:
    """Return the columns of a block of text; None where Arrow may read it in another way.

    Python's reader skips blanks before quotes, and lets quotes stand within a field.
    """
    marks = form.separator + form.quote
    if form.separator == " " or not marks.isascii():
        return None
    content = block.encode()
    if form.quote in block and not _is_simply_quoted(content, form):
        return None
    if "\r" in block and block.count("\r") != block.count("\r\n"):
        return None
    names = [str(place) for place in range(width)]
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
    """Return whether quotes stand around whole fields alone, and none within a field."""
    data = np.frombuffer(content, np.uint8)
    places = np.flatnonzero(data == ord(form.quote))
    if len(places) % 2:
        return False
    opening, closing = places[::2], places[1::2]
    ends = np.frombuffer(f"{form.separator}\r\n".encode(), np.uint8)
    lines = np.flatnonzero(data == ord("\n"))
    return bool(
        np.isin(data[opening[opening > 0] - 1], ends).all()
        and np.isin(data[closing[closing < len(data) - 1] + 1], ends).all()
        and (np.searchsorted(lines, opening) == np.searchsorted(lines, closing)).all()
    )
