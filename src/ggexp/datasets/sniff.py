"""Read a data file of unknown format: detect its encoding, separator, quotes and header."""

import codecs
import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator
from functools import partial
from itertools import islice, product
from pathlib import Path

from ggexp.datasets.form import BLOCK_BYTES, SIGNATURES, Form, Source, type_of
from ggexp.datasets.reader import Fields, csv_reader, read_columns

#: Possible separators; characters that rarely occur within a field come first.
SEPARATORS = ("\t", ";", "|", ",", " ")
#: Largest numbers of characters and of lines from which the form of a file is detected.
SAMPLE_CHARACTERS, SAMPLE_LINES = 200_000, 200
_NON_TEXT = re.compile("[\0-\x08\x0e-\x1f]")
_QUOTED = re.compile("'.*'", re.S)


def sniff(path: str | Path, form: Form | None = None, header: bool | None = None) -> Fields:
    """Return the fields of a data file. form: how it is written; None detects it.

    header: whether the first row names the columns; None decides this by the fields.
    """
    source = Source(Path(path))
    fields = read_columns(source, form or detect_form(path))
    if header is None:
        header = bool(type_of(source.path)) or fields.seems_to_have_header()
    if not header:
        fields = fields.without_header()
    if not fields.records:
        raise ValueError(f"{source}: no records below the names of the columns")
    return fields


def detect_form(path: str | Path) -> Form:
    """Return how a file is written."""
    source = Source(Path(path))
    if type_of(source.path):
        return Form()
    with source.decompressed() as stream:
        start = stream.read(BLOCK_BYTES)
    for signature, description in SIGNATURES.items():
        if start[:100].lstrip().lower().startswith(signature.lower()):
            raise ValueError(f"{source}: not a table in text form, but {description}")
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
    best, best_share, best_rows = Form(encoding=encoding), 0.0, list[list[str]]()
    for quote, separator in product(('"', "'") if "'" in sample else ('"',), SEPARATORS):
        form = Form(separator=separator, quote=quote, encoding=encoding)
        rows = list(islice(_sample_rows(sample, form), SAMPLE_LINES))
        # the last row may be cut off
        complete_rows = rows if is_complete and len(rows) < SAMPLE_LINES else rows[:-1]
        # the share of rows with the most common number of fields, if that is not 1
        width, number = next(iter(Counter(map(len, complete_rows)).most_common(1)), (0, 0))
        share = number / len(complete_rows) if width > 1 else 0.0
        if share > best_share:  # one line may be wrong; a later message reports it
            best, best_share, best_rows = form, share, complete_rows
    columns = zip(*best_rows[1:], strict=True) if best_share == 1 else ()
    # a column of which all fields are in single quotes
    if any(all(map(_QUOTED.fullmatch, fields)) for fields in columns):
        return best.model_copy(update={"quote": "'"})
    return best


def _detect_encoding(source: Source, start: bytes) -> str:
    """Return the encoding: UTF-16 with a byte order mark, valid UTF-8, or otherwise a guess."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        try:
            with source.decompressed() as stream:
                deque(codecs.iterdecode(iter(partial(stream.read, BLOCK_BYTES), b""), encoding), 0)
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
