"""Turn a file of individual records into the cells of a histogram, and into test records."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.columns import EMPTY, Codes, Column, distinct, smallest_dtype
from ggexp.datasets.domain import Domain
from ggexp.datasets.form import Source, line_error, shortened, type_of
from ggexp.datasets.layout import CATEGORICAL, ColumnForm, RecordsSettings
from ggexp.datasets.reader import Fields, read_columns
from ggexp.streams import stream
from ggexp.words import in_words

#: Smallest number of records with which a first line may be taken for a header.
MIN_RECORDS_TO_DETECT_HEADER = 10
#: Largest number of classes of a target: each pair of classes needs a support vector machine.
MAX_CLASSES = 20
#: Largest number of cells of a histogram that lists its empty cells too.
MAX_LISTED_CELLS = 100_000


@dataclass(frozen=True)
class Histogram:
    """A histogram of records.

    cells: the attributes and ``count`` (int64) of the training records in each non-empty cell, or
        in all cells, ascending. A categorical attribute is text, whose levels are those of the kept
        records if none are configured; a numeric one is the midpoint (float64) of its bin.
    test: the attributes of each test record, in the file's order.
    tally: numbers of records: records (all), complete, dropped (complete, but excluded by a value),
        kept, training and test; numbers of cells: bins (all cells) and cells (the non-empty ones).
    notes: which parts of a workbook were read or left out.
    """

    cells: pd.DataFrame
    test: pd.DataFrame
    tally: dict[str, int]
    notes: list[str] = field(default_factory=list)


def make_histogram(
    settings: Mapping[str, Any],
    *,
    dataset: str,
    seed: int,
    target: str | None = None,
    lists_empty: bool = False,
) -> Histogram:
    """Return the histogram described by a data set's settings, checked against these settings.

    settings: ``histograms: …: records:`` of a configuration. target: the predicted column, or None.
    lists_empty: whether empty cells are listed too; the last attribute's values vary fastest.
    """
    layout = RecordsSettings.read(settings, f"histograms.{dataset}.records")
    path = Path(layout.file)
    histogram = read_histogram(path, layout, dataset=dataset, seed=seed)
    check_tally(path, histogram.tally, layout.expected.model_dump(exclude_none=True))
    if target is not None:
        check_classes(path, histogram, target, dataset)
    if not lists_empty:
        return histogram
    if (number := histogram.tally["bins"]) > MAX_LISTED_CELLS:
        raise ValueError(
            f"histograms.{dataset}.release.kind: all allows at most {MAX_LISTED_CELLS:,} cells, "
            f"but the columns of {path} have {in_words(number)}; use threshold or stability, fewer "
            "columns, or wider bins"
        )
    domain = Domain.of(layout, histogram.cells, histogram.test)
    counts = np.zeros(domain.size, dtype=np.int64)
    counts[domain.numbers(histogram.cells)] = histogram.cells["count"]
    cells = domain.cells(np.arange(domain.size)).assign(count=counts)
    return replace(histogram, cells=cells)


def read_histogram(path: Path, layout: RecordsSettings, *, dataset: str, seed: int) -> Histogram:
    """Return the histogram of a file of records.

    dataset, seed: only these and the number of kept records determine which records are for
        training. The layout may name another data set whose split is used.
    """
    rows, columns = _read(Source(path), layout, f"histograms.{dataset}.records")
    records = len(next(iter(columns.values())))
    kept = np.ones(records, dtype=bool)
    missing = [layout.missing] if isinstance(layout.missing, str) else layout.missing or []
    for name in layout.attributes:
        kept &= ~columns[name].records_with(missing)
    complete = int(kept.sum())
    used = [*dict.fromkeys([*layout.attributes, *layout.drop])]
    fields = {name: _Field(rows, name, columns[name], layout, kept) for name in used}
    values = {name: field.values() for name, field in fields.items()}
    dropped = np.zeros(records, dtype=bool)
    for name, unwanted in layout.drop.items():
        wanted_type = unwanted if fields[name].form.bounds else [*map(str, unwanted)]
        dropped |= np.isin(values[name], wanted_type)[columns[name].codes]
    dropped &= kept
    kept &= ~dropped  # in place, so that the fields know it too
    coded = {name: fields[name].coded(values[name]) for name in layout.attributes}
    number = int(kept.sum())
    training = _split(number, layout, dataset, seed)
    if not training.any():
        raise ValueError(f"{path}: {number} records remain, none of them for training")
    cells, counts = distinct([codes[training] for _, codes in coded.values()])
    arrays = {name: pd.Series(levels).array for name, (levels, _) in coded.items()}
    test = {name: arrays[name].take(codes[~training]) for name, (_, codes) in coded.items()}
    listed = {name: arrays[name].take(codes) for name, codes in zip(coded, cells, strict=True)}
    bins = [
        len(column.bounds) - 1 if column.bounds else len(column.levels or coded[name][0])
        for name, column in layout.attributes.items()
    ]
    tally = {
        "records": records,
        "complete": complete,
        "dropped": int(dropped.sum()),
        "kept": number,
        "training": int(training.sum()),
        "test": number - int(training.sum()),
        "bins": prod(bins),
        "cells": len(counts),
    }
    listed_cells = pd.DataFrame({**listed, "count": counts})
    return Histogram(listed_cells, pd.DataFrame(test), tally, rows.notes)


def check_tally(path: Path, tally: Mapping[str, int], expected: Mapping[str, int]) -> None:
    """Raise ValueError if the tally of a file differs from the expected numbers."""
    deviations = [
        f"{quantity} {tally[quantity]:,}, expected {number:,}"
        for quantity, number in expected.items()
        if tally[quantity] != number
    ]
    if deviations:
        raise ValueError(
            f"{path} does not match records.expected: {'; '.join(deviations)}. If records differs, "
            "it is another file. If complete, dropped or kept differs, a record has been changed, "
            "or the columns are not in the file's order. If you changed the configuration on "
            "purpose, change records.expected too."
        )


def check_classes(path: Path, histogram: Histogram, target: str, dataset: str) -> None:
    """Raise ValueError unless the target has from two to `MAX_CLASSES` classes."""
    classes = sorted({*histogram.cells[target], *histogram.test[target]})
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise ValueError(
            f"histograms.{dataset}.classifier.target: must have 2 to {MAX_CLASSES} classes, but "
            f"{target!r} has {len(classes)} in {path}: {shortened(', '.join(classes))}. Choose "
            "another column, or remove classifier."
        )


def _read(source: Source, layout: RecordsSettings, key: str) -> tuple[Fields, dict[str, Column]]:
    """Return the rows of the file, and its columns by their names in the settings."""
    names, rows = [*layout.columns], read_columns(source, layout)
    first = rows.names
    if not first:
        return rows, dict.fromkeys(names, EMPTY)
    if type_of(layout.file) or layout.header:
        return rows, dict(zip(names, rows.select(names, first), strict=True))
    if len(first) != len(names):
        message = f"{len(names)} fields expected, got {len(first)}: {','.join(first)}"
        raise line_error(source, rows.first_line, message)
    if [*map(str.casefold, first)] == [*map(str.casefold, names)]:
        message = f"the line names the columns and is not a record; set {key}.header: true"
        raise line_error(source, rows.first_line, message)
    is_large = rows.records >= MIN_RECORDS_TO_DETECT_HEADER
    if layout.header is None and is_large and rows.seems_to_have_header():
        raise line_error(
            source,
            rows.first_line,
            "the line may name the columns, because no other line is like it: "
            f"{','.join(first)}. Set {key}.header: true if it does, else false",
        )
    rows = rows.without_header()
    return rows, dict(zip(names, rows.columns, strict=True))


@dataclass(frozen=True)
class _Field:
    """A column that is read; only the texts of kept records must be right."""

    rows: Fields
    name: str
    column: Column
    layout: RecordsSettings
    kept: NDArray[np.bool_]

    @property
    def form(self) -> ColumnForm:
        """The levels or bins of the column."""
        return self.layout.attributes.get(self.name, CATEGORICAL)

    def values(self) -> NDArray[Any]:
        """Return the values of the texts: float64 if the column is numeric, otherwise text."""
        texts = self.column.texts.to_numpy(zero_copy_only=False)
        if not self.form.bounds:
            return texts
        plain = self.layout.plain_texts(self.column.texts).to_numpy(zero_copy_only=False)
        numbers = pd.to_numeric(pd.Series(plain, dtype=object), errors="coerce").to_numpy(float)
        allowed = "a number with a decimal comma" if self.layout.decimal == "," else "a number"
        self.check(~np.isfinite(numbers), allowed)
        return numbers

    def coded(self, values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
        """Return the levels or midpoints, ascending, and the index of each kept record in them."""
        form = self.form
        if not form.bounds:
            if form.levels:
                self.check(~np.isin(values, form.levels), f"one of {', '.join(form.levels)}")
            self.check(values == "", "a non-empty level")
            column = self.column.where(self.kept)
            texts = column.texts.to_numpy(zero_copy_only=False)
            levels, ranks = np.unique(texts, return_inverse=True)
            return levels, ranks.astype(smallest_dtype(len(levels)))[column.codes]
        edges = np.array(form.bounds)
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", self.layout.decimal)
        self.check((values < edges[0]) | (values > edges[-1]), f"within its bins, {bounds}")
        index = np.searchsorted(edges[1:-1], values, side="right")
        levels, ranks = np.unique((edges[:-1] + edges[1:]) / 2, return_inverse=True)
        codes = self.column.codes[self.kept]
        return levels, ranks[index].astype(smallest_dtype(len(levels)))[codes]

    def check(self, wrong: NDArray[np.bool_], allowed: str) -> None:
        """Raise ValueError for the first kept record whose text is wrong; `allowed` is right."""
        if wrong.any() and (wrong_records := wrong[self.column.codes] & self.kept).any():
            first = int(wrong_records.argmax())
            got = shortened(repr(self.column.text_of(first)))
            message = f"{self.name} must be {allowed}, got {got}"
            raise line_error(self.rows.source, self.rows.line(first), message)


def _split(records: int, layout: RecordsSettings, dataset: str, seed: int) -> NDArray[np.bool_]:
    """Return which records are for training: a random sample of a share of them, rounded down."""
    if layout.training is None:
        return np.ones(records, dtype=bool)
    order = stream(seed, f"split of {layout.split_of or dataset}").permutation(records)
    training = np.zeros(records, dtype=bool)
    training[order[: int(records * Fraction(str(layout.training)))]] = True
    return training
