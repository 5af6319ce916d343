"""How a data file and its numbers are written, and messages about its lines."""

import re
from pathlib import Path
from typing import Annotated, Self

import pyarrow as pa
from pydantic import model_validator

from ggexp.datasets.text import shortened
from ggexp.section import MisfitError, Section, SomeText, matching, one_of

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

#: Translation of blanks that do not end a line to plain blanks.
BLANKS = str.maketrans("\u00a0\u202f", "  ")


ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "gb18030", "shift_jis")
Character = Annotated[str, matching(r"[^\r\n\0]", "one character and no line end")]


class Form(Section):
    """How a file of data and its numbers are written; the default is comma-separated text."""

    sheet: SomeText | None = None
    """The sheet of an Excel workbook, by default the first that is not empty."""
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

    def plain_texts(self, texts: pa.LargeStringArray) -> pa.LargeStringArray:
        """Return the numbers in an array as `plain` returns each of them."""
        if self.decimal == "." and not self.thousands:
            return texts
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


def line_error(path: object, line: int, message: object) -> ValueError:
    """Return a ValueError about a line of a file."""
    return ValueError(f"{path}, line {line}: {shortened(message)}")
