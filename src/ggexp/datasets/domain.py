"""The domain of a histogram of records: all cells, which are numbered instead of listed."""

from dataclasses import dataclass
from math import prod

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.layout import Layout

MAX_CELLS = 2**53  # up to this number all cell numbers are exact in double precision


@dataclass(frozen=True)
class Domain:
    """All combinations of the attributes' values, numbered from 0, the last attribute fastest.

    values: attribute -> its values in ascending order: levels, or the midpoints of bins.
    Raises ValueError for more than 2^53 cells.
    """

    values: dict[str, NDArray[np.generic]]

    def __post_init__(self) -> None:
        if self.size > MAX_CELLS:
            raise ValueError(f"a histogram must have at most 2^53 cells, got {self.size:,}")

    @classmethod
    def of(cls, layout: Layout, cells: pd.DataFrame, test: pd.DataFrame) -> "Domain":
        """Return the domain of a histogram that was made with this layout.

        cells, test: as in `Histogram`. If the layout names no levels of an attribute, its levels
            are all that occur in cells or test.
        """
        values = {}
        for name, column in layout.attributes.items():
            if column.edges:
                edges = np.array(column.edges)
                values[name] = (edges[:-1] + edges[1:]) / 2
            else:
                levels = column.levels or {*cells[name], *test[name]}
                values[name] = np.array(sorted(levels), dtype=object)
        return cls(values)

    @property
    def size(self) -> int:
        """The number of all cells, including empty ones."""
        return prod(len(values) for values in self.values.values())

    def numbers(self, cells: pd.DataFrame) -> NDArray[np.int64]:
        """Return the number of each cell; each row of `cells` has the attributes' values."""
        codes = [np.searchsorted(values, cells[name]) for name, values in self.values.items()]
        shape = tuple(len(values) for values in self.values.values())
        return np.ravel_multi_index(codes, shape).astype(np.int64)

    def cells(self, numbers: NDArray[np.int64]) -> pd.DataFrame:
        """Return the attributes' values of the cells with these numbers."""
        shape = tuple(len(values) for values in self.values.values())
        codes = np.unravel_index(numbers, shape)
        columns = zip(self.values.items(), codes, strict=True)
        return pd.DataFrame({name: values[code] for (name, values), code in columns})

    def empty(self, places: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of empty cells.

        places: the positions of these cells in the sequence of all empty cells, counted from 0.
        held: the numbers of the cells that are not empty.
        """
        held = np.sort(held)
        filled_before = np.searchsorted(held - np.arange(len(held)), places, side="right")
        return places + filled_before
