"""Propose columns of records and numbers of bins, few enough that cells contain several records.

Noise is added to every cell of the domain, including the empty ones. Therefore the relative error
of a table depends on its number of records per cell *of the domain*: with five records per cell the
error is about 10 to 17 % at ε = 1. The columns are taken in the file's order, so that the choice
depends on the data as little as possible.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.records import MAX_LISTED_CELLS
from ggexp.proposal.roles import Role

#: Smallest mean number of records per cell that a proposal leaves, if possible.
MIN_RECORDS_PER_CELL = 5
#: Smallest and largest number of columns of a proposal, including the target, if the file has
#: enough columns.
MIN_COLUMNS, MAX_COLUMNS = 3, 5
#: Approximate numbers of bins of a numeric column, tried in this order until the columns fit.
BIN_COUNTS = (10, 5, 3, 2)
#: The share of the records in the histogram if the other records test a classifier.
TRAINING_SHARE = 2 / 3


@dataclass(frozen=True)
class Gaps:
    """All records of a file, grouped by the columns in which a value is missing.

    lacking: column -> for each group, whether the column's value is missing.
    records: the number of records in each group.
    """

    lacking: Mapping[str, NDArray[np.bool_]]
    records: NDArray[np.int64]

    @property
    def total(self) -> int:
        """The number of all records."""
        return int(self.records.sum())

    def lost(self, names: Sequence[str]) -> int:
        """Return how many records have a missing value in these columns."""
        lacking = [self.lacking[name] for name in names]
        return int(self.records[np.any(lacking, axis=0)].sum()) if lacking else 0


@dataclass(frozen=True)
class Choice:
    """Columns with their bins.

    columns: the columns of the histogram, in the file's order.
    optional: columns that the user may add, with the same number of bins.
    """

    columns: dict[str, Role]
    optional: dict[str, Role]


def propose(usable: Mapping[str, Role], gaps: Gaps, target: str | None) -> Choice:
    """Return three to five columns, or fewer if the file has fewer, and bins with which they fit.

    usable: all usable columns, in the file's order. gaps: their missing values.
    target: the column to predict, one of the usable ones, or None.
    The number of bins is the largest with which three columns fit. If there is no such number, the
    columns with the fewest values come first. As long as missing values exclude
    more than half of the records, the column whose omission saves the most records is left out.
    """
    candidates = list(usable)
    while True:
        choice = _first_fitting(usable, candidates, gaps, target)
        names = [*choice.columns]
        lost = gaps.lost(names)
        omissible = [name for name in names if name != target and gaps.lost([name])]
        if 2 * lost <= gaps.total or not omissible or len({*names} - {target}) == 1:
            return choice
        still_lost = {
            name: (gaps.lost([other for other in names if other != name]), -gaps.lost([name]))
            for name in omissible
        }
        candidates.remove(min(still_lost, key=still_lost.__getitem__))


def choose(
    path: str, usable: Mapping[str, Role], gaps: Gaps, target: str | None, wanted: Sequence[str]
) -> Choice:
    """Return the wanted columns and the target, with the most bins with which they fit."""
    names = [name for name in usable if name in wanted or name == target]
    if names == [target]:
        raise ValueError(
            f"{path}: at least one column besides the target {target!r} must be chosen"
        )
    max_cells = _max_cells(gaps, names, target)
    for bins in BIN_COUNTS:
        choice = _choice(usable, names, bins)
        if prod(role.values for role in choice.columns.values()) <= max_cells:
            break
    return choice


def _first_fitting(
    usable: Mapping[str, Role], candidates: Iterable[str], gaps: Gaps, target: str | None
) -> Choice:
    """Return the first of the candidate columns that fit together."""
    names = [name for name in candidates if name != target]
    needed = min(MIN_COLUMNS, len(names) + (target is not None))
    for bins in BIN_COUNTS:
        values = {name: role.with_bins(bins).values for name, role in usable.items()}
        chosen = _fitting_names(values, names, gaps, target)
        if len(chosen) >= needed:
            return _choice(usable, chosen, bins)
    names.sort(key=values.__getitem__)
    chosen = _fitting_names(values, names, gaps, target)
    if {*chosen} <= {target}:
        chosen = [*chosen, names[0]]
    return _choice(usable, chosen, BIN_COUNTS[-1])


def _fitting_names(
    values: Mapping[str, int], names: Iterable[str], gaps: Gaps, target: str | None
) -> list[str]:
    """Return the target, and in turn each name whose column fits together with the others."""
    chosen = [] if target is None else [target]
    for name in names:
        extended = [*chosen, name]
        if prod(values[column] for column in extended) <= _max_cells(gaps, extended, target):
            chosen = extended
        if len(chosen) == MAX_COLUMNS:
            break
    return chosen


def _choice(usable: Mapping[str, Role], chosen: Sequence[str], bins: int) -> Choice:
    binned = {name: role.with_bins(bins) for name, role in usable.items()}
    return Choice(
        {name: role for name, role in binned.items() if name in chosen},
        {name: role for name, role in binned.items() if name not in chosen},
    )


def _max_cells(gaps: Gaps, names: Sequence[str], target: str | None) -> float:
    """Return the largest allowed number of cells, given the records complete in these columns."""
    complete = gaps.total - gaps.lost(names)
    share = 1 if target is None else TRAINING_SHARE
    return min(MAX_LISTED_CELLS, share * complete / MIN_RECORDS_PER_CELL)
