"""The rows of a file of data: delimited text, perhaps compressed, Parquet, or a program's own."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ggexp.datasets.frames import PROGRAMS, read_frame
from ggexp.datasets.text import check_regular, read_blocks, shown

if TYPE_CHECKING:
    from _csv import Reader

    from pyarrow.parquet import ParquetFile

#: What a Parquet file's name ends in.
PARQUET = (".parquet", ".pq")
#: Rows of a Parquet file that are held at once in its own form.
BATCH = 1 << 16


@dataclass(frozen=True)
class Form:
    """How a file of data is written. All of it is of delimited text.

    separator: between two fields. quote: around a field that holds a separator, doubled within.
    encoding: of the text.
    """

    separator: str = ","
    quote: str = '"'
    encoding: str = "utf-8"

    @classmethod
    def from_config(cls, settings: Mapping[str, Any], key: str) -> "Form":
        """Return the form that a data set's settings tell, of those that config/schema.yaml has.

        key: where they stand in the configuration. Raises ValueError where no file is like that.
        """
        form = cls(**{name: settings[name] for name in cls.__match_args__ if name in settings})
        if form.separator == form.quote:
            raise ValueError(f"{key}.quote: must differ from the separator, got {form.quote!r}")
        for name, mark in (("separator", form.separator), ("quote", form.quote)):
            if len(mark) != 1 or mark in "\r\n\0":
                raise ValueError(
                    f"{key}.{name}: must be one character and no line end, got {mark!r}"
                )
        return form


#: Comma-separated text in UTF-8.
PLAIN = Form()


def type_of(path: str | Path) -> str:
    """Return what a file is by its name: Parquet, Excel, Stata or SPSS; nothing for text.

    Files of these types name their columns and are their own form.
    """
    ending = Path(path).suffix.lower()
    if ending in PARQUET:
        return "Parquet"
    return PROGRAMS[ending][0] if ending in PROGRAMS else ""


def read_rows(path: str | Path, form: Form) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line that is not blank and its fields, without surrounding blanks.

    A line of separators alone, as spreadsheets leave below a table, is blank too.
    Of a file with a type (`type_of`) the names of the columns come first, as line 1. Numbers of
    Parquet are as exact as they are there, true and false are as in Python, and a null is the
    empty text.
    Raises ValueError naming the file and the line where it is not of that form.
    """
    if kind := type_of(path):
        return _of_parquet(Path(path)) if kind == "Parquet" else read_frame(Path(path))
    return _of_text(path, form)


def reader_of(lines: Iterable[str], form: Form) -> "Reader":
    """Return a reader of lines in this form, as files are read and as a form is found out."""
    return csv.reader(
        lines,
        delimiter=form.separator,
        quotechar=form.quote,
        skipinitialspace=True,
        strict=True,
    )


class BlockRows:
    """The rows that begin in a block of text: number of the line and fields, as `read_rows` has it.

    blocks: those after it, of which as many are taken as its last row goes on in.
    before: the number of lines before the block.
    """

    def __init__(
        self, path: str | Path, block: str, blocks: Iterable[str], form: Form, before: int
    ) -> None:
        self._path, self._before = path, before
        self._blocks = chain([block], blocks)
        self._lines: list[str] = []
        self._reader = reader_of(self._taken(), form)

    def _taken(self) -> Iterator[str]:
        for block in self._blocks:
            lines = [*io.StringIO(block, newline="")]
            self._lines += lines
            yield from lines

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        try:
            for row in self._reader:
                fields = [field.strip() for field in row]
                if any(fields):
                    yield self.line, fields
                if self._reader.line_num == len(self._lines):
                    return
        except csv.Error as error:
            raise at_line(self._path, max(self.line, 1), error) from error

    @property
    def line(self) -> int:
        """The number of the last line that was read."""
        return self._before + self._reader.line_num

    @property
    def rest(self) -> str:
        """The lines that were not read yet."""
        return "".join(self._lines[self._reader.line_num :])


def _of_text(path: str | Path, form: Form) -> Iterator[tuple[int, list[str]]]:
    blocks, line = read_blocks(path, form.encoding), 0
    for block in blocks:
        rows = BlockRows(path, block, blocks, form, line)
        yield from rows
        line = rows.line


@contextmanager
def open_parquet(path: Path) -> "Iterator[ParquetFile]":
    """Open a Parquet file; ValueError naming it where it is none, or damaged."""
    from pyarrow import ArrowException, parquet

    check_regular(path)
    with path.open("rb") as source:
        try:
            yield parquet.ParquetFile(source)
        except (ArrowException, OSError, ArithmeticError, KeyError) as error:
            raise ValueError(f"{path}: not a Parquet file, or damaged ({shown(error)})") from error


def _of_parquet(path: Path) -> Iterator[tuple[int, list[str]]]:
    with open_parquet(path) as file:
        yield 1, list(file.schema_arrow.names)
        line = 1
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                line += 1
                yield line, [text_of(value) for value in values]


def text_of(value: Any) -> str:
    """Return a value as it stands in text: a null and NaN as nothing."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return ""
    return value.strip() if isinstance(value, str) else str(value)


def at_line(path: str | Path, line: int, what: object) -> ValueError:
    """Return the error of a line of a file."""
    return ValueError(f"{path}, line {line}: {shown(what)}")


def found_columns(path: str | Path, header: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the place of each wanted column in a header.

    Raises ValueError where one is not there, or twice.
    """
    times = Counter(header)
    for name in wanted:
        if times[name] != 1:
            what = f"has {times[name]} columns named" if times[name] else "has no"
            raise at_line(
                path, 1, f"the header {what} {name!r}; it has {', '.join(map(repr, header))}"
            )
    places = {name: place for place, name in enumerate(header)}
    return [places[name] for name in wanted]
