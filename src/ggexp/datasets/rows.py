"""The rows of a file of data: delimited text, perhaps compressed, Parquet, or a program's own."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ggexp.datasets.frames import MAX_VALUES, PROGRAMS, read_frame
from ggexp.datasets.text import MAX_BYTES, check_regular, read_text, shown

if TYPE_CHECKING:
    from _csv import Reader

#: What a Parquet file's name ends in.
PARQUET = (".parquet", ".pq")
#: Rows of a Parquet file that are held at once in its own form.
BATCH = 4096


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
                raise ValueError(f"{key}.{name}: must be one character of a line, got {mark!r}")
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
    return _of_text(read_text(path, form.encoding), path, form)


def reader_of(text: str, form: Form) -> "Reader":
    """Return a reader of a text in this form, as files are read and as a form is found out."""
    return csv.reader(
        io.StringIO(text, newline=""),
        delimiter=form.separator,
        quotechar=form.quote,
        skipinitialspace=True,
        strict=True,
    )


def _of_text(text: str, path: str | Path, form: Form) -> Iterator[tuple[int, list[str]]]:
    lines = reader_of(text, form)
    try:
        for row in lines:
            fields = [field.strip() for field in row]
            if any(fields):
                yield lines.line_num, fields
    except csv.Error as error:
        raise ValueError(f"{path}, line {max(lines.line_num, 1)}: {shown(error)}") from error


def _of_parquet(path: Path) -> Iterator[tuple[int, list[str]]]:
    from pyarrow import ArrowException, parquet

    check_regular(path)
    with path.open("rb") as source:
        try:
            file = parquet.ParquetFile(source)
            metadata = file.metadata
            size = sum(
                metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)
            )
            if size > MAX_BYTES or metadata.num_rows * metadata.num_columns > MAX_VALUES:
                raise ValueError(
                    f"{path}: more than the {MAX_BYTES:,} bytes or {MAX_VALUES:,} values that are "
                    "read of a Parquet file; store the columns that you need alone"
                )
            yield 1, list(file.schema_arrow.names)
            line = 1
            for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
                for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    line += 1
                    yield line, [_text(value) for value in values]
        except (ArrowException, OSError, ArithmeticError, KeyError) as error:
            raise ValueError(f"{path}: not a Parquet file, or damaged ({shown(error)})") from error


def _text(value: Any) -> str:
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
                path, 1, f"the header {what} {name!r}, it has {', '.join(map(repr, header))}"
            )
    places = {name: place for place, name in enumerate(header)}
    return [places[name] for name in wanted]
