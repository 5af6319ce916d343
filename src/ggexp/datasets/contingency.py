"""Contingency tables: the labels of cells, and their counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Largest number of cells of a table that is completed with its empty ones. Empty cells are
#: sanitized too; therefore all cells must fit into memory.
MAX_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """The cells of a contingency table.

    labels: a row per cell and a column per factor. Each column is categorical; its categories are
        the factor's levels, in order, including levels without a cell.
    counts: int64, the count of each cell.
    """

    labels: pd.DataFrame
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        factors: Mapping[str, Sequence[str]],
        codes: Iterable[NDArray[np.integer[Any]]],
        counts: NDArray[np.int64],
    ) -> "ContingencyTable":
        """Return the table with these factors and their levels.

        codes: for each factor, the position of each cell's level among the factor's levels.
        """
        columns = {
            name: pd.Categorical.from_codes(code, dtype=pd.CategoricalDtype([*levels]))
            for (name, levels), code in zip(factors.items(), codes, strict=True)
        }
        return cls(pd.DataFrame(columns), counts)

    @property
    def factors(self) -> dict[str, list[str]]:
        """Factor -> its levels, in order."""
        return {str(name): [*column.cat.categories] for name, column in self.labels.items()}

    @property
    def codes(self) -> list[NDArray[np.int64]]:
        """For each factor, the position of each cell's level among the factor's levels."""
        return [np.asarray(self.labels[name].cat.codes, np.int64) for name in self.labels]

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return sum(self.counts.tolist())  # int64 could overflow

    @property
    def combinations(self) -> int:
        """The number of all combinations of levels."""
        return prod(map(len, self.factors.values()))

    @property
    def absent(self) -> int:
        """The number of combinations of levels that are not cells."""
        return self.combinations - self.counts.size

    def completed(self) -> "ContingencyTable":
        """Return the table with all combinations of levels; absent ones have the count 0.

        The cells are in the order of the levels, and the last factor's levels vary fastest.
        Raises ValueError for more than `MAX_CELLS` combinations.
        """
        if self.combinations > MAX_CELLS:
            raise ValueError(
                f"the factors' levels have {self.combinations:,} combinations, at most "
                f"{MAX_CELLS:,} are allowed if empty cells are left out; use fewer factors or "
                "levels"
            )
        factors = self.factors
        shape = [len(levels) for levels in factors.values()]
        counts = np.zeros(shape, dtype=np.int64)
        counts[tuple(self.codes)] = self.counts
        return self.of(factors, map(np.ravel, np.indices(shape)), counts.ravel())

    def margin(self, names: Sequence[str]) -> "ContingencyTable":
        """Return the table of these factors only, summed over the others, in the order of levels.

        Combinations of levels without a cell are absent from the margin too.
        """
        keys = [self.labels[name] for name in names]
        sums = pd.Series(self.counts).groupby(keys, observed=True).sum()
        return ContingencyTable(sums.index.to_frame(index=False), sums.to_numpy(np.int64))

    def where(self, kept: NDArray[np.bool_]) -> "ContingencyTable":
        """Return the table of the kept cells only, with all levels."""
        return ContingencyTable(self.labels[kept].reset_index(drop=True), self.counts[kept])

    def without(self, factor: str, levels: Iterable[str]) -> "ContingencyTable":
        """Return the table without these levels of a factor and their cells."""
        unwanted = {*levels}
        table = self.where(~self.labels[factor].isin(unwanted).to_numpy())
        kept = [level for level in self.factors[factor] if level not in unwanted]
        column = table.labels[factor].cat.set_categories(kept)
        return ContingencyTable(table.labels.assign(**{factor: column}), table.counts)
