"""Find levels of a table of counts that are totals: margins, or rows of sums below a table."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.contingency import ContingencyTable
from ggexp.datasets.nested import has_total_name

#: Smallest number of strata in which a level without the name of a total must equal the sum of the
#: other levels. In fewer strata this may happen by chance.
MIN_STRATA = 5
#: Smallest number of levels of a factor with such a level. Of only two levels, each may be the
#: total of the other.
MIN_LEVELS = 3


def find_totals(table: ContingencyTable) -> tuple[dict[str, list[str]], list[str]]:
    """Return factor -> its levels that are totals of the others, and warnings about unclear levels.

    A level with the name of a total is one if each of its counts is the sum of the cells that it
    covers. Any other level is a total if its count is the sum of the other levels in every stratum,
    if this count is not 0 in at least `MIN_STRATA` strata, if no other level of the factor is such
    a sum, and if the factor has at least `MIN_LEVELS` levels.
    """
    totals: dict[str, list[str]] = {}
    warnings: list[str] = []
    for factor, level, is_sum in _named_totals(table):
        if is_sum:
            totals.setdefault(factor, []).append(level)
        else:
            warnings.append(
                f"the level {level!r} of {factor!r} has the name of a total, but is kept, because "
                "its counts are not the sums of the others"
            )
    remaining = table
    for factor, levels in totals.items():
        remaining = remaining.without(factor, levels)
    for factor in table.factors:
        for level, strata, is_only in _unnamed_sums(remaining, factor):
            if strata >= MIN_STRATA and is_only:
                totals.setdefault(factor, []).append(level)
                remaining = remaining.without(factor, [level])
            else:
                warnings.append(
                    f"the level {level!r} of {factor!r} may be the total of the others, because it "
                    f"is their sum in all {strata} strata; it is kept: delete its rows if it is a "
                    "total"
                )
    return totals, warnings


def _named_totals(table: ContingencyTable) -> Iterator[tuple[str, str, bool]]:
    """Yield each level named like a total, with its factor, and whether it is a total.

    A row may be a total over several factors at once: over each factor whose level is named like a
    total and, in such a row, also over each factor whose level is empty.
    """
    names = {name: [*filter(has_total_name, known)] for name, known in table.factors.items()}
    are_named = pd.DataFrame({name: table.labels[name].isin(names[name]) for name in names})
    rows = are_named.any(axis="columns").to_numpy()
    if not rows.any():
        return
    base = table.where(~rows)
    are_summed = (are_named | (table.labels == ""))[rows]
    are_totals = np.zeros(len(rows), dtype=bool)
    for pattern, positions in are_summed.groupby([*names]).groups.items():
        flags = pattern if isinstance(pattern, tuple) else (pattern,)
        kept = [name for name, is_summed in zip(names, flags, strict=True) if not is_summed]
        sums = _sums(base, table.labels.loc[positions], kept)
        are_totals[positions] = table.counts[positions] == sums
    for factor, levels in names.items():
        others = [name for name in names if name != factor]
        strata = table.where(~are_named[factor].to_numpy())
        for level in levels:
            cells = (table.labels[factor] == level).to_numpy()
            counts = table.counts[cells]
            are_sums = are_totals[cells] | (counts == _sums(strata, table.labels[cells], others))
            yield factor, level, bool(are_sums.all() and counts.any())


def _unnamed_sums(table: ContingencyTable, factor: str) -> Iterator[tuple[str, int, bool]]:
    """Yield each level of a factor whose counts are the sums of the other levels in all strata.

    Yields the level, the number of strata in which it is not 0, and whether it is the only such
    level.
    """
    margin = table.margin([factor])
    if margin.counts.size < MIN_LEVELS or not margin.total:
        return
    others = [name for name in table.factors if name != factor]
    strata = table.margin(others).labels if others else pd.DataFrame(index=[0])
    stratum_totals = _sums(table, strata, others)
    found: dict[str, int] = {}
    for level in margin.labels[factor][2 * margin.counts == margin.total]:
        counts = _sums(table.where((table.labels[factor] == level).to_numpy()), strata, others)
        if (2 * counts == stratum_totals).all():
            found[level] = int((counts > 0).sum())
    for level in sorted(found):
        yield level, found[level], len(found) == 1


def _sums(table: ContingencyTable, cells: pd.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each cell the sum of the table's counts that agree with it in these factors."""
    if not names:
        return np.full(len(cells), table.total)
    margin = table.margin(names)
    sums = margin.labels.astype(object).assign(**{"": margin.counts})
    merged = cells[[*names]].astype(object).merge(sums, how="left", on=[*names])
    return merged[""].fillna(0).to_numpy(np.int64)
