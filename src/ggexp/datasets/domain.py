"""The domain of a histogram of records, and what a histogram contains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.layout import RecordsSettings
from ggexp.words import in_words

if TYPE_CHECKING:
    import pandas as pd

#: Largest number of cells of a domain: all their numbers are exact in double precision.
MAX_CELLS = 2**53


@dataclass(frozen=True)
class Domain:
    """All combinations of the attributes' values, numbered from 0, the last attribute fastest.

    values: attribute -> its values in ascending order: levels, or the midpoints of bins.
    """

    values: dict[str, NDArray[np.generic]]

    def __post_init__(self) -> None:
        if self.size > MAX_CELLS:
            raise ValueError(f"a histogram must have at most 2^53 cells, got {self.size:,}")

    @classmethod
    def of(
        cls, layout: RecordsSettings | None, cells: "pd.DataFrame", test: "pd.DataFrame"
    ) -> "Domain":
        """Return the domain of a histogram that was made with this layout.

        layout: None for a table of counts, whose values are those that occur in the cells.
        cells, test: as in `Histogram`. If the layout names no levels of an attribute, its levels
            are all that occur in cells or test.
        """
        if layout is None:
            names = [str(name) for name in cells if name != "count"]
            return cls({name: cells[name].sort_values().unique() for name in names})
        values = {}
        for name, column in layout.attributes.items():
            if column.bounds:
                edges = np.array(column.bounds)
                values[name] = (edges[:-1] + edges[1:]) / 2
            else:
                levels = column.levels or {*cells[name], *test[name]}
                values[name] = np.array(sorted(levels), dtype=object)
        return cls(values)

    @property
    def size(self) -> int:
        """The number of all cells, including empty ones."""
        return prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return tuple(map(len, self.values.values()))

    def numbers(self, cells: "pd.DataFrame") -> NDArray[np.int64]:
        """Return the number of each cell; each row of `cells` has the attributes' values."""
        codes = [np.searchsorted(values, cells[name]) for name, values in self.values.items()]
        return np.ravel_multi_index(codes, self.shape).astype(np.int64)

    def cells(self, numbers: NDArray[np.int64]) -> "pd.DataFrame":
        """Return the attributes' values of the cells with these numbers."""
        import pandas as pd

        codes = np.unravel_index(numbers, self.shape)
        columns = zip(self.values.items(), codes, strict=True)
        return pd.DataFrame({name: values[code] for (name, values), code in columns})

    def empty(self, places: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the cells at these places in the sequence of all empty cells.

        held: the numbers of the cells that are not empty.
        """
        held = np.sort(held)
        filled_before = np.searchsorted(held - np.arange(len(held)), places, side="right")
        return places + filled_before


def contents(
    design: RecordsSettings | Mapping[str, Sequence[str]],
    cells: "pd.DataFrame",
    tally: Mapping[str, int],
) -> dict[str, str]:
    """Return a description of n, the columns and their levels or bins, cells, and omitted records.

    design: the settings of records, or the factors of a table of counts. cells: the listed cells
    with their count. tally: as in `Histogram`; empty for a table of counts.
    """
    n, filled = int(cells["count"].sum()), int((cells["count"] > 0).sum())
    size = tally.get("bins", len(cells))
    empty = in_words(size - filled) if filled < size else "none"
    if isinstance(design, RecordsSettings):
        columns = [
            f"{name} ({len(form.bounds) - 1} bins)"
            if form.bounds
            else f"{name} ({len(form.levels or cells[name].unique())} levels)"
            for name, form in design.attributes.items()
        ]
    else:
        columns = [f"{name} ({len(levels)} levels)" for name, levels in design.items()]
    description = {
        "records, n": f"{n:,}",
        "columns": ", ".join(columns),
        "cells": f"{in_words(size)}, {empty} of them empty",
        "records per cell": f"{n / size:.3g}",
    }
    if filled < size:
        description["records per cell"] += f", {n / max(filled, 1):.3g} per non-empty cell"
    if tally:
        missing, dropped = tally["records"] - tally["complete"], tally["dropped"]
        description["records left out"] = "none"
        if missing + dropped:
            description["records left out"] = (
                f"{missing + dropped:,} of {tally['records']:,}: {missing:,} with a missing value, "
                f"{dropped:,} dropped by their values"
            )
        if tally["test"]:
            description["test records"] = f"{tally['test']:,}"
    return description
