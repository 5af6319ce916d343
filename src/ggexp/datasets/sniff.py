"""Detect the format of a data file: encoding, separator, quotes, header."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, prod
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ggexp.datasets.columns import Column
from ggexp.datasets.form import PLAIN, Form, line_error, type_of
from ggexp.datasets.reader import Rows, csv_reader, read_columns
from ggexp.datasets.text import BLOCK_BYTES, Source, check_kind

#: Possible separators; characters that rarely occur within a field come first.
SEPARATORS = ("\t", ";", "|", ",", " ")
#: Texts that denote a missing value in most files. "None" is not included: it may be a level.
MISSING = (
    *("", "?", ".", "-", "--", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"),
)
#: Largest numbers of characters and of lines from which the form of a file is detected.
SAMPLE_CHARACTERS, SAMPLE_LINES = 200_000, 200
#: Largest probability with which a first row that is a record is taken for the names of columns
#: although a column contains its name as a value.
MAX_CHANCE = 0.01
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_LEADING_NUMBER = re.compile(r"[<>≤≥=$€£ ]*(\d{1,15})(?![\d])", re.ASCII)
_NON_TEXT = re.compile("[\0-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Sniffed:
    """The text fields of a file, and how they are written.

    header: whether the first row names the columns.
    names: the names from the header, or generated ones.
    columns: the fields of the records.
    rows: the rows of the file, which also know their lines.
    """

    header: bool
    names: list[str]
    columns: list[Column]
    rows: Rows

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.rows.source.path

    @property
    def form(self) -> Form:
        """How the file is written."""
        return self.rows.form

    @property
    def notes(self) -> list[str]:
        """What was left out or assumed when the file was read."""
        return self.rows.notes

    @property
    def records(self) -> int:
        """The number of rows below the header."""
        return len(self.columns[0])

    def line(self, record: int) -> int:
        """Return the line number of a record, counted from 0."""
        return self.rows.line(record + self.header)

    def error_at(self, column: Column, text: str, message: str) -> ValueError:
        """Return an error about the first record with a text in a column."""
        record = int(column.records_with([text]).argmax())
        return line_error(self.path, self.line(record), message)


def sniff(path: str | Path, form: Form | None = None, header: bool | None = None) -> Sniffed:
    """Return the fields of a data file.

    form: how the file is written; None detects it. header: whether the first row names the columns;
    None decides this by the fields.
    Raises ValueError if its rows differ in length.
    """
    source = Source(Path(path))
    if form is None:
        form = PLAIN if type_of(source.path) else _detect_form(source)
    rows = read_columns(source, form, _uneven_message)
    if header is None:
        header = bool(type_of(source.path)) or _names_columns(rows)
    columns = rows.columns if header else rows.with_first
    if not (columns and len(columns[0])):
        raise ValueError(
            f"{source}: no records{' below the names of the columns' * bool(rows.first)}"
        )
    generated = [f"column-{number}" for number in range(1, len(columns) + 1)]
    return Sniffed(header, rows.first if header else generated, columns, rows)


def is_number(text: str) -> bool:
    """Return whether a field is a finite number as most programs write it."""
    return NUMBER.fullmatch(text) is not None and abs(float(text)) < 1e300


def level_key(level: str) -> tuple[float, str]:
    """Return the sort key of a level: the number at its start, if there is one, then its text."""
    if is_number(level):
        return float(level), level
    start = _LEADING_NUMBER.match(level)
    return float(start[1]) if start else inf, level


def are_numbers(texts: pa.LargeStringArray) -> bool:
    """Return whether all fields are numbers according to `is_number`."""
    if not pc.all(pc.match_substring_regex(texts, f"^({NUMBER.pattern})$")).as_py():
        return len(texts) == 0
    large = texts.filter(pc.match_substring_regex(texts, "[eE]|.{300}"))
    return all(map(is_number, large.to_pylist()))


def _detect_form(source: Source) -> Form:
    """Return the form of a file of delimited text."""
    with source.decompressed() as stream:
        start = stream.read(BLOCK_BYTES)
    check_kind(source, start)
    encoding = _detect_encoding(source, start)
    text = ""
    for line in source.lines(encoding):
        text += line
        if len(text) > SAMPLE_CHARACTERS:
            break
    if _NON_TEXT.search(text):
        raise ValueError(
            f"{source}: not text; Parquet and compressed files need their endings, such as .gz"
        )
    is_complete = len(text) <= SAMPLE_CHARACTERS
    sample = text[:SAMPLE_CHARACTERS]
    best_form, best_share = Form(encoding=encoding), 0.0
    for quote in ('"', "'") if "'" in sample else ('"',):
        for separator in SEPARATORS:
            form = Form(separator, quote, encoding)
            rows = list(islice(_sample_rows(sample, form), SAMPLE_LINES))
            # the last row may be cut off
            complete_rows = rows if is_complete and len(rows) < SAMPLE_LINES else rows[:-1]
            share = _regular_share(complete_rows)
            if share == 1:
                if quote == '"' and _is_quoted(complete_rows[1:], "'"):
                    return Form(separator, "'", encoding)
                return form
            if share > best_share:  # one line may be wrong; a later message reports it
                best_form, best_share = form, share
    return best_form


def _regular_share(rows: list[list[str]]) -> float:
    """Return the share of rows with the most common number of fields, or 0 if that number is 1."""
    lengths = Counter(map(len, rows)).most_common(1)
    return lengths[0][1] / len(rows) if lengths and lengths[0][0] > 1 else 0.0


def _detect_encoding(source: Source, start: bytes) -> str:
    """Return the encoding: UTF-16 with a byte order mark, valid UTF-8, or otherwise a guess."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with source.decompressed() as stream:
                while chunk := stream.read(BLOCK_BYTES):
                    decoder.decode(chunk)
                decoder.decode(b"", True)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _sample_rows(sample: str, form: Form) -> Iterator[list[str]]:
    """Yield the rows of a sample, up to the first that does not have this form."""
    try:
        lines = io.StringIO(sample, newline="")
        yield from (row for row in csv_reader(lines, form) if any(row))
    except csv.Error:
        yield []  # differs in length from all other rows


