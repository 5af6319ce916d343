"""The layout of a file of records, and the domain of its histogram."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.form import NO_MARKS, PLAIN, Form, Marks, type_of
from ggexp.datasets.text import in_words

COLUMN_FORMS = "categorical, unused, {levels}, {edges}, {from, to, bins} or {from, to, width}"
#: Largest number of bins of one column.
MAX_BINS = 100_000
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

    @classmethod
    def from_config(cls, records: Mapping[str, Any], key: str) -> "Layout":
        """Return the layout described by ``histograms: …: records:`` in a configuration.

        records: the mapping, which has the structure that config/schema.yaml requires.
        """
        columns = {
            name: _column(f"{key}.columns.{name}", form)
            for name, form in records["columns"].items()
        }
        attributes = [name for name, column in columns.items() if column.used]
        if not attributes:
            raise ValueError(f"{key}.columns: at least one must be used, but all are unused")
        if "count" in attributes:
            raise ValueError(f"{key}.columns: no used column may be named 'count'")
        drop = {
            _known(f"{key}.drop", name, columns): _dropped(
                f"{key}.drop.{name}", values, columns[name]
            )
            for name, values in records.get("drop", {}).items()
        }
        share = records.get("training")
        missing = records.get("missing")
        header = records.get("header")
        if "file" in records and (kind := type_of(records["file"])):
            if header is False:
                raise ValueError(
                    f"{key}.header: must be true, because {kind} files name their columns"
                )
            header = True
        return cls(
            columns=columns,
            header=header,
            missing=(missing,) if isinstance(missing, str) else tuple(missing or ()),
            drop=drop,
            training=None if share is None else _share(f"{key}.training", share),
            form=Form.from_config(records, key),
            marks=Marks(records.get("decimal", "."), records.get("thousands", "")),
            split_of=records.get("split_of"),
        )

    def check_target(self, target: str, key: str) -> None:
        """Raise ValueError if the target of a classifier is not a categorical column."""
        column = self.columns[_known(key, target, self.columns)]
        if not column.used or column.edges:
            raise ValueError(f"{key}: must be a categorical column, got {target!r}")


def _column(key: str, form: Any) -> Column:
    """Return the column that a configuration describes in one of the `COLUMN_FORMS`."""
    match form:
        case "categorical":
            return Column()
        case "unused":
            return Column(used=False)
        case {"levels": levels, **rest} if not rest:
            if not levels or len(set(levels)) < len(levels):
                raise ValueError(f"{key}.levels: must be different texts, got {levels!r}")
            return Column(levels=tuple(levels))
        case {"edges": edges, **rest} if not rest:
            return Column(edges=_increasing(f"{key}.edges", edges))
        case {"from": start, "to": stop, "bins": bins, **rest} if not rest:
            if bins < 1:
                raise ValueError(f"{key}.bins: must be a whole number >= 1, got {bins!r}")
        case {"from": start, "to": stop, "width": width, **rest} if not rest:
            bins = _bin_count(key, start, stop, width)
        case _:
            raise ValueError(f"{key}: must be {COLUMN_FORMS}, got {form!r}")
    _increasing(f"{key}: from, to", [start, stop])
    lower = [start + (stop - start) * i / bins for i in range(bins)]
    return Column(edges=_increasing(key, [*lower, stop]))


def _bin_count(key: str, start: float, stop: float, width: float) -> int:
    """Return the number of bins of this width between start and stop, if it is a whole number."""
    if not (math.isfinite(width) and width > 0):
        raise ValueError(f"{key}.width: must be a finite number > 0, got {width!r}")
    _increasing(f"{key}: from, to", [start, stop])
    bins = (stop - start) / width
    if not bins < MAX_BINS + 0.5:
        raise ValueError(f"{key}.width: must give at most {MAX_BINS:,} bins, got {width!r}")
    if round(bins) < 1 or abs(bins - round(bins)) > 1e-9 * bins:
        raise ValueError(
            f"{key}.width: must divide the {stop - start:g} between from and to, got {width!r}; "
            "change to, or use edges"
        )
    return round(bins)


def _increasing(key: str, edges: Sequence[float]) -> tuple[float, ...]:
    """Return the edges of at least one bin as floats, if they are finite and strictly increase."""
    if len(edges) < 2 or not all(math.isfinite(edge) for edge in edges):
        raise ValueError(f"{key}: must be two finite numbers or more, got {edges!r}")
    for lower, upper in pairwise(edges):
        if not lower < upper:
            raise ValueError(f"{key}: must increase, got {lower!r} before {upper!r}")
    return tuple(float(edge) for edge in edges)


def _known(key: str, name: str, columns: Mapping[str, Column]) -> str:
    if name not in columns:
        raise ValueError(f"{key}: unknown column {name!r}; the columns are {', '.join(columns)}")
    return name


def _dropped(key: str, values: Sequence[str | float], column: Column) -> tuple[str | float, ...]:
    """Return the values in the column's type: numbers for a numeric column, otherwise text."""
    if not column.edges:
        return tuple(str(value) for value in values)
    numbers = tuple(value for value in values if not isinstance(value, str))
    if len(numbers) < len(values) or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{key}: must be finite numbers, got {values!r}")
    return numbers


def _share(key: str, value: str | float) -> Fraction:
    """Return a share in (0, 1), given as a number or as the text of a fraction such as 2/3."""
    try:
        share = Fraction(str(value))
    except (ValueError, ZeroDivisionError):  # not a number, NaN, or a division by 0
        share = Fraction(0)
    if not 0 < share < 1:
        raise ValueError(f"{key}: must be a fraction strictly between 0 and 1, got {value!r}")
    return share


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
    settings: Mapping[str, Any], cells: pd.DataFrame, tally: Mapping[str, int]
) -> dict[str, str]:
    """Return a description of n, the columns and their levels or bins, cells, and omitted records.

    settings: the settings of the data set, as in a configuration.
    cells: a row per listed cell: its attributes and ``count``.
    tally: the numbers of records and cells, as in `Histogram`; empty for a table of counts.
    """
    n, filled = int(cells["count"].sum()), int((cells["count"] > 0).sum())
    size = tally.get("bins", len(cells))
    empty = in_words(size - filled) if filled < size else "none"
    description = {
        "records, n": f"{n:,}",
        "columns": ", ".join(_columns(settings, cells)),
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


def _columns(settings: Mapping[str, Any], cells: pd.DataFrame) -> list[str]:
    if "factors" in settings:
        return [f"{name} ({len(levels)} levels)" for name, levels in settings["factors"].items()]
    attributes = Layout.from_config(settings["records"], "records").attributes
    return [
        f"{name} ({len(column.edges) - 1} bins)"
        if column.edges
        else f"{name} ({len(column.levels or cells[name].unique())} levels)"
        for name, column in attributes.items()
    ]
