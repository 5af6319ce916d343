"""Histograms of small files in the format of adult.data, and of the real file."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import PAPER, layout_of, save

from ggexp.datasets import records
from ggexp.datasets.records import (
    check_classes,
    check_tally,
    make_histogram,
    read_histogram,
)
from ggexp.datasets.table import Table

CONFIG = {
    "columns": {
        "age": {"from": 15, "to": 90, "bins": 15},
        "workclass": "categorical",
        "grade": "unused",
        "gain": {"edges": [0, 10, 100]},
        "income": {"levels": ["<=50K", ">50K"]},
    },
    "missing": "?",
    "drop": {"gain": [999]},
}
LINES = [
    "39, State-gov, 13, 5, <=50K",
    "15, Private, 9, 10, >50K",
    "90, Private, 9, 100, >50K",
    "37, State-gov, ?, 0, <=50K",  # missing in an unused column
    "20, ?, 9, 0, <=50K",
    "?, Private, 9, 0, <=50K",
    "50, Private, 9, 999, >50K",
]


@pytest.fixture
def read(tmp_path):
    def read(lines, seed=1, dataset="own", **changes):
        path = save(tmp_path / "own.data", "".join(f"{line}\n" for line in lines))
        layout = layout_of({**CONFIG, **changes}, "records")
        return read_histogram(path, layout, dataset=dataset, seed=seed)

    return read


def test_cells(read):
    histogram = read(LINES)
    assert histogram.table.cells.to_dict("list") == {
        "age": [17.5, 37.5, 87.5],
        "workclass": ["Private", "State-gov", "Private"],
        "gain": [55.0, 5.0, 55.0],  # 10 is in the bin that it begins, 100 in the last bin
        "income": [">50K", "<=50K", ">50K"],
        "count": [1, 2, 1],
    }
    types = ["float64", "str", "float64", "str", "int64"]
    assert histogram.table.cells.dtypes.astype(str).to_list() == types
    assert histogram.test.labels.empty
    tally = {"records": 7, "complete": 5, "dropped": 1, "kept": 4, "training": 4, "test": 0}
    assert histogram.tally == tally | {"bins": 15 * 2 * 2 * 2, "cells": 3}
    stored = Table.stored(histogram.table.cells, json.loads(json.dumps(histogram.columns)))
    assert (stored.shape, stored.combinations) == (histogram.table.shape, 15 * 2 * 2 * 2)
    assert stored.numbers.tolist() == histogram.table.numbers.tolist()
    assert stored.cells.equals(histogram.table.cells)
    assert read(LINES[:5], missing=None).tally["complete"] == 5  # "?" is then an ordinary level


def random_lines(n):
    rng = np.random.default_rng(7)
    return [
        f"{rng.integers(15, 91)}, {'abc'[rng.integers(3)]}, 1, {rng.integers(101)}, >50K"
        for _ in range(n)
    ]


def test_the_split_divides_the_records(read):
    lines = random_lines(1000)
    whole, split = read(lines).table.cells, read(lines, training="2/3")
    assert whole.equals(whole.sort_values(["age", "workclass", "gain", "income"]))
    assert split.table.cells["count"].sum() == split.tally["training"] == 666
    assert split.test.counts.size == split.tally["test"] == 334
    names = [*split.test.factors]
    assert names == [*split.table.cells][:-1]
    tested = split.test.labels.groupby(names).size().rename("count").reset_index()
    combined = split.table.cells.merge(tested, on=names, how="outer").fillna(0)
    assert (combined["count_x"] + combined["count_y"]).tolist() == whole["count"].tolist()
    for lines in ([], [LINES[4]], [LINES[0]]):
        with pytest.raises(ValueError, match=r"own\.data: (no records|.*training)"):
            read(lines, training="2/3")


def test_the_split_depends_only_on_seed_and_name(read):
    def tested(**changes):
        return read(random_lines(300), training="2/3", **changes).test.labels

    first = tested()
    assert tested().equals(first)
    coarse = {**CONFIG["columns"], "age": {"edges": [15, 90]}}
    assert tested(columns=coarse)["workclass"].equals(first["workclass"])
    for changes in ({"seed": 2}, {"dataset": "other"}, {"dataset": "other", "split_of": "mine"}):
        assert not tested(**changes).equals(first)
    assert tested(dataset="other", split_of="own").equals(first)
    # pinned, because a change here changes every result
    test = read([f"{age}, a, 1, 0, >50K" for age in range(15, 75, 5)], training="2/3").test.labels
    assert test["age"].tolist() == [27.5, 47.5, 52.5, 62.5]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("39, State-gov, 13, 5", "5 fields expected, .* got 4"),
        ("nan, State-gov, 13, 5, <=50K", "age must be a number, got 'nan'"),
        ("14, State-gov, 13, 5, <=50K", r"age must be within its bins, 15 to 90, got '14'"),
        ("39, , 13, 5, <=50K", "workclass must be .*, got ''"),
        ("39, State-gov, 13, 5, 50K", r"income must be one of <=50K, >50K, got '50K'"),
        ('39, "State-gov, 13, 5, <=50K', "unexpected end of data"),
    ],
)
def test_malformed_line(read, line, message):
    # blank lines count: the error is in line 4, as an editor shows it
    with pytest.raises(ValueError, match=r"own\.data, line 4: .*" + message):
        read([LINES[0], "", LINES[4], line])


def test_real_file(adult_data, adult_histogram):
    histogram = adult_histogram
    check_tally(adult_data, histogram.tally, PAPER["histograms"]["adult"]["records"]["expected"])
    assert histogram.tally["bins"] == 19_440_691_200_000
    assert histogram.table.cells["count"].sum() == 20_009
    assert histogram.test.counts.size == 10_005
    # a change here changes every result of the Adult experiment
    assert len(histogram.table.cells) == 18_007


@pytest.mark.parametrize(
    "names", ["age, workclass, grade, gain, income", "Age,WorkClass,Grade,Gain,Income"]
)
def test_the_header_is_not_taken_for_a_record(read, names):
    message = r"own\.data, line 1: .*histograms\.mine\.records\.header: true$"
    with pytest.raises(ValueError, match=message):
        read([names, *LINES], dataset="mine")
    if names.islower():
        assert read([names, *LINES], header=True).tally == read(LINES).tally
    with pytest.raises(ValueError, match="line 1: the header has no 'age'; it has '39', 'State"):
        read(LINES, header=True)


def test_a_first_line_unlike_all_others_needs_a_setting(read):
    """Here the names differ from those of the configuration, and every column is text."""
    lines = ["COLOUR,WORK", *(f"{'gb'[i % 2]},{'or'[i % 3 > 0]}" for i in range(12))]
    settings = {"columns": {"eye": "categorical", "work": "categorical"}, "drop": {}}
    with pytest.raises(ValueError, match=r"line 1: .*COLOUR,WORK\. Set .*header: true "):
        read(lines, **settings)
    assert read(lines, **settings, header=False).tally["kept"] == 13
    assert read(["a,b", "eye,work"], **settings).tally["kept"] == 2  # too few to tell


def test_a_target_needs_several_classes(read):
    lines = [f"{20 + i}, {['Never', 'Private'][i % 2]}, 9, 5, <=50K" for i in range(21)]
    columns = CONFIG["columns"] | {"grade": {"levels": ["9", "13"]}, "age": "categorical"}
    histogram = read(lines, columns=columns, training=0.5)
    check_classes(Path("own.data"), histogram, "workclass", "own")
    for target, classes in (("age", 21), ("grade", 1)):
        message = rf"own\.classifier\.target: .*2 to 20 classes.* '{target}' has {classes} in "
        with pytest.raises(ValueError, match=message):
            check_classes(Path("own.data"), histogram, target, "own")


TALLY = {"records": 32560, "complete": 30162, "dropped": 147, "kept": 30015, "bins": 12}


def test_exactly_the_wrong_quantities_are_listed():
    check_tally(Path("own.data"), TALLY, TALLY)
    for quantity, number in TALLY.items():
        for wrong in (number - 1, number + 1):
            listed = rf"own\.data .*expected: {quantity} {number:,}, expected {wrong:,}\. "
            with pytest.raises(ValueError, match=listed):
                check_tally(Path("own.data"), TALLY, TALLY | {quantity: wrong})


@pytest.fixture
def settings(tmp_path):
    path = save(tmp_path / "people.csv", "age,sex\n5,m\n31,f\n40,f\n89,m\n7,m\n")
    columns = {"age": {"from": 0, "to": 90, "width": 30}, "sex": {"levels": ["f", "m", "x"]}}
    return {"file": str(path), "header": True, "columns": columns}


def test_every_combination_of_bins_and_levels_is_a_cell(settings):
    listed = make_histogram(settings, dataset="own", seed=1, lists_empty=True)
    unlisted = make_histogram(settings, dataset="own", seed=1)
    assert [*listed.table.cells] == [*unlisted.table.cells] == ["age", "sex", "count"]
    expected = [
        *([15, "f", 0], [15, "m", 2], [15, "x", 0], [45, "f", 2], [45, "m", 0], [45, "x", 0]),
        *([75, "f", 0], [75, "m", 1], [75, "x", 0]),
    ]
    assert listed.table.cells.to_numpy().tolist() == expected
    assert listed.table.cells["count"].dtype == np.int64
    filled = [row for row in expected if row[-1]]
    assert unlisted.table.cells.to_numpy().tolist() == filled
    assert listed.tally == unlisted.tally == unlisted.tally | {"bins": 9, "cells": 3, "kept": 5}


def test_a_refusal_of_too_many_cells_names_other_kinds(settings, monkeypatch):
    monkeypatch.setattr(records, "MAX_LISTED_CELLS", 9)
    assert len(make_histogram(settings, dataset="own", seed=1, lists_empty=True).table.cells) == 9
    monkeypatch.setattr(records, "MAX_LISTED_CELLS", 8)
    with pytest.raises(ValueError, match=r"own\.release\.kind: all .* have 9.*threshold or stab"):
        make_histogram(settings, dataset="own", seed=1, lists_empty=True)
