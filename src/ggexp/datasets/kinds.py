"""What a column of a file may be taken for: categorical, numeric, or what nobody can guess."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any

from ggexp.datasets.layout import POINTED
from ggexp.datasets.sniff import is_number

#: Levels of a categorical column of text, and of one of whole numbers.
LEVELS, NUMBERS_AS_LEVELS = 100, 10
#: Characters of a level; longer ones are sentences.
LEVEL = 60
#: Numbers that often stand for a missing value.
CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2})?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([,. ']\d{3})+")
#: A number with a currency, a percent sign, marks between thousands or a decimal comma.
_MARKED = re.compile(r"[<>~+-]?\s?[$€£¥]?\s?[+-]?\d[\d.,' ]*\s?(%|‰|[$€£¥])?")
_IDENTIFIER = re.compile(r"(^|[^a-z])(id|ids|key|uuid|index|row|rownames|nr|no)([^a-z]|$)", re.I)


@dataclass(frozen=True)
class Kind:
    """What a column is taken for.

    form: as in a configuration: "unused", {"levels": …} or {"from": …, "to": …, "width": …}.
    note: what to know of it, or why it is not used; may be empty.
    """

    form: str | dict[str, Any]
    note: str = ""

    @property
    def is_used(self) -> bool:
        """Whether it is used."""
        return self.form != "unused"

    @property
    def levels(self) -> list[str]:
        """The levels of a categorical column, else none."""
        return self.form["levels"] if isinstance(self.form, dict) and "levels" in self.form else []


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


def kind_of(name: str, fields: Sequence[str], records: int, bins: int, decimal: str) -> Kind:
    """Return what a column is taken for.

    fields: those that are not missing. records: how many there are, with missing ones. bins: about
    how many a numeric column has. decimal: the mark in the file's numbers.
    """
    if not fields:
        return unused("all of its values are missing")
    if len(fields) < records / 2:
        return unused("more than half of its values are missing")
    distinct = set(fields)
    if len(distinct) == 1:
        return unused("it has one value alone")
    numbers = {*pointed(distinct)} if decimal == "," else distinct
    if all(map(is_number, numbers)):
        return _numeric(name, len(fields), numbers, bins)
    return _textual(distinct, len(fields))


def _numeric(name: str, fields: int, distinct: set[str], bins: int) -> Kind:
    numbers = {Decimal(field) for field in distinct}
    whole = all(number == number.to_integral_value() for number in numbers)
    if whole and len(distinct) <= NUMBERS_AS_LEVELS:
        levels = sorted(distinct, key=lambda level: (Decimal(level), level))
        return Kind({"levels": levels}, _codes(numbers))
    low, high = min(numbers), max(numbers)
    if whole and len(numbers) == fields:
        if high - low == fields - 1 or _IDENTIFIER.search(name):
            return unused("an identifier, it seems: each record has another whole number")
    form = round_bins(low, high, bins)
    if form is None:
        return unused("its values differ too little, or too much, for bins of one width")
    return Kind(form, _codes(numbers))


def _codes(numbers: set[Decimal]) -> str:
    """Return a note on numbers that may stand for a missing value: they lie far from the others."""
    others = [number for number in numbers if number not in CODES] or [Decimal(0)]
    low, high = 2 * min(Decimal(0), *others), 2 * max(Decimal(0), *others)
    found = [code for code in CODES if code in numbers and high > low and not low <= code <= high]
    if not found:
        return ""
    return f"may stand for a missing value: {', '.join(map(str, found))}; if so, name it in missing"


def round_bins(low: Decimal, high: Decimal, about: int) -> dict[str, int | float] | None:
    """Return from, to and width of about so many bins that hold both numbers.

    The width is 1, 2 or 5 times a power of ten, and from and to are multiples of it. None where
    floating point has no such bins.
    """
    with localcontext() as context:
        context.prec = 700  # of numbers as far apart as 1e-300 and 1e300
        span = high - low
        if not span:
            return None
        power = (span / about).adjusted()
        width = next(
            step
            for step in (Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10))
            if step * about >= span
        )
        start = (low / width).to_integral_value(ROUND_FLOOR) * width
        stop = (high / width).to_integral_value(ROUND_CEILING) * width
        bins = round((stop - start) / width)
    form = {"from": _plain(start), "to": _plain(stop), "width": _plain(width)}
    edges = [form["from"] + (form["to"] - form["from"]) * i / bins for i in range(bins)]
    edges.append(form["to"])
    grows = all(lower < upper for lower, upper in pairwise(edges))
    holds = form["from"] <= float(low) and float(high) <= form["to"]
    exact = form["width"] > 0 and abs((form["to"] - form["from"]) / form["width"] - bins) < 1e-9
    return form if grows and holds and exact else None


def _plain(number: Decimal) -> int | float:
    """Return a number as a whole one, if it is one that is written without an exponent."""
    return (
        int(number)
        if number == number.to_integral_value() and abs(number) < 10**15
        else float(number)
    )


def _textual(distinct: set[str], records: int) -> Kind:
    if all(map(_DATE.fullmatch, distinct)):
        return unused("dates or times: add a column of what you need of them, such as the year")
    if all(map(_MARKED.fullmatch, distinct)):
        return unused(
            "numbers with signs, such as % or $, or with commas: write plain ones, such as 1234.5"
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
