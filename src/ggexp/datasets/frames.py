"""The rows of a workbook of Excel and of a data file of Stata or SPSS, read by pandas."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ggexp.datasets.text import check_regular, shown

#: Bytes and values of a file that is held as a whole.
MAX_BYTES = 200_000_000
MAX_VALUES = 20_000_000
#: What is called so by the ending of a file's name, and the package that pandas reads it with.
PROGRAMS = {
    ".xlsx": ("Excel", "openpyxl"),
    ".xls": ("Excel", "xlrd"),
    ".dta": ("Stata", ""),
    ".sav": ("SPSS", "pyreadstat"),
}


def read_frame(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row that is not blank and its fields as text, names first.

    Of a workbook the first sheet is read, whose first row names the columns. Values with labels are
    their labels, whole numbers have no decimals, and a missing value is the empty text.
    Raises ValueError naming the file if it is no such file, too large, or pandas lacks a package.
    """
    check_regular(path)
    _check_size(path)
    program, package = PROGRAMS[path.suffix.lower()]
    try:
        frame = _read(path)
    except ImportError as error:
        raise ValueError(
            f"{path}: {program} files need the package {package}: pip install {package} or "
            "'ggexp[files]', or save the file as CSV"
        ) from error
    except OSError:
        raise
    except Exception as error:  # of parsers in three packages, each with errors of its own
        raise ValueError(f"{path}: not a valid {program} file ({shown(error)})") from error
    if frame.size > MAX_VALUES:
        raise ValueError(f"{path}: at most {MAX_VALUES:,} values are allowed in a {program} file")
    yield 1, ["" if _is_unnamed(name) else str(name).strip() for name in frame.columns]
    columns = [_texts(frame.iloc[:, place]) for place in range(frame.shape[1])]
    for line, fields in enumerate(zip(*columns, strict=True), 2):
        if any(fields):
            yield line, list(fields)


def _check_size(path: Path) -> None:
    """Raise ValueError for a file above `MAX_BYTES`, or a workbook of which that is compressed."""
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
            except ValueError:  # two values have one label
                return pd.read_stata(path, convert_categoricals=False)
        case ".sav":
            return pd.read_spss(path)
    return pd.read_excel(path, dtype=object, na_filter=False)


def _is_unnamed(name: object) -> bool:
    """Return whether pandas made the name up of a column without one."""
    return str(name).startswith("Unnamed: ")


def _texts(column: Any) -> list[str]:
    """Return a column as text; numbers that are whole in all rows without decimals."""
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    missing = column.isna()
    return [
        "" if lacks else str(value).strip() for value, lacks in zip(column, missing, strict=True)
    ]
