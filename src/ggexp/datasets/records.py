"""From a file of individual records to a histogram's cells, and records to test on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ggexp.datasets.columns import (
    EMPTY,
    Codes,
    Column,
    Rows,
    distinct,
    line_of,
    read_columns,
    smallest,
)
from ggexp.datasets.domain import Domain
from ggexp.datasets.layout import POINTED, Layout
from ggexp.datasets.rows import at_line, found_columns
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
            f"histograms.{dataset}.release.kind: all allows at most {LISTED_CELLS:,} cells, but "
            f"the columns of {path} have {in_words(number)}; use threshold or stability, fewer "
            "columns, or wider bins"
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
    columns = _read(path, layout, f"histograms.{dataset}.records")
    records = len(next(iter(columns.values())))
    kept = np.ones(records, dtype=bool)
    if layout.missing:
        for name in layout.attributes:
            kept &= ~_of_records(columns[name], columns[name].among(layout.missing))
    complete = int(kept.sum())
    values = {name: _values(path, columns[name], name, layout, kept) for name in columns}
    dropped = np.zeros(records, dtype=bool)
    for name, unwanted in layout.drop.items():
        dropped |= np.isin(values[name], unwanted)[columns[name].codes]
    dropped &= kept
    kept &= ~dropped
    coded = {
        name: _code(path, name, values[name], columns[name], layout, kept)
        for name in layout.attributes
    }
    number = int(kept.sum())
    training = _split(number, layout, dataset, seed)
    if not training.any():
        raise ValueError(f"{path}: {number} records remain, none of them for training")
    cells, counts = distinct(
        [codes[training] for _, codes in coded.values()],
        [len(values) for values, _ in coded.values()],
    )
    known = {name: pd.Series(levels).array for name, (levels, _) in coded.items()}
    test = {name: known[name].take(codes[~training]) for name, (_, codes) in coded.items()}
    listed = {name: known[name].take(codes) for name, codes in zip(coded, cells, strict=True)}
    bins = {
        name: len(column.edges) - 1 if column.edges else len(column.levels or coded[name][0])
        for name, column in layout.attributes.items()
    }
    tally = {
        "records": records,
        "complete": complete,
        "dropped": int(dropped.sum()),
        "kept": number,
        "training": int(training.sum()),
        "test": number - int(training.sum()),
        "bins": prod(bins.values()),
        "cells": len(counts),
    }
    return Histogram(pd.DataFrame({**listed, "count": counts}), pd.DataFrame(test), tally)


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
            f"{path} does not match records.expected: {'; '.join(off)}. If records differs, it is "
            "another file. If complete, dropped or kept differs, a record has been changed, or the "
            "columns are not in the file's order. If you changed the configuration on purpose, "
            "change records.expected too."
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
            f"{len(classes)} in {path}: {shown(', '.join(classes))}. Choose another column, or "
            "remove classifier."
        )


def _read(path: Path, layout: Layout, key: str) -> dict[str, Column]:
    """Return the columns of the file that the histogram is made of.

    key: where the settings of the records stand in the configuration.
    """
    names = [*layout.columns]
    used = [name for name in names if layout.columns[name].used or name in layout.drop]

    def wanted(first: list[str]) -> list[int]:
        if layout.header:
            places = dict(zip(names, found_columns(path, first, names), strict=True))
            return [places[name] for name in used]
        if len(first) != len(names):
            raise at_line(path, line_of(path, layout.form, 0), _uneven(len(names), first, 0))
        if _folded(first) == _folded(names):
            what = f"the line names the columns and is not a record; set {key}.header: true"
            raise at_line(path, line_of(path, layout.form, 0), what)
        return [*range(len(names))]

    rows = read_columns(path, layout.form, _uneven, wanted)
    if not rows.first:
        return dict.fromkeys(used, EMPTY)
    if layout.header:
        return dict(zip(used, rows.columns, strict=True))
    if layout.header is None and _is_unlike_the_others(rows):
        raise at_line(
            path,
            rows.line,
            f"the line may name the columns, because no other line has one of its fields: "
            f"{','.join(rows.first)}. Set {key}.header: true if it does, else false",
        )
    columns = zip(names, rows.with_first, strict=True)
    return {name: column for name, column in columns if name in used}


def _uneven(expected: int, row: Sequence[str], _: int) -> str:
    """Return what is said of a row with another number of fields."""
    return f"{expected} fields expected, got {len(row)}: {','.join(row)}"


def _is_unlike_the_others(rows: Rows) -> bool:
    """Return whether a first line may be a header: all text that no other record has."""
    if not rows.columns or len(rows.columns[0]) < TELLING:
        return False
    return not any(
        _is_number(field) or column.has(field)
        for field, column in zip(rows.first, rows.columns, strict=True)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _folded(names: list[str]) -> list[str]:
    return [name.casefold() for name in names]


def _values(
    path: Path, column: Column, name: str, layout: Layout, kept: NDArray[np.bool_]
) -> NDArray[Any]:
    """Return what a column's texts stand for: float64 if it is numeric, else text.

    kept: the records that count; the texts of others may be anything.
    """
    texts = column.texts.to_numpy(zero_copy_only=False)
    if not layout.columns[name].edges:
        return texts
    has_commas = layout.decimal == ","
    pointed = [text.translate(POINTED) for text in texts] if has_commas else texts
    numbers = pd.to_numeric(pd.Series(pointed, dtype=object), errors="coerce").to_numpy(np.float64)
    wanted = "a number with a decimal comma" if has_commas else "a number"
    _refuse(path, name, texts, ~np.isfinite(numbers), wanted, column, layout, kept)
    return numbers


def _code(
    path: Path,
    name: str,
    values: NDArray[Any],
    column: Column,
    layout: Layout,
    kept: NDArray[np.bool_],
) -> tuple[NDArray[Any], Codes]:
    """Return the levels or midpoints, ascending, and which of them each kept record has."""
    form = layout.attributes[name]
    if not form.edges:
        if form.levels:
            allowed = f"one of {', '.join(form.levels)}"
            wrong = ~np.isin(values, form.levels)
            _refuse(path, name, values, wrong, allowed, column, layout, kept)
        _refuse(path, name, values, values == "", "a non-empty level", column, layout, kept)
        codes = column.codes[kept]
        there = np.flatnonzero(np.bincount(codes, minlength=len(values)))
        known, places = np.unique(values[there], return_inverse=True)
        index = np.zeros(len(values), dtype=smallest(len(known)))
        index[there] = places
        return known, index[codes]
    edges = np.array(form.edges)
    outside = (values < edges[0]) | (values > edges[-1])
    if outside.any():  # told in the file's own notation
        bounds = f"{edges[0]:g} to {edges[-1]:g}".replace(".", layout.decimal)
        own = values
        if layout.decimal != ".":
            own = np.array([repr(value).replace(".", layout.decimal) for value in values.tolist()])
        _refuse(path, name, own, outside, f"within its bins, {bounds}", column, layout, kept)
    index = np.searchsorted(edges[1:-1], values, side="right")
    known, places = np.unique((edges[:-1] + edges[1:]) / 2, return_inverse=True)
    return known, places[index].astype(smallest(len(known)))[column.codes[kept]]


def _of_records(column: Column, which: pa.BooleanArray) -> NDArray[np.bool_]:
    """Return which records have one of some texts."""
    return which.to_numpy(zero_copy_only=False)[column.codes]


def _refuse(
    path: Path,
    name: str,
    values: NDArray[Any],
    wrong: NDArray[np.bool_],
    allowed: str,
    column: Column,
    layout: Layout,
    kept: NDArray[np.bool_],
) -> None:
    """Raise ValueError for the first kept record whose value is wrong, if there is one."""
    if not wrong.any():
        return
    found = wrong[column.codes] & kept
    if found.any():
        first = int(found.argmax())
        line = line_of(path, layout.form, first + bool(layout.header))
        value = values.tolist()[column.codes[first]]
        raise at_line(path, line, f"{name} must be {allowed}, got {shown(repr(value))}")


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
