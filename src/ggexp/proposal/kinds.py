"""Classify the columns of a file: categorical, numeric, or unused because their use is unclear."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ggexp.datasets.columns import iter_texts
from ggexp.datasets.layout import SWAPPED_MARKS
from ggexp.datasets.sniff import are_numbers, is_number
from ggexp.proposal.bins import Numbers, bins_of

#: Largest numbers of levels of a categorical column of text, and of one of whole numbers, such as
#: the hours of a day.
MAX_LEVELS, MAX_NUMBER_LEVELS = 100, 24
#: Smallest mean number of records per value with which more than ten different whole numbers are
#: taken for levels.
MIN_RECORDS_PER_LEVEL = 5
#: Up to this number of different values, whole numbers are always levels, and a column whose name
#: looks like that of an identifier is not taken for one.
MAX_SURE_LEVELS = 10
#: Largest number of characters of a level; longer texts are sentences.
MAX_LEVEL_LENGTH = 60
#: Numbers that often denote a missing value.
MISSING_CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2})?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([,. ']\d{3})+")
#: A number with a currency, a percent sign, thousands marks or a decimal comma.
_MARKED = re.compile(r"[<>~+-]?\s?[$€£¥]?\s?[+-]?\d[\d.,' ]*\s?(%|‰|[$€£¥])?")
_COMMA_TO_POINT = str.maketrans(",", ".")
_IDENTIFIER = re.compile(r"(^|[^a-z])(id|ids|key|uuid|index|row|rownames|nr|no)([^a-z]|$)", re.I)


@dataclass(frozen=True)
class Kind:
    """The kind of a column.

    form: as in a configuration: "unused", {"levels": …}, {"from": …, "to": …, "width": …} or
        {"edges": …}.
    note: a remark for the user, or the reason why the column is unused; may be empty.
    numbers: the numbers of a column with bins, otherwise None.
    """

    form: str | dict[str, Any]
    note: str = ""
    numbers: Numbers | None = field(default=None, compare=False)

    @property
    def is_used(self) -> bool:
        """Whether the column is used."""
        return self.form != "unused"

    @property
    def levels(self) -> list[str]:
        """The levels of a categorical column, otherwise an empty list."""
        return self.form["levels"] if isinstance(self.form, dict) and "levels" in self.form else []

    @property
    def values(self) -> int:
        """The number of levels or bins."""
        form: Any = self.form
        match form:
            case {"levels": levels}:
                return len(levels)
            case {"edges": edges}:
                return len(edges) - 1
            case {"from": start, "to": stop, "width": width}:
                return round((stop - start) / width)
        return 1

    def with_bins(self, count: int) -> "Kind":
        """Return the same column with about `count` bins, if it has bins."""
        form = bins_of(self.numbers, count) if self.numbers else None
        return replace(self, form=form) if form else self


def unused(reason: str) -> Kind:
    """Return the kind of an unused column, with the reason."""
    return Kind("unused", reason)


def decimal_mark(columns: Iterable[pa.LargeStringArray]) -> str:
    """Return the decimal mark of a file: a comma if a column has decimal commas and none a point.

    columns: for each column, the fields that are not missing.
    A field such as 1,234 does not count, because its comma may be a thousands mark.
    """
    mark = "."
    for texts in columns:
        if are_numbers(texts):
            if pc.any(pc.match_substring(texts, ".")).as_py():
                return "."
        elif are_numbers(with_points(texts)):
            commas = texts.filter(pc.match_substring(texts, ","))
            if not all(map(_THOUSANDS.fullmatch, iter_texts(commas))):
                mark = ","
    return mark


def with_points(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return the texts of numbers with decimal points instead of decimal commas."""
    if not pc.any(pc.match_substring_regex(texts, "[,.]")).as_py():
        return texts
    return pa.array(
        [text.translate(SWAPPED_MARKS) for text in iter_texts(texts)], pa.large_string()
    )


