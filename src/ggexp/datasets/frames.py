"""Read the rows of Excel workbooks and of Stata and SPSS files with pandas."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ggexp.datasets.text import check_regular, shortened

#: Largest numbers of bytes and of values of such a file, which is read into memory as a whole.
MAX_BYTES = 200_000_000
MAX_VALUES = 20_000_000
#: For each ending of a file's name, the program that writes such files.
PROGRAMS = {".xlsx": "Excel", ".xls": "Excel", ".dta": "Stata", ".sav": "SPSS"}


def read_frame(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields, as text, of the column names and each non-blank row.

    Of a workbook only the first sheet is read; its first row names the columns. Labelled values
    become their labels, whole numbers have no decimals, and a missing value is the empty text.
    Raises ValueError naming the file if it is not of the type that its name states, or too large.
    """
    check_regular(path)
    _check_size(path)
    program = PROGRAMS[path.suffix.lower()]
    try:
        frame = _read(path)
    except OSError:
        raise
    except Exception as error:  # three packages parse these files, each with its own errors
        raise ValueError(f"{path}: not a valid {program} file ({shortened(error)})") from error
    if frame.size > MAX_VALUES:
        raise ValueError(f"{path}: at most {MAX_VALUES:,} values are allowed in a {program} file")
    yield 1, ["" if _is_unnamed(name) else str(name).strip() for name in frame.columns]
    columns = [_texts(frame.iloc[:, position]) for position in range(frame.shape[1])]
    for line, fields in enumerate(zip(*columns, strict=True), 2):
        if any(fields):
            yield line, list(fields)


def _check_size(path: Path) -> None:
    """Raise ValueError if a file, or a workbook once decompressed, is larger than `MAX_BYTES`."""
    size = path.stat().st_size
    if path.suffix.lower() == ".xlsx" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            size = max(size, sum(member.file_size for member in archive.infolist()))
    if size > MAX_BYTES:
        raise ValueError(f"{path}: at most {MAX_BYTES:,} bytes are allowed, got {size:,}")


def _read(path: Path) -> Any:
    import pandas as pd

    match path.suffix.lower():
        case ".dta":
            try:
                return pd.read_stata(path)
            except ValueError:  # two values have the same label
                return pd.read_stata(path, convert_categoricals=False)
        case ".sav":
            return pd.read_spss(path)
    return pd.read_excel(path, dtype=object, na_filter=False)


def _is_unnamed(name: object) -> bool:
    """Return whether pandas invented the name because the column has none."""
    return str(name).startswith("Unnamed: ")


def _texts(column: Any) -> list[str]:
    """Return a column as text; without decimals if all of its numbers are whole."""
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    missing = column.isna()
    return [
        "" if is_missing else str(value).strip()
        for value, is_missing in zip(column, missing, strict=True)
    ]
