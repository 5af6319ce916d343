"""Read the rows of a data file: text, perhaps compressed, Parquet, Excel, Stata or SPSS."""

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
from ggexp.datasets.text import check_regular, read_blocks, shortened

if TYPE_CHECKING:
    from _csv import Reader

    from pyarrow.parquet import ParquetFile

#: Endings of the names of Parquet files.
PARQUET = (".parquet", ".pq")
#: Number of rows, or of texts, that are processed at a time.
BATCH = 1 << 16


@dataclass(frozen=True)
class Form:
    """How a file of delimited text is written.

    separator: the character between two fields.
    quote: the character around a field that contains a separator; it is doubled within the field.
    encoding: the encoding of the text.
    """

    separator: str = ","
    quote: str = '"'
    encoding: str = "utf-8"

    @classmethod
    def from_config(cls, settings: Mapping[str, Any], key: str) -> "Form":
        """Return the form in a data set's settings, whose keys are those of config/schema.yaml.

        key: the path of the settings in the configuration.
        Raises ValueError if no file can have this form.
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
    """Return the type of a file by its name: Parquet, Excel, Stata, SPSS, or "" for text.

    Files of the named types contain the names of their columns and need no `Form`.
    """
    ending = Path(path).suffix.lower()
    if ending in PARQUET:
        return "Parquet"
    return PROGRAMS.get(ending, "")


def read_rows(path: str | Path, form: Form) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each row that is not blank.

    The fields have no surrounding blanks. A line with only separators, as spreadsheets leave below
    a table, is also blank. In a file with a type (`type_of`) the names of the columns come first,
    as line 1. Numbers of Parquet keep their precision, true and false are written as in Python, and
    a null is the empty text.
    Raises ValueError naming the file and the line if the file does not have this form.
    """
    if kind := type_of(path):
        return _parquet_rows(Path(path)) if kind == "Parquet" else read_frame(Path(path))
    return _text_rows(path, form)


def reader_of(lines: Iterable[str], form: Form) -> "Reader":
    """Return a csv reader for lines in this form."""
    return csv.reader(
        lines,
        delimiter=form.separator,
        quotechar=form.quote,
        skipinitialspace=True,
        strict=True,
    )


class BlockRows:
    """The rows that begin in a block of text, as line numbers and fields like those of `read_rows`.

    blocks: the following blocks. They are consumed as far as the last row continues in them.
    before: the number of lines before the block.
    """

    def __init__(
        self, path: str | Path, block: str, blocks: Iterable[str], form: Form, before: int
    ) -> None:
        self._path, self._before = path, before
        self._blocks = chain([block], blocks)
        self._lines: list[str] = []
        self._reader = reader_of(self._consumed_lines(), form)

    def _consumed_lines(self) -> Iterator[str]:
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
            raise line_error(self._path, max(self.line, 1), error) from error

    @property
    def line(self) -> int:
        """The number of the last line that was read."""
        return self._before + self._reader.line_num

    @property
    def rest(self) -> str:
        """The consumed lines that have not been read yet."""
        return "".join(self._lines[self._reader.line_num :])


def _text_rows(path: str | Path, form: Form) -> Iterator[tuple[int, list[str]]]:
    blocks, line = read_blocks(path, form.encoding), 0
    for block in blocks:
        rows = BlockRows(path, block, blocks, form, line)
        yield from rows
        line = rows.line


@contextmanager
def open_parquet(path: Path) -> "Iterator[ParquetFile]":
    """Open a Parquet file; raise ValueError naming it if it is damaged or not a Parquet file."""
    from pyarrow import ArrowException, parquet

    check_regular(path)
    with path.open("rb") as source:
        try:
            yield parquet.ParquetFile(source)
        except (ArrowException, OSError, ArithmeticError, KeyError) as error:
            raise ValueError(
                f"{path}: not a Parquet file, or damaged ({shortened(error)})"
            ) from error


def _parquet_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    with open_parquet(path) as file:
        yield 1, list(file.schema_arrow.names)
        line = 1
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                line += 1
                yield line, [text_of(value) for value in values]


def text_of(value: Any) -> str:
    """Return a value as text; null and NaN become the empty text."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return ""
    return value.strip() if isinstance(value, str) else str(value)


def line_error(path: str | Path, line: int, message: object) -> ValueError:
    """Return a ValueError about a line of a file."""
    return ValueError(f"{path}, line {line}: {shortened(message)}")


def column_positions(path: str | Path, header: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the position of each wanted column in a header.

    Raises ValueError if a column is absent or occurs twice.
    """
    occurrences = Counter(header)
    for name in wanted:
        if occurrences[name] != 1:
            problem = f"has {occurrences[name]} columns named" if occurrences[name] else "has no"
            raise line_error(
                path, 1, f"the header {problem} {name!r}; it has {', '.join(map(repr, header))}"
            )
    positions = {name: position for position, name in enumerate(header)}
    return [positions[name] for name in wanted]
