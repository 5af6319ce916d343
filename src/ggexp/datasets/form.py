"""How a data file and its numbers are written, and messages about its lines."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ggexp.datasets.text import shortened

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


@dataclass(frozen=True)
class Form:
    """How a file is written.

    separator: the character between two fields of delimited text.
    quote: the character around a field that contains a separator; it is doubled within the field.
    encoding: the encoding of the text.
    sheet: the name of the sheet of a workbook; None reads the first one that is not empty.
    """

    separator: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    sheet: str | None = None


#: Comma-separated text in UTF-8.
PLAIN = Form()


@dataclass(frozen=True)
class Marks:
    """The marks in numbers: a point or a comma, and perhaps a mark after every three digits."""

    decimal: str = "."
    thousands: str = ""

    def plain(self, text: str) -> str:
        """Return a number without thousands marks and with a decimal point.

        The result is empty if the text has other marks than these.
        """
        if self.thousands:
            text = text.translate(BLANKS) if self.thousands == " " else text
            if self.thousands in text and not is_grouped(text, self.thousands, self.decimal):
                return ""
            text = text.replace(self.thousands, "")
        if self.decimal == ",":
            text = "" if "." in text else text.replace(",", ".")
        return text


def is_grouped(text: str, thousands: str, decimal: str = ".") -> bool:
    """Return whether exactly three digits follow each thousands mark."""
    mark, point = re.escape(thousands), re.escape(decimal)
    pattern = rf"[+-]?\d{{1,3}}({mark}\d{{3}})+({point}\d*)?"
    return re.fullmatch(pattern, text, re.ASCII) is not None


#: Numbers with a decimal point and no thousands marks.
NO_MARKS = Marks()


def type_of(path: str | Path) -> str:
    """Return the type of a file by its name: Parquet, Excel, Stata, SPSS, SAS, or "" for text.

    Files of the named types contain the names of their columns.
    """
    return TYPES.get(Path(path).suffix.lower(), "")


def line_error(path: object, line: int, message: object) -> ValueError:
    """Return a ValueError about a line of a file."""
    return ValueError(f"{path}, line {line}: {shortened(message)}")


def column_positions(
    path: object, header: Sequence[str], wanted: Sequence[str], line: int = 1
) -> list[int]:
    """Return the position of each wanted column in a header."""
    occurrences = Counter(header)
    for name in wanted:
        if occurrences[name] != 1:
            problem = f"has {occurrences[name]} columns named" if occurrences[name] else "has no"
            known = ", ".join(map(repr, header))
            raise line_error(path, line, f"the header {problem} {name!r}; it has {known}")
    positions = {name: position for position, name in enumerate(header)}
    return [positions[name] for name in wanted]
