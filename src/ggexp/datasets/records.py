"""From a file of individual records to a histogram's cells, and records to test on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ggexp.datasets.domain import Domain
from ggexp.datasets.layout import POINTED, Column, Layout
from ggexp.datasets.rows import at_line, found_columns, read_rows
from ggexp.datasets.text import in_words, shown
from ggexp.streams import stream

#: Records from which on a first line that is unlike all others is taken for a header.
TELLING = 10
#: Classes that a target may have: between any two of them a support vector machine is trained.
MAX_CLASSES = 20
#: Cells of a histogram that lists its empty ones too.
LISTED_CELLS = 100_000


@dataclass(frozen=True)
class Histogram:
    """A histogram of records.

    cells: a row per listed cell: the attributes, and ``count`` (int64) of training records. Listed
        are the cells that are not empty, or all.
        Sorted by the attributes in their order, ascending (text by code point).
    test: a row per test record, in the file's order: the attributes, coded like the cells'.
    tally: how many records, complete (ones), dropped (of these), kept, training, test, bins (of
        the whole histogram, empty ones included), cells (not empty).

    A categorical attribute is text, a numeric one the midpoint (float64) of its bin. The bins of
    a categorical attribute whose levels are not configured are those among the kept records.
    """

    cells: pd.DataFrame
    test: pd.DataFrame
    tally: dict[str, int]


def make_histogram(
    settings: Mapping[str, Any],
    *,
    dataset: str,
    seed: int,
    target: str | None = None,
    lists_empty: bool = False,
) -> Histogram:
    """Return the histogram that a data set's settings ask for, checked against all that they say.

    settings: ``histograms: …: records:`` of a configuration. target: what a classifier is to
        predict, if there is one. lists_empty: whether empty cells are listed too. The rest is as
        for `read_histogram`.
    Raises ValueError naming the file or the key, and what is wrong, or OSError.
    """
    path = Path(settings["file"])
    layout = Layout.from_config(settings, f"histograms.{dataset}.records")
    if target is not None:
        layout.check_target(target, f"histograms.{dataset}.classifier.target")
    histogram = read_histogram(path, layout, dataset=dataset, seed=seed)
    check_tally(path, histogram.tally, settings.get("expected", {}))
    if target is not None:
        check_classes(path, histogram, target, dataset)
    return list_all(path, histogram, layout, dataset) if lists_empty else histogram


def list_all(path: Path, histogram: Histogram, layout: Layout, dataset: str) -> Histogram:
    """Return the histogram with all of its cells listed, the last attribute's values fastest.

    path: the file of records, of which the histogram was made by this layout.
    Raises ValueError for more than `LISTED_CELLS` cells.
    """
    if (number := histogram.tally["bins"]) > LISTED_CELLS:
        raise ValueError(
            f"histograms.{dataset}.release.kind: all lists at most {LISTED_CELLS:,} cells, but "
            f"the records of {path} have {in_words(number)}; threshold and stability are for more "
            "cells, or take fewer columns or wider bins"
        )
    domain = Domain.of(layout, histogram.cells, histogram.test)
    counts = np.zeros(domain.size, dtype=np.int64)
    counts[domain.numbers(histogram.cells)] = histogram.cells["count"]
    cells = domain.cells(np.arange(domain.size)).assign(count=counts)
    return replace(histogram, cells=cells)


def read_histogram(path: Path, layout: Layout, *, dataset: str, seed: int) -> Histogram:
    """Return the histogram of a file of records.

    dataset, seed: they alone decide, with the number of records, which are for training. If the
        split is that of another data set, its name does.
    Raises ValueError naming the file, the line and what is wrong with it.
    """
    frame = _read(path, layout, f"histograms.{dataset}.records")
    complete = frame
    if layout.missing:
        complete = frame[~frame[[*layout.attributes]].isin(layout.missing).any(axis=1)]
    values = {name: _values(path, complete, name, layout) for name in layout.columns}
    dropped = np.zeros(len(complete), dtype=bool)
    for name, unwanted in layout.drop.items():
        dropped |= np.isin(values[name], unwanted)
    kept = complete.index[~dropped]
    coded = pd.DataFrame(
        {
            name: _code(path, name, values[name][~dropped], kept, column, layout.decimal)
            for name, column in layout.attributes.items()
        }
    )
    training = _split(len(coded), layout, dataset, seed)
    if not training.any():
        raise ValueError(f"{path}: {len(coded)} records are left, none of them for training")
    names = [*layout.attributes]
    cells = coded[training].groupby(names, sort=True).size().reset_index(name="count")
    test = coded[~training].reset_index(drop=True)
    bins = {
        name: len(column.edges) - 1 if column.edges else len(column.levels or coded[name].unique())
        for name, column in layout.attributes.items()
    }
    tally = {
        "records": len(frame),
        "complete": len(complete),
        "dropped": int(dropped.sum()),
        "kept": len(coded),
        "training": int(training.sum()),
        "test": len(test),
        "bins": prod(bins.values()),
        "cells": len(cells),
    }
    return Histogram(cells, test, tally)


def check_tally(path: Path, tally: Mapping[str, int], expected: Mapping[str, int]) -> None:
    """Raise ValueError, with the numbers, where a file does not count to what is expected of it.

    tally: of a `Histogram`. expected: some of its numbers, as the configuration has them.
    """
    off = [
        f"{quantity} {tally[quantity]:,}, expected {number:,}"
        for quantity, number in expected.items()
        if tally[quantity] != number
    ]
    if off:
        raise ValueError(
            f"{path} does not count to what is expected of it: {'; '.join(off)}. records: it is "
            "another file. complete, dropped, kept: a record has been changed, or the columns are "
            "not in the file's order. Where the configuration was changed on purpose, change "
            "records: expected: with it."
        )


def check_classes(path: Path, histogram: Histogram, target: str, dataset: str) -> None:
    """Raise ValueError unless the target has from two to `MAX_CLASSES` classes.

    path: the file of records.
    """
    both = pd.concat([histogram.cells[target], histogram.test[target]])
    classes = sorted(both.unique())
    if not 2 <= len(classes) <= MAX_CLASSES:
        key = f"histograms.{dataset}"
        raise ValueError(
            f"{key}.classifier.target: must have 2 to {MAX_CLASSES} classes, but {target!r} has "
            f"{len(classes)} in {path}: {shown(', '.join(classes))}. Take another column, or have "
            "no classifier."
        )


def _read(path: Path, layout: Layout, key: str) -> pd.DataFrame:
    """Return the file's fields as text, of the columns that the layout has; the index is the line.

    key: where the settings of the records stand in the configuration.
    """
    names = [*layout.columns]
    rows: list[list[str]] = []
    numbers: list[int] = []
    places, fields = None, len(names)
    for number, row in read_rows(path, layout.form):
        if layout.header and places is None:
            places, fields = found_columns(path, row, names), len(row)
            continue
        if len(row) != fields:
            raise at_line(
                path, number, f"{fields} fields expected, got {len(row)}: {','.join(row)}"
            )
        if not layout.header and not rows and _folded(row) == _folded(names):
            raise at_line(
                path,
                number,
                f"it names the columns and is no record; say so with {key}.header: true",
            )
        rows.append(row if places is None else [row[place] for place in places])
        numbers.append(number)
    if layout.header is None and _is_unlike_the_others(rows):
        raise at_line(
            path,
            numbers[0],
            f"it may name the columns, no other record has one of its fields: {','.join(rows[0])}. "
            f"Say whether it does with {key}.header: true or false",
        )
    return pd.DataFrame(rows, columns=names, index=numbers, dtype=object)


def _is_unlike_the_others(rows: list[list[str]]) -> bool:
    """Return whether a first line may be a header: all text that no other record has."""
    first = rows[0] if len(rows) > TELLING else []
    return bool(first) and not any(
        _is_number(field) or any(row[place] == field for row in rows[1:])
        for place, field in enumerate(first)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _folded(names: list[str]) -> list[str]:
    return [name.casefold() for name in names]


def _values(path: Path, frame: pd.DataFrame, name: str, layout: Layout) -> NDArray[Any]:
    """Return a column's values: float64 if it is numeric, else text."""
    text = frame[name]
    if not layout.columns[name].edges:
        return text.to_numpy()
    has_commas = layout.decimal == ","
    pointed = text.map(lambda field: field.translate(POINTED)) if has_commas else text
    numbers = pd.to_numeric(pointed, errors="coerce").to_numpy(np.float64)
    wanted = "a number with a decimal comma" if has_commas else "a number"
    _refuse(path, text, ~np.isfinite(numbers), wanted)
    return numbers


