"""The settings of a file of records, and the domain of its histogram."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Annotated, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, PlainValidator, model_validator

from ggexp.datasets.form import Form, type_of
from ggexp.section import (
    LIST,
    NULL,
    NUMBER,
    TEXT,
    Flag,
    MisfitError,
    Number,
    Section,
    Several,
    SomeText,
    Text,
    Whole,
    scalar,
)
from ggexp.words import in_words

COLUMN_FORMS = "categorical, unused, {levels}, {edges}, {from, to, bins} or {from, to, width}"
#: Largest number of bins of one column. The readings of the paper need 1,500,001.
MAX_BINS = 2_000_000
#: Largest number of cells of a domain: all their numbers are exact in double precision.
MAX_CELLS = 2**53


class ColumnForm(Section):
    """The levels or the bins of a column; without any, all levels of the file are allowed."""

    levels: Several[Text] | None = None
    edges: Annotated[list[Number], Field(min_length=2)] | None = None
    from_: Number | None = None
    to: Number | None = None
    bins: Annotated[Whole, Field(ge=1, le=MAX_BINS)] | None = None
    width: Annotated[Number, Field(gt=0)] | None = None

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """The increasing edges of the bins; empty for a categorical column.

        A bin contains its lower edge, and the last bin also its upper edge.
        """
        match given := self.model_dump(exclude_none=True, by_alias=True):
            case {"edges": edges} if len(given) == 1:
                return _increasing(edges, "edges")
            case {"from": start, "to": stop, **rest} if rest.keys() in ({"bins"}, {"width"}):
                _increasing([start, stop], "from")
                bins = self.bins or _bin_count(start, stop, rest["width"])
                lower = [start + (stop - start) * i / bins for i in range(bins)]
                return _increasing([*lower, stop], "bins")
        if given.keys() == {"levels"} or not self.model_fields_set:
            return ()
        raise MisfitError(f"must be {COLUMN_FORMS}, got {self.written()!r}")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _ = self.bounds
        return self


#: A categorical column of any levels.
CATEGORICAL = ColumnForm.model_construct()


def _bin_count(start: float, stop: float, width: float) -> int:
    """Return the number of bins of this width between start and stop, if it is a whole number."""
    bins = (stop - start) / width
    if not bins < MAX_BINS + 0.5:
        raise MisfitError(f"must give at most {MAX_BINS:,} bins, got {width!r}", "width")
    if round(bins) < 1 or abs(bins - round(bins)) > 1e-9 * bins:
        raise MisfitError(
            f"must divide the {stop - start:g} between from and to, got {width!r}; change to, or "
            "use edges",
            "width",
        )
    return round(bins)


def _increasing(edges: list[float], key: str) -> tuple[float, ...]:
    for lower, upper in pairwise(edges):
        if not lower < upper:
            raise MisfitError(f"must increase, got {lower!r} before {upper!r}", key)
    return tuple(map(float, edges))


def _column(form: object) -> str | ColumnForm:
    if form in ("categorical", "unused"):
        return str(form)
    if isinstance(form, Mapping) and form:
        return ColumnForm.model_validate(form)
    raise ValueError(f"must be {COLUMN_FORMS}, got {form!r}")


def _share(value: str | float) -> str | float:
    """Check a share in (0, 1), given as a number or as the text of a fraction such as 2/3."""
    try:
        share = Fraction(str(value))
    except (ValueError, ZeroDivisionError):  # not a number, or a division by 0
        share = Fraction(0)
    if not 0 < share < 1:
        raise ValueError(f"must be a fraction strictly between 0 and 1, got {value!r}")
    return value


class Expected(Section):
    """Numbers of records."""

    records: Whole | None = None
    """Records in the file."""
    complete: Whole | None = None
    """Records without a missing value."""
    dropped: Whole | None = None
    """Complete records that drop leaves out."""
    kept: Whole | None = None
    """The remaining complete records."""


class RecordsSettings(Form):
    """A file of records, and how records are read, binned, dropped and split."""

    renamed: ClassVar[Mapping[str, str]] = {"target": "classifier.target, beside records"}
    file: SomeText
    """Delimited text, also compressed (.gz, .bz2, .xz, .zst, .zip), Parquet (.parquet, .pq), Excel
    (.xlsx, .xls), Stata (.dta), SPSS (.sav, .zsav) or SAS (.xpt, .sas7bdat). A file in
    data/downloads/ is fetched from its address in download.files."""
    header: Flag | None = None
    """Whether the first line names the columns; in files of programs it always does. By default it
    does not, and a first line that looks like names is refused."""
    columns: Annotated[
        dict[SomeText, Annotated[str | ColumnForm, PlainValidator(_column)]], Field(min_length=1)
    ]
    """Columns, by name: with a header, the used ones in any order; without, all columns of the file
    in their order. The used ones are the attributes of the histogram. A column is `categorical`
    (any levels), {levels} (only these levels), {from, to, bins} or {from, to, width} (bins of equal
    width), {edges} (bins between these edges) or `unused`. A bin contains its lower edge, and the
    last bin its upper edge too. Edges and levels not from the data reveal nothing about it."""
    missing: Annotated[str | list[Text] | None, scalar(TEXT, LIST, NULL)] = None
    """The text of a missing value, or a list of texts; "" is an empty field. Records with one in a
    used column are left out. null: no value is missing."""
    drop: dict[
        Text, Annotated[list[Annotated[str | float, scalar(TEXT, NUMBER)]], Field(min_length=1)]
    ] = {}
    """Values, by column. Records with one of these values in the column are left out."""
    expected: Expected = Expected()
    """Expected numbers of records: a run stops if one of them differs."""
    training: Annotated[str | float, scalar(NUMBER, TEXT), AfterValidator(_share)] | None = None
    """Share of the records that are counted in the histogram, such as 2/3, by default all; the
    others are test records."""
    split_of: Text | None = None
    """Another data set whose split into training and test records is used, to compare the two by
    record. Both need the same training and the same expected.kept."""

    @property
    def attributes(self) -> dict[str, ColumnForm]:
        """The used columns, which form the histogram, in their order."""
        return {
            name: form if isinstance(form, ColumnForm) else CATEGORICAL
            for name, form in self.columns.items()
            if form != "unused"
        }

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        attributes = self.attributes
        if not attributes:
            raise MisfitError("at least one must be used, but all are unused", "columns")
        if "count" in attributes:
            raise MisfitError("no used column may be named 'count'", "columns")
        if self.header is False and (kind := type_of(self.file)):
            raise MisfitError(f"must be true, because {kind} files name their columns", "header")
        for name, values in self.drop.items():
            self._check_known(name, "drop")
            is_numeric = name in attributes and attributes[name].bounds
            if is_numeric and any(isinstance(value, str) for value in values):
                raise MisfitError(f"must be finite numbers, got {values!r}", "drop", name)
        return self

    def check_target(self, name: str, *key: str) -> None:
        """Raise an error about a key if it names no categorical column."""
        self._check_known(name, *key)
        if name not in self.attributes or self.attributes[name].bounds:
            raise MisfitError(f"must be a categorical column, got {name!r}", *key)

    def _check_known(self, name: str, *key: str) -> None:
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise MisfitError(f"unknown column {name!r}; the columns are {known}", *key)


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
        cls, layout: RecordsSettings | None, cells: pd.DataFrame, test: pd.DataFrame
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

    def numbers(self, cells: pd.DataFrame) -> NDArray[np.int64]:
        """Return the number of each cell; each row of `cells` has the attributes' values."""
        codes = [np.searchsorted(values, cells[name]) for name, values in self.values.items()]
        return np.ravel_multi_index(codes, self.shape).astype(np.int64)

    def cells(self, numbers: NDArray[np.int64]) -> pd.DataFrame:
        """Return the attributes' values of the cells with these numbers."""
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
    cells: pd.DataFrame,
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
