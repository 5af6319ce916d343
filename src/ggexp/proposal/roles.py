"""The role of each column of a file: categorical, numeric, or unused because that is unclear.

The bins of a numeric column have equal width, or are narrower where numbers are dense.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ggexp.datasets.columns import (
    MISSING,
    Column,
    are_numbers,
    is_number,
    iter_texts,
    level_key,
    numbers_in,
)
from ggexp.datasets.form import BLANKS, Form
from ggexp.datasets.layout import ColumnForm
from ggexp.datasets.lines import IDENTIFIER, MAX_SURE_LEVELS

#: Largest numbers of levels of a categorical column of text, and of whole numbers, such as hours.
MAX_LEVELS, MAX_NUMBER_LEVELS = 100, 24
#: Smallest mean number of records per value with which more than ten whole numbers are levels.
MIN_RECORDS_PER_LEVEL = 5
#: Largest number of characters of a level; longer texts are sentences.
MAX_LEVEL_LENGTH = 60
#: The form of a column that is not used.
UNUSED = "unused"
#: Whole numbers with at least this many digits, all of the same length, are codes.
MIN_CODE_DIGITS = 5
#: The share of records with different whole numbers of several digits from which they are codes.
MIN_CODE_SHARE = 0.9
#: The largest share of the records in a bin of equal width: of more than three bins, and of fewer.
MAX_SHARE, MAX_SHARE_OF_FEW_BINS = 1 / 2, 3 / 4
#: The distance allowed between an edge and its quantile, as a share of the records per bin.
SLACK = 0.25
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2})?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([,. '\u00a0\u202f]\d{3})+")
#: A number with a currency, a percent sign, thousands marks or a decimal comma.
_MARKED = re.compile(r"[<>~+-]?\s?[$€£¥]?\s?[+-]?\d[\d.,' \u00a0\u202f]*\s?(%|‰|[$€£¥])?")
_CODE_DIGITS = r"^(0\d+|\d{16,})$"


@dataclass(frozen=True)
class Role:
    """How a column is used.

    form: its levels or bins; None if the column is unused. note: a remark, or the reason why it is
        unused; may be "".
    numbers: the sorted numbers of a column that has bins, or would have them if it were used.
    missing: codes that are read as missing.
    """

    form: ColumnForm | None
    note: str = ""
    numbers: NDArray[np.float64] | None = field(default=None, compare=False)
    is_identifier: bool = False
    missing: Sequence[str] = ()

    @property
    def is_used(self) -> bool:
        """Whether the column has levels or bins."""
        return self.form is not None

    @property
    def levels(self) -> list[str]:
        """The levels of a categorical column, otherwise an empty list."""
        return (self.form and self.form.levels) or []

    @property
    def values(self) -> int:
        """The number of levels or bins; 1 if the column is unused."""
        return len(self.levels or self.form.bounds[1:]) if self.form else 1

    @property
    def written(self) -> str | dict[str, object]:
        """The form as in a configuration."""
        return self.form.written() if self.form else UNUSED

    def with_bins(self, count: int) -> "Role":
        """Return the same column with about `count` bins, if it has numbers; it is then used."""
        form = None if self.numbers is None else bins_of(self.numbers, count)
        note = self.note if self.is_used else ""
        return replace(self, form=form, note=note, is_identifier=False) if form else self


def decimal_mark(columns: Iterable[pa.LargeStringArray]) -> str:
    """Return the decimal mark of a file: a comma if a column has decimal commas and none a point.

    A field such as 1,234 does not count, because its comma may be a thousands mark.
    """
    mark = "."
    for texts in columns:
        if are_numbers(texts):
            if pc.any(pc.match_substring(texts, ".")).as_py():
                return "."
        elif are_numbers(Form(decimal=",").plain_texts(texts)):
            commas = texts.filter(pc.match_substring(texts, ","))
            if not all(map(_THOUSANDS.fullmatch, iter_texts(commas))):
                mark = ","
    return mark


def role_of(column: Column, missing: Sequence[str], form: Form) -> Role:
    """Return the role of a column; a numeric column gets about ten bins.

    missing: codes that are read as missing. form: of the file.
    """
    if column.flaw:
        return _unused(column.flaw)
    excluded, records = {*MISSING, *missing}, len(column)
    texts, counts = column.without(excluded)
    present = int(counts.sum())
    if not present:
        return _unused("all of its values are missing")
    if present < records / 2:
        return _unused("more than half of its values are missing")
    if len(texts) == 1:
        return _unused("it has only one value")
    declared = [level for level in column.levels or () if level not in excluded]
    if declared and len(declared) <= MAX_LEVELS:
        return Role(ColumnForm(levels=declared))
    numbers = numbers_in(form.plain_texts(texts))
    are_all_numbers = not np.isnan(numbers).any()
    are_whole = bool((numbers == np.trunc(numbers)).all())
    may_identify = are_whole or not are_all_numbers
    if may_identify and len(texts) > MAX_SURE_LEVELS and IDENTIFIER.search(column.name):
        return _identifier("an identifier, by its name")
    if are_all_numbers:
        return _numeric(numbers, texts, counts, are_whole=are_whole)
    return _text(texts, present, form)


_unused = partial(Role, None)
_identifier = partial(Role, None, is_identifier=True)


def _numeric(
    values: NDArray[np.float64],
    levels: pa.LargeStringArray,
    counts: NDArray[np.int64],
    *,
    are_whole: bool,
) -> Role:
    """Return the role of a column of numbers, whose texts in the file are the levels."""
    present = int(counts.sum())
    are_codes = are_whole and _are_codes(levels)
    max_levels = max(MAX_SURE_LEVELS, min(MAX_NUMBER_LEVELS, present // MIN_RECORDS_PER_LEVEL))
    if are_whole and len(levels) <= (MAX_LEVELS if are_codes else max_levels):
        by_value = dict(zip(levels.to_pylist(), values.tolist(), strict=True))
        ordered = sorted(by_value, key=lambda level: (by_value[level], level))
        return Role(ColumnForm(levels=ordered))
    if are_codes:
        return _identifier("codes rather than numbers, because of their digits; bins need numbers")
    distinct = len(np.unique(values))
    if are_whole and distinct == present == values.max() - values.min() + 1:
        return _identifier("probably an identifier: each record has a different whole number")
    numbers = np.sort(np.repeat(values, counts))
    if are_whole and distinct > MIN_CODE_SHARE * present and values.max() >= 10**MIN_CODE_DIGITS:
        return _identifier(
            "probably an identifier: almost every record has its own whole number; --columns with "
            "its name uses it as numbers",
            numbers,
        )
    form = bins_of(numbers, 10)
    if form is None:
        return _unused("the range of its values is too small or too large for bins of one width")
    return Role(form, numbers=numbers)


def _are_codes(levels: pa.LargeStringArray) -> bool:
    """Return whether whole numbers are codes: with leading zeros, long, or all of one length."""
    if pc.any(pc.match_substring_regex(levels, _CODE_DIGITS)).as_py():
        return True
    if not pc.all(pc.ascii_is_decimal(levels)).as_py():
        return False
    lengths = np.unique(pc.utf8_length(levels).to_numpy())
    return len(lengths) == 1 and lengths[0] >= MIN_CODE_DIGITS and len(levels) > MAX_SURE_LEVELS


def _text(texts: pa.LargeStringArray, records: int, form: Form) -> Role:
    if all(map(_DATE.fullmatch, iter_texts(texts))):
        return _unused("dates or times: add a column with the part that you need, such as the year")
    if all(map(_MARKED.fullmatch, iter_texts(texts))):
        separators = {text[-4] for text in iter_texts(texts) if _THOUSANDS.fullmatch(text)}
        if len(separators) == 1 and not form.thousands:
            separator = separators.pop().translate(BLANKS)
            return _unused(
                f"numbers with thousands separators: --thousands {separator!r} reads them"
            )
        return _unused(
            "numbers with symbols, such as % or $, or with thousands separators: write plain "
            f"numbers, such as 1234{form.decimal}5",
        )
    is_sure = len(texts) <= min(MAX_SURE_LEVELS, records / 2)
    if not is_sure and pc.max(pc.utf8_length(texts)).as_py() > MAX_LEVEL_LENGTH:
        limit = f"some values have more than {MAX_LEVEL_LENGTH} characters"
        return _unused(f"probably free text: {limit}")
    if len(texts) > max(5, 0.9 * records):
        return _identifier(
            "probably an identifier or free text: almost every record has its own value"
        )
    if len(texts) > min(MAX_LEVELS, max(5, records / 2)):
        return _unused(f"free text, or too many levels: {len(texts):,}")
    if sum(map(is_number, iter_texts(texts))) > max(5, len(texts) / 2):
        return _unused("most but not all of its values are numbers: add the others to missing")
    return Role(ColumnForm(levels=sorted(iter_texts(texts), key=level_key)))


def bins_of(numbers: NDArray[np.float64], count: int) -> ColumnForm | None:
    """Return about `count` bins, at least two: by edges, or of equal width.

    numbers: one for each record, ascending, at least two different ones. None: as `round_bins`.
    """
    low, high = _exact(numbers[0]), _exact(numbers[-1])
    form = round_bins(low, high, count)
    if form and form.width:
        ratios = numbers / form.width
        if np.allclose(ratios, ratios.round(), rtol=0, atol=1e-6):  # outer edges: exact extremes
            form = round_bins(low, high, count // 2)
    if form and len(form.bounds) == 2:
        form = round_bins(low, high, 2 * count)
    if not form:
        return None
    inner = form.bounds[1:-1]
    sizes = np.diff(np.searchsorted(numbers, inner), prepend=0, append=len(numbers))
    allowed = MAX_SHARE if len(inner) > 2 else MAX_SHARE_OF_FEW_BINS
    if sizes.max() <= allowed * len(numbers):
        return form
    edges = quantile_edges(numbers, count, (form.bounds[0], form.bounds[-1]))
    return ColumnForm(edges=edges) if len(edges) > 2 else form


def quantile_edges(
    numbers: NDArray[np.float64], count: int, outer: tuple[float, float]
) -> list[float]:
    """Return edges with few digits, between which lie about equally many records.

    outer: the first and the last edge. A number that more records share than a bin should contain
    has its own bin, as far as edges with few digits allow.
    """
    shares, side = np.arange(1, count) / count, SLACK / count
    lower, upper = np.quantile(numbers, shares - side), np.quantile(numbers, shares + side)
    # if many records have this number, the edge is beside it
    distinct, is_same = np.unique(numbers), lower == upper
    place = np.minimum(np.searchsorted(distinct, lower), len(distinct) - 2)
    lower = np.where(is_same, distinct[place], lower)
    upper = np.where(is_same, distinct[place + 1], upper)
    edges = {_shortest(*map(_exact, ends)) for ends in zip(lower, upper, strict=True)}
    start, stop = map(_exact, outer)
    if stop in edges:  # the last bin begins there
        stop += (stop - start) / 10
    return sorted({*map(_plain, {start, *edges, stop})})


def _shortest(lower: Decimal, upper: Decimal) -> Decimal:
    """Return the number with the fewest digits in (lower, upper]."""
    with localcontext(prec=700):
        power = max(abs(lower), abs(upper)).adjusted() + 1
        while True:
            step = Decimal(1).scaleb(power)
            number = (upper / step).to_integral_value(ROUND_FLOOR) * step
            if number > lower:
                return number
            power -= 1


def _exact(number: float) -> Decimal:
    """Return a number exactly as Python prints it, with the fewest digits that identify it."""
    return Decimal(repr(float(number)))


def round_bins(lower: Decimal, upper: Decimal, count: int) -> ColumnForm | None:
    """Return about `count` equal bins that cover both numbers.

    The width is 1, 2 or 5 times a power of ten; from and to are multiples of it. Returns None if
    floating point cannot represent such bins.
    """
    with localcontext(prec=700):  # enough digits for numbers as far apart as 1e-300 and 1e300
        span = upper - lower
        if not span:
            return None
        power = (span / count).adjusted()
        steps = [Decimal(digit).scaleb(power) for digit in (1, 2, 5, 10)]
        width = next(step for step in steps if step * count >= span)
        start = (lower / width).to_integral_value(ROUND_FLOOR) * width
        stop = (upper / width).to_integral_value(ROUND_CEILING) * width
    form = {"from": _plain(start), "to": _plain(stop), "width": _plain(width)}
    try:
        bins = ColumnForm.model_validate(form)
    except ValueError:
        return None
    return bins if bins.bounds[0] <= float(lower) and float(upper) <= bins.bounds[-1] else None


def _plain(number: Decimal) -> int | float:
    """Return a number as int if it is whole and below 10^15, otherwise as float."""
    is_short = number == number.to_integral_value() and abs(number) < 10**15
    return int(number) if is_short else float(number)
