"""Guess whether a file contains records or the counts of cells, and the design of its table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ggexp.datasets.columns import distinct, iter_texts
from ggexp.datasets.contingency import MAX_CELLS, ContingencyTable
from ggexp.datasets.form import is_grouped, line_error
from ggexp.datasets.nested import has_total_name
from ggexp.datasets.sniff import MISSING, Sniffed, is_number
from ggexp.datasets.tables import TableDesign, header_names, read_counts
from ggexp.datasets.totals import find_totals
from ggexp.proposal.configuration import changed
from ggexp.proposal.roles import decimal_mark

#: Names that identify a column of counts.
COUNT_NAMES = ("count", "counts", "freq", "frequency", "n", "cases", "number", "total")
#: Largest number of columns: more factors have more combinations of levels than can be sanitized.
MAX_FACTORS = 1000
#: Smallest number of columns of numbers of a crosstab with totals, and the largest number of digits
#: of its counts.
MIN_CROSSTAB_COLUMNS, MAX_DIGITS = 3, 16
#: The name given to the factor whose levels are the columns of a wide table.
WIDE_FACTOR = "column"


@dataclass(frozen=True)
class CountOptions:
    """The user's options for reading a file of counts; the file determines all unspecified ones.

    count: the name of the column of counts.
    wide: whether the levels of one factor are columns of counts.
    decimal, thousands: the decimal and thousands marks of the numbers.
    keep_totals: whether totals are cells like any other.
    sheet: the sheet of a workbook.
    """

    count: str | None = None
    wide: bool = False
    decimal: str | None = None
    thousands: str | None = None
    keep_totals: bool = False
    sheet: str | None = None


#: The options of a user who specified none.
NO_OPTIONS = CountOptions()


@dataclass(frozen=True)
class Guess:
    """What a file of counts probably holds.

    design: how the table is read; totals of other levels are dropped.
    table: the table, with the levels of the file.
    left_out: messages about levels that were left out as totals.
    warnings: messages about levels that may be totals, and about other assumptions.
    """

    design: TableDesign
    table: ContingencyTable
    left_out: list[str]
    warnings: list[str]


def is_counts(
    sniffed: Sniffed, options: CountOptions = NO_OPTIONS, *, by_name: bool = False
) -> bool:
    """Return whether each line of a file holds a cell and its count, or counts of several cells.

    by_name: whether only a column with a suitable name can hold the counts.
    Raises ValueError for a crosstab with totals, whose columns are no factors, without --wide.
    """
    if not options.wide and not by_name:
        _check_crosstab(sniffed, options.count)
    if options.wide or options.count is not None:
        return True
    positions = _columns_named_as_counts(sniffed) or (
        [] if by_name else _unnamed_count_column(sniffed)
    )
    if len(positions) != 1 or len(sniffed.names) > MAX_FACTORS:
        return False
    return not _objection_to_counts(sniffed, positions[0], _factors(sniffed, positions[0]))


def _check_crosstab(sniffed: Sniffed, count: str | None) -> None:
    """Raise ValueError if a column, such as Total, is the sum of the other columns of numbers.

    count: the name of the column of counts, None if the user did not state it.
    """
    numbers = {
        position: np.array([int(text) for text in texts])[column.codes]
        for position, column in enumerate(sniffed.columns)
        for texts in [column.texts.to_pylist()]
        if all(text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS for text in texts)
    }
    if len(numbers) < MIN_CROSSTAB_COLUMNS or not sniffed.header:
        return
    total = sum(numbers.values())
    for position, values in numbers.items():
        name = sniffed.names[position]
        is_count = name == count or (
            count is None
            and (has_total_name(name) or position in _columns_named_as_counts(sniffed))
        )
        if is_count and values.any() and (2 * values == total).all():
            parts = [sniffed.names[other] for other in numbers if other != position]
            raise ValueError(
                f"{sniffed.path}: the column {name!r} is the sum of {', '.join(map(repr, parts))} "
                "in every line: if these are counts, use --wide; if each line is a record, use "
                "--columns"
            )


def guess_table(sniffed: Sniffed, options: CountOptions = NO_OPTIONS) -> Guess:
    """Return what a file of counts, whose first line names its columns, probably holds.

    Raises ValueError naming the file, the line and the error: if not exactly one column can hold
    the counts, if a value is not a count, or if a cell has two counts.
    """
    try:
        columns, design = _guess_columns(sniffed, options)
    except ValueError as error:
        raise line_error(sniffed.rows.source, sniffed.rows.line(0), error) from error
    decimal, thousands = _marks(sniffed, columns, options)
    design = replace(design, decimal=decimal, thousands=thousands, form=sniffed.form)
    warnings = []
    if options == NO_OPTIONS and not _columns_named_as_counts(sniffed):
        warnings = [
            f"the column {design.count!r} is read as counts, because each combination of the "
            "other columns has exactly one line; with --columns or --target each line is a record"
        ]
    used = {*design.factors, design.count, *(design.factors.get(design.wide or "") or ())}
    numbering = [
        f"the column {name!r}, because it only numbers the lines"
        for name in sniffed.names
        if name and name not in used
    ]
    table = read_counts(sniffed, design)
    totals, doubts = find_totals(table)
    if options.keep_totals:
        kept = [
            f"the level {level!r} of {name!r}, the total of the others, is kept: each record "
            "counts in several cells, which the guarantee does not cover"
            for name, levels in totals.items()
            for level in levels
        ]
        return Guess(design, table, numbering, [*warnings, *kept])
    left_out = numbering + [
        f"the level {level!r} of {name!r}, a total of the others (--keep-totals keeps it)"
        for name, levels in totals.items()
        for level in levels
    ]
    if totals:
        design = _without_totals(design, totals)
        table = read_counts(sniffed, design)
    return Guess(design, table, left_out, [*warnings, *doubts])


def settings_of(guess: Guess) -> dict[str, Any]:
    """Return the settings that describe a file's counts, except those with default values."""
    keys = ("count", "wide", "decimal", "thousands", "drop")
    design = changed(guess.design, TableDesign({}), *keys)
    settings = {"factors": guess.table.factors, **design, "total": guess.table.total}
    return settings | ({"omitted": "zero"} if guess.table.absent else {})


