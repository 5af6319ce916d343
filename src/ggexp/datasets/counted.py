"""Whether a file holds cells and their counts, or records; and its counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, prod
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from ggexp.datasets.columns import Column, distinct, each, line_of
from ggexp.datasets.kinds import decimal_mark
from ggexp.datasets.rows import at_line
from ggexp.datasets.sniff import MISSING, Sniffed, is_number
from ggexp.datasets.tables import CELLS, Counting, check_total, header_of, is_grouped, read_cells
from ggexp.datasets.totals import find_totals

#: What a column of counts is called.
COUNTS = ("count", "counts", "freq", "frequency", "n", "cases", "number", "total")
#: Factors: more of them have more combinations than can be sanitized.
FACTORS = 1000
#: The factor whose levels are the columns of a wide table.
WIDE = "column"


@dataclass(frozen=True)
class Asked:
    """What is known of a file of counts; as far as it is not, the file tells.

    count: the name of the column of counts. wide: whether a factor's levels are columns of counts.
    decimal, thousands: the marks in numbers. keep_totals: whether totals are cells like others.
    """

    count: str | None = None
    wide: bool = False
    decimal: str | None = None
    thousands: str | None = None
    keep_totals: bool = False


#: Nothing is known.
NOTHING = Asked()


@dataclass(frozen=True)
class Counts:
    """The counts of a file.

    factors: the levels of each, numbers by their size, before text. cells: the count of each cell
    that has one. counting: how the file holds them. left_out: messages about totals that are no
    cells. warnings: about what may be a total.
    """

    factors: dict[str, list[str]]
    cells: dict[tuple[str, ...], int]
    counting: Counting
    left_out: list[str]
    warnings: list[str]

    @property
    def absent(self) -> int:
        """How many combinations of the levels are no cell."""
        return prod(map(len, self.factors.values())) - len(self.cells)


def is_counts(sniffed: Sniffed, asked: Asked = NOTHING, *, by_name: bool = False) -> bool:
    """Return whether each line is a cell and its count, or holds the counts of several.

    by_name: whether the name of the column of counts must tell it.
    """
    if asked.wide or asked.count is not None:
        return True
    places = _named_as_counts(sniffed) or ([] if by_name else _without_name(sniffed))
    if len(places) != 1 or len(sniffed.names) > FACTORS:
        return False
    return not _why_no_counts(sniffed, places[0], _factors(sniffed, places[0]))


def read_counts(path: str | Path, sniffed: Sniffed, asked: Asked = NOTHING) -> Counts:
    """Return the counts of a file whose first line names its columns.

    Raises ValueError naming the file, the line and what is wrong: if it has no such column, or not
    one, if a count is none, or a cell has two.
    """
    try:
        columns, factors, counting = _columns(sniffed, asked)
    except ValueError as error:
        raise at_line(path, 1, error) from error
    decimal, thousands = _marks(sniffed, columns, asked)
    counting = replace(counting, decimal=decimal, thousands=thousands)
    _check_counts(path, sniffed, columns, counting)
    levels = {name: _sorted(sniffed.columns[place]) for place, name in factors.items()}
    taken = []
    if asked == NOTHING and not _named_as_counts(sniffed):
        taken = [
            f"the column {counting.count!r} is read as counts, because each combination of the "
            "other columns has exactly one line; with --columns or --target each line is a record"
        ]
    if counting.wide is not None:
        levels[counting.wide] = [sniffed.names[place] for place in columns]
    cells = read_cells(path, levels, sniffed.form, counting)
    totals, warnings = find_totals([*levels], cells)
    if asked.keep_totals:
        warnings = [
            f"the level {level!r} of {name!r}, the total of the others, is kept: each record "
            "counts in several cells, which the guarantee does not cover"
            for name, found in totals.items()
            for level in found
        ]
        totals = {}
    if totals:
        unwanted = [{*totals.get(name, ())} for name in levels]
        cells = {
            cell: count
            for cell, count in cells.items()
            if not any(level in drop for level, drop in zip(cell, unwanted, strict=True))
        }
        left = [{*found} for found in zip(*cells, strict=True)]
        levels = {
            name: [level for level in known if level in there]
            for (name, known), there in zip(levels.items(), left, strict=True)
        }
        drop = {name: found for name, found in totals.items() if name != counting.wide}
        counting = replace(counting, drop=drop)
    check_total(path, sum(cells.values()))
    left_out = [
        f"the level {level!r} of {name!r}, a total of the others (--keep-totals keeps it)"
        for name, found in totals.items()
        for level in found
    ]
    return Counts(levels, cells, counting, left_out, [*taken, *warnings])


def settings_of(counts: Counts) -> dict[str, Any]:
    """Return what a configuration says of a file's counts, as far as it is not the default."""
    default = Counting()
    settings: dict[str, Any] = {
        name: getattr(counts.counting, name)
        for name in Counting.__match_args__
        if getattr(counts.counting, name) != getattr(default, name)
    }
    settings = {"factors": counts.factors, **settings, "total": sum(counts.cells.values())}
    return settings | ({"omitted": "zero"} if counts.absent else {})