def _is_quoted(rows: list[list[str]], quote: str) -> bool:
    """Return whether all fields of some column are enclosed in these quotes."""
    return any(
        all(len(field) > 1 and field[0] == field[-1] == quote for field in column)
        for column in zip(*rows, strict=True)
    )


def _names_columns(rows: Rows) -> bool:
    """Return whether the first row names the columns.

    It does if one of its fields is text above numbers, or if all its non-empty fields are text that
    no other row has in the same column. If some columns contain their names as values, it also does
    if chance is an unlikely reason that no other row has the remaining fields: a first record has
    one of s texts that occur once among n records with probability s/n.
    """
    if not rows.columns:
        return False
    if not len(rows.columns[0]):  # the only row
        return len({*rows.first}) > 1 and not any(map(is_number, rows.first))
    pairs = [*zip(rows.first, rows.columns, strict=True)]
    if any(
        not is_number(field) and field not in MISSING and _is_numeric(column)
        for field, column in pairs
    ):
        return True
    if any(map(is_number, rows.first)) or not any(rows.first):
        return False
    repeated = [column.has(field) for field, column in pairs if field]
    if not any(repeated) or len({*rows.first}) < len(rows.first):
        return not any(repeated)
    chances = [
        (1 + int((column.counts == 1).sum())) / (1 + len(column))
        for field, column in pairs
        if field and not column.has(field)
    ]
    return prod(chances) < MAX_CHANCE


def _is_numeric(column: Column) -> bool:
    """Return whether all values of a column are numbers, apart from missing ones."""
    present, _ = column.without(MISSING)
    return len(present) > 0 and are_numbers(present)


def _uneven_message(expected: int, row: Sequence[str], preceding: int) -> str:
    """Return the message for a row that differs in length from the first row.

    preceding: the number of rows before it.
    """
    got = len(row)
    message = f"{expected} fields expected, as in the first line, but got {got}"
    if preceding == 1 and got == expected + 1 > 2:
        return (
            f"{message}; if the lines begin with R's row names, add a name for them at the start "
            "of the first line, or write the file with row.names = FALSE"
        )
    if preceding == 1:
        return f"{message}; if the first line is a title or a comment, delete it"
    return message
