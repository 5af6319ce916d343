"""Read text files from any source, perhaps compressed."""

import bz2
import codecs
import gzip
import lzma
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import IO, Any

from ggexp import progress

#: Bytes of a file that are read at a time.
BLOCK_BYTES = 1 << 22
#: Largest number of characters in a line. A longer line is not a row of a table.
MAX_LINE_LENGTH = 1 << 24
#: Largest number of characters of user input that a message shows.
MAX_SHOWN = 300

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Endings of names that state the type of a file.
_ENDINGS = re.compile(
    r"(\.(csv|tsv|txt|data|dat|parquet|pq|xlsx|xls|dta|sav|gz|bz2|xz|zst|zip))+$", re.I
)
#: Errors that the readers of damaged compressed files raise.
DAMAGE_ERRORS = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError),
    *(RuntimeError, ValueError),  # for a zip with a password, and from Arrow
)


def _open_zstd(file: IO[bytes]) -> Any:
    """Return the decompressed stream; Python's own library can do this only from version 3.14."""
    import pyarrow as pa

    return pa.input_stream(file, compression="zstd")


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
_SIGNATURES = {
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


def check_kind(path: str | Path, content: bytes) -> None:
    """Raise ValueError naming a file and its type if its first bytes show that it is not text."""
    start = content[:100].lstrip().lower()
    for signature, description in _SIGNATURES.items():
        if start.startswith(signature.lower()):
            raise ValueError(f"{path}: not a table in text form, but {description}")


#: Endings of the names of compressed files, and functions that open such files.
COMPRESSED: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _open_zstd,
    ".zip": _open_zip,
}


def read_chunks(path: str | Path) -> Iterator[bytes]:
    """Yield the content of a file, decompressed, in chunks of at most `BLOCK_BYTES` bytes.

    Files whose names end in .gz, .bz2, .xz, .zst or .zip are compressed. A .zip must have one
    member.
    Raises ValueError naming the file if it is damaged or not a regular file.
    """
    path = Path(path)
    check_regular(path)
    ending = path.suffix.lower()
    with path.open("rb") as file, progress.of_file(file, path.name) as report:
        if ending not in COMPRESSED:
            while chunk := file.read(BLOCK_BYTES):
                report()
                yield chunk
            return
        try:
            content = COMPRESSED[ending](file)
        except LookupError as error:
            raise ValueError(f"{path}: {error}") from error
        except DAMAGE_ERRORS as error:
            raise _damaged(path, error) from error
        with content:
            while chunk := _read(path, content):
                report()
                yield chunk


def _read(path: Path, content: IO[bytes]) -> bytes:
    try:
        return content.read(BLOCK_BYTES)
    except DAMAGE_ERRORS as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> ValueError:
    return ValueError(f"{path}: not a {path.suffix.lower()} file, or damaged ({error})")


def check_regular(path: Path) -> None:
    """Raise ValueError if a path is a folder, a device, or a pipe, which may never end."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: must be a regular file, not a folder, a pipe or a device")


def save_stream(stream: IO[bytes], path: Path) -> None:
    """Write the content of a stream, such as standard input, to a new file.

    Raises ValueError naming the file if it exists already.
    """
    try:
        file = path.open("xb")
    except FileExistsError as error:
        raise ValueError(f"{path} exists already; name another file") from error
    try:
        with file:
            shutil.copyfileobj(stream, file)
    except BaseException:
        path.unlink()
        raise


def read_blocks(path: str | Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the decoded text of a file, without a byte order mark, in blocks of whole lines.

    Raises ValueError naming the file and the line if the file is not text in this encoding, has a
    NUL byte, or has a line of more than `MAX_LINE_LENGTH` characters.
    """
    encoding_name = encoding.upper() if encoding.startswith("utf") else encoding
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
    line, remainder = 1, ""
    for chunk in chain(read_chunks(path), [b""]):
        try:
            text = decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            line += error.object.count(b"\n", 0, error.start)
            message = f"not text in {encoding_name} ({error.reason})"
            raise ValueError(f"{path}, line {line}: {message}") from error
        except UnicodeError as error:  # UTF-16 without a byte order mark
            raise ValueError(f"{path}: not text in {encoding_name} ({error})") from error
        if "\0" in text:
            line += text.count("\n", 0, text.index("\0"))
            raise ValueError(f"{path}, line {line}: not text in {encoding_name} (a NUL byte)")
        line += text.count("\n")
        text = remainder + text
        # the line feed after a final carriage return may be in the next chunk
        end = 1 + max(text.rfind("\n"), text.rfind("\r", 0, -1)) if chunk else len(text)
        if end:
            yield text[:end]
        remainder = text[end:]
        if len(remainder) > MAX_LINE_LENGTH:
            raise ValueError(
                f"{path}, line {line}: more than {MAX_LINE_LENGTH:,} characters in a line"
            )


def stem(path: str | Path) -> str:
    """Return a file's name without the endings that state its type."""
    return _ENDINGS.sub("", Path(path).name)


def in_words(number: float) -> str:
    """Return a number in readable form: 490, 0.05, 4.7·10²⁵, or 10⁻⁵."""
    if isinstance(number, int):
        text = f"{number:,}" if abs(number) < 10**12 else f"{Decimal(number):.1e}"
    else:
        text = f"{number:g}"
    mantissa, *exponents = text.split("e")
    if not exponents:
        return text
    power = "10" + str(int(exponents[0])).translate(_SUPERSCRIPTS)
    return power if mantissa == "1" else f"{mantissa}·{power}"


def shortened(text: object) -> str:
    """Return the text, cut off if it is too long for a message."""
    whole = str(text)
    return whole if len(whole) <= MAX_SHOWN else f"{whole[:MAX_SHOWN]} …"