def warnings_of(sniffed: Sniffed) -> Iterator[str]:
    """Yield why the lines of a file that are taken for records may be cells with their counts."""
    whole = [all(map(str.isdecimal, each(column.texts))) for column in sniffed.columns]
    places = [place for place, is_whole in enumerate(whole) if not is_whole]
    are_texts = not any(
        is_number(text) for place in places for text in each(sniffed.columns[place].texts)
    )
    names_lines = any(_tell_apart(sniffed, [place]) for place in places)
    are_factors = len(places) == 1 if names_lines else _tell_apart(sniffed, places)
    if are_texts and are_factors and len(places) < len(sniffed.names):
        numbers = [name for i, name in enumerate(sniffed.names) if i not in places]
        way = f"--count {numbers[0]!r}" if len(numbers) == 1 else "--wide"
        yield f"each line is read as one record; if its numbers are counts, use {way}"
    named = _named_as_counts(sniffed)
    for place in named:
        if len(named) > 1:
            why = "several columns have the name of a count: choose one with --count"
        elif len(sniffed.names) > FACTORS:
            why = f"there are more than {FACTORS:,} columns"
        else:
            why = _why_no_counts(sniffed, place, _factors(sniffed, place))
        name = sniffed.names[place]
        yield f"each line is read as one record; {name!r} may be a count, but {why}"


def _columns(sniffed: Sniffed, asked: Asked) -> tuple[list[int], dict[int, str], Counting]:
    """Return the places of the counts, the factors by their places, and how the counts are held."""
    if not sniffed.header and sniffed.records == 1:
        raise ValueError("no row below the first line")
    header = (
        sniffed.names if sniffed.header else [column.texts[0].as_py() for column in sniffed.columns]
    )
    if len(header) > FACTORS:
        raise ValueError(f"at most {FACTORS:,} columns are allowed, got {len(header):,}")
    if asked.wide:
        return _wide(sniffed, asked)
    if asked.count is not None:
        places = [place for place, name in enumerate(sniffed.names) if name == asked.count]
    else:
        places = _named_as_counts(sniffed) or _without_name(sniffed)
    factors = _factors(sniffed, places[0]) if len(places) == 1 else []
    names = [header[place] for place in factors]
    if not names or "" in names or "count" in names or len({*names}) < len(names):
        what = f"{asked.count!r}" if asked.count else f"counts ({', '.join(COUNTS)}; or --count)"
        raise ValueError(
            f"the first line must name exactly one column of {what}, and the factors, by unique "
            f"names other than 'count', got {', '.join(map(repr, header))}"
        )
    count = sniffed.names[places[0]]
    return places, dict(zip(factors, names, strict=True)), Counting(count=count)


def _wide(sniffed: Sniffed, asked: Asked) -> tuple[list[int], dict[int, str], Counting]:
    """Return the same of a wide table: the first columns that tell its lines apart are factors.

    So are all up to the last column of text. A first column that only numbers the lines is none.
    """
    names = header_of(sniffed.names, WIDE)
    texts = [
        place
        for place, column in enumerate(sniffed.columns)
        if not all(
            field in MISSING or is_number(field.replace(",", "")) for field in each(column.texts)
        )
    ]
    width = 1 + max(texts, default=0)
    first = int(not sniffed.names[0] and _numbers_lines(sniffed, 0) and width > 1)
    while width < len(names) and not _tell_apart(sniffed, range(first, width)):
        width += 1
    factors, columns = {i: names[i] for i in range(first, width)}, [*range(width, len(names))]
    used = [*factors.values(), WIDE]
    levels = [names[place] for place in columns]
    if len(levels) < 2 or {"", "count"} & {*used} or len({*used}) < len(used):
        raise ValueError(
            "a wide table needs factors that distinguish its lines, and after them two or more "
            f"columns of counts, all with unique names, got {', '.join(map(repr, names))}"
        )
    return columns, factors, Counting(wide=WIDE)


def _marks(sniffed: Sniffed, columns: Sequence[int], asked: Asked) -> tuple[str, str]:
    """Return the decimal mark in counts, and that between thousands."""
    fields = {field for place in columns for field in each(sniffed.columns[place].texts)}
    commas = [field for field in fields if "," in field]
    decimal, thousands = asked.decimal, asked.thousands
    if decimal is None and thousands is None and commas:
        others = [
            column.without(MISSING)[0]
            for place, column in enumerate(sniffed.columns)
            if place not in columns
        ]
        has_decimal_comma = decimal_mark(others) == ","
        if not has_decimal_comma and all(is_grouped(field, ",") for field in commas):
            thousands = ","
        elif not any(is_grouped(field, ",") for field in commas):
            decimal = ","
    if decimal is None:
        decimal = "," if thousands == "." else "."
    return decimal, thousands or ""