def kind_of(
    name: str, texts: pa.LargeStringArray, counts: NDArray[np.int64], records: int, decimal: str
) -> Kind:
    """Return the kind of a column; a numeric column gets about ten bins.

    texts: the different fields that are not missing. counts: the number of records with each.
    records: the number of all records, including those with a missing value.
    decimal: the decimal mark of the file's numbers.
    """
    present = int(counts.sum())
    if not present:
        return unused("all of its values are missing")
    if present < records / 2:
        return unused("more than half of its values are missing")
    if len(texts) == 1:
        return unused("it has only one value")
    has_identifier_name = len(texts) > MAX_SURE_LEVELS and _IDENTIFIER.search(name)
    plain = with_points(texts) if decimal == "," else texts
    if are_numbers(plain):
        return _numeric(plain, texts, counts, is_identifier=bool(has_identifier_name))
    if has_identifier_name:
        return unused("an identifier, by its name")
    return _text(texts, present, decimal)


def _numeric(
    plain: pa.LargeStringArray,
    levels: pa.LargeStringArray,
    counts: NDArray[np.int64],
    *,
    is_identifier: bool,
) -> Kind:
    """Return the kind of a column of numbers.

    plain: the numbers with decimal points. levels: the numbers as in the file.
    """
    values = pc.cast(pc.replace_substring_regex(plain, r"^\+", ""), pa.float64()).to_numpy()
    present = int(counts.sum())
    are_whole = bool((values == np.trunc(values)).all())
    if are_whole and is_identifier:
        return unused("an identifier, by its name")
    max_levels = max(MAX_SURE_LEVELS, min(MAX_NUMBER_LEVELS, present // MIN_RECORDS_PER_LEVEL))
    if are_whole and len(levels) <= max_levels:
        ordered = sorted(
            levels.to_pylist(), key=lambda level: (Decimal(level.translate(_COMMA_TO_POINT)), level)
        )
        return Kind({"levels": ordered}, _missing_code_note(values))
    if are_whole and len(np.unique(values)) == present == values.max() - values.min() + 1:
        return unused("probably an identifier: each record has a different whole number")
    numbers = Numbers.of(values, counts)
    form = bins_of(numbers, 10)
    if form is None:
        return unused("the range of its values is too small or too large for bins of one width")
    return Kind(form, _missing_code_note(values), numbers)


def _missing_code_note(values: NDArray[np.float64]) -> str:
    """Return a note on numbers that may denote missing values because they are far from others."""
    usual_values = values[~np.isin(values, MISSING_CODES)]
    lower, upper = 2 * usual_values.min(initial=0), 2 * usual_values.max(initial=0)
    codes = [code for code in MISSING_CODES if code in values]
    outlying = [code for code in codes if upper > lower and not lower <= code <= upper]
    if not outlying:
        return ""
    return (
        f"may stand for a missing value: {', '.join(map(str, outlying))}; if so, add it to missing"
    )


def _text(texts: pa.LargeStringArray, records: int, decimal: str) -> Kind:
    if all(map(_DATE.fullmatch, iter_texts(texts))):
        return unused("dates or times: add a column with the part that you need, such as the year")
    if all(map(_MARKED.fullmatch, iter_texts(texts))):
        return unused(
            "numbers with symbols, such as % or $, or with thousands separators: write plain "
            f"numbers, such as 1234{decimal}5"
        )
    if pc.max(pc.utf8_length(texts)).as_py() > MAX_LEVEL_LENGTH:
        return unused(
            f"probably free text: some values have more than {MAX_LEVEL_LENGTH} characters"
        )
    if len(texts) > max(5, 0.9 * records):
        return unused("probably an identifier or free text: almost every record has its own value")
    if len(texts) > min(MAX_LEVELS, max(5, records / 2)):
        return unused(f"free text, or too many levels: {len(texts):,}")
    if sum(map(is_number, iter_texts(texts))) > max(5, len(texts) / 2):
        return unused("most but not all of its values are numbers: add the others to missing")
    return Kind({"levels": sorted(iter_texts(texts))})
