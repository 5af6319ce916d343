"""How a file of data that nobody described is written: encoding, separator, quotes, header."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ggexp.datasets.rows import PLAIN, Form, at_line, read_rows, reader_of, type_of
from ggexp.datasets.text import check_kind, decode, read_bytes

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

    names: of its columns, from its header or made up. columns: their fields, one list each.
    lines: the number of the line that each record is on.
    """

    form: Form
    header: bool
    names: list[str]
    columns: list[list[str]]
    lines: list[int]

    @property
    def records(self) -> int:
        """How many lines there are below the header."""
        return len(self.columns[0])


def sniff(path: Path) -> Sniffed:
    """Return what a file of data holds; ValueError where its lines do not have one length."""
    form = PLAIN if type_of(path) else _form(path)
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, row in read_rows(path, form):
        if rows and len(row) != len(rows[0]):
            raise at_line(path, line, _uneven(len(rows[0]), len(row), len(rows)))
        rows.append(row)
        lines.append(line)
    header = bool(type_of(path)) or _names_columns(rows)
    first = rows[0] if rows else []
    records = rows[header:]
    if not (first and records):
        raise ValueError(f"{path}: has no records")
    names = first if header else [f"column-{place}" for place in range(1, len(first) + 1)]
    columns = [list(column) for column in zip(*records, strict=True)]
    return Sniffed(form, header, names, columns, lines[header:])


def is_number(text: str) -> bool:
    """Return whether a field is a finite number as most programs write it."""
    return NUMBER.fullmatch(text) is not None and abs(float(text)) < 1e300


def _form(path: Path) -> Form:
    """Return the form of delimited text."""
    content = read_bytes(path)
    check_kind(path, content)
    encoding = _encoding(content)
    text = decode(path, content, encoding)
    if _NO_TEXT.search(text):
        raise ValueError(f"{path}: is no text, nor Parquet (.parquet) or compressed by its name")
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


def _encoding(content: bytes) -> str:
    """Return the encoding of text: a mark tells it, UTF-8 checks itself, the rest is guessed."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _rows(sample: str, form: Form) -> Iterator[list[str]]:
    """Yield the rows of a sample as far as it is of this form."""
    try:
        yield from (row for row in reader_of(sample, form) if any(row))
    except csv.Error:
        yield []  # of another length than all others


def _is_quoted(rows: list[list[str]], quote: str) -> bool:
    """Return whether a column has all of its fields within these quotes."""
    return any(
        all(len(field) > 1 and field[0] == field[-1] == quote for field in column)
        for column in zip(*rows, strict=True)
    )


def _names_columns(rows: list[list[str]]) -> bool:
    """Return whether the first row names the columns: text above numbers or that is new."""
    if len(rows) < 2:
        return False
    first, *others = rows
    below = list(zip(*others, strict=True))
    if any(
        not is_number(field) and field not in MISSING and _is_numeric(column)
        for field, column in zip(first, below, strict=True)
    ):
        return True
    if any(is_number(field) for field in first) or not any(first):
        return False
    return not any(field in column for field, column in zip(first, below, strict=True) if field)


def _is_numeric(column: Sequence[str]) -> bool:
    """Return whether a column has numbers, and nothing else but missing values."""
    found = {field for field in column if field not in MISSING}
    return bool(found) and all(map(is_number, found))


def _uneven(expected: int, got: int, rows: int) -> str:
    """Return what is said of a row of another length than the first."""
    text = f"{expected} fields expected, as in the first line, but got {got}"
    if rows == 1 and got == expected + 1 > 2:
        return (
            f"{text}; if lines begin with R's names of rows, put a name for these before the first "
            "line, or write the file with row.names = FALSE"
        )
    if rows == 1:
        return f"{text}; if the first line is a title or a comment, delete it"
    return text