def _check_counts(
    path: str | Path, sniffed: Sniffed, columns: Sequence[int], counting: Counting
) -> None:
    """Raise ValueError naming the line and the value of the first count that is none."""
    wrong = {}
    for place in columns:
        column = sniffed.columns[place]
        bad = np.array([counting.whole(text) is None for text in each(column.texts)])[column.codes]
        if bad.any():
            wrong[int(bad.argmax()), place] = column
    if wrong:
        (record, place), column = min(wrong.items(), key=itemgetter(0))
        text = column.texts[int(column.codes[record])].as_py()
        has_mark = "," in text or "." in text
        marks = "; give its separators with --decimal and --thousands" * has_mark
        raise at_line(
            path,
            line_of(path, sniffed.form, record + sniffed.header),
            f"{sniffed.names[place]} must be a non-negative whole number, got {text!r}"
            f"{marks}; if the column holds no counts, rename it",
        )


def _sorted(column: Column) -> list[str]:
    return sorted(column.texts.to_pylist(), key=_natural)


def _natural(level: str) -> tuple[float, str]:
    """Return what levels are sorted by."""
    return float(level) if is_number(level) else inf, level


def _named_as_counts(sniffed: Sniffed) -> list[int]:
    names = enumerate(sniffed.names if sniffed.header else [])
    return [place for place, name in names if name.strip().casefold() in COUNTS]


def _without_name(sniffed: Sniffed) -> list[int]:
    """Return the last column if it must be that of counts, whatever its name is.

    It must be where it holds whole numbers, and each combination of the levels of two other columns
    or more has exactly one line.
    """
    if not sniffed.header or len(sniffed.names) > FACTORS:
        return []
    last = len(sniffed.names) - 1
    factors = _factors(sniffed, last)
    levels = [len(sniffed.columns[factor].texts) for factor in factors]
    must = (
        len(factors) > 1
        and min(levels) > 1
        and prod(levels) == sniffed.records
        and _tell_apart(sniffed, factors)
        and all(text.isdecimal() for text in each(sniffed.columns[last].texts))
    )
    return [last] if must else []


def _why_no_counts(sniffed: Sniffed, place: int, factors: Sequence[int]) -> str:
    """Return why the lines are not cells with counts in this column, nothing if they are.

    A few counts that are none, and a few cells that have two, are mistakes in a table.
    """
    if not any(field[:1].isdecimal() for field in each(sniffed.columns[place].texts)):
        return "none of its values is a number"
    if not factors:
        return "there is no other column"
    alike = sniffed.records - _different(sniffed, factors)
    if 2 * alike >= sniffed.records:
        return "at least half of the lines repeat another line in all other columns"
    levels = {factor: len(sniffed.columns[factor].texts) for factor in factors}
    if prod(levels.values()) > CELLS:
        return f"the other columns have more than {CELLS:,} combinations of values"
    # a measurement has another value in each record; of a single factor that varies so has a level
    varying = [factor for factor in factors if levels[factor] > 1]
    measured = [factor for factor in varying if levels[factor] == sniffed.records]
    if measured and len(varying) > 1:
        return f"{sniffed.names[measured[0]]!r} has a different value in each line"
    return ""


def _factors(sniffed: Sniffed, counted: int) -> list[int]:
    factors = [place for place in range(len(sniffed.names)) if place != counted]
    for place in [*factors]:
        if not sniffed.names[place] or _numbers_lines(sniffed, place):
            others = [other for other in factors if other != place]
            if _tell_apart(sniffed, others):
                factors = others
    return factors


def _numbers_lines(sniffed: Sniffed, place: int) -> bool:
    """Return whether a column holds the numbers of the lines, from 0 or 1."""
    column = sniffed.columns[place]
    if len(column.texts) < len(column):
        return False
    return any(
        all(text == str(number) for number, text in enumerate(each(column.texts), first))
        for first in (0, 1)
    )


def _tell_apart(sniffed: Sniffed, places: Sequence[int]) -> bool:
    """Return whether no two lines are alike in all of these columns."""
    most = prod(len(sniffed.columns[place].texts) for place in places)
    return most >= sniffed.records and _different(sniffed, places) == sniffed.records


def _different(sniffed: Sniffed, places: Sequence[int]) -> int:
    """Return how many lines differ in one of these columns."""
    columns = [sniffed.columns[place] for place in places]
    if not columns:
        return 0
    _, counts = distinct(
        [column.codes for column in columns], [len(column.texts) for column in columns]
    )
    return len(counts)