def _without_totals(design: TableDesign, totals: Mapping[str, Sequence[str]]) -> TableDesign:
    """Return the design that leaves out the totals."""
    factors = dict(design.factors)
    if design.wide is not None:  # its levels are columns, of which only the others are read
        columns = factors[design.wide] or ()
        factors[design.wide] = [name for name in columns if name not in totals.get(design.wide, ())]
    drop = {name: levels for name, levels in totals.items() if name != design.wide}
    return replace(design, factors=factors, drop=drop)


def warnings_of(sniffed: Sniffed) -> Iterator[str]:
    """Yield reasons why the lines of a file that is read as records may be cells with counts."""
    are_counts = [all(map(str.isdecimal, iter_texts(column.texts))) for column in sniffed.columns]
    positions = [position for position, is_whole in enumerate(are_counts) if not is_whole]
    are_texts = not any(
        is_number(text)
        for position in positions
        for text in iter_texts(sniffed.columns[position].texts)
    )
    has_name_column = any(_distinguish_lines(sniffed, [position]) for position in positions)
    are_factors = len(positions) == 1 if has_name_column else _distinguish_lines(sniffed, positions)
    if are_texts and are_factors and len(positions) < len(sniffed.names):
        numbers = [name for i, name in enumerate(sniffed.names) if i not in positions]
        option = f"--count {numbers[0]!r}" if len(numbers) == 1 else "--wide"
        yield f"each line is read as one record; if its numbers are counts, use {option}"
    named_columns = _columns_named_as_counts(sniffed)
    for position in named_columns:
        if len(named_columns) > 1:
            objection = "several columns have the name of a count: choose one with --count"
        elif len(sniffed.names) > MAX_FACTORS:
            objection = f"there are more than {MAX_FACTORS:,} columns"
        else:
            objection = _objection_to_counts(sniffed, position, _factors(sniffed, position))
        name = sniffed.names[position]
        yield f"each line is read as one record; {name!r} may be a count, but {objection}"


def _guess_columns(sniffed: Sniffed, options: CountOptions) -> tuple[list[int], TableDesign]:
    """Return the positions of the columns of counts, and a design with the factors."""
    if not sniffed.header and sniffed.records == 1:
        raise ValueError("no row below the first line")
    header = (
        sniffed.names if sniffed.header else [column.texts[0].as_py() for column in sniffed.columns]
    )
    if len(header) > MAX_FACTORS:
        raise ValueError(f"at most {MAX_FACTORS:,} columns are allowed, got {len(header):,}")
    if options.wide:
        return _wide_columns(sniffed)
    if options.count is not None:
        positions = [
            position for position, name in enumerate(sniffed.names) if name == options.count
        ]
    else:
        positions = _columns_named_as_counts(sniffed) or _unnamed_count_column(sniffed)
    factors = _factors(sniffed, positions[0]) if len(positions) == 1 else []
    names = [header[position] for position in factors]
    if not names or "" in names or "count" in names or len({*names}) < len(names):
        expected = (
            f"{options.count!r}"
            if options.count
            else f"counts ({', '.join(COUNT_NAMES)}; or --count)"
        )
        raise ValueError(
            f"the first line must name exactly one column of {expected}, and the factors, by "
            f"unique names other than 'count', got {', '.join(map(repr, header))}"
        )
    count = sniffed.names[positions[0]]
    return positions, TableDesign(dict.fromkeys(names), count=count)


