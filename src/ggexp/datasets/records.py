"""Turn a file of individual records into the cells of a histogram, and into test records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.columns import EMPTY, MISSING, Codes, Column, distinct, smallest_dtype
from ggexp.datasets.domain import Domain
from ggexp.datasets.form import Source, line_error, shortened, type_of
from ggexp.datasets.layout import CATEGORICAL, ColumnForm, RecordsSettings
from ggexp.datasets.reader import Fields, read_columns
from ggexp.datasets.tables import ContingencyTable
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
    for name in layout.attributes:
        kept &= ~columns[name].records_with(layout.missing_texts)
    complete = int(kept.sum())
    dropped = _dropped(rows, columns, layout, kept)
    kept &= ~dropped
    coded = {
        name: _Field(rows, name, columns[name], layout, kept).coded() for name in layout.attributes
    }
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


@dataclass(frozen=True)
class CodedRecords:
    """The answers of all records, as codes.

    levels: attribute -> its levels or the names of its bins, in order. codes: attribute -> the
        position of each record's level, -1 if the answer is missing or the record is dropped.
    columns: all columns of the file by name. notes: as in `Histogram`.
    """

    levels: dict[str, list[str]]
    codes: dict[str, NDArray[np.int64]]
    columns: dict[str, Column]
    notes: list[str]

    def table(self, names: Sequence[str]) -> ContingencyTable:
        """Return the table of some attributes; it counts the records with an answer in each."""
        factors = {name: self.levels[name] for name in names}
        codes = np.array([self.codes[name] for name in names])
        answered = codes[:, (codes >= 0).all(axis=0)]
        return ContingencyTable.complete(factors, answered, np.ones(answered.shape[1], np.int64))


def read_coded_records(
    path: Path, layout: RecordsSettings, names: Sequence[str], missing_level: str | None = None
) -> CodedRecords:
    """Return the answers to some of the settings' columns in a file of records.

    missing_level: the level of missing answers, None if they have none.
    """
    rows, columns = _read(Source(path), layout, "records")
    dropped = _dropped(rows, columns, layout, np.ones(rows.records, dtype=bool))
    levels, codes = {}, {}
    for name in names:
        column = columns[name]
        missing = column.records_with(layout.missing_texts)
        field = _Field(rows, name, column, layout, ~missing & ~dropped)
        if not layout.missing_texts:
            field.check_answers()
        levels[name], positions = field.positions()
        codes[name] = np.where(field.kept, positions[column.codes], -1)
        if missing_level is not None:
            if missing_level in levels[name]:
                raise ValueError(
                    f"{path}: {name!r} has a level {missing_level!r}, the name of the level of "
                    "missing answers; rename it"
                )
            codes[name][missing & ~dropped] = len(levels[name])
            levels[name].append(missing_level)
        if not levels[name]:
            raise ValueError(f"{path}: no record has an answer in {name!r}")
    if rows.header:
        columns = dict(zip(rows.names, rows.columns, strict=True)) | columns
    return CodedRecords(levels, codes, columns, rows.notes)


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

    def __post_init__(self) -> None:
        """Refuse a column that cannot be used."""
        self.rows.check_usable({self.name: self.column})

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

    def coded(self) -> tuple[NDArray[Any], Codes]:
        """Return the levels or midpoints, ascending, and the index of each kept record in them."""
        form = self.form
        if not form.bounds:
            self.check_levels()
            column = self.column.where(self.kept)
            texts = column.texts.to_numpy(zero_copy_only=False)
            levels, ranks = np.unique(texts, return_inverse=True)
            return levels, ranks.astype(smallest_dtype(len(levels)))[column.codes]
        edges = np.array(form.bounds)
        levels, ranks = np.unique((edges[:-1] + edges[1:]) / 2, return_inverse=True)
        codes = self.column.codes[self.kept]
        return levels, ranks[self.bins()].astype(smallest_dtype(len(levels)))[codes]

    def positions(self) -> tuple[list[str], NDArray[np.int64]]:
        """Return the levels or the names of the bins, in order, and the position of each text.

        The order is that of the settings, otherwise that of the file's codebook, or ascending.
        """
        form = self.form
        if form.bounds:
            return _bin_names(form.bounds), self.bins()
        self.check_levels()
        omitted = {*self.layout.missing_texts, *map(str, self.layout.drop.get(self.name, ()))}
        levels = form.levels or self.column.levels_of(self.kept, omitted)
        return [*levels], pd.Index(levels).get_indexer(self.column.texts.to_pylist())

    def check_answers(self) -> None:
        """Raise ValueError if a kept record has no answer, although no text is declared as none."""
        absent = {"", *(MISSING if self.form.bounds or self.form.levels else ())}
        texts = self.column.texts.to_pylist()
        wrong = np.array(
            [text in absent and text not in (self.form.levels or ()) for text in texts]
        )
        self.check(
            wrong, "an answer (--missing omit leaves the record out, --missing level counts it)"
        )

    def check_levels(self) -> None:
        """Raise ValueError if a kept record has a text that is no level."""
        texts = self.values()
        if levels := self.form.levels:
            self.check(~np.isin(texts, levels), f"one of {', '.join(levels)}")
        self.check(texts == "", "a non-empty level")

    def bins(self) -> NDArray[np.int64]:
        """Return the bin of the number in each text; a kept record must be in one."""
        values, edges = self.values(), np.array(self.form.bounds)
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", self.layout.decimal)
        self.check((values < edges[0]) | (values > edges[-1]), f"within its bins, {bounds}")
        return np.searchsorted(edges[1:-1], values, side="right")

    def check(self, wrong: NDArray[np.bool_], allowed: str) -> None:
        """Raise ValueError for the first kept record whose text is wrong; `allowed` is right."""
        if wrong.any() and (wrong_records := wrong[self.column.codes] & self.kept).any():
            first = int(wrong_records.argmax())
            got = shortened(repr(self.column.text_of(first)))
            message = f"{self.name} must be {allowed}, got {got}"
            raise line_error(self.rows.source, self.rows.line(first), message)


def _dropped(
    rows: Fields,
    columns: Mapping[str, Column],
    layout: RecordsSettings,
    kept: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which of the kept records have a value that the settings drop."""
    dropped = np.zeros(len(kept), dtype=bool)
    for name, unwanted in layout.drop.items():
        answered = kept & ~columns[name].records_with(layout.missing_texts)
        field = _Field(rows, name, columns[name], layout, answered)
        wanted_type = unwanted if field.form.bounds else [*map(str, unwanted)]
        dropped |= np.isin(field.values(), wanted_type)[columns[name].codes]
    return dropped & kept


def _bin_names(edges: Sequence[float]) -> list[str]:
    """Return the names of bins: each contains its lower edge, and the last one also its upper."""
    texts = [f"{edge:.15g}" for edge in edges]
    names = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return [*names[:-1], f"{names[-1][:-1]}]"]


def _split(records: int, layout: RecordsSettings, dataset: str, seed: int) -> NDArray[np.bool_]:
    """Return which records are for training: a random sample of a share of them, rounded down."""
    if layout.training is None:
        return np.ones(records, dtype=bool)
    order = stream(seed, f"split of {layout.split_of or dataset}").permutation(records)
    training = np.zeros(records, dtype=bool)
    training[order[: int(records * Fraction(str(layout.training)))]] = True
    return training
