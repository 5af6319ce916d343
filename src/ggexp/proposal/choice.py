"""Propose columns of records and numbers of bins, few enough that cells contain several records.

Noise is added to every cell of the domain, including the empty ones: with five records per cell of
the domain, the relative error of a table is about 10 to 17 % at ε = 1. The columns are taken in the
file's order, so that the choice depends on the data as little as possible.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import pandas as pd

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


def lost(gaps: pd.DataFrame, names: Sequence[str]) -> int:
    """Return how many records have a missing value in these columns.

    gaps: for each column and each record whether the column's value is missing.
    """
    return int(gaps[[*names]].any(axis="columns").sum())


def propose(
    usable: Mapping[str, Role], gaps: pd.DataFrame, target: str | None
) -> tuple[dict[str, Role], list[str]]:
    """Return usable columns with bins, and the names of three to five of them, or of fewer.

    usable: in the file's order. target: the column to predict, or None. The number of bins is the
    largest with which three columns fit. If there is none, the columns with the fewest values come
    first. As long as missing values exclude more than half of the records, the column whose
    omission saves the most records is left out.
    """
    candidates = [*usable]
    while True:
        binned, names = _first_fitting(usable, candidates, gaps, target)
        omissible = [name for name in names if name != target and lost(gaps, [name])]
        if 2 * lost(gaps, names) <= len(gaps) or not omissible or len({*names} - {target}) == 1:
            return binned, names
        still_lost = {
            name: (lost(gaps, [other for other in names if other != name]), -lost(gaps, [name]))
            for name in omissible
        }
        candidates.remove(min(still_lost, key=still_lost.__getitem__))


def with_bins(
    usable: Mapping[str, Role], gaps: pd.DataFrame, target: str | None, names: Sequence[str]
) -> dict[str, Role]:
    """Return usable columns with the most bins with which the named ones fit, if any do."""
    for bins in BIN_COUNTS:
        binned = {name: role.with_bins(bins) for name, role in usable.items()}
        if _fits(binned, names, gaps, target):
            break
    return binned


def _first_fitting(
    usable: Mapping[str, Role], candidates: Iterable[str], gaps: pd.DataFrame, target: str | None
) -> tuple[dict[str, Role], list[str]]:
    """Return the columns with bins, and the first of the candidates that fit together."""
    names = [name for name in candidates if name != target]
    needed = min(MIN_COLUMNS, len(names) + (target is not None))
    for bins in BIN_COUNTS:
        binned = {name: role.with_bins(bins) for name, role in usable.items()}
        chosen = _fitting_names(binned, names, gaps, target)
        if len(chosen) >= needed:
            return binned, chosen
    names.sort(key=lambda name: binned[name].values)
    chosen = _fitting_names(binned, names, gaps, target)
    return binned, [*chosen, names[0]] if {*chosen} <= {target} else chosen


def _fitting_names(
    binned: Mapping[str, Role], names: Iterable[str], gaps: pd.DataFrame, target: str | None
) -> list[str]:
    """Return the target, and in turn each name whose column fits together with the others."""
    chosen = [] if target is None else [target]
    for name in names:
        if len(chosen) < MAX_COLUMNS and _fits(binned, [*chosen, name], gaps, target):
            chosen.append(name)
    return chosen


def _fits(
    binned: Mapping[str, Role], names: Sequence[str], gaps: pd.DataFrame, target: str | None
) -> bool:
    """Return whether columns leave enough of their complete records per cell."""
    share = 1 if target is None else TRAINING_SHARE
    cells = prod(binned[name].values for name in names)
    if cells > min(MAX_LISTED_CELLS, share * len(gaps) / MIN_RECORDS_PER_CELL):
        return False
    return cells <= share * (len(gaps) - lost(gaps, names)) / MIN_RECORDS_PER_CELL
