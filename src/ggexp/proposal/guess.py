"""Guess whether a file contains records or the counts of cells, and describe a file of counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from math import prod

import numpy as np

from ggexp.datasets import lines
from ggexp.datasets.columns import MISSING, Column, count_distinct, is_number, iter_texts
from ggexp.datasets.form import is_grouped, line_error
from ggexp.datasets.layout import ColumnForm, TableDesign, TableSettings
from ggexp.datasets.reader import Fields
from ggexp.datasets.table import MAX_CELLS
from ggexp.datasets.tables import ROW_NAMES, named_rows, read_counts
from ggexp.datasets.totals import are_sums_of_others, find_totals, has_total_name
from ggexp.proposal.configuration import Description
from ggexp.proposal.roles import Role, decimal_mark

#: Names that identify a column of counts.
COUNT_NAMES = ("count", "counts", "freq", "frequency", "n", "cases", "number", "total")
#: Largest number of columns: more factors have more combinations of levels than can be sanitized.
MAX_FACTORS = 1000
#: Largest number of levels of all columns: a configuration may have at most 100,000 values.
MAX_LEVELS = 50_000
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


def is_counts(fields: Fields, options: CountOptions = NO_OPTIONS, *, by_name: bool = False) -> bool:
    """Return whether each line of a file holds a cell and its count, or counts of several cells.

    by_name: whether only a column with a suitable name can hold the counts.
    """
    if not options.wide and not by_name:
        _check_crosstab(fields, options.count)
    if options.wide or options.count is not None:
        return True
    found = _named_as_counts(fields) or ([] if by_name else _unnamed_count_column(fields))
    return len(found) == 1 and not _objection_to_counts(fields, found[0])


def _check_crosstab(fields: Fields, count: str | None) -> None:
    """Raise ValueError if a column, such as Total, is the sum of the other columns of numbers."""
    numbers = {}
    for column in fields.columns:
        texts = column.texts.to_pylist()
        if all(text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS for text in texts):
            numbers[column] = np.array([*map(int, texts)])[column.codes]
    if len(numbers) < MIN_CROSSTAB_COLUMNS or not fields.header:
        return
    sums = are_sums_of_others(np.array([*numbers.values()]))
    for column in compress(numbers, sums):
        name = column.name
        is_named = has_total_name(name) or column in _named_as_counts(fields)
        if is_named if count is None else name == count:
            parts = [repr(other.name) for other in numbers if other is not column]
            raise ValueError(
                f"{fields.source}: the column {name!r} is the sum of {', '.join(parts)} in every "
                "line: if these are counts, use --wide NAME; if each line is a record, use "
                "--columns"
            )


def guess_table(
    fields: Fields, options: CountOptions = NO_OPTIONS, name: str = "table"
) -> Description:
    """Return what a file of counts, whose first line names its columns, probably holds.

    name: of the data set. Totals of other levels are left out.
    """
    file = fields.source
    try:
        design = _guess_columns(fields, options)
    except ValueError as error:
        raise line_error(file, fields.first_line, error) from error
    design = design.model_copy(update={**dict(fields.form), **_marks(fields, design, options)})
    warnings = [*fields.notes]
    if options == NO_OPTIONS and not _named_as_counts(fields):
        warnings.append(
            f"the column {design.count!r} is read as counts, because each combination of the "
            "other columns has exactly one line; with --columns or --target each line is a record"
        )
    notes = [
        f"the column {column!r}, because it only numbers the lines"
        for column in fields.names
        if column and column not in {*design.factors, design.count, *design.counted}
    ]
    table = read_counts(fields, design)
    totals, doubts = find_totals(table, file)
    found = [(factor, level) for factor, levels in totals.items() for level in levels]
    if options.keep_totals:
        warnings += [
            f"the level {level!r} of {factor!r}, the total of the others, is kept: each record "
            "counts in several cells, which the guarantee does not cover"
            for factor, level in found
        ]
    else:
        warnings += doubts
        notes += [
            f"the level {level!r} of {factor!r}, a total of the others (--keep-totals keeps it)"
            for factor, level in found
        ]
        factors = dict(design.factors)
        if design.wide in totals:  # its levels are columns, of which only the others are read
            wide_totals = totals.pop(design.wide)
            factors[design.wide] = [level for level in design.counted if level not in wide_totals]
        design = design.model_copy(update={"factors": factors, "drop": totals})
        table = read_counts(fields, design) if found else table
    if (levels := sum(table.shape)) > MAX_LEVELS:
        raise ValueError(
            f"{file}: the factors have {levels:,} levels, at most {MAX_LEVELS:,} are allowed"
        )
    settings = {"counts": str(file), **design.model_dump(exclude_defaults=True)}
    settings |= {"factors": {**table.factors}, "total": table.total}
    settings |= {"omitted": "zero"} if table.absent else {}
    return Description(
        name,
        fields,
        TableSettings.read(settings, str(file)),
        {factor: Role(ColumnForm(levels=levels)) for factor, levels in table.factors.items()},
        table.completed(file),
        table.total,
        notes=notes,
        warnings=warnings,
    )


def warnings_of(fields: Fields) -> Iterator[str]:
    """Yield reasons why the lines of a file that is read as records may be cells with counts."""
    columns = fields.by_name.values()
    numbers = lines.columns_of_counts(columns)
    if numbers and all(
        text.isdecimal() or not is_number(text)
        for column in columns
        for text in iter_texts(column.texts)
    ):
        option = f"--count {numbers[0]!r}" if len(numbers) == 1 else "--wide NAME"
        yield f"each line is read as one record; if its numbers are counts, use {option}"
    named = _named_as_counts(fields)
    for column in named:
        objection = "several columns have the name of a count: choose one with --count"
        if len(named) == 1:
            objection = _objection_to_counts(fields, column)
        yield f"each line is read as one record; {column.name!r} may be a count, but {objection}"


def _guess_columns(fields: Fields, options: CountOptions) -> TableDesign:
    """Return a design with the factors and the columns of counts."""
    if not fields.header and fields.records == 1:
        raise ValueError("no row below the first line")
    names = fields.names
    if len(names) > MAX_FACTORS:
        raise ValueError(f"at most {MAX_FACTORS:,} columns are allowed, got {len(names):,}")
    if options.wide:
        return _wide_columns(fields, options.wide)
    if options.count is None:
        expected = f"counts ({', '.join(COUNT_NAMES)}; or --count)"
        counts = _named_as_counts(fields) or _unnamed_count_column(fields)
    else:
        expected = f"{options.count!r}"
        counts = [column for column in fields.columns if column.name == options.count]
        if not counts:
            raise ValueError(f"no column {options.count!r}; the columns are {', '.join(names)}")
    factors = _factors(fields, counts[0]) if len(counts) == 1 and fields.header else []
    used = [column.name for column in factors]
    if not used or {"", "count"} & {*used} or len({*used}) < len(used):
        first = names if fields.header else [column.text_of(0) for column in fields.columns]
        raise ValueError(
            f"the first line must name exactly one column of {expected}, and the factors, by "
            f"unique names other than 'count', got {', '.join(map(repr, first))}"
        )
    return TableDesign(factors=dict.fromkeys(used), count=counts[0].name)


def _wide_columns(fields: Fields, wide: str) -> TableDesign:
    """Return the design of a wide table, whose factors distinguish its lines and come first."""
    columns = fields.columns
    width = 1
    for position, column in enumerate(columns, 1):
        numbers = sum(text[:1].isdecimal() for text in iter_texts(column.texts))
        if 2 * numbers < len(column.texts):
            width = position
    first = int(not columns[0].name and columns[0].numbers_lines and width > 1)
    while width < len(columns) and not _distinguish_lines(columns[first:width]):
        if 4 * len(columns[width].texts) > 3 * fields.records:
            break
        width += 1
    names = [column.name or ROW_NAMES for column in columns]
    used, levels = [*names[first:width], wide], names[width:]
    if len(levels) < 2 or {"", "count"} & {*used} or len({*used}) < len(used):
        raise ValueError(
            "a wide table needs factors that distinguish its lines, and after them two or more "
            f"columns of counts, all with unique names, got {', '.join(map(repr, names))}"
        )
    return TableDesign(factors={**dict.fromkeys(used), wide: levels}, wide=wide)


def _marks(fields: Fields, design: TableDesign, options: CountOptions) -> dict[str, str]:
    """Return the decimal mark and the thousands mark of the counts."""
    columns = named_rows(fields, design).columns
    counts = [column for column in columns if column.name in design.counted]
    commas = {text for column in counts for text in iter_texts(column.texts) if "," in text}
    decimal, thousands = options.decimal, options.thousands
    if decimal is None and thousands is None and commas:
        others = [column.without(MISSING)[0] for column in columns if column not in counts]
        has_decimal_comma = decimal_mark(others) == ","
        are_grouped = [is_grouped(text, ",") for text in commas]
        if not has_decimal_comma and all(are_grouped):
            thousands = ","
        elif not any(are_grouped):
            decimal = ","
    if decimal is None:
        decimal = "," if thousands == "." else "."
    return {"decimal": decimal, "thousands": thousands or ""}


def _named_as_counts(fields: Fields) -> list[Column]:
    """Return the columns whose names are in the list of `COUNT_NAMES`."""
    columns = fields.columns if fields.header else []
    return [column for column in columns if column.name.strip().casefold() in COUNT_NAMES]


def _unnamed_count_column(fields: Fields) -> list[Column]:
    """Return the last column, in a list, if it must hold counts whatever its name is.

    It holds whole numbers then, one for each combination of the levels of two or more columns.
    """
    if not fields.header or len(fields.columns) > MAX_FACTORS:
        return []
    last = fields.columns[-1]
    factors = _factors(fields, last)
    levels = [len(factor.texts) for factor in factors]
    has_all_rows = len(factors) > 1 and min(levels) > 1 and prod(levels) == fields.records
    has_counts = has_all_rows and all(map(str.isdecimal, iter_texts(last.texts)))
    return [last] if has_counts and _distinguish_lines(factors) else []


def _objection_to_counts(fields: Fields, counts: Column) -> str:
    """Return why a column cannot hold the counts of cells, or "" if it can but for few errors."""
    if len(fields.columns) > MAX_FACTORS:
        return f"there are more than {MAX_FACTORS:,} columns"
    factors = _factors(fields, counts)
    if not any(field[:1].isdecimal() for field in iter_texts(counts.texts)):
        return "none of its values is a number"
    if not factors:
        return "there is no other column"
    repeated = fields.records - count_distinct(factors)
    if 2 * repeated >= fields.records:
        return "at least half of the lines repeat another line in all other columns"
    if prod(len(factor.texts) for factor in factors) > MAX_CELLS:
        return f"the other columns have more than {MAX_CELLS:,} combinations of values"
    # if several factors vary, one that differs in each line is a measurement, not a factor
    varying = [factor for factor in factors if len(factor.texts) > 1]
    measured = [factor for factor in varying if len(factor.texts) == fields.records]
    if measured and len(varying) > 1:
        return f"{measured[0].name!r} has a different value in each line"
    return ""


def _factors(fields: Fields, counts: Column) -> list[Column]:
    """Return the columns besides that of the counts, without those that only number the lines."""
    factors = [column for column in fields.columns if column is not counts]
    for column in [*factors]:
        others = [factor for factor in factors if factor is not column]
        if (not column.name or column.numbers_lines) and _distinguish_lines(others):
            factors = others
    return factors


def _distinguish_lines(columns: Sequence[Column]) -> bool:
    """Return whether no two lines agree in all of these columns."""
    records = len(columns[0]) if columns else 1
    combinations = prod(len(column.texts) for column in columns)
    return combinations >= records and count_distinct(columns) == records
