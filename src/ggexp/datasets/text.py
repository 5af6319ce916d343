"""Reading a text file that somebody else may have written, perhaps a compressed one."""

import bz2
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

#: Bytes of a file of data, and of what a compressed one holds. Reading it takes about 20 times as
#: much memory.
MAX_BYTES = 200_000_000
#: Characters of a file that a message shows.
SHOWN = 300

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Endings of a name that tell what kind of file it is.
_ENDINGS = re.compile(
    r"(\.(csv|tsv|txt|data|dat|parquet|pq|xlsx|xls|dta|sav|gz|bz2|xz|zst|zip))+$", re.I
)
DAMAGED = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError),
    *(RuntimeError, ValueError),  # a zip with a password; Arrow's own errors
)


def _open_zstd(path: Path, mode: str) -> Any:
    """Return the stream of what a file compressed; Python itself can do so from 3.14 on."""
    import pyarrow as pa

    return pa.input_stream(str(path), compression="zstd")


#: What other files begin with, and what they are.
_SIGNATURES = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"PK\x03\x04": "a workbook of Excel or a zip: name it .xlsx or .zip",
    b"\xd0\xcf\x11\xe0": "an old workbook of Excel: name it .xls",
    b"PAR1": "Parquet: name it .parquet",
    b"$FL2": "a file of SPSS: name it .sav",
    b"<stata_dta>": "a file of Stata: name it .dta",
    b"\x1f\x8b": "compressed: name it .gz",
    b"BZh": "compressed: name it .bz2",
    b"\xfd7zXZ": "compressed: name it .xz",
    b"\x28\xb5\x2f\xfd": "compressed: name it .zst",
    b"SQLite format 3": "an SQLite database",
    b"RDX": "data of R: write it with write.csv",
    b"\x89HDF": "HDF5",
    b"<!doctype html": "a page of HTML",
    b"<html": "a page of HTML",
    b"<?xml": "XML",
    b'{"': "JSON",
    b"[{": "JSON",
}


def check_kind(path: str | Path, content: bytes) -> None:
    """Raise ValueError naming a file and what it is, if it is of a kind that is no text."""
    start = content[:100].lstrip().lower()
    for signature, what in _SIGNATURES.items():
        if start.startswith(signature.lower()):
            raise ValueError(f"{path}: is no table in text, but {what}")


#: What a compressed file's name ends in, and how it is opened.
COMPRESSED: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _open_zstd,
}


def read_bytes(path: str | Path) -> bytes:
    """Return what a file holds; of one that ends in .gz, .bz2, .xz, .zst or .zip, what is in it.

    A .zip must have one member. Raises ValueError naming the file where it is damaged, holds more
    than `MAX_BYTES` bytes, or is no regular file.
    """
    path = Path(path)
    check_regular(path)
    ending = path.suffix.lower()
    if ending == ".zip":
        content = _of_zip(path)
    elif ending in COMPRESSED:
        try:
            with COMPRESSED[ending](path, "rb") as file:
                content = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            raise
        except DAMAGED as error:
            raise ValueError(f"{path}: not a {ending} file, or damaged ({error})") from error
    else:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"{path}: more than the {MAX_BYTES:,} bytes that are read of a file of data"
        )
    return content


def check_regular(path: Path) -> None:
    """Raise ValueError where a path leads to a folder, a device, or a pipe, which may never end."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: must be a regular file, not a folder, a pipe or a device")


def save_stream(stream: IO[bytes], path: Path) -> None:
    """Write what a stream holds, such as standard input, into a file that is not there yet.

    Raises ValueError naming the file if it is there, or the stream holds more than `MAX_BYTES`.
    """
    content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"{path}: more than the {MAX_BYTES:,} bytes that are read of a file of data"
        )
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise ValueError(f"{path} is there already; name another file") from error


def _of_zip(path: Path) -> bytes:
    """Return the one member of a zip, as far as `MAX_BYTES` and a byte."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) == 1:
                with archive.open(members[0]) as file:
                    return _read(file)
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise ValueError(f"{path}: not a .zip file, or damaged ({error})") from error
    raise ValueError(f"{path}: must hold one file, but holds {len(members)}; extract the one")


def _read(file: IO[bytes]) -> bytes:
    return file.read(MAX_BYTES + 1)


def read_text(path: str | Path, encoding: str = "utf-8") -> str:
    """Return the text of a file in an encoding, without a byte order mark.

    Raises ValueError naming the file and the line where it is no such text or has a NUL byte, or
    naming the file where it has more than `MAX_BYTES` bytes.
    """
    return decode(path, read_bytes(path), encoding)


def decode(path: str | Path, content: bytes, encoding: str = "utf-8") -> str:
    """Return the text that a file holds; the rest is as for `read_text`."""
    named = encoding.upper() if encoding.startswith("utf") else encoding
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: not text in {named} ({error.reason})") from error
    except UnicodeError as error:  # of UTF-16 without its mark
        raise ValueError(f"{path}: not text in {named} ({error})") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"{path}, line {line}: not text in {named} (a NUL byte)")
    return text


def stem(path: str | Path) -> str:
    """Return a file's name without the endings that tell what kind of file it is."""
    return _ENDINGS.sub("", Path(path).name)


def in_words(number: float) -> str:
    """Return a number as people write it: 490, 0.05, 4.7·10²⁵, or 10⁻⁵."""
    if isinstance(number, int):
        text = f"{number:,}" if abs(number) < 10**12 else f"{Decimal(number):.1e}"
    else:
        text = f"{number:g}"
    mantissa, *exponents = text.split("e")
    if not exponents:
        return text
    power = "10" + str(int(exponents[0])).translate(_RAISED)
    return power if mantissa == "1" else f"{mantissa}·{power}"


def shown(text: object) -> str:
    """Return the text, cut off where it is too long for a message."""
    whole = str(text)
    return whole if len(whole) <= SHOWN else f"{whole[:SHOWN]} …"
