"""A table: its factors with their levels, and the counts of its cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.layout import ColumnForm
from ggexp.words import in_words

if TYPE_CHECKING:
    import pandas as pd

#: Largest number of cells of a completed table: empty cells are sanitized too, in memory.
MAX_CELLS = 1_000_000
#: Number of records that are counted at a time; counting takes more memory than they do.
BATCH = 1 << 20
#: Largest number of combinations of levels: all their numbers are exact in double precision.
MAX_COMBINATIONS = 2**53
#: Where levels that are not declared come from: the codebook of the file, or its values.
CODEBOOK, FILE = "codebook", "file"


def code_type(levels: int) -> np.dtype[Any]:
    """Return the smallest integer type for the positions of levels, and -1."""
    return np.min_scalar_type(-1 - levels)


@dataclass(frozen=True, eq=False)
class Table:
    """The counts of combinations of levels. Before records are counted, each is a cell.

    factors: factor -> its levels, in order: texts, or the midpoints of bins. codes: for each
        factor, the position of each cell's level; of records, -1 if there is no answer.
    counts: int64, of each cell. name: of the column of counts.
    sources: the factors with levels that are not declared -> `CODEBOOK` or `FILE`.
    shape: the number of levels of each factor.
    notes: remarks for the owner of the data, such as which sheet of a workbook was read.
    """

    factors: Mapping[str, Any]
    codes: Sequence[NDArray[np.integer[Any]]]
    counts: NDArray[np.int64]
    name: str = "count"
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    shape: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(map(len, self.factors.values())))

    @classmethod
    def stored(cls, cells: "pd.DataFrame", columns: Mapping[str, Any]) -> "Table":
        """Return the table of a stored histogram; columns: its levels or bins."""
        import pandas as pd

        forms = {name: ColumnForm.model_validate(form) for name, form in columns.items()}
        factors: dict[str, Any] = {
            name: form.midpoints if form.bounds else form.levels for name, form in forms.items()
        }
        codes = [pd.Index(levels).get_indexer(cells[name]) for name, levels in factors.items()]
        return cls(factors, codes, cells["count"].to_numpy())

    @cached_property
    def labels(self) -> "pd.DataFrame":
        """A row per cell and a column per factor: text, or float64 for midpoints."""
        import pandas as pd

        columns = zip(self.factors.items(), self.codes, strict=True)
        arrays = {name: (pd.Series(levels).array, code) for (name, levels), code in columns}
        return pd.DataFrame({name: levels.take(code) for name, (levels, code) in arrays.items()})

    @property
    def cells(self) -> "pd.DataFrame":
        """The labels with the counts as the last column."""
        return self.labels.assign(**{self.name: self.counts})

    @property
    def texts(self) -> list[str]:
        """The names of the factors, each with its levels, and the name of the counts."""
        return [*(text for name in self.factors for text in (name, *self.factors[name])), self.name]

    @property
    def combinations(self) -> int:
        """The number of all combinations of levels."""
        return prod(self.shape)

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return sum(self.counts.tolist())  # int64 could overflow

    @property
    def filled(self) -> int:
        """The number of non-empty cells."""
        return int((self.counts > 0).sum())

    @property
    def absent(self) -> int:
        """The number of combinations of levels that are not cells."""
        return self.combinations - self.counts.size

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each cell among all combinations, from 0, the last factor fastest."""
        if self.combinations > MAX_COMBINATIONS:
            raise ValueError(f"a histogram must have at most 2^53 cells, got {self.combinations:,}")
        return np.ravel_multi_index([*self.codes], self.shape).astype(np.int64)

    def at(self, numbers: NDArray[np.int64], counts: NDArray[Any]) -> "Table":
        """Return the table of the cells with these numbers."""
        codes = np.unravel_index(numbers, self.shape)
        return replace(self, codes=codes, counts=counts)

    def empty(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the cells at these places in the sequence of all absent ones."""
        held = np.sort(self.numbers)
        filled_before = np.searchsorted(held - np.arange(len(held)), places, side="right")
        return places + filled_before

    def completed(self, file: object = "the table") -> "Table":
        """Return the table with all combinations of levels; absent ones have the count 0.

        The last factor's levels vary fastest. file: its name, for the message of an error.
        """
        if (combinations := self.combinations) > MAX_CELLS:
            raise ValueError(
                f"{file}: the factors' levels have {in_words(combinations)} combinations, at most "
                f"{MAX_CELLS:,} are allowed, because empty cells get noise too; use fewer factors "
                "or levels"
            )
        sums = np.zeros(self.shape, dtype=np.int64)
        np.add.at(sums, tuple(self.codes), self.counts)
        codes = [*np.indices(self.shape).reshape(len(self.shape), -1)]
        return replace(self, codes=codes, counts=sums.ravel())

    def rows_of(self, factor: str) -> NDArray[np.int64]:
        """Return the counts of a completed table in a row per level of a factor."""
        axis = [*self.factors].index(factor)
        return np.moveaxis(self.counts.reshape(self.shape), axis, 0).reshape(self.shape[axis], -1)

    def margin(self, names: Sequence[str]) -> "Table":
        """Return the table of these factors only, summed over the others, in the order of levels.

        Records without an answer are left out. Combinations of levels without a cell are absent.
        """
        import pandas as pd

        known = dict(zip(self.factors, self.codes, strict=True))
        codes = [known[name] for name in names]
        answered = np.logical_and.reduce([code >= 0 for code in codes])
        parts = []
        for start in range(0, max(1, self.counts.size), BATCH):
            part = slice(start, start + BATCH)
            keys = [code[part][answered[part]] for code in codes]
            parts.append(pd.Series(self.counts[part][answered[part]]).groupby(keys).sum())
        sums = pd.concat(parts).groupby(level=[*range(len(codes))]).sum()
        return replace(
            self,
            factors={name: self.factors[name] for name in names},
            codes=[sums.index.get_level_values(i).to_numpy(np.int64) for i in range(len(codes))],
            counts=sums.to_numpy(np.int64),
            sources={name: self.sources[name] for name in names if name in self.sources},
        )

    def where(self, kept: NDArray[np.bool_]) -> "Table":
        """Return the table of the kept cells only, with all levels."""
        return replace(self, codes=[code[kept] for code in self.codes], counts=self.counts[kept])

    def with_levels(self, levels: Mapping[str, Sequence[str]]) -> "Table":
        """Return the table with other levels, or another order; other cells are left out."""
        import pandas as pd

        codes = [*self.codes]
        kept = np.ones(self.counts.size, dtype=bool)
        for i, (name, known) in enumerate(self.factors.items()):
            if name in levels:
                positions = pd.Index(levels[name]).get_indexer(known)
                codes[i] = positions.astype(code_type(len(levels[name])))[codes[i]]
                kept &= codes[i] >= 0
        return replace(self, factors={**self.factors, **levels}, codes=codes).where(kept)

    def without(self, factor: str, unwanted: Sequence[str]) -> "Table":
        """Return the table without these levels of a factor and their cells."""
        rest = [level for level in self.factors[factor] if level not in unwanted]
        return self.with_levels({factor: rest})
