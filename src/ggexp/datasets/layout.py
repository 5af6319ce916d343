"""The layout of a file of records: its columns, their bins, what is dropped, how it is split."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ggexp.datasets.rows import PLAIN, Form, type_of

FORMS = "categorical, unused, {levels}, {edges}, {from, to, bins} or {from, to, width}"
#: Bins of one column.
BINS = 100_000
#: What turns the text of a number with a decimal comma into that of one with a point.
POINTED = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class Column:
    """A column of the file: numeric if it has edges, else categorical, or not used at all.

    edges: increasing; a bin holds its lower edge, the last one its upper edge too.
    levels: what a categorical column may hold; None for whatever it holds.
    """

    used: bool = True
    edges: tuple[float, ...] | None = None
    levels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Layout:
    """How a file of records becomes a histogram.

    columns: by name. With a header those that are wanted, in any order; the others are not used.
        Without one all columns of the file, in its order.
    header: whether the first line names the columns, as it does in Parquet; None where nobody said.
    missing: the texts that stand for a missing value; records with one in a used column are left
        out.
    drop: column -> values; records that have one of them there are left out.
    training: the share of the records that make the histogram, the others are for testing; None
        for all of them.
    form: how the file is written. decimal: the mark in its numbers, a point or a comma.
    split_of: the data set whose split the records have; None if they have one of their own.
    """

    columns: Mapping[str, Column]
    header: bool | None = None
    missing: tuple[str, ...] = ()
    drop: Mapping[str, tuple[str | float, ...]] = field(default_factory=dict)
    training: Fraction | None = None
    form: Form = PLAIN
    decimal: str = "."
    split_of: str | None = None

    @property
    def attributes(self) -> dict[str, Column]:
        """The used columns, which make the histogram, in their order."""
        return {name: column for name, column in self.columns.items() if column.used}

    @classmethod
    def from_config(cls, records: Mapping[str, Any], key: str) -> "Layout":
        """Return the layout that ``histograms: …: records:`` of a configuration describes.

        records: the mapping, of the shape that config/schema.yaml asks for.
        key: where it stands in the configuration, for the messages.
        Raises ValueError naming the key, the value and what is allowed.
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
            decimal=records.get("decimal", "."),
            split_of=records.get("split_of"),
        )

    def check_target(self, target: str, key: str) -> None:
        """Raise ValueError if what a classifier is to predict is no categorical column.

        key: where the target stands in the configuration.
        """
        column = self.columns[_known(key, target, self.columns)]
        if not column.used or column.edges:
            raise ValueError(f"{key}: must be a categorical column, got {target!r}")


def _column(key: str, form: Any) -> Column:
    """Return the column that the configuration describes in one of the `FORMS`."""
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
            return Column(edges=_of_equal_width(key, start, stop, bins))
        case {"from": start, "to": stop, "width": width, **rest} if not rest:
            return Column(edges=_of_equal_width(key, start, stop, _bins(key, start, stop, width)))
    raise ValueError(f"{key}: must be {FORMS}, got {form!r}")


def _of_equal_width(key: str, start: float, stop: float, bins: int) -> tuple[float, ...]:
    _increasing(f"{key}: from, to", [start, stop])
    lower = [start + (stop - start) * i / bins for i in range(bins)]
    return _increasing(key, [*lower, stop])


def _bins(key: str, start: float, stop: float, width: float) -> int:
    """Return how many bins of a width there are, if that is a whole number."""
    if not (math.isfinite(width) and width > 0):
        raise ValueError(f"{key}.width: must be a finite number > 0, got {width!r}")
    _increasing(f"{key}: from, to", [start, stop])
    bins = (stop - start) / width
    if not bins < BINS + 0.5:
        raise ValueError(f"{key}.width: must give at most {BINS:,} bins, got {width!r}")
    if round(bins) < 1 or abs(bins - round(bins)) > 1e-9 * bins:
        raise ValueError(
            f"{key}.width: must divide the {stop - start:g} between from and to, got {width!r}; "
            "change to, or use edges"
        )
    return round(bins)


def _increasing(key: str, edges: Sequence[float]) -> tuple[float, ...]:
    """Return the edges of at least one bin, as float, if no bins overlap or are out of order."""
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
    """Return the values as the column has them: numbers where it is numeric, else text."""
    if not column.edges:
        return tuple(str(value) for value in values)
    numbers = tuple(value for value in values if not isinstance(value, str))
    if len(numbers) < len(values) or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{key}: must be finite numbers, got {values!r}")
    return numbers


def _share(key: str, value: str | float) -> Fraction:
    """Return the share, a number or the text of a fraction such as 2/3, if within (0, 1)."""
    try:
        share = Fraction(str(value))
    except (ValueError, ZeroDivisionError):  # no number, or NaN; 1/0
        share = Fraction(0)
    if not 0 < share < 1:
        raise ValueError(f"{key}: must be a fraction strictly between 0 and 1, got {value!r}")
    return share
