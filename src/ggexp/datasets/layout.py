"""The settings of data files: of records, and of counts."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, PlainValidator, model_validator

from ggexp.datasets.form import CONTROLS, Form, type_of
from ggexp.section import (
    Flag,
    MisfitError,
    NotNegative,
    Number,
    Section,
    Several,
    SomeText,
    Whole,
    allowed,
)

COLUMN_FORMS = "categorical, unused, {levels}, {edges}, {from, to, bins} or {from, to, width}"
#: Largest number of bins of one column. The readings of the paper need 1,500,001.
MAX_BINS = 2_000_000
Level = Annotated[
    str, allowed("text without control or bidirectional characters", f"[^{CONTROLS}]*")
]
Dropped = Annotated[str | int | float, allowed("text or a finite number")]
_NUMBER = re.compile(r"\+?\d+(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII)


class ColumnForm(Section):
    """The levels or the bins of a column; without any, all levels of the file are allowed."""

    levels: Several[Level] | None = None
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

    @property
    def midpoints(self) -> NDArray[np.float64]:
        """The midpoints of the bins."""
        edges = np.array(self.bounds)
        return (edges[:-1] + edges[1:]) / 2

    @property
    def bin_names(self) -> list[str]:
        """The names of the bins: each contains its lower edge, the last one also its upper."""
        names = [f"[{low:.15g}, {high:.15g})" for low, high in pairwise(self.bounds)]
        return [*names[:-1], f"{names[-1][:-1]}]"]

    @model_validator(mode="after")
    def _check(self) -> Self:
        _ = self.bounds
        return self


#: A categorical column of any levels.
CATEGORICAL = ColumnForm.model_construct()


def _bin_count(start: float, stop: float, width: float) -> int:
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
    missing: Annotated[str | list[str] | None, allowed("text, a list of texts, or null")] = None
    """The text of a missing value, or a list of texts; "" is an empty field. Records with one in a
    used column are left out. null: no value is missing."""
    drop: dict[str, Annotated[list[Dropped], Field(min_length=1)]] = {}
    """Values, by column. Records with one of these values in the column are left out."""
    expected: Expected = Expected()
    """Expected numbers of records: a run stops if one of them differs."""
    training: Annotated[str | float, allowed("a number or text"), AfterValidator(_share)] | None = (
        None
    )
    """Share of the records that are counted in the histogram, such as 2/3, by default all; the
    others are test records."""
    split_of: str | None = None
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

    def form(self, name: str) -> ColumnForm:
        """Return the levels or the bins of a column, none for an unused one."""
        return self.attributes.get(name, CATEGORICAL)

    @property
    def missing_texts(self) -> list[str]:
        """The texts of a missing value."""
        return [self.missing] if isinstance(self.missing, str) else self.missing or []

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        if not self.attributes:
            raise MisfitError("at least one must be used, but all are unused", "columns")
        if "count" in self.attributes:
            raise MisfitError("no used column may be named 'count'", "columns")
        if self.header is False and (kind := type_of(self.file)):
            raise MisfitError(f"must be true, because {kind} files name their columns", "header")
        for name, values in self.drop.items():
            self._check_known(name, "drop")
            if self.form(name).bounds and any(isinstance(value, str) for value in values):
                raise MisfitError(f"must be finite numbers, got {values!r}", "drop", name)
        return self

    def check_target(self, name: str, *key: str) -> None:
        """Raise an error about a key if it names no categorical column."""
        self._check_known(name, *key)
        if self.columns[name] == "unused" or self.form(name).bounds:
            raise MisfitError(f"must be a categorical column, got {name!r}", *key)

    def _check_known(self, name: str, *key: str) -> None:
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise MisfitError(f"unknown column {name!r}; the columns are {known}", *key)


class TableDesign(Form):
    """What a file of counts is declared to hold."""

    factors: dict[SomeText, list[Level] | None]
    """The factors with their levels; None takes the levels that the file declares, otherwise those
    that occur: texts that begin with a number, in ascending order, before other text."""
    count: SomeText = "count"
    """Name of the column of counts, by default count. Counts are whole numbers, in forms such as 3,
    3.0 or 1e+05."""
    wide: Annotated[Level, Field(min_length=1)] | None = None
    """For a wide file, the factor that has a column of counts for each of its levels. If the column
    of another factor has no name in the file, its name is row."""
    drop: dict[str, Several[str]] = {}
    """Levels, by factor, that are not listed under factors, such as totals. Rows with one of these
    levels are left out."""

    @property
    def row_factors(self) -> list[str]:
        """The factors that have a column of their own, which holds the level of each row."""
        return [name for name in self.factors if name != self.wide]

    @property
    def counted(self) -> list[str]:
        """The columns of counts."""
        return [self.count] if self.wide is None else [*(self.factors[self.wide] or ())]

    def parse(self, text: str) -> int | None:
        """Return the count >= 0 in a text such as 3, 3.0 or 1e+05; None if it is not a count."""
        if text.isascii() and text.isdecimal() and len(text) < 20:  # usual, and fast
            return int(text)
        text = self.plain(text)
        if not _NUMBER.fullmatch(text):
            return None
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else None


class TableSettings(TableDesign):
    """A table of counts, with a row for each combination of the factors' levels, or only some."""

    counts: SomeText
    """A file with a column for each factor and a column of counts: CSV, also compressed (.gz, .bz2,
    .xz, .zst, .zip), Parquet (.parquet, .pq), Excel (.xlsx, .xls), Stata (.dta), SPSS (.sav, .zsav)
    or SAS (.xpt, .sas7bdat). The first line names the columns."""
    factors: Annotated[dict[SomeText, Several[Level]], Field(min_length=1)]  # type: ignore[assignment]
    """The factors, by their column names in the file, each with its levels as text."""
    total: NotNegative
    """Sum of the counts, which is used to check the file."""
    omitted: Literal["zero"] | None = None
    """Meaning of a combination of levels that has no row. zero: its cell is empty. Without this
    key, a missing row is an error."""

    @classmethod
    def part_of(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a data set that describe how its table is read."""
        return {name: settings[name] for name in cls.names() if name in settings}

    @model_validator(mode="after")
    def _check_factors(self) -> Self:
        if "count" in self.factors:
            message = "no factor may be named 'count', the name of the cells' counts"
            raise MisfitError(message, "factors")
        for key, names in (("drop", self.drop), ("wide", [self.wide] if self.wide else [])):
            for name in {*names} - {*self.factors}:
                known = ", ".join(self.factors)
                raise MisfitError(f"unknown factor {name!r}; the factors are {known}", key)
        for name, levels in self.drop.items():
            if common := {*levels} & {*self.factors[name]}:
                raise MisfitError(f"{min(common)!r} is also in factors.{name}", "drop", name)
        return self
