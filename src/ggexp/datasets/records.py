"""Turn a file of individual records into the cells of a histogram, and into test records."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.answers import Answers
from ggexp.datasets.layout import RecordsSettings
from ggexp.datasets.reader import Fields
from ggexp.datasets.table import Table
from ggexp.section import Settings
from ggexp.streams import stream
from ggexp.words import in_words, shortened

#: Largest number of classes of a target: each pair of classes needs a support vector machine.
MAX_CLASSES = 20
#: Largest number of cells of a histogram that lists its empty cells too.
MAX_LISTED_CELLS = 100_000


class Histogram(NamedTuple):
    """A histogram of records.

    table: of the training records, ascending. Levels that are not configured are those of the kept
        records. test: the test records, in the file's order.
    tally: numbers of records: records (all), complete, dropped (complete, but excluded by a value),
        kept, training and test; numbers of cells: bins (all cells) and cells (the non-empty ones).
    layout: the settings of the file.
    """

    table: Table
    test: Table
    tally: dict[str, int]
    layout: RecordsSettings

    @property
    def columns(self) -> dict[str, Settings]:
        """The levels or the bins of each attribute, as in a configuration."""
        return {
            name: form.written() if form.bounds else {"levels": [*self.table.factors[name]]}
            for name, form in self.layout.attributes.items()
        }


def make_histogram(
    settings: Settings,
    *,
    dataset: str,
    seed: int,
    target: str | None = None,
    lists_empty: bool = False,
    rows: Fields | None = None,
) -> Histogram:
    """Return the histogram described by a data set's settings, checked against these settings.

    settings: ``histograms: …: records:`` of a configuration. target: the predicted column, or None.
    lists_empty: whether empty cells are listed too. rows: of the file, if they are already read.
    """
    layout = RecordsSettings.read(settings, f"histograms.{dataset}.records")
    path = Path(layout.file)
    histogram = read_histogram(rows or path, layout, dataset=dataset, seed=seed)
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
    return histogram._replace(table=histogram.table.completed())


def read_histogram(
    data: Path | Fields, layout: RecordsSettings, *, dataset: str, seed: int
) -> Histogram:
    """Return the histogram of a file of records, or of its rows.

    Only the data set (or that of split_of), the seed and the number of kept records determine which
    records are for training.
    """
    answers = Answers.read(data, layout, f"histograms.{dataset}.records")
    kept = np.ones(answers.rows.records, dtype=bool)
    for name in layout.attributes:
        kept &= answers.answered(name)
    complete = int(kept.sum())
    kept &= ~answers.dropped(kept)
    coded = answers.table(dict.fromkeys(layout.attributes, kept), has_names=False).where(kept)
    ascending = {}
    for (name, form), codes in zip(layout.attributes.items(), coded.codes, strict=True):
        if not form.bounds:
            levels = coded.factors[name]
            ascending[name] = sorted(form.levels or (levels[i] for i in np.unique(codes)))
    coded = coded.with_levels(ascending)
    number = coded.counts.size
    training = _split(number, layout, dataset, seed)
    if not training.any():
        raise ValueError(
            f"{answers.rows.source}: {number} records remain, none of them for training"
        )
    table, test = coded.where(training).margin([*layout.attributes]), coded.where(~training)
    tally = {
        "records": kept.size,
        "complete": complete,
        "dropped": complete - number,
        "kept": number,
        "training": int(training.sum()),
        "test": number - int(training.sum()),
        "bins": table.combinations,
        "cells": table.counts.size,
    }
    return Histogram(table, test, tally, layout)


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
    parts = histogram.table, histogram.test
    classes = sorted({level for part in parts for level in part.labels[target].unique()})
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise ValueError(
            f"histograms.{dataset}.classifier.target: must have 2 to {MAX_CLASSES} classes, but "
            f"{target!r} has {len(classes)} in {path}: {shortened(', '.join(classes))}. Choose "
            "another column, or remove classifier."
        )


def _split(records: int, layout: RecordsSettings, dataset: str, seed: int) -> NDArray[np.bool_]:
    """Return which records are for training: a random sample of a share of them, rounded down."""
    training = np.ones(records, dtype=bool)
    if layout.training is not None:
        order = stream(seed, f"split of {layout.split_of or dataset}").permutation(records)
        training[order[int(records * Fraction(str(layout.training))) :]] = False
    return training
