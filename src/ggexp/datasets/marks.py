"""The decimal and thousands marks of the numbers in a file."""

import re
from dataclasses import dataclass

#: Translation of blanks that do not end a line to plain blanks.
BLANKS = str.maketrans("\u00a0\u202f", "  ")


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