def _wide_columns(sniffed: Sniffed) -> tuple[list[int], TableDesign]:
    """Return the result of `_guess_columns` for a wide table, whose factors come first.

    The factors are the columns up to the last one of text, and as many more as are needed to
    distinguish the lines, if their numbers are repeated as those of a factor are. A few values that
    are no numbers are taken for errors. An unnamed first column that only numbers the lines is not
    a factor.
    """
    names = header_names(sniffed.names, WIDE_FACTOR)
    texts = [
        position
        for position, column in enumerate(sniffed.columns)
        if 2 * sum(text[:1].isdecimal() for text in iter_texts(column.texts)) < len(column.texts)
    ]
    width = 1 + max(texts, default=0)
    first = int(not sniffed.names[0] and sniffed.columns[0].numbers_lines and width > 1)
    while width < len(names) and not _distinguish_lines(sniffed, range(first, width)):
        if 4 * len(sniffed.columns[width].texts) > 3 * sniffed.records:
            break
        width += 1
    columns = [*range(width, len(names))]
    used = [*names[first:width], WIDE_FACTOR]
    levels = [names[position] for position in columns]
    if len(levels) < 2 or {"", "count"} & {*used} or len({*used}) < len(used):
        raise ValueError(
            "a wide table needs factors that distinguish its lines, and after them two or more "
            f"columns of counts, all with unique names, got {', '.join(map(repr, names))}"
        )
    return columns, TableDesign({**dict.fromkeys(used), WIDE_FACTOR: levels}, wide=WIDE_FACTOR)


def _marks(sniffed: Sniffed, columns: Sequence[int], options: CountOptions) -> tuple[str, str]:
    """Return the decimal mark and the thousands mark of the counts."""
    fields = {
        field for position in columns for field in iter_texts(sniffed.columns[position].texts)
    }
    commas = [field for field in fields if "," in field]
    decimal, thousands = options.decimal, options.thousands
    if decimal is None and thousands is None and commas:
        other_columns = [
            column.without(MISSING)[0]
            for position, column in enumerate(sniffed.columns)
            if position not in columns
        ]
        has_decimal_comma = decimal_mark(other_columns) == ","
        if not has_decimal_comma and all(is_grouped(field, ",") for field in commas):
            thousands = ","
        elif not any(is_grouped(field, ",") for field in commas):
            decimal = ","
    if decimal is None:
        decimal = "," if thousands == "." else "."
    return decimal, thousands or ""


def _columns_named_as_counts(sniffed: Sniffed) -> list[int]:
    names = enumerate(sniffed.names if sniffed.header else [])
    return [position for position, name in names if name.strip().casefold() in COUNT_NAMES]


def _unnamed_count_column(sniffed: Sniffed) -> list[int]:
    """Return the last column, in a list, if it must hold counts whatever its name is.

    It must if its values are whole numbers, if there are at least two other columns, and if each
    combination of their levels has exactly one line.
    """
    if not sniffed.header or len(sniffed.names) > MAX_FACTORS:
        return []
    last = len(sniffed.names) - 1
    factors = _factors(sniffed, last)
    levels = [len(sniffed.columns[factor].texts) for factor in factors]
    holds_counts = (
        len(factors) > 1
        and min(levels) > 1
        and prod(levels) == sniffed.records
        and _distinguish_lines(sniffed, factors)
        and all(text.isdecimal() for text in iter_texts(sniffed.columns[last].texts))
    )
    return [last] if holds_counts else []


def _objection_to_counts(sniffed: Sniffed, position: int, factors: Sequence[int]) -> str:
    """Return why a column cannot hold the counts of cells, or "" if it can.

    A few values that are not counts, or a few cells with two counts, do not matter: they are taken
    for errors in a table of counts.
    """
    if not any(field[:1].isdecimal() for field in iter_texts(sniffed.columns[position].texts)):
        return "none of its values is a number"
    if not factors:
        return "there is no other column"
    repeated = sniffed.records - _count_distinct(sniffed, factors)
    if 2 * repeated >= sniffed.records:
        return "at least half of the lines repeat another line in all other columns"
    levels = {factor: len(sniffed.columns[factor].texts) for factor in factors}
    if prod(levels.values()) > MAX_CELLS:
        return f"the other columns have more than {MAX_CELLS:,} combinations of values"
    # if several factors vary, one that differs in each line is a measurement, not a factor
    varying = [factor for factor in factors if levels[factor] > 1]
    measured = [factor for factor in varying if levels[factor] == sniffed.records]
    if measured and len(varying) > 1:
        return f"{sniffed.names[measured[0]]!r} has a different value in each line"
    return ""


def _factors(sniffed: Sniffed, count_position: int) -> list[int]:
    factors = [position for position in range(len(sniffed.names)) if position != count_position]
    for position in [*factors]:
        if not sniffed.names[position] or sniffed.columns[position].numbers_lines:
            other_factors = [factor for factor in factors if factor != position]
            if _distinguish_lines(sniffed, other_factors):
                factors = other_factors
    return factors


def _distinguish_lines(sniffed: Sniffed, positions: Sequence[int]) -> bool:
    """Return whether no two lines agree in all of these columns."""
    combinations = prod(len(sniffed.columns[position].texts) for position in positions)
    return (
        combinations >= sniffed.records and _count_distinct(sniffed, positions) == sniffed.records
    )


def _count_distinct(sniffed: Sniffed, positions: Sequence[int]) -> int:
    """Return the number of distinct combinations of values in these columns."""
    columns = [sniffed.columns[position] for position in positions]
    if not columns:
        return 0
    _, counts = distinct(
        [column.codes for column in columns], [len(column.texts) for column in columns]
    )
    return len(counts)
