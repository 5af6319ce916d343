"""Columns of a data file: their different texts, and a code for each record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

#: Number of texts that are converted at a time.
BATCH = 1 << 16
#: Largest number of possible combinations of values for which the counts are held in an array with
#: one element per combination. If more combinations are possible, those that occur are sorted.
MAX_COUNTED_COMBINATIONS = 1 << 24

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Column:
    """A column of a file.

    texts: the different fields, without surrounding blanks, in order of first appearance.
    codes: for each record, the position of its text in `texts`, as an unsigned integer.
    levels: all levels in their order, if the file declares them; some may not occur.
    """

    texts: pa.LargeStringArray
    codes: NDArray[np.unsignedinteger[Any]]
    levels: tuple[str, ...] | None = None

    @classmethod
    def of(cls, array: pa.Array, levels: tuple[str, ...] | None = None) -> "Column":
        """Return an array as a column, in which every value is text; a null is the empty text."""
        if not pa.types.is_dictionary(array.type):
            try:
                array = array.dictionary_encode(null_encoding="encode")
            except pa.ArrowNotImplementedError:  # for example, lists
                texts = [text_of(value) for value in array.to_pylist()]
                array = pa.array(texts, pa.large_string()).dictionary_encode()
        elif array.null_count:
            array = array.dictionary_decode().dictionary_encode(null_encoding="encode")
        texts = array.dictionary
        if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
            texts = pa.array([text_of(value) for value in texts.to_pylist()], pa.large_string())
        stripped = pc.utf8_trim_whitespace(texts.fill_null("")).cast(pa.large_string())
        encoded = stripped.dictionary_encode()
        codes = encoded.indices.to_numpy().astype(smallest_dtype(len(encoded.dictionary)))
        return cls(encoded.dictionary, codes[array.indices.to_numpy()], levels)

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
        return cls(combined.dictionary, codes, parts[0].levels)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of records with each text."""
        return np.bincount(self.codes, minlength=len(self.texts))

    def where(self, kept: NDArray[np.bool_]) -> "Column":
        """Return the column of the kept records only."""
        used, codes = np.unique(self.codes[kept], return_inverse=True)
        texts = self.texts.take(pa.array(used))
        return replace(self, texts=texts, codes=codes.astype(smallest_dtype(len(used))))

    def without_first(self) -> "Column":
        """Return the column without the first record."""
        first, codes = self.codes[0], self.codes[1:]
        if (codes == first).any():
            return replace(self, codes=codes)
        texts = self.texts.filter(pa.array(np.arange(len(self.texts)) != first))
        codes = (codes - (codes > first)).astype(smallest_dtype(len(texts)))
        return replace(self, texts=texts, codes=codes)

    @property
    def numbers_lines(self) -> bool:
        """Whether the texts number the records, starting from 0 or 1."""
        return len(self.texts) == len(self) and any(
            all(text == str(number) for number, text in enumerate(iter_texts(self.texts), first))
            for first in (0, 1)
        )

    def has(self, text: str) -> bool:
        """Return whether a record has this text."""
        return pc.index(self.texts, text).as_py() >= 0

    def text_of(self, record: int) -> str:
        """Return the text of a record, counted from 0."""
        return str(self.texts[int(self.codes[record])])

    def without(self, excluded: Iterable[str]) -> "tuple[pa.LargeStringArray, NDArray[np.int64]]":
        """Return the texts except the excluded ones, and the number of records with each."""
        kept = pc.invert(self.among(excluded))
        return self.texts.filter(kept), self.counts[kept.to_numpy(zero_copy_only=False)]

    def among(self, wanted: Iterable[str]) -> pa.BooleanArray:
        """Return for each of the column's texts whether it is among the wanted ones."""
        return pc.is_in(self.texts, pa.array([*wanted], pa.large_string()))

    def records_with(self, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each record whether its text is among the wanted ones."""
        return self.among(wanted).to_numpy(zero_copy_only=False)[self.codes]


#: A column without records.
EMPTY = Column(pa.array([], pa.large_string()), np.empty(0, np.uint8))


def distinct(codes: Sequence[Codes], sizes: Sequence[int]) -> tuple[list[Codes], NDArray[np.int64]]:
    """Return the distinct rows of some columns, ascending, and the number of records with each.

    codes: for each column, the records' codes, from 0 to the column's size minus 1.
    """
    combined, size = codes[0].astype(np.int64), sizes[0]
    for column, number in zip(codes[1:], sizes[1:], strict=True):
        if size * number > 2**62:
            combined = np.unique(combined, return_inverse=True)[1]
            size = int(combined.max(initial=0)) + 1
        combined *= number
        combined += column
        size *= number
    if prod(sizes) > MAX_COUNTED_COMBINATIONS:
        _, first, counts = np.unique(combined, return_index=True, return_counts=True)
        return [column[first] for column in codes], counts
    counts = np.bincount(combined, minlength=1)
    present = np.flatnonzero(counts)
    rows: list[Codes] = []
    remaining = present
    for number in reversed(sizes):
        remaining, code = np.divmod(remaining, number)
        rows.insert(0, code)
    return rows, counts[present]


def text_of(value: Any) -> str:
    """Return a value as text: whole numbers without decimals, and null and NaN as empty text."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.strip() if isinstance(value, str) else str(value)


def iter_texts(texts: pa.LargeStringArray) -> Iterator[str]:
    """Yield the texts as Python strings, converting only some of them at a time."""
    for start in range(0, len(texts), BATCH):
        yield from texts[start : start + BATCH].to_pylist()


def smallest_dtype(values: int) -> np.dtype[Any]:
    """Return the smallest unsigned integer type for this number of different values."""
    return np.min_scalar_type(max(values - 1, 0))
