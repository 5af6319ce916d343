"""Find levels of a table of counts that are totals: margins, or rows of sums below a table."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

Cell = tuple[str, ...]

#: Smallest number of strata in which a level without the name of a total must equal the sum of the
#: other levels. In fewer strata this may happen by chance.
MIN_STRATA = 5
#: Smallest number of levels of a factor with such a level. Of only two levels, each may be the
#: total of the other.
MIN_LEVELS = 3
_TOTAL_NAME = re.compile(
    r"\W*(grand |sub-?)?(all|totals?|sums?|both|overall|combined|any|margin)\b.*", re.I | re.S
)


def find_totals(
    factors: Sequence[str], cells: Mapping[Cell, int]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return factor -> its levels that are totals of the others, and warnings about unclear levels.

    cells: the count of each cell that has a row; a cell has a level for each factor.
    A level named all, total, sum, both or the like is a total if each of its counts is the sum of
    the cells that it covers. Any other level is a total if its count is the sum of the other levels
    in every stratum, if this count is not 0 in at least `MIN_STRATA` strata, if no other level of
    the factor is such a sum, and if the factor has at least `MIN_LEVELS` levels.
    """
    totals: dict[str, list[str]] = {}
    warnings: list[str] = []
    confirmed, refuted = _named_totals(cells)
    for position, level in sorted(confirmed):
        totals.setdefault(factors[position], []).append(level)
    for position, level in refuted:
        warnings.append(
            f"the level {level!r} of {factors[position]!r} has the name of a total, but is kept, "
            "because its counts are not the sums of the others"
        )
    remaining = cells
    if confirmed:
        remaining = {
            cell: count for cell, count in cells.items() if not confirmed & {*enumerate(cell)}
        }
    for position, name in enumerate(factors):
        for level, strata, is_only in _unnamed_sums(position, remaining):
            if strata >= MIN_STRATA and is_only:
                totals.setdefault(name, []).append(level)
                remaining = {
                    cell: count for cell, count in remaining.items() if cell[position] != level
                }
            else:
                warnings.append(
                    f"the level {level!r} of {name!r} may be the total of the others, because it "
                    f"is their sum in all {strata} strata; it is kept: delete its rows if it is a "
                    "total"
                )
    return totals, warnings


def _named_totals(cells: Mapping[Cell, int]) -> tuple[set[tuple[int, str]], list[tuple[int, str]]]:
    """Return (factor's position, level) of levels named like a total: true totals, and the others.

    A row may be a total over several factors at once: over each factor whose level is named like a
    total and, in such a row, also over each factor whose level is empty.
    """
    are_sums: dict[tuple[int, str], bool] = {}
    sums: dict[tuple[int, ...], Counter[Cell]] = {}
    levels = {level for column in map(set, zip(*cells, strict=True)) for level in column}
    totals = {level for level in levels if _TOTAL_NAME.fullmatch(level)}
    if not totals:
        return set(), []
    rows = [
        (cell, count, [i for i, level in enumerate(cell) if level in totals])
        for cell, count in cells.items()
    ]
    base = [(cell, count) for cell, count, named in rows if not named]

    def expected(cell: Cell, summed: tuple[int, ...]) -> int:
        """Return the sum of the rows without totals that agree with a cell in its other levels."""
        if summed not in sums:
            sums[summed] = Counter()
            for base_cell, count in base:
                sums[summed][_without(base_cell, summed)] += count
        return sums[summed][_without(cell, summed)]

    strata: dict[int, Counter[Cell]] = {}
    for cell, count, named in rows:
        if not named:
            continue
        summed = tuple(i for i, level in enumerate(cell) if i in named or not level)
        is_total = count == expected(cell, summed)
        for position in named:
            if position not in strata:
                strata[position] = Counter()
                for other_cell, other_count, other_named in rows:
                    if position not in other_named:
                        strata[position][_without(other_cell, (position,))] += other_count
            is_sum = is_total or count == strata[position][_without(cell, (position,))]
            key = (position, cell[position])
            are_sums[key] = are_sums.get(key, True) and is_sum
    positive = {(i, cell[i]) for cell, count, named in rows for i in named if count}
    confirmed = {key for key, is_sum in are_sums.items() if is_sum and key in positive}
    return confirmed, sorted({*are_sums} - confirmed)


def _unnamed_sums(position: int, cells: Mapping[Cell, int]) -> Iterator[tuple[str, int, bool]]:
    """Yield each level of a factor whose counts are the sums of the other levels in all strata.

    Yields the level, the number of strata in which it is not 0, and whether it is the only such
    level.
    """
    margin: Counter[str] = Counter()
    for cell, count in cells.items():
        margin[cell[position]] += count
    levels = {level for level, count in margin.items() if 2 * count == margin.total() > 0}
    if len(margin) < MIN_LEVELS or not levels:
        return
    strata: dict[Cell, Counter[str]] = defaultdict(Counter)
    for cell, count in cells.items():
        strata[_without(cell, (position,))][cell[position]] += count
    for counts in strata.values():
        stratum_total = counts.total()
        levels = {level for level in levels if 2 * counts[level] == stratum_total}
    for level in sorted(levels):
        if positive := sum(counts[level] > 0 for counts in strata.values()):
            yield level, positive, len(levels) == 1


def _without(cell: Cell, positions: tuple[int, ...]) -> Cell:
    return tuple(level for i, level in enumerate(cell) if i not in positions)
