"""What a column of a file may be taken for: categorical, numeric, or what nobody can guess."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.bins import bins_of
from ggexp.datasets.layout import POINTED
from ggexp.datasets.sniff import is_number

#: Levels of a categorical column of text, and of one of whole numbers, such as the hours of a day.
LEVELS, NUMBERS_AS_LEVELS = 100, 24
#: Records that each of more than ten whole numbers must have on average to be a level.
RECORDS_OF_A_LEVEL = 5
#: An identifier has more values: so many may be the levels of a column with its name.
IDENTIFIED = 10
#: Characters of a level; longer ones are sentences.
LEVEL = 60
#: Numbers that often stand for a missing value.
CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2})?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([,. ']\d{3})+")
#: A number with a currency, a percent sign, marks between thousands or a decimal comma.
_MARKED = re.compile(r"[<>~+-]?\s?[$€£¥]?\s?[+-]?\d[\d.,' ]*\s?(%|‰|[$€£¥])?")
_PLAIN = str.maketrans(",", ".")
_IDENTIFIER = re.compile(r"(^|[^a-z])(id|ids|key|uuid|index|row|rownames|nr|no)([^a-z]|$)", re.I)


@dataclass(frozen=True)
class Kind:
    """What a column is taken for.

    form: as in a configuration: "unused", {"levels": …}, {"from": …, "to": …, "width": …} or
        {"edges": …}.
    note: what to know of it, or why it is not used; may be empty.
    numbers: the sorted values of a column that has bins, none of another one.
    """

    form: str | dict[str, Any]
    note: str = ""
    numbers: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), compare=False)

    @property
    def is_used(self) -> bool:
        """Whether it is used."""
        return self.form != "unused"

    @property
    def levels(self) -> list[str]:
        """The levels of a categorical column, else none."""
        return self.form["levels"] if isinstance(self.form, dict) and "levels" in self.form else []

    @property
    def values(self) -> int:
        """How many levels or bins it has."""
        form: Any = self.form
        match form:
            case {"levels": levels}:
                return len(levels)
            case {"edges": edges}:
                return len(edges) - 1
            case {"from": start, "to": stop, "width": width}:
                return round((stop - start) / width)
        return 1

    def with_bins(self, about: int) -> "Kind":
        """Return the same column with about so many bins, if it has bins."""
        form = bins_of(self.numbers, about) if self.numbers.size else None
        return replace(self, form=form) if form else self


def unused(why: str) -> Kind:
    """Return a column that is not used, and why."""
    return Kind("unused", why)


def decimal_mark(columns: Iterable[Sequence[str]]) -> str:
    """Return the mark in a file's numbers: a comma where a column shows it, and none has a point.

    columns: the fields of each that are not missing. 1,234 shows nothing: it may be a thousand.
    """
    mark = "."
    for fields in map(set, columns):
        if all(map(is_number, fields)):
            if any("." in field for field in fields):
                return "."
        elif all(is_number(field) for field in pointed(fields)):
            if not all(map(_THOUSANDS.fullmatch, (field for field in fields if "," in field))):
                mark = ","
    return mark


def pointed(fields: Iterable[str]) -> list[str]:
    """Return numbers with a decimal comma as those with a point."""
    return [field.translate(POINTED) for field in fields]


def kind_of(name: str, fields: Sequence[str], records: int, decimal: str) -> Kind:
    """Return what a column is taken for, a numeric one with about ten bins.

    fields: those that are not missing. records: how many there are, with missing ones. decimal: the
    mark in the file's numbers.
    """
    if not fields:
        return unused("all of its values are missing")
    if len(fields) < records / 2:
        return unused("more than half of its values are missing")
    distinct = set(fields)
    if len(distinct) == 1:
        return unused("it has one value alone")
    is_named = len(distinct) > IDENTIFIED and _IDENTIFIER.search(name)
    texts = pointed(fields) if decimal == "," else fields
    if all(map(is_number, set(texts))):
        return _numeric(texts, distinct, is_identifier=bool(is_named))
    if is_named:
        return unused("an identifier, by its name")
    return _textual(distinct, len(fields), decimal)


def _numeric(texts: Sequence[str], levels: set[str], *, is_identifier: bool) -> Kind:
    """Return what a column of numbers is. texts: with a point. levels: as in the file."""
    numbers = {Decimal(text) for text in set(texts)}
    whole = all(number == number.to_integral_value() for number in numbers)
    if whole and is_identifier:
        return unused("an identifier, by its name")
    few = max(IDENTIFIED, min(NUMBERS_AS_LEVELS, len(texts) // RECORDS_OF_A_LEVEL))
    if whole and len(levels) <= few:
        ordered = sorted(levels, key=lambda level: (Decimal(level.translate(_PLAIN)), level))
        return Kind({"levels": ordered}, _codes(numbers))
    if whole and len(numbers) == len(texts) == max(numbers) - min(numbers) + 1:
        return unused("an identifier, it seems: each record has another whole number")
    values = np.sort(np.array(texts, dtype=np.float64))
    form = bins_of(values, 10)
    if form is None:
        return unused("its values differ too little, or too much, for bins of one width")
    return Kind(form, _codes(numbers), values)


def _codes(numbers: set[Decimal]) -> str:
    """Return a note on numbers that may stand for a missing value: they lie far from the others."""
    others = [number for number in numbers if number not in CODES] or [Decimal(0)]
    low, high = 2 * min(Decimal(0), *others), 2 * max(Decimal(0), *others)
    found = [code for code in CODES if code in numbers and high > low and not low <= code <= high]
    if not found:
        return ""
    return f"may stand for a missing value: {', '.join(map(str, found))}; if so, name it in missing"


def _textual(distinct: set[str], records: int, decimal: str) -> Kind:
    if all(map(_DATE.fullmatch, distinct)):
        return unused("dates or times: add a column of what you need of them, such as the year")
    if all(map(_MARKED.fullmatch, distinct)):
        return unused(
            "numbers with signs, such as % or $, or with marks between thousands: write plain "
            f"ones, such as 1234{decimal}5"
        )
    if max(map(len, distinct)) > LEVEL:
        return unused("free text, it seems: some values are long")
    if len(distinct) > max(5, 0.9 * records):
        return unused("an identifier or free text, it seems: almost each record has another text")
    if len(distinct) > min(LEVELS, max(5, records / 2)):
        return unused(f"free text, or too many levels to propose them: {len(distinct):,}")
    if sum(map(is_number, distinct)) > max(5, len(distinct) / 2):
        return unused("most of its values are numbers, but not all: name what is not in missing")
    return Kind({"levels": sorted(distinct)})
