"""Whether the lines of a file are cells with their counts, or records."""

from collections.abc import Iterator, Sequence
from math import prod

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
    found = [place for place, name in enumerate(sniffed.names) if name.strip().casefold() in COUNTS]
    if not sniffed.header or len(found) != 1 or len(sniffed.names) > FACTORS:
        return None
    (place,) = found
    if not all(count.isascii() and count.isdecimal() for count in sniffed.columns[place]):
        return None
    factors = _factors(sniffed, place)
    sizes = [len({*sniffed.columns[factor]}) for factor in factors]
    # what is measured has another value in each record, or as good as
    has_levels = len(factors) == 1 or max(sizes, default=0) < sniffed.records
    is_table = has_levels and prod(sizes) <= CELLS and _tell_apart(sniffed, factors)
    return (place, factors) if is_table else None


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
    for name in sniffed.names:
        if name.strip().casefold() in COUNTS:
            yield (
                f"each line is taken for one record; {name!r} may be a count, but the other "
                "columns make no table: they have too many levels, or lines that are alike"
            )
