"""The layout of a file of records, and the domain of its histogram."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.form import NO_MARKS, PLAIN, Form, Marks
from ggexp.words import in_words

#: Largest number of cells of a domain: all their numbers are exact in double precision.
MAX_CELLS = 2**53


@dataclass(frozen=True)
class Column:
    """A column of the file: numeric if it has edges, otherwise categorical, or unused.

    edges: increasing; a bin includes its lower edge, and the last bin also its upper edge.
    levels: the allowed values of a categorical column; None allows any value.
    """

    used: bool = True
    edges: tuple[float, ...] | None = None
    levels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Layout:
    """How a file of records becomes a histogram.

    columns: name -> column: with a header, the wanted columns; without, all, in the file's order.
    header: whether the first line names the columns, as in Parquet; None if that is not stated.
    missing: the texts that denote a missing value; records with one in a used column are left out.
    drop: column -> values; records with one of these values in the column are left out.
    training: the share of the records in the histogram, the others being test records; None: all.
    form, marks: how the file and its numbers are written.
    split_of: the data set whose split the records share; None if they have their own.
    """

    columns: Mapping[str, Column]
    header: bool | None = None
    missing: tuple[str, ...] = ()
    drop: Mapping[str, tuple[str | float, ...]] = field(default_factory=dict)
    training: Fraction | None = None
    form: Form = PLAIN
    marks: Marks = NO_MARKS
    split_of: str | None = None

    @property
    def attributes(self) -> dict[str, Column]:
        """The used columns, which form the histogram, in their order."""
        return {name: column for name, column in self.columns.items() if column.used}


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


def contents(
    design: Layout | Mapping[str, Sequence[str]],
    cells: pd.DataFrame,
    tally: Mapping[str, int],
) -> dict[str, str]:
    """Return a description of n, the columns and their levels or bins, cells, and omitted records.

    design: the layout of records, or the factors of a table of counts with their levels.
    cells: a row per listed cell: its attributes and ``count``.
    tally: the numbers of records and cells, as in `Histogram`; empty for a table of counts.
    """
    n, filled = int(cells["count"].sum()), int((cells["count"] > 0).sum())
    size = tally.get("bins", len(cells))
    empty = in_words(size - filled) if filled < size else "none"
    description = {
        "records, n": f"{n:,}",
        "columns": ", ".join(_columns(design, cells)),
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


def _columns(design: Layout | Mapping[str, Sequence[str]], cells: pd.DataFrame) -> list[str]:
    if not isinstance(design, Layout):
        return [f"{name} ({len(levels)} levels)" for name, levels in design.items()]
    return [
        f"{name} ({len(column.edges) - 1} bins)"
        if column.edges
        else f"{name} ({len(column.levels or cells[name].unique())} levels)"
        for name, column in design.attributes.items()
    ]