def _code(
    path: Path, name: str, values: NDArray[Any], lines: pd.Index, column: Column, decimal: str
) -> NDArray[Any]:
    """Return the value of each record's bin: its midpoint or its level."""
    text = pd.Series(values, index=lines, name=name)
    if not column.edges:
        if column.levels:
            _refuse(
                path, text, ~np.isin(values, column.levels), f"one of {', '.join(column.levels)}"
            )
        _refuse(path, text, values == "", "a level, not empty")
        return values
    edges = np.array(column.edges)
    outside = (values < edges[0]) | (values > edges[-1])
    if outside.any():  # told in the file's own notation
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", decimal)
        own = text if decimal == "." else text.map(lambda value: repr(value).replace(".", decimal))
        _refuse(path, own, outside, f"within its bins, {bounds}")
    index = np.searchsorted(edges[1:-1], values, side="right")
    return ((edges[:-1] + edges[1:]) / 2)[index]


def _refuse(path: Path, values: pd.Series, wrong: ArrayLike, allowed: str) -> None:
    """Raise ValueError for the first value that is wrong, if there is one."""
    wrong = np.asarray(wrong)
    if wrong.any():
        first = int(wrong.argmax())
        raise ValueError(
            f"{path}, line {values.index[first]}: {values.name} must be {allowed}, "
            f"got {shown(repr(values.tolist()[first]))}"
        )


def _split(records: int, layout: Layout, dataset: str, seed: int) -> NDArray[np.bool_]:
    """Return which records are for training: the floor of their share, drawn at random.

    The stream is the split's own: no grid point's, and independent of what else is configured.
    """
    if layout.training is None:
        return np.ones(records, dtype=bool)
    order = stream(seed, f"split of {layout.split_of or dataset}").permutation(records)
    training = np.zeros(records, dtype=bool)
    training[order[: int(records * layout.training)]] = True
    return training
