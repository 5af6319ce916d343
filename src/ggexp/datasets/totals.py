"""Levels of a table of counts that are totals: margins, or rows of sums below a table."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

Cell = tuple[str, ...]

#: Strata in which a level without the name of a total must be one: fewer may be chance.
STRATA = 5
#: Levels that such a level's factor has at least: of two each may be the other's total.
LEVELS = 3
_NAMED = re.compile(
    r"\W*(grand |sub-?)?(all|totals?|sums?|both|overall|combined|any|margin)\b.*", re.I | re.S
)


def find_totals(
    factors: Sequence[str], cells: Mapping[Cell, int]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return factor -> its levels that are totals of the others, and warnings on unclear levels.

    cells: the count of each cell that has a row, a level for each factor.
    A level that is called all, total, sum, both or the like is a total if each of its counts is the
    sum of the cells that it stands for. Any other level is one if this holds in every stratum, in
    at least `STRATA` of them with a count that is not 0, and the factor has `LEVELS` levels.
    """
    totals: dict[str, list[str]] = {}
    warnings: list[str] = []
    confirmed, refuted = _named(cells)
    for place, level in sorted(confirmed):
        totals.setdefault(factors[place], []).append(level)
    for place, level in refuted:
        warnings.append(
            f"the level {level!r} of {factors[place]!r} has the name of a total, but is kept, "
            "because its counts are not the sums of the others"
        )
    left = cells
    if confirmed:
        left = {cell: count for cell, count in cells.items() if not confirmed & {*enumerate(cell)}}
    for place, name in enumerate(factors):
        for level, strata, is_alone in _sums(place, left):
            if strata >= STRATA and is_alone:
                totals.setdefault(name, []).append(level)
                left = {cell: count for cell, count in left.items() if cell[place] != level}
            else:
                warnings.append(
                    f"the level {level!r} of {name!r} may be the total of the others, because it "
                    f"is their sum in all {strata} strata; it is kept: delete its rows if it is a "
                    "total"
                )
    return totals, warnings


def _named(cells: Mapping[Cell, int]) -> tuple[set[tuple[int, str]], list[tuple[int, str]]]:
    """Return the places and levels with the name of a total that are one, and those that are not.

    A row may be the total of several factors at once, each called so or, in one with the name of a
    total, left empty.
    """
    found: dict[tuple[int, str], bool] = {}
    sums: dict[tuple[int, ...], Counter[Cell]] = {}
    levels = {level for column in map(set, zip(*cells, strict=True)) for level in column}
    totals = {level for level in levels if _NAMED.fullmatch(level)}
    if not totals:
        return set(), []
    rows = [
        (cell, count, [i for i, level in enumerate(cell) if level in totals])
        for cell, count in cells.items()
    ]
    base = [(cell, count) for cell, count, named in rows if not named]

    def expected(cell: Cell, over: tuple[int, ...]) -> int:
        """Return the sum of the rows without totals that agree with a cell in its other levels."""
        if over not in sums:
            sums[over] = Counter()
            for other, count in base:
                sums[over][_without(other, over)] += count
        return sums[over][_without(cell, over)]

    strata: dict[int, Counter[Cell]] = {}
    for cell, count, named in rows:
        if not named:
            continue
        wide = tuple(i for i, level in enumerate(cell) if i in named or not level)
        is_total = count == expected(cell, wide)
        for place in named:
            if place not in strata:
                strata[place] = Counter()
                for other, of_other, names in rows:
                    if place not in names:
                        strata[place][_without(other, (place,))] += of_other
            is_sum = is_total or count == strata[place][_without(cell, (place,))]
            key = (place, cell[place])
            found[key] = found.get(key, True) and is_sum
    positive = {(i, cell[i]) for cell, count, named in rows for i in named if count}
    confirmed = {key for key, is_sum in found.items() if is_sum and key in positive}
    return confirmed, sorted({*found} - confirmed)


def _sums(place: int, cells: Mapping[Cell, int]) -> Iterator[tuple[str, int, bool]]:
    """Yield each level that is the sum of the others in all strata.

    With it: in how many of them it is not 0, and whether it is the only such level.
    """
    margin: Counter[str] = Counter()
    for cell, count in cells.items():
        margin[cell[place]] += count
    levels = {level for level, count in margin.items() if 2 * count == margin.total() > 0}
    if len(margin) < LEVELS or not levels:
        return
    strata: dict[Cell, Counter[str]] = defaultdict(Counter)
    for cell, count in cells.items():
        strata[_without(cell, (place,))][cell[place]] += count
    for counts in strata.values():
        whole = counts.total()
        levels = {level for level in levels if 2 * counts[level] == whole}
    for level in sorted(levels):
        if positive := sum(counts[level] > 0 for counts in strata.values()):
            yield level, positive, len(levels) == 1


def _without(cell: Cell, places: tuple[int, ...]) -> Cell:
    return tuple(level for i, level in enumerate(cell) if i not in places)
