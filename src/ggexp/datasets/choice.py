"""Which columns of records, and how many bins, are proposed: few enough for cells to hold records.

Noise is added to every cell of the domain, also to the empty ones. Therefore the relative error of
a table follows from its records per cell *of the domain*: with five it is some 10 to 17 % at ε = 1.
The columns are taken in the file's order, so that the choice depends on little of the data.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.kinds import Kind
from ggexp.datasets.records import LISTED_CELLS

#: Records per cell that the choice leaves at least, if it can.
MIN_RECORDS_PER_CELL = 5
#: Columns that are proposed, the target among them, as far as the file has them.
MIN_COLUMNS, MAX_COLUMNS = 3, 5
#: Bins that a numeric column has about: the first with which so many columns fit.
BINS = (10, 5, 3, 2)
#: The share of the records that make the histogram if others test a classifier.
TRAINING = 2 / 3


@dataclass(frozen=True)
class Gaps:
    """Which records lack a value in which columns.

    lacking: whether each kind of records lacks a column. records: how many there are of each kind.
    """

    lacking: Mapping[str, NDArray[np.bool_]]
    records: NDArray[np.int64]

    @property
    def total(self) -> int:
        """How many records there are."""
        return int(self.records.sum())

    def lost(self, names: Sequence[str], but: str | None = None) -> int:
        """Return how many records lack one of these columns, but for one of them."""
        lacking = [self.lacking[name] for name in names if name != but]
        return int(self.records[np.any(lacking, axis=0)].sum()) if lacking else 0


@dataclass(frozen=True)
class Choice:
    """Columns with their bins.

    columns: those that make the histogram, in the file's order. others: those that may be added,
    with the same number of bins.
    """

    columns: dict[str, Kind]
    others: dict[str, Kind]


def propose(usable: Mapping[str, Kind], gaps: Gaps, target: str | None) -> Choice:
    """Return three to five columns, as far as there are so many, and bins for which they fit.

    usable: all columns, in the file's order. gaps: which records lack each of them. target: a
    column that is among them.
    The bins are the most with which three columns fit. If three fit with none, those with the
    fewest values come first. Columns whose missing values cost more than half of the records are
    left out, first that which saves the most records.
    """
    left = list(usable)
    while True:
        found = _first_that_fit(usable, left, gaps, target)
        names = [*found.columns]
        lost = gaps.lost(names)
        saved = {name: (lost - gaps.lost(names, but=name), gaps.lost([name])) for name in names}
        saved.pop(target or "", None)
        worst = max(saved, key=lambda name: saved[name], default=None)
        if worst is None or len(saved) == 1 or 2 * lost <= gaps.total or not saved[worst][1]:
            return found
        left.remove(worst)


def choose(
    path: str, usable: Mapping[str, Kind], gaps: Gaps, target: str | None, wanted: Sequence[str]
) -> Choice:
    """Return the columns that are wanted, and the target, with the most bins for which they fit."""
    names = [name for name in usable if name in wanted or name == target]
    if names == [target]:
        raise ValueError(
            f"{path}: at least one column besides the target {target!r} must be chosen"
        )
    most = _most_cells(gaps, names, target)
    for bins in BINS:
        found = _choice(usable, names, bins)
        if prod(kind.values for kind in found.columns.values()) <= most:
            break
    return found


def _first_that_fit(
    usable: Mapping[str, Kind], left: Iterable[str], gaps: Gaps, target: str | None
) -> Choice:
    """Return the first columns that fit, of those that are left."""
    names = [name for name in left if name != target]
    enough = min(MIN_COLUMNS, len(names) + (target is not None))
    for bins in BINS:
        values = {name: kind.with_bins(bins).values for name, kind in usable.items()}
        found = _walk(values, names, gaps, target)
        if len(found) >= enough:
            return _choice(usable, found, bins)
    names.sort(key=values.__getitem__)
    found = _walk(values, names, gaps, target)
    alone = [] if target is None else [target]
    return _choice(usable, found if found != alone else [*alone, names[0]], BINS[-1])


def _walk(
    values: Mapping[str, int], names: Iterable[str], gaps: Gaps, target: str | None
) -> list[str]:
    """Return the target and the columns of which each fits with those before it.

    values: how many each column has.
    """
    found = [] if target is None else [target]
    for name in names:
        more = [*found, name]
        if prod(values[column] for column in more) <= _most_cells(gaps, more, target):
            found = more
        if len(found) == MAX_COLUMNS:
            break
    return found


def _choice(usable: Mapping[str, Kind], chosen: Sequence[str], bins: int) -> Choice:
    binned = {name: kind.with_bins(bins) for name, kind in usable.items()}
    return Choice(
        {name: kind for name, kind in binned.items() if name in chosen},
        {name: kind for name, kind in binned.items() if name not in chosen},
    )


def _most_cells(gaps: Gaps, names: Sequence[str], target: str | None) -> float:
    """Return the most cells that these columns may have, by the records that are complete."""
    complete = gaps.total - gaps.lost(names)
    share = 1 if target is None else TRAINING
    return min(LISTED_CELLS, share * complete / MIN_RECORDS_PER_CELL)
