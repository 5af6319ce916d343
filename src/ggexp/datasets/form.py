"""How a data file and its numbers are written, and messages about its lines."""

import bz2
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Self

from pydantic import model_validator

from ggexp.section import MisfitError, Section, SomeText, allowed, one_of
from ggexp.words import shortened

if TYPE_CHECKING:
    import pyarrow as pa

#: Bytes of a file that are read at a time.
BLOCK_BYTES = 1 << 22
#: Largest number of bytes of a compressed file, once decompressed; a small file may have very many.
MAX_DECOMPRESSED_BYTES = 1_000_000_000
#: Largest number of characters in a line. A longer line is not a row of a table.
MAX_LINE_LENGTH = 1 << 24
#: Ending of a file's name -> the program that writes such files. All others are delimited text.
TYPES = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".xlsx": "Excel",
    ".xls": "Excel",
    ".dta": "Stata",
    ".sav": "SPSS",
    ".zsav": "SPSS",
    ".xpt": "SAS",
    ".sas7bdat": "SAS",
}
#: Such a program -> the module that reads its files. `reader` imports it by this name, so that jobs
#: depend on the modules of their own files only.
READERS = {
    "Excel": "ggexp.datasets.workbook",
    **dict.fromkeys(("Stata", "SPSS", "SAS"), "ggexp.datasets.labelled"),
}
#: Endings of the names of files of delimited text.
TEXTS = (".csv", ".tsv", ".txt", ".data", ".dat")
#: Translation of blanks that do not end a line to plain blanks.
BLANKS = str.maketrans("\u00a0\u202f", "  ")
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "gb18030", "shift_jis")
#: Characters that change how the text around them is shown, or begin a line: those of Unicode's
#: categories Cc, Zl and Zp, and those with its property Bidi_Control. Joiners are not among them.
CONTROLS = "\\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
Character = Annotated[str, allowed("one character and no line end", r"[^\r\n\0]")]

#: Errors that the readers of damaged compressed files raise.
DAMAGE_ERRORS = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError),
    *(RuntimeError, ValueError),  # for a zip with a password, and from Arrow
)


def _open_zip(file: IO[bytes]) -> IO[bytes]:
    """Return the stream of the only member of a zip."""
    archive = zipfile.ZipFile(file)
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise LookupError(
            f"must contain one file, but contains {len(members)}; extract one of them"
        )
    return archive.open(members[0])


#: First bytes of files that are not text tables -> description of such a file.
SIGNATURES = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"PK\x03\x04": "an Excel workbook or a zip file: name it .xlsx or .zip",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: name it .xls",
    b"PAR1": "a Parquet file: name it .parquet",
    b"$FL2": "an SPSS file: name it .sav",
    b"<stata_dta>": "a Stata file: name it .dta",
    b"\x1f\x8b": "a compressed file: name it .gz",
    b"BZh": "a compressed file: name it .bz2",
    b"\xfd7zXZ": "a compressed file: name it .xz",
    b"\x28\xb5\x2f\xfd": "a compressed file: name it .zst",
    b"SQLite format 3": "an SQLite database",
    b"RDX": "R data: export it with write.csv",
    b"\x89HDF": "an HDF5 file",
    b"<!doctype html": "an HTML page",
    b"<html": "an HTML page",
    b"<?xml": "XML",
    b'{"': "JSON",
    b"[{": "JSON",
}


def _open_zst(file: IO[bytes]) -> IO[bytes]:
    import pyarrow as pa  # Python itself can read .zst from 3.14 on

    return pa.input_stream(file, compression="zstd")


#: Endings of the names of compressed files, and functions that open such files.
COMPRESSED: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _open_zst,
    ".zip": _open_zip,
}


