"""The keys of a configuration that describe a file of data, and what they make of it."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, Field, PlainValidator, model_validator

from ggexp.datasets.form import Form, Marks, type_of
from ggexp.datasets.layout import Column, Layout
from ggexp.datasets.tables import ContingencyTable, TableDesign, read_counts
from ggexp.section import (
    LIST,
    NULL,
    NUMBER,
    TEXT,
    Flag,
    MisfitError,
    NotNegative,
    Number,
    Positive,
    Section,
    Several,
    SomeText,
    Text,
    Whole,
    matching,
    one_of,
    scalar,
)

COLUMN_FORMS = "categorical, unused, {levels}, {edges}, {from, to, bins} or {from, to, width}"
#: Largest number of bins of one column.
MAX_BINS = 100_000
Encoding = Literal[
    "utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "gb18030", "shift_jis"
]
Character = Annotated[str, matching(r"[^\r\n\0]", "one character and no line end")]


class FileSettings(Section):
    """How a file of data is written."""

    sheet: SomeText | None = None
    """The sheet of an Excel workbook, by default the first that is not empty."""
    separator: Character = ","
    """The character between two fields, by default a comma."""
    quote: Character = '"'
    """The character around fields that contain a separator, by default the double quote."""
    encoding: Annotated[Encoding, one_of(get_args(Encoding))] = "utf-8"
    """The encoding of the text, by default utf-8."""
    decimal: Annotated[str, one_of((".", ","))] = "."
    """Decimal separator of the numbers in the file, by default a point."""
    thousands: Annotated[str, one_of((",", ".", " ", "'"))] = ""
    """Thousands separator of the numbers in the file, by default none."""

    @property
    def form(self) -> Form:
        """How the file is written."""
        return Form(self.separator, self.quote, self.encoding, self.sheet)

    @model_validator(mode="after")
    def _check_form(self) -> Self:
        if self.separator == self.quote:
            raise MisfitError(f"must differ from the separator, got {self.quote!r}", "quote")
        return self


class TableSettings(FileSettings):
    """A table of counts, with a row for each combination of the factors' levels, or only some."""

    counts: SomeText
    """A file with a column for each factor and a column of counts: CSV, also compressed (.gz, .bz2,
    .xz, .zst, .zip), Parquet (.parquet, .pq), Excel (.xlsx, .xls), Stata (.dta), SPSS (.sav, .zsav)
    or SAS (.xpt, .sas7bdat). The first line names the columns."""
    factors: Annotated[dict[SomeText, Several[Text]], Field(min_length=1)]
    """The factors, by their column names in the file, each with its levels as text."""
    total: NotNegative
    """Sum of the counts, which is used to check the file."""
    count: SomeText = "count"
    """Name of the column of counts, by default count. Counts are whole numbers, in forms such as 3,
    3.0 or 1e+05."""
    wide: SomeText | None = None
    """For a wide file, the factor that has a column of counts for each of its levels. If the column
    of another factor has no name in the file, its name is row."""
    drop: dict[Text, Several[Text]] = {}
    """Levels, by factor, that are not listed under factors, such as totals. Rows with one of these
    levels are left out."""
    omitted: Annotated[Literal["zero"], one_of(["zero"])] | None = None
    """Meaning of a combination of levels that has no row. zero: its cell is empty. Without this
    key, a missing row is an error."""

    @classmethod
    def part_of(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a data set that describe how its table is read."""
        return {name: settings[name] for name in cls.names() if name in settings}

    @property
    def design(self) -> TableDesign:
        """What the file is declared to hold."""
        marks = self.count, self.wide, self.decimal, self.thousands
        return TableDesign(self.factors, *marks, self.drop, self.form)

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


class Bins(Section):
    """A column's levels or bins."""

    levels: Several[Text] | None = None
    edges: Annotated[list[Number], Field(min_length=2)] | None = None
    from_: Number | None = None
    to: Number | None = None
    bins: Positive | None = None
    width: Annotated[Number, Field(gt=0)] | None = None

    @property
    def column(self) -> Column:
        """The column with these levels or bins."""
        match self.model_dump(exclude_none=True, by_alias=True):
            case {"levels": levels, **rest} if not rest:
                return Column(levels=tuple(levels))
            case {"edges": edges, **rest} if not rest:
                return Column(edges=_increasing(edges, "edges"))
            case {"from": start, "to": stop, **rest} if rest.keys() in ({"bins"}, {"width"}):
                _increasing([start, stop], "from")
                bins = self.bins or _bin_count(start, stop, rest["width"])
                lower = [start + (stop - start) * i / bins for i in range(bins)]
                return Column(edges=_increasing([*lower, stop], "bins"))
        raise MisfitError(f"must be {COLUMN_FORMS}, got {self.written()!r}")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _ = self.column
        return self


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


def _column(form: object) -> str | Bins:
    if form in ("categorical", "unused"):
        return str(form)
    if isinstance(form, Mapping):
        return Bins.model_validate(form)
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


class RecordsSettings(FileSettings):
    """A file of records, and how records are read, binned, dropped and split."""

    renamed: ClassVar[Mapping[str, str]] = {"target": "classifier.target, beside records"}
    file: SomeText
    """Delimited text, also compressed (.gz, .bz2, .xz, .zst, .zip), Parquet (.parquet, .pq), Excel
    (.xlsx, .xls), Stata (.dta), SPSS (.sav, .zsav) or SAS (.xpt, .sas7bdat). A file in
    data/downloads/ is fetched from its address in download.files."""
    header: Flag | None = None
    """Whether the first line names the columns, as it always does in Parquet, Excel, Stata, SPSS
    and SAS files. By default it does not, and a first line that looks like names is refused."""
    columns: Annotated[
        dict[SomeText, Annotated[str | Bins, PlainValidator(_column)]], Field(min_length=1)
    ]
    """Columns, by name. Without a header, list all columns of the file in their order; with a
    header, list the used columns in any order. The used columns are the attributes of the
    histogram. A column is `categorical` (any levels), {levels} (only these levels), {from, to,
    bins} (numeric, bins of equal width), {from, to, width} (numeric, bins of this width), {edges}
    (numeric, bins between these edges) or `unused`. A bin contains its lower edge, and the last bin
    its upper edge too. Edges and levels that are not taken from the data reveal nothing about the
    data."""
    missing: Annotated[str | list[Text] | None, scalar(TEXT, LIST, NULL)] = None
    """The text of a missing value, or a list of texts; "" is an empty field. Records with a missing
    value in a used column are left out. null: no value is missing."""
    drop: dict[
        Text, Annotated[list[Annotated[str | float, scalar(TEXT, NUMBER)]], Field(min_length=1)]
    ] = {}
    """Values, by column. Records with one of these values in the column are left out."""
    expected: Expected = Expected()
    """Expected numbers of records, which are used to check the file: a run stops if one of them
    differs."""
    training: Annotated[str | float, scalar(NUMBER, TEXT), AfterValidator(_share)] | None = None
    """Share of the records that are counted in the histogram, such as 2/3; the others are test
    records. By default all records are counted in the histogram."""
    split_of: Text | None = None
    """Another data set whose split into training and test records is used, so that the two data
    sets can be compared record by record. Both need the same training and the same expected.kept.
    By default a data set has its own split."""

    @property
    def layout(self) -> Layout:
        """How the records become a histogram."""
        columns = {
            name: form.column if isinstance(form, Bins) else Column(used=form == "categorical")
            for name, form in self.columns.items()
        }
        missing = [self.missing] if isinstance(self.missing, str) else self.missing or ()
        return Layout(
            columns=columns,
            header=True if type_of(self.file) else self.header,
            missing=tuple(missing),
            drop={
                name: tuple(values if columns[name].edges else map(str, values))
                for name, values in self.drop.items()
            },
            training=None if self.training is None else Fraction(str(self.training)),
            form=self.form,
            marks=Marks(self.decimal, self.thousands),
            split_of=self.split_of,
        )

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        attributes = [name for name, form in self.columns.items() if form != "unused"]
        if not attributes:
            raise MisfitError("at least one must be used, but all are unused", "columns")
        if "count" in attributes:
            raise MisfitError("no used column may be named 'count'", "columns")
        if self.header is False and (kind := type_of(self.file)):
            raise MisfitError(f"must be true, because {kind} files name their columns", "header")
        for name, values in self.drop.items():
            self.check_known(name, "drop")
            form = self.columns[name]
            is_numeric = isinstance(form, Bins) and not form.levels
            if is_numeric and any(isinstance(value, str) for value in values):
                raise MisfitError(f"must be finite numbers, got {values!r}", "drop", name)
        return self

    def check_target(self, name: str, *key: str) -> None:
        """Raise an error about a key if it names no categorical column."""
        self.check_known(name, *key)
        form = self.columns[name]
        if form == "unused" or (isinstance(form, Bins) and not form.levels):
            raise MisfitError(f"must be a categorical column, got {name!r}", *key)

    def check_known(self, name: str, *key: str) -> None:
        """Raise an error about a key if it names no column."""
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise MisfitError(f"unknown column {name!r}; the columns are {known}", *key)


def make_table(settings: Mapping[str, Any], key: str) -> ContingencyTable:
    """Return the table described by a data set's settings, and checked against them.

    settings: ``histograms: …:`` of a configuration. key: their path.
    If the settings omit empty cells, all combinations of levels are cells, in the order of the
    levels. Otherwise the cells are in the file's order.
    """
    checked = TableSettings.read(TableSettings.part_of(settings), key)
    path = checked.counts
    table = read_counts(path, checked.design)
    if checked.omitted == "zero":
        try:
            table = table.completed()
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    if table.absent:
        raise ValueError(
            f"{path}: {table.counts.size} cells, but the factors' levels have "
            f"{table.combinations} combinations; if the file leaves out empty cells, set omitted: "
            "zero"
        )
    if table.total != checked.total:
        raise ValueError(
            f"{path}: the counts sum to {table.total}, but must sum to {checked.total}"
        )
    return table
