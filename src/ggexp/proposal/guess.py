"""Guess whether a file contains records or the counts of cells, and the design of its table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from ggexp.datasets import lines
from ggexp.datasets.columns import MISSING, count_distinct, is_number, iter_texts
from ggexp.datasets.form import is_grouped, line_error
from ggexp.datasets.layout import TableDesign
from ggexp.datasets.reader import Fields
from ggexp.datasets.table import MAX_CELLS, Table
from ggexp.datasets.tables import header_names, read_counts
from ggexp.datasets.totals import are_sums_of_others, find_totals, has_total_name
from ggexp.proposal.roles import decimal_mark

#: Names that identify a column of counts.
COUNT_NAMES = ("count", "counts", "freq", "frequency", "n", "cases", "number", "total")
#: Largest number of columns: more factors have more combinations of levels than can be sanitized.
MAX_FACTORS = 1000
#: Smallest number of columns of numbers of a crosstab with totals, and largest number of digits.
MIN_CROSSTAB_COLUMNS, MAX_DIGITS = 3, 16


@dataclass(frozen=True)
class CountOptions:
    """The options of `ggexp describe` for files; the file determines all unspecified ones.

    wide: the name of a factor whose levels are columns of counts.
    """

    count: str | None = None
    wide: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    keep_totals: bool = False
    sheet: str | None = None


#: The options of a user who specified none.
NO_OPTIONS = CountOptions()


class Guess(NamedTuple):
    """What a file of counts probably holds.

    left_out: messages about totals that the design drops. warnings: about other assumptions.
    """

    design: TableDesign
    table: Table
    left_out: list[str]
    warnings: list[str]


def is_counts(fields: Fields, options: CountOptions = NO_OPTIONS, *, by_name: bool = False) -> bool:
    """Return whether each line of a file holds a cell and its count, or counts of several cells.

    by_name: whether only a column with a suitable name can hold the counts.
    """
    if not options.wide and not by_name:
        _check_crosstab(fields, options.count)
    if options.wide or options.count is not None:
        return True
    positions = _columns_named_as_counts(fields)
    if not positions and not by_name:
        positions = _unnamed_count_column(fields)
    return len(positions) == 1 and not _objection_to_counts(fields, positions[0])


def _check_crosstab(fields: Fields, count: str | None) -> None:
    """Raise ValueError if a column, such as Total, is the sum of the other columns of numbers."""
    numbers = {
        position: np.array([*map(int, texts)])[column.codes]
        for position, column in enumerate(fields.columns)
        for texts in [column.texts.to_pylist()]
        if all(text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS for text in texts)
    }
    if len(numbers) < MIN_CROSSTAB_COLUMNS or not fields.header:
        return
    sums = are_sums_of_others(np.array([*numbers.values()]))
    for position in np.array([*numbers])[sums]:
        name = fields.names[position]
        is_named = has_total_name(name) or position in _columns_named_as_counts(fields)
        if is_named if count is None else name == count:
            parts = [fields.names[other] for other in numbers if other != position]
            raise ValueError(
                f"{fields.source}: the column {name!r} is the sum of {', '.join(map(repr, parts))} "
                "in every line: if these are counts, use --wide NAME; if each line is a record, "
                "use --columns"
            )


def guess_table(fields: Fields, options: CountOptions = NO_OPTIONS) -> Guess:
    """Return what a file of counts, whose first line names its columns, probably holds."""
    try:
        design = _guess_columns(fields, options)
    except ValueError as error:
        raise line_error(fields.source, fields.first_line, error) from error
    design = design.model_copy(update={**dict(fields.form), **_marks(fields, design, options)})
    warnings = []
    if options == NO_OPTIONS and not _columns_named_as_counts(fields):
        warnings = [
            f"the column {design.count!r} is read as counts, because each combination of the "
            "other columns has exactly one line; with --columns or --target each line is a record"
        ]
    numbering = [
        f"the column {name!r}, because it only numbers the lines"
        for name in fields.names
        if name and name not in {*design.factors, design.count, *design.counted}
    ]
    table = read_counts(fields, design)
    totals, doubts = find_totals(table, fields.source)
    found = [(name, level) for name, levels in totals.items() for level in levels]
    if options.keep_totals:
        warnings += [
            f"the level {level!r} of {name!r}, the total of the others, is kept: each record "
            "counts in several cells, which the guarantee does not cover"
            for name, level in found
        ]
        return Guess(design, table, numbering, warnings)
    if found:
        factors = dict(design.factors)
        if design.wide in totals:  # its levels are columns, of which only the others are read
            wide_totals = totals.pop(design.wide)
            factors[design.wide] = [name for name in design.counted if name not in wide_totals]
        design = design.model_copy(update={"factors": factors, "drop": totals})
        table = read_counts(fields, design)
    left_out = [
        f"the level {level!r} of {name!r}, a total of the others (--keep-totals keeps it)"
        for name, level in found
    ]
    return Guess(design, table, [*numbering, *left_out], [*warnings, *doubts])


def warnings_of(fields: Fields) -> Iterator[str]:
    """Yield reasons why the lines of a file that is read as records may be cells with counts."""
    columns = dict(zip(fields.names, fields.columns, strict=True))
    numbers = lines.columns_of_counts(columns)
    if numbers and all(
        text.isdecimal() or not is_number(text)
        for column in columns.values()
        for text in iter_texts(column.texts)
    ):
        option = f"--count {numbers[0]!r}" if len(numbers) == 1 else "--wide NAME"
        yield f"each line is read as one record; if its numbers are counts, use {option}"
    named_columns = _columns_named_as_counts(fields)
    for position in named_columns:
        objection = "several columns have the name of a count: choose one with --count"
        if len(named_columns) == 1:
            objection = _objection_to_counts(fields, position)
        name = fields.names[position]
        yield f"each line is read as one record; {name!r} may be a count, but {objection}"


def _guess_columns(fields: Fields, options: CountOptions) -> TableDesign:
    """Return a design with the factors and the columns of counts."""
    if not fields.header and fields.records == 1:
        raise ValueError("no row below the first line")
    names = fields.names
    header = names if fields.header else [column.text_of(0) for column in fields.columns]
    if len(header) > MAX_FACTORS:
        raise ValueError(f"at most {MAX_FACTORS:,} columns are allowed, got {len(header):,}")
    if options.wide:
        return _wide_columns(fields, options.wide)
    if options.count is None:
        expected = f"counts ({', '.join(COUNT_NAMES)}; or --count)"
        positions = _columns_named_as_counts(fields) or _unnamed_count_column(fields)
    else:
        expected = f"{options.count!r}"
        positions = [position for position, name in enumerate(names) if name == options.count]
        if not positions:
            raise ValueError(f"no column {options.count!r}; the columns are {', '.join(names)}")
    factors = _factors(fields, positions[0]) if len(positions) == 1 else []
    used = [header[position] for position in factors]
    if not used or {"", "count"} & {*used} or len({*used}) < len(used):
        raise ValueError(
            f"the first line must name exactly one column of {expected}, and the factors, by "
            f"unique names other than 'count', got {', '.join(map(repr, header))}"
        )
    return TableDesign(factors=dict.fromkeys(used), count=names[positions[0]])


def _wide_columns(fields: Fields, wide: str) -> TableDesign:
    """Return the design of a wide table, whose factors distinguish its lines and come first."""
    names = header_names(fields.names, wide)
    texts = [
        position
        for position, column in enumerate(fields.columns)
        if 2 * sum(text[:1].isdecimal() for text in iter_texts(column.texts)) < len(column.texts)
    ]
    width = 1 + max(texts, default=0)
    first = int(not fields.names[0] and fields.columns[0].numbers_lines and width > 1)
    while width < len(names) and not _distinguish_lines(fields, range(first, width)):
        if 4 * len(fields.columns[width].texts) > 3 * fields.records:
            break
        width += 1
    used = [*names[first:width], wide]
    levels = names[width:]
    if len(levels) < 2 or {"", "count"} & {*used} or len({*used}) < len(used):
        raise ValueError(
            "a wide table needs factors that distinguish its lines, and after them two or more "
            f"columns of counts, all with unique names, got {', '.join(map(repr, names))}"
        )
    return TableDesign(factors={**dict.fromkeys(used), wide: levels}, wide=wide)


def _marks(fields: Fields, design: TableDesign, options: CountOptions) -> dict[str, str]:
    """Return the decimal mark and the thousands mark of the counts."""
    counted = design.counted
    named = [*zip(header_names(fields.names, design.wide), fields.columns, strict=True)]
    counts = [column for name, column in named if name in counted]
    commas = {text for column in counts for text in iter_texts(column.texts) if "," in text}
    decimal, thousands = options.decimal, options.thousands
    if decimal is None and thousands is None and commas:
        others = [column.without(MISSING)[0] for name, column in named if name not in counted]
        has_decimal_comma = decimal_mark(others) == ","
        are_grouped = [is_grouped(text, ",") for text in commas]
        if not has_decimal_comma and all(are_grouped):
            thousands = ","
        elif not any(are_grouped):
            decimal = ","
    if decimal is None:
        decimal = "," if thousands == "." else "."
    return {"decimal": decimal, "thousands": thousands or ""}


def _columns_named_as_counts(fields: Fields) -> list[int]:
    names = enumerate(fields.names if fields.header else [])
    return [position for position, name in names if name.strip().casefold() in COUNT_NAMES]


def _unnamed_count_column(fields: Fields) -> list[int]:
    """Return the last column, in a list, if it must hold counts whatever its name is.

    It holds whole numbers then, one for each combination of the levels of two or more columns.
    """
    if not fields.header or len(fields.names) > MAX_FACTORS:
        return []
    last = len(fields.names) - 1
    factors = _factors(fields, last)
    levels = [len(fields.columns[factor].texts) for factor in factors]
    holds_counts = (
        len(factors) > 1
        and min(levels) > 1
        and prod(levels) == fields.records
        and _distinguish_lines(fields, factors)
        and all(text.isdecimal() for text in iter_texts(fields.columns[last].texts))
    )
    return [last] if holds_counts else []


def _objection_to_counts(fields: Fields, position: int) -> str:
    """Return why a column cannot hold the counts of cells, or "" if it can but for few errors."""
    if len(fields.names) > MAX_FACTORS:
        return f"there are more than {MAX_FACTORS:,} columns"
    factors = _factors(fields, position)
    if not any(field[:1].isdecimal() for field in iter_texts(fields.columns[position].texts)):
        return "none of its values is a number"
    if not factors:
        return "there is no other column"
    repeated = fields.records - count_distinct([fields.columns[factor] for factor in factors])
    if 2 * repeated >= fields.records:
        return "at least half of the lines repeat another line in all other columns"
    levels = {factor: len(fields.columns[factor].texts) for factor in factors}
    if prod(levels.values()) > MAX_CELLS:
        return f"the other columns have more than {MAX_CELLS:,} combinations of values"
    # if several factors vary, one that differs in each line is a measurement, not a factor
    varying = [factor for factor in factors if levels[factor] > 1]
    measured = [factor for factor in varying if levels[factor] == fields.records]
    if measured and len(varying) > 1:
        return f"{fields.names[measured[0]]!r} has a different value in each line"
    return ""


def _factors(fields: Fields, count_position: int) -> list[int]:
    factors = [position for position in range(len(fields.names)) if position != count_position]
    for position in [*factors]:
        if not fields.names[position] or fields.columns[position].numbers_lines:
            other_factors = [factor for factor in factors if factor != position]
            if _distinguish_lines(fields, other_factors):
                factors = other_factors
    return factors


def _distinguish_lines(fields: Fields, positions: Sequence[int]) -> bool:
    """Return whether no two lines agree in all of these columns."""
    columns = [fields.columns[position] for position in positions]
    combinations = prod(len(column.texts) for column in columns)
    return combinations >= fields.records and count_distinct(columns) == fields.records
