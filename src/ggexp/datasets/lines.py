"""What a line of a file of records stands for: a person, a part of a person, or a cell's count."""

import re
from collections.abc import Collection, Iterable, Iterator
from math import comb, prod

import numpy as np

from ggexp.datasets.columns import MISSING, Column, count_distinct, iter_texts

#: Names of survey weights, and of identifiers of persons and other units.
WEIGHT = re.compile(r"(^|[^a-z])((f|p|s)?(wt|wgt|weights?)|fnlwgt|gewicht|pond)([^a-z]|$)", re.I)
IDENTIFIER = re.compile(
    r"(^|[^a-z])((p|h|hh|u|pers|resp|case|pat)?id|ids|key|uuid|index|row|rownames|nr|no)([^a-z]|$)"
    r"|^(person|household|respondent|participant|patient|pupil|member)$",
    re.I,
)
#: A whole number >= 0, without leading zeros.
_WHOLE = re.compile(r"0|(?!0)\d+")
#: Up to this number of values, a column with the name of an identifier is none.
MAX_SURE_LEVELS = 10
#: A column with fewer records per value is taken for an identifier.
MIN_RECORDS_PER_VALUE = 5
#: Lines that all differ are cells if at least so many pairs of independent records would agree.
MIN_PAIRS = 0.5


def columns_of_counts(columns: Iterable[Column], used: Collection[str] = ()) -> list[str]:
    """Return the unused columns of whole numbers if they may count, otherwise an empty list.

    They may if no two lines agree in all other columns, although records would: a pair of records
    with independent answers agrees in a column with the sum of the squared shares of its values.
    """
    numbers, others = list[Column](), list[Column]()
    for column in columns:
        is_used = column.name in used
        if len(column.texts) > 1 and (is_used or not column.numbers_lines):
            may_count = not is_used and all(map(_WHOLE.fullmatch, iter_texts(column.texts)))
            (numbers if may_count else others).append(column)
    if len(others) > 1:  # an identifier makes all lines differ
        others = [column for column in others if len(column.texts) < len(column)]
    if not numbers or not others:
        return []
    records = len(others[0])
    agreeing = prod(float(np.square(column.counts / records).sum()) for column in others)
    if comb(records, 2) * agreeing < MIN_PAIRS or count_distinct(others) < records:
        return []
    return [column.name for column in numbers]


def has_values_of_persons(column: Column) -> bool:
    """Return whether a column has so many values that they may identify persons."""
    texts, counts = column.without(MISSING)
    return len(texts) > MAX_SURE_LEVELS and len(texts) * MIN_RECORDS_PER_VALUE > counts.sum()


def warnings(
    columns: Iterable[Column], identifiers: Collection[str] | None = None
) -> Iterator[str]:
    """Yield warnings on repeated identifiers (by default, found by name), and on survey weights."""
    for column in columns:
        name, (texts, counts) = column.name, column.without(MISSING)
        is_named = len(texts) > MAX_SURE_LEVELS and IDENTIFIER.search(name)
        is_identifier = is_named if identifiers is None else name in identifiers
        if is_identifier and counts.max(initial=0) > 1:
            yield (
                f"{name!r} has {len(texts):,} values in {counts.sum():,} records: if they are "
                "persons, one person has several records, up to "
                f"{counts.max():,}; the guarantee is for one record, and weaker for such a person"
            )
        if WEIGHT.search(name):
            yield (
                f"{name!r} may be a survey weight: weighted tables are not supported, and the "
                "counts are numbers of records; with weights, one person would count as often as "
                "the largest weight, and the weights of others may depend on this person"
            )
