"""What a column of a file may be taken for: categorical, numeric, or what nobody can guess."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any

from ggexp.datasets.sniff import is_number

#: Levels of a categorical column of text, and of one of whole numbers.
LEVELS, NUMBERS_AS_LEVELS = 100, 10
#: Bins that a numeric column has about.
BINS = 10
#: Characters of a level; longer ones are sentences.
LEVEL = 60
#: Numbers that often stand for a missing value.
CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2})?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
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


def kind_of(name: str, fields: Sequence[str], records: int) -> Kind:
    """Return what a column is taken for.

    fields: those that are not missing. records: how many there are, with missing ones.
    """
    if not fields:
        return unused("all of its values are missing")
    if len(fields) < records / 2:
        return unused("more than half of its values are missing")
    distinct = set(fields)
    if len(distinct) == 1:
        return unused("it has one value alone")
    if all(map(is_number, distinct)):
        return _numeric(name, fields, distinct)
    return _textual(distinct, len(fields))


def _numeric(name: str, fields: Sequence[str], distinct: set[str]) -> Kind:
    numbers = {Decimal(field) for field in distinct}
    whole = all(number == number.to_integral_value() for number in numbers)
    if whole and len(distinct) <= NUMBERS_AS_LEVELS:
        levels = sorted(distinct, key=lambda level: (Decimal(level), level))
        return Kind({"levels": levels}, _codes(numbers))
    low, high = min(numbers), max(numbers)
    if whole and len(numbers) == len(fields):
        if high - low == len(fields) - 1 or _IDENTIFIER.search(name):
            return unused("an identifier, it seems: each record has another whole number")
    form = round_bins(low, high)
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


def round_bins(low: Decimal, high: Decimal) -> dict[str, int | float] | None:
    """Return from, to and width of about `BINS` bins that hold both numbers.

    The width is 1, 2 or 5 times a power of ten, and from and to are multiples of it. None where
    floating point has no such bins.
    """
    with localcontext() as context:
        context.prec = 700  # of numbers as far apart as 1e-300 and 1e300
        span = high - low
        if not span:
            return None
        power = (span / BINS).adjusted()
        width = next(
            step
            for step in (Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10))
            if step * BINS >= span
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
        return unused("dates or times: make of them what you ask for, such as a year, in a column")
    if all(is_number(text) or _DECIMAL_COMMA.fullmatch(text) for text in distinct):
        return unused("numbers with a decimal comma: write them with a point")
    if max(map(len, distinct)) > LEVEL:
        return unused("free text, it seems: some values are long")
    if len(distinct) > max(5, 0.9 * records):
        return unused("an identifier or free text, it seems: almost each record has another text")
    if len(distinct) > min(LEVELS, max(5, records / 2)):
        return unused(f"free text, or too many levels to propose them: {len(distinct):,}")
    if sum(map(is_number, distinct)) > max(5, len(distinct) / 2):
        return unused("most of its values are numbers, but not all: name what is not in missing")
    return Kind({"levels": sorted(distinct)})
