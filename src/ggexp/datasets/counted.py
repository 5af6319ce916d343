"""Whether the lines of a file are cells with their counts, or records."""

from collections.abc import Iterator, Sequence
from math import inf, prod

from ggexp.datasets.sniff import Sniffed, is_number
from ggexp.datasets.tables import CELLS

#: What a column of counts is called.
COUNTS = ("count", "counts", "freq", "frequency", "n", "cases", "number", "total")
#: Factors: more of them have more combinations than can be sanitized.
FACTORS = 1000


def find_counts(sniffed: Sniffed) -> tuple[int, list[int]] | None:
    """Return the places of the counts and of the factors, if each line is a cell and its count.

    Names and numbers of lines are no factor.
    """
    places = _named_as_counts(sniffed)
    if len(places) != 1 or len(sniffed.names) > FACTORS:
        return None
    factors = _factors(sniffed, places[0])
    return None if _misfit(sniffed, places[0], factors) else (places[0], factors)


def counts_and_factors(sniffed: Sniffed) -> tuple[int, list[int]]:
    """Return the places of the counts and of the factors of a file that is a table of counts.

    Raises ValueError if its first line does not name one column of counts, and factors.
    """
    if not sniffed.header and sniffed.records == 1:
        raise ValueError("no row below the first line")
    header = sniffed.names if sniffed.header else [column[0] for column in sniffed.columns]
    if len(header) > FACTORS:
        raise ValueError(f"at most {FACTORS:,} columns are allowed, got {len(header):,}")
    places = _named_as_counts(sniffed)
    factors = _factors(sniffed, places[0]) if len(places) == 1 else []
    names = [header[place] for place in factors]
    if not names or "" in names or len({*names}) < len(names):
        raise ValueError(
            f"the first line must name one column of counts ({', '.join(COUNTS)}), and beside it "
            f"each factor by a name of its own, got {', '.join(map(repr, header))}"
        )
    return places[0], factors


def levels_of(sniffed: Sniffed, factors: Sequence[int]) -> dict[str, list[str]]:
    """Return the levels of each factor: numbers by their size, before text."""
    return {sniffed.names[i]: sorted({*sniffed.columns[i]}, key=_natural) for i in factors}


def _natural(level: str) -> tuple[float, str]:
    """Return what levels are sorted by."""
    return float(level) if is_number(level) else inf, level


def _named_as_counts(sniffed: Sniffed) -> list[int]:
    names = enumerate(sniffed.names if sniffed.header else [])
    return [place for place, name in names if name.strip().casefold() in COUNTS]


def _misfit(sniffed: Sniffed, place: int, factors: Sequence[int]) -> str:
    """Return why the lines are not cells with the counts in this column, nothing if they are."""
    counts = sniffed.columns[place]
    if not all(count.isascii() and count.isdecimal() for count in counts):
        return "not all of its values are whole numbers"
    if not factors:
        return "there is no other column"
    if not _tell_apart(sniffed, factors):
        return "two lines are alike in all other columns"
    levels = {factor: len({*sniffed.columns[factor]}) for factor in factors}
    if prod(levels.values()) > CELLS:
        return f"the other columns have more than {CELLS:,} combinations of values"
    # a measurement has another value in each record; of a single factor that varies so has a level
    varying = [factor for factor in factors if levels[factor] > 1]
    measured = [factor for factor in varying if levels[factor] == sniffed.records]
    if measured and len(varying) > 1:
        return f"{sniffed.names[measured[0]]!r} has another value in each line"
    return ""


def _factors(sniffed: Sniffed, counted: int) -> list[int]:
    factors = [place for place in range(len(sniffed.names)) if place != counted]
    numbers = [[str(first + i) for i in range(sniffed.records)] for first in (0, 1)]
    for place in [*factors]:
        if not sniffed.names[place] or sniffed.columns[place] in numbers:
            others = [other for other in factors if other != place]
            if _tell_apart(sniffed, others):
                factors = others
    return factors


def _tell_apart(sniffed: Sniffed, places: Sequence[int]) -> bool:
    """Return whether no two lines are alike in all of these columns."""
    cells = zip(*(sniffed.columns[place] for place in places), strict=True)
    return len({*cells}) == sniffed.records


def doubts(sniffed: Sniffed) -> Iterator[str]:
    """Yield why the lines of a file that are taken for records may be cells with their counts."""
    places = [i for i, c in enumerate(sniffed.columns) if not all(map(str.isdecimal, c))]
    are_texts = not any(is_number(text) for place in places for text in sniffed.columns[place])
    names_lines = any(_tell_apart(sniffed, [place]) for place in places)
    are_factors = len(places) == 1 if names_lines else _tell_apart(sniffed, places)
    if are_texts and are_factors and len(places) < len(sniffed.names):
        yield (
            "each line is taken for one record; if its numbers are counts, write the table long: a "
            "line for each cell, its count in a column named count (R: "
            "as.data.frame(as.table(x)), pandas: x.stack())"
        )
    named = _named_as_counts(sniffed)
    for place in named:
        if len(named) > 1:
            why = "more than one column has the name of a count"
        elif len(sniffed.names) > FACTORS:
            why = f"there are more than {FACTORS:,} columns"
        else:
            why = _misfit(sniffed, place, _factors(sniffed, place))
        name = sniffed.names[place]
        yield f"each line is taken for one record; {name!r} may be a count, but {why}"
