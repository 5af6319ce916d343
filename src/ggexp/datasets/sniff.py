"""How a file of data that nobody described is written: encoding, separator, quotes, header."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ggexp.datasets.columns import Column, Rows, read_columns
from ggexp.datasets.rows import PLAIN, Form, reader_of, type_of
from ggexp.datasets.text import check_kind, read_blocks, read_chunks

#: Separators, those first that are seldom within a field.
SEPARATORS = ("\t", ";", "|", ",", " ")
#: Texts that stand for a missing value in most files. "None" is not among them: it may be a level.
MISSING = (
    "",
    "?",
    ".",
    "-",
    "--",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "<NA>",
    "NaN",
    "nan",
    "NULL",
    "null",
)
#: Characters and lines by which a form is found.
SAMPLE, LINES = 200_000, 200
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_NO_TEXT = re.compile("[\0-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Sniffed:
    """What a file holds, as text, and how it is written.

    header: whether its first row names its columns. names: from there, or made up. columns: its
    records.
    """

    form: Form
    header: bool
    names: list[str]
    columns: list[Column]

    @property
    def records(self) -> int:
        """How many lines there are below the header."""
        return len(self.columns[0])


def sniff(path: Path) -> Sniffed:
    """Return what a file of data holds; ValueError where its lines do not have one length."""
    form = PLAIN if type_of(path) else _form(path)
    rows = read_columns(path, form, _uneven)
    header = bool(type_of(path)) or _names_columns(rows)
    columns = rows.columns if header else rows.with_first
    if not (columns and len(columns[0])):
        raise ValueError(f"{path}: no records")
    made_up = [f"column-{place}" for place in range(1, len(columns) + 1)]
    return Sniffed(form, header, rows.first if header else made_up, columns)


def is_number(text: str) -> bool:
    """Return whether a field is a finite number as most programs write it."""
    return NUMBER.fullmatch(text) is not None and abs(float(text)) < 1e300


def are_numbers(texts: pa.LargeStringArray) -> bool:
    """Return whether all fields are numbers (`is_number`)."""
    if not pc.all(pc.match_substring_regex(texts, f"^({NUMBER.pattern})$")).as_py():
        return len(texts) == 0
    large = texts.filter(pc.match_substring_regex(texts, "[eE]|.{300}"))
    return all(map(is_number, large.to_pylist()))


def _form(path: Path) -> Form:
    """Return the form of delimited text."""
    start = next(read_chunks(path), b"")
    check_kind(path, start)
    encoding = _encoding(path, start)
    text = ""
    for block in read_blocks(path, encoding):
        text += block
        if len(text) > SAMPLE:
            break
    if _NO_TEXT.search(text):
        raise ValueError(
            f"{path}: not text; Parquet and compressed files need their endings, such as .gz"
        )
    is_whole = len(text) <= SAMPLE
    sample = text[:SAMPLE]
    likely, most = Form(encoding=encoding), 0.0
    for quote in ('"', "'") if "'" in sample else ('"',):
        for separator in SEPARATORS:
            form = Form(separator, quote, encoding)
            rows = list(islice(_rows(sample, form), LINES))
            # the last row of a sample may be cut off
            whole = rows if is_whole and len(rows) < LINES else rows[:-1]
            fit = _fit(whole)
            if fit == 1:
                if quote == '"' and _is_quoted(whole[1:], "'"):
                    return Form(separator, "'", encoding)
                return form
            if fit > most:  # a line may be wrong, which the message can then tell
                likely, most = form, fit
    return likely


def _fit(rows: list[list[str]]) -> float:
    """Return the share of rows that have the commonest number of fields, 0 where that is one."""
    lengths = Counter(map(len, rows)).most_common(1)
    return lengths[0][1] / len(rows) if lengths and lengths[0][0] > 1 else 0.0


def _encoding(path: Path, start: bytes) -> str:
    """Return the encoding of text: a mark tells it, UTF-8 checks itself, the rest is guessed."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for chunk in chain(read_chunks(path), [b""]):
                decoder.decode(chunk, not chunk)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _rows(sample: str, form: Form) -> Iterator[list[str]]:
    """Yield the rows of a sample as far as it is of this form."""
    try:
        lines = io.StringIO(sample, newline="")
        yield from (row for row in reader_of(lines, form) if any(row))
    except csv.Error:
        yield []  # of another length than all others


def _is_quoted(rows: list[list[str]], quote: str) -> bool:
    """Return whether a column has all of its fields within these quotes."""
    return any(
        all(len(field) > 1 and field[0] == field[-1] == quote for field in column)
        for column in zip(*rows, strict=True)
    )


def _names_columns(rows: Rows) -> bool:
    """Return whether the first row names the columns: text above numbers or that is new."""
    if not (rows.columns and len(rows.columns[0])):
        return False
    both = [*zip(rows.first, rows.columns, strict=True)]
    if any(
        not is_number(field) and field not in MISSING and _is_numeric(column)
        for field, column in both
    ):
        return True
    if any(map(is_number, rows.first)) or not any(rows.first):
        return False
    return not any(column.has(field) for field, column in both if field)


def _is_numeric(column: Column) -> bool:
    """Return whether a column has numbers, and nothing else but missing values."""
    found, _ = column.without(MISSING)
    return len(found) > 0 and are_numbers(found)


def _uneven(expected: int, row: Sequence[str], rows: int) -> str:
    """Return what is said of a row of another length than the first."""
    got = len(row)
    text = f"{expected} fields expected, as in the first line, but got {got}"
    if rows == 1 and got == expected + 1 > 2:
        return (
            f"{text}; if the lines begin with R's row names, add a name for them at the start of "
            "the first line, or write the file with row.names = FALSE"
        )
    if rows == 1:
        return f"{text}; if the first line is a title or a comment, delete it"
    return text
