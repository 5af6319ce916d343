"""Columns of a data file: their different texts, and a code for each record."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ggexp.datasets.form import CONTROLS
from ggexp.datasets.table import CODEBOOK, FILE
from ggexp.words import shortened

#: Number of texts that are converted at a time.
BATCH = 1 << 16
#: Texts that denote a missing value in most files. "None" is not included: it may be a level.
MISSING = (
    *("", "?", ".", "-", "--", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"),
)
#: Numbers that often denote a missing value.
MISSING_CODES = (
    *(-1, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999),
    *(77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999, 99999),
)
#: Numbers in a file are smaller than this one.
MAX_NUMBER = 1e300
CONTROL = re.compile(f"[{CONTROLS}]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_LEADING_NUMBER = re.compile(r"[<>≤≥=$€£ ]*(\d{1,15})(?![\d])", re.ASCII)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a file: its different texts, without blanks around them, and a code per record.

    codes: positions in `texts`. levels: in order, if the file declares them; some may not occur.
    flaw: why the column cannot be used, or "". name: in the file, which may be "".
    """

    texts: pa.LargeStringArray
    codes: NDArray[np.unsignedinteger[Any]]
    levels: tuple[str, ...] | None = None
    flaw: str = ""
    name: str = ""

    @classmethod
    def of(cls, array: pa.Array, levels: tuple[str, ...] | None = None) -> "Column":
        """Return an array as a column, in which every value is text; a null is the empty text.

        Lists and other nested values have no text: such a column is empty, and cannot be used. Nor
        can a column with control characters in a value or a level.
        """
        if pa.types.is_nested(array.type):
            flaw = f"its values are not single values, but of the type {str(array.type)!r}"
            return replace(cls.of(pa.nulls(len(array), pa.string())), flaw=shortened(flaw))
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode(null_encoding="encode")
        elif array.null_count:
            array = array.dictionary_decode().dictionary_encode(null_encoding="encode")
        texts = array.dictionary
        if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
            texts = pa.array([text_of(value) for value in texts.to_pylist()], pa.large_string())
        stripped = pc.utf8_trim_whitespace(texts.fill_null("")).cast(pa.large_string())
        encoded = stripped.dictionary_encode()
        codes = encoded.indices.to_numpy().astype(smallest_dtype(len(encoded.dictionary)))
        found = pc.match_substring_regex(encoded.dictionary, CONTROL.pattern)
        examples = [*encoded.dictionary.filter(found)[:1].to_pylist(), *(levels or ())]
        text = next(filter(CONTROL.search, examples), None)
        flaw = f"it contains control or bidirectional characters, as in {text!r}" if text else ""
        return cls(encoded.dictionary, codes[array.indices.to_numpy()], levels, shortened(flaw))

    @classmethod
    def concatenate(cls, parts: Sequence["Column"]) -> "Column":
        """Return one column with the records of all parts, in order."""
        combined = pa.concat_arrays([part.texts for part in parts]).dictionary_encode()
        positions = combined.indices.to_numpy()
        starts = np.cumsum([0, *(len(part.texts) for part in parts)])
        codes = np.empty(sum(map(len, parts)), smallest_dtype(len(combined.dictionary)))
        filled = 0
        for part, start in zip(parts, starts, strict=False):
            codes[filled : filled + len(part)] = positions[start:][part.codes]
            filled += len(part)
        levels = dict.fromkeys(level for part in parts for level in part.levels or ())
        flaw = next((part.flaw for part in parts if part.flaw), "")
        return cls(combined.dictionary, codes, tuple(levels) or None, flaw)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of records with each text."""
        return np.bincount(self.codes, minlength=len(self.texts))

    @property
    def numbers_lines(self) -> bool:
        """Whether the texts number the records, starting from 0 or 1."""
        return len(self.texts) == len(self) and any(
            all(text == str(number) for number, text in enumerate(iter_texts(self.texts), first))
            for first in (0, 1)
        )

    @property
    def levels_from(self) -> str:
        """Where levels that nobody declares come from: `CODEBOOK` or `FILE`."""
        return CODEBOOK if self.levels else FILE

    def has(self, text: str) -> bool:
        """Return whether a record has this text."""
        return pc.index(self.texts, text).as_py() >= 0

    def text_of(self, record: int) -> str:
        """Return the text of a record, counted from 0."""
        return str(self.texts[int(self.codes[record])])

    def without(self, excluded: Iterable[str]) -> "tuple[pa.LargeStringArray, NDArray[np.int64]]":
        """Return the texts except the excluded ones, and the number of records with each."""
        kept = ~self.among(excluded)
        return self.texts.filter(pa.array(kept)), self.counts[kept]

    def among(self, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each of the column's texts whether it is among the wanted ones."""
        found = pc.is_in(self.texts, pa.array([*wanted], pa.large_string()))
        return found.to_numpy(zero_copy_only=False)

    def records_with(self, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each record whether its text is among the wanted ones."""
        return self.among(wanted)[self.codes]


def count_distinct(columns: Sequence[Column]) -> int:
    """Return the number of different rows of some columns; there are none without columns."""
    codes = {i: column.codes for i, column in enumerate(columns)}
    return len(pd.DataFrame(codes).drop_duplicates())


def is_number(text: str) -> bool:
    """Return whether a field is a finite number as most programs write it."""
    return _NUMBER.fullmatch(text) is not None and abs(float(text)) < MAX_NUMBER


def numbers_in(texts: pa.LargeStringArray) -> NDArray[np.float64]:
    """Return the number in each text as `is_number` defines it, and NaN for other texts."""
    found = pc.match_substring_regex(texts, f"^({_NUMBER.pattern})$")
    unsigned = pc.replace_substring_regex(pc.if_else(found, texts, None), r"^\+", "")
    numbers = pc.cast(unsigned, pa.float64()).to_numpy(zero_copy_only=False)
    return np.where(np.abs(numbers) < MAX_NUMBER, numbers, np.nan)


def are_numbers(texts: pa.LargeStringArray) -> bool:
    """Return whether all fields are numbers according to `is_number`."""
    return not np.isnan(numbers_in(texts)).any()


def outlying_codes(texts: pa.LargeStringArray, plain: pa.LargeStringArray) -> list[str]:
    """Return the texts that are codes of missing values and far outside of the other values.

    Every number is far outside of words, but -1 is not far outside if 0 is a value.
    plain: the same texts with decimal points.
    """
    numbers = numbers_in(plain)
    are_codes = np.isin(numbers, MISSING_CODES)
    if len(texts) - are_codes.sum() < 2:
        return []
    usual = numbers[~are_codes & ~np.isnan(numbers)]
    lower = 2 * min(usual.min(initial=0), -0.5 * (0 in usual))
    are_far = are_codes & ((numbers < lower) | (numbers > 2 * usual.max(initial=0)))
    far: list[str] = texts.filter(pa.array(are_far)).to_pylist()
    return far


def level_key(level: str) -> tuple[float, str]:
    """Return the sort key of a level: the number at its start, if there is one, then its text."""
    if is_number(level):
        return float(level), level
    start = _LEADING_NUMBER.match(level)
    return float(start[1]) if start else inf, level


def text_of(value: Any) -> str:
    """Return a value as text: whole numbers without decimals, and null and NaN as empty text."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):  # of a date, or of a time
        return str(value).removesuffix(" 00:00:00")
    return value.strip() if isinstance(value, str) else str(value)


def iter_texts(texts: pa.LargeStringArray) -> Iterator[str]:
    """Yield the texts as Python strings, converting only some of them at a time."""
    for start in range(0, len(texts), BATCH):
        yield from texts[start : start + BATCH].to_pylist()


def smallest_dtype(values: int) -> np.dtype[Any]:
    """Return the smallest unsigned integer type for this number of different values."""
    return np.min_scalar_type(max(values - 1, 0))
