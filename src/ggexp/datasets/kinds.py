"""What a column of a file may be taken for: categorical, numeric, or what nobody can guess."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ggexp.datasets.bins import Numbers, bins_of
from ggexp.datasets.columns import each
from ggexp.datasets.layout import POINTED
from ggexp.datasets.sniff import are_numbers, is_number

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
    numbers: those of a column that has bins, None of another one.
    """

    form: str | dict[str, Any]
    note: str = ""
    numbers: Numbers | None = field(default=None, compare=False)

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
        form = bins_of(self.numbers, about) if self.numbers else None
        return replace(self, form=form) if form else self


def unused(why: str) -> Kind:
    """Return a column that is not used, and why."""
    return Kind("unused", why)


def decimal_mark(columns: Iterable[pa.LargeStringArray]) -> str:
    """Return the mark in a file's numbers: a comma where a column shows it, and none has a point.

    columns: the fields of each that are not missing. 1,234 shows nothing: it may be a thousand.
    """
    mark = "."
    for texts in columns:
        if are_numbers(texts):
            if pc.any(pc.match_substring(texts, ".")).as_py():
                return "."
        elif are_numbers(pointed(texts)):
            commas = texts.filter(pc.match_substring(texts, ","))
            if not all(map(_THOUSANDS.fullmatch, each(commas))):
                mark = ","
    return mark


def pointed(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return numbers with a decimal comma as those with a point."""
    if not pc.any(pc.match_substring_regex(texts, "[,.]")).as_py():
        return texts
    return pa.array([text.translate(POINTED) for text in each(texts)], pa.large_string())


def kind_of(
    name: str, texts: pa.LargeStringArray, counts: NDArray[np.int64], records: int, decimal: str
) -> Kind:
    """Return what a column is taken for, a numeric one with about ten bins.

    texts: its different fields, those that are not missing. counts: how many records have each.
    records: how many there are, with missing ones. decimal: the mark in the file's numbers.
    """
    present = int(counts.sum())
    if not present:
        return unused("all of its values are missing")
    if present < records / 2:
        return unused("more than half of its values are missing")
    if len(texts) == 1:
        return unused("it has only one value")
    is_named = len(texts) > IDENTIFIED and _IDENTIFIER.search(name)
    plain = pointed(texts) if decimal == "," else texts
    if are_numbers(plain):
        return _numeric(plain, texts, counts, is_identifier=bool(is_named))
    if is_named:
        return unused("an identifier, by its name")
    return _textual(texts, present, decimal)


def _numeric(
    plain: pa.LargeStringArray,
    levels: pa.LargeStringArray,
    counts: NDArray[np.int64],
    *,
    is_identifier: bool,
) -> Kind:
    """Return what a column of numbers is. plain: with a point. levels: as in the file."""
    values = pc.cast(pc.replace_substring_regex(plain, r"^\+", ""), pa.float64()).to_numpy()
    present = int(counts.sum())
    whole = bool((values == np.trunc(values)).all())
    if whole and is_identifier:
        return unused("an identifier, by its name")
    few = max(IDENTIFIED, min(NUMBERS_AS_LEVELS, present // RECORDS_OF_A_LEVEL))
    if whole and len(levels) <= few:
        ordered = sorted(
            levels.to_pylist(), key=lambda level: (Decimal(level.translate(_PLAIN)), level)
        )
        return Kind({"levels": ordered}, _codes(values))
    if whole and len(np.unique(values)) == present == values.max() - values.min() + 1:
        return unused("probably an identifier: each record has a different whole number")
    numbers = Numbers.of(values, counts)
    form = bins_of(numbers, 10)
    if form is None:
        return unused("the range of its values is too small or too large for bins of one width")
    return Kind(form, _codes(values), numbers)


def _codes(values: NDArray[np.float64]) -> str:
    """Return a note on numbers that may stand for a missing value: they lie far from the others."""
    others = values[~np.isin(values, CODES)]
    low, high = 2 * others.min(initial=0), 2 * others.max(initial=0)
    codes = [code for code in CODES if code in values]
    found = [code for code in codes if high > low and not low <= code <= high]
    if not found:
        return ""
    return f"may stand for a missing value: {', '.join(map(str, found))}; if so, add it to missing"


def _textual(texts: pa.LargeStringArray, records: int, decimal: str) -> Kind:
    if all(map(_DATE.fullmatch, each(texts))):
        return unused("dates or times: add a column with the part that you need, such as the year")
    if all(map(_MARKED.fullmatch, each(texts))):
        return unused(
            "numbers with symbols, such as % or $, or with thousands separators: write plain "
            f"numbers, such as 1234{decimal}5"
        )
    if pc.max(pc.utf8_length(texts)).as_py() > LEVEL:
        return unused(f"probably free text: some values have more than {LEVEL} characters")
    if len(texts) > max(5, 0.9 * records):
        return unused("probably an identifier or free text: almost every record has its own value")
    if len(texts) > min(LEVELS, max(5, records / 2)):
        return unused(f"free text, or too many levels: {len(texts):,}")
    if sum(map(is_number, each(texts))) > max(5, len(texts) / 2):
        return unused("most but not all of its values are numbers: add the others to missing")
    return Kind({"levels": sorted(each(texts))})
