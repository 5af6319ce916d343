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

from ggexp.datasets.answers import Answers, read_answers, records_to_drop
from ggexp.datasets.columns import distinct
from ggexp.datasets.domain import Domain
from ggexp.datasets.form import Source, shortened
from ggexp.datasets.layout import RecordsSettings
from ggexp.streams import stream
from ggexp.words import in_words

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
    rows, columns = read_answers(Source(path), layout, f"histograms.{dataset}.records")
    records = len(next(iter(columns.values())))
    kept = np.ones(records, dtype=bool)
    for name in layout.attributes:
        kept &= ~columns[name].records_with(layout.missing_texts)
    complete = int(kept.sum())
    dropped = records_to_drop(rows, columns, layout, kept)
    kept &= ~dropped
    coded = {
        name: Answers(rows, name, columns[name], layout, kept).coded() for name in layout.attributes
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


def _split(records: int, layout: RecordsSettings, dataset: str, seed: int) -> NDArray[np.bool_]:
    """Return which records are for training: a random sample of a share of them, rounded down."""
    if layout.training is None:
        return np.ones(records, dtype=bool)
    order = stream(seed, f"split of {layout.split_of or dataset}").permutation(records)
    training = np.zeros(records, dtype=bool)
    training[order[: int(records * Fraction(str(layout.training)))]] = True
    return training