@dataclass(frozen=True)
class Source:
    """A data file, compressed if its name ends in .gz, .bz2, .xz, .zst or .zip (of one member)."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def ending(self) -> str:
        """The ending of the file's name, in lower case."""
        return self.path.suffix.lower()

    def open(self) -> IO[bytes]:
        """Return a stream of the file's bytes."""
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"{self}: must be a regular file, not a folder, a pipe or a device")
        return self.path.open("rb")

    @contextmanager
    def decompressed(self) -> Iterator[IO[bytes]]:
        """Provide a stream of the decompressed bytes; at a terminal, a bar shows long reading."""
        from tqdm import tqdm

        with ExitStack() as stack:
            opened = stack.enter_context(self.open())
            size, title = os.fstat(opened.fileno()).st_size, f"reading {self.path.name}"
            shown = tqdm.wrapattr(
                opened, "read", size, desc=title, delay=2, leave=False, disable=None
            )
            content = stack.enter_context(shown)
            try:
                if self.ending in COMPRESSED:
                    content = stack.enter_context(COMPRESSED[self.ending](content))
            except LookupError as error:
                raise ValueError(f"{self}: {error}") from error
            except DAMAGE_ERRORS as error:
                raise self.damaged(error) from error
            yield io.BufferedReader(_Stream(content, self), BLOCK_BYTES)

    def lines(self, encoding: str) -> Iterator[str]:
        """Yield the lines of the decoded text, with their ends, without a byte order mark."""
        name = encoding.upper() if encoding.startswith("utf") else encoding
        number = 0
        with self.decompressed() as stream:
            decoder = "utf-8-sig" if encoding == "utf-8" else encoding
            text = io.TextIOWrapper(stream, decoder, newline="")
            while True:
                number += 1
                try:
                    line = text.readline(MAX_LINE_LENGTH + 1)
                except UnicodeDecodeError as error:
                    number += error.object.count(b"\n", 0, error.start)
                    message = f"not text in {name} ({error.reason})"
                    raise ValueError(f"{self}, line {number}: {message}") from error
                except UnicodeError as error:  # UTF-16 without a byte order mark
                    raise ValueError(f"{self}: not text in {name} ({error})") from error
                if "\0" in line:
                    raise ValueError(f"{self}, line {number}: not text in {name} (a NUL byte)")
                if len(line) > MAX_LINE_LENGTH:
                    limit = f"more than {MAX_LINE_LENGTH:,} characters in a line"
                    raise ValueError(f"{self}, line {number}: {limit}")
                if not line:
                    return
                yield line

    def damaged(self, error: Exception) -> ValueError:
        """Return an error about a damaged file."""
        return ValueError(f"{self}: not a {self.ending or 'regular'} file, or damaged ({error})")


@dataclass
class _Stream(io.RawIOBase):
    """The decompressed bytes of a file, with the errors of reading them."""

    content: IO[bytes]
    source: Source
    size: int = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into the buffer, and return their number."""
        try:
            chunk = self.content.read(len(buffer))
        except DAMAGE_ERRORS as error:
            raise self.source.damaged(error) from error
        self.size += len(chunk)
        if self.size > MAX_DECOMPRESSED_BYTES and self.source.ending in COMPRESSED:
            raise ValueError(
                f"{self.source}: at most {MAX_DECOMPRESSED_BYTES:,} bytes are allowed once the "
                "file is decompressed; if it is a table, decompress it first"
            )
        buffer[: len(chunk)] = chunk
        return len(chunk)


def stem(path: str | Path) -> str:
    """Return a file's name without the endings that state its type."""
    name = Path(Path(path).name)
    while name.suffix.lower() in {*TEXTS, *TYPES, *COMPRESSED}:
        name = name.with_suffix("")
    return str(name)


class Form(Section):
    """How a file of data and its numbers are written; the default is comma-separated text."""

    sheet: SomeText | None = None
    """The sheet of an Excel workbook, by default the first that is neither hidden nor empty."""
    separator: Character = ","
    """The character between two fields, by default a comma."""
    quote: Character = '"'
    """The character around fields that contain a separator, by default the double quote."""
    encoding: Annotated[str, one_of(ENCODINGS)] = "utf-8"
    """The encoding of the text, by default utf-8."""
    decimal: Annotated[str, one_of((".", ","))] = "."
    """Decimal separator of the numbers in the file, by default a point."""
    thousands: Annotated[str, one_of((",", ".", " ", "'"))] = ""
    """Thousands separator of the numbers in the file, by default none."""

    def plain(self, text: str) -> str:
        """Return a number with a decimal point and no other mark; "" if it has wrong marks."""
        if self.thousands:
            text = text.translate(BLANKS) if self.thousands == " " else text
            if self.thousands in text and not is_grouped(text, self.thousands, self.decimal):
                return ""
            text = text.replace(self.thousands, "")
        if self.decimal == ",":
            text = "" if "." in text else text.replace(",", ".")
        return text

    def plain_texts(self, texts: "pa.LargeStringArray") -> "pa.LargeStringArray":
        """Return the numbers in an array as `plain` returns each of them."""
        if self.decimal == "." and not self.thousands:
            return texts
        import pyarrow as pa

        return pa.array(map(self.plain, texts.to_pylist()), pa.large_string())

    @model_validator(mode="after")
    def _check_form(self) -> Self:
        if self.separator == self.quote:
            raise MisfitError(f"must differ from the separator, got {self.quote!r}", "quote")
        return self


def is_grouped(text: str, thousands: str, decimal: str = ".") -> bool:
    """Return whether exactly three digits follow each thousands mark."""
    mark, point = re.escape(thousands), re.escape(decimal)
    pattern = rf"[+-]?\d{{1,3}}({mark}\d{{3}})+({point}\d*)?"
    return re.fullmatch(pattern, text, re.ASCII) is not None


def type_of(path: str | Path) -> str:
    """Return the type of a file that names its columns, such as Parquet, or "" for text."""
    return TYPES.get(Path(path).suffix.lower(), "")


def readers_of(path: str | Path) -> list[str]:
    """Return the module of `READERS` that reads a file, in a list, or no module."""
    return [READERS[kind]] if (kind := type_of(path)) in READERS else []


def line_error(path: object, line: int, message: object) -> ValueError:
    """Return a ValueError about a line of a file."""
    return ValueError(f"{path}, line {line}: {shortened(message)}")
