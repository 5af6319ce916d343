"""Configurations of records, the domain that they describe, and its description in words."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import layout_of

from ggexp.datasets.records import _split
from ggexp.datasets.table import Table
from ggexp.experiment.own_table import contents

COLUMNS = {"age": {"from": 0, "to": 30, "bins": 3}, "sex": "categorical", "note": "unused"}


def layout(**settings):
    return layout_of({"columns": COLUMNS, **settings}, "histograms.own.records")


def test_columns_and_targets():
    columns = {**COLUMNS, "hours": {"edges": [0, 1, 50.5]}, "race": {"levels": ["b", "a"]}}
    attributes = layout(columns=columns).attributes.items()
    assert {name: (column.levels, column.bounds) for name, column in attributes} == {
        **{"age": (None, (0, 10, 20, 30)), "sex": (None, ())},
        **{"hours": (None, (0, 1, 50.5)), "race": (["b", "a"], ())},
    }
    for division in ({"bins": 3}, {"width": 0.1}):  # 0.1 + 0.1 + 0.1 is not 0.3
        (column,) = layout(columns={"x": {"from": 0, "to": 0.3, **division}}).columns.values()
        assert column.bounds == tuple(0.3 * i / 3 for i in range(4))
    records = layout()
    records.check_target("sex", "target")
    for target, message in (("wage", "unknown"), ("age", "categorical"), ("note", "categorical")):
        with pytest.raises(ValueError, match=rf"{message}.*'{target}'"):
            records.check_target(target, "target")


def test_shares_of_training_records():
    for share, size in {"2/3": 66, 0.29: 29, "0.5": 50}.items():  # 0.29 * 100 is below 29
        assert _split(100, layout(training=share), "own", 0).sum() == size
    for share in ("0/3", "3/3", "1/0", "two thirds", 0, 1, -0.5):
        with pytest.raises(ValueError, match=r"own\.records\.training: .*between 0 and 1, got "):
            layout(training=share)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("numeric", r"categorical, unused, .*\{from, to, width\}, got 'numeric'"),
        ({"from": 0, "to": 1, "bins": 2, "edges": [0, 1]}, "categorical, unused"),
        ({"edges": [0, 2, 1, 3]}, r"\.edges: must increase, got 2 before 1"),
        ({"edges": [0]}, "at least 2 items"),
        ({"edges": [0, math.nan, 1]}, r"edges\[1\]: .*finite number, got nan"),
        ({"from": 90, "to": 15, "bins": 15}, "from: must increase, got 90 before 15"),
        ({"from": 0, "to": 1, "bins": 0}, "bins: .* 1, got 0"),
        ({"from": 1, "to": 1 + 1e-15, "bins": 99}, "must increase"),
        ({"from": 0, "to": 0.3, "width": 0.07}, r"width: must divide .*0\.3 .*got 0\.07"),
        ({"from": 0, "to": 0.3, "width": 1e-300}, "width: .*at most 2,000,000 bins"),
        ({"levels": ["a", "a"]}, r"levels: .*twice.* got \['a', 'a'\]"),
    ],
)
def test_invalid_columns(form, message):
    with pytest.raises(ValueError, match=r"^histograms\.own\.records\.columns\.age.*" + message):
        layout(columns={**COLUMNS, "age": form})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": {"note": "unused"}}, r"records\.columns: .*unused"),
        ({"columns": {"count": "categorical"}}, r"records\.columns: .*'count'"),
        ({"drop": {"wage": [1]}}, r"drop: unknown column 'wage'; the columns are age, sex, note"),
        ({"drop": {"age": ["old"]}}, r"drop\.age: must be finite numbers, got \['old'\]"),
        ({"file": "p.parquet", "header": False}, "header: must be true, because Parquet"),
        ({"separator": "\0"}, r"separator: must be one character"),
        ({"separator": "'", "quote": "'"}, r"quote: .*separator"),
    ],
)
def test_invalid_layouts(settings, message):
    with pytest.raises(ValueError, match=message):
        layout(**settings)


def test_the_domain_has_all_combinations_of_bins_and_levels():
    ages = {"from": 0, "to": 30, "bins": 3}
    levels = {"sex": {"levels": ["f", "m"]}, "work": {"levels": ["a", "b", "d"]}}
    cells = {"age": [5.0, 25.0], "sex": ["m", "f"], "work": ["b", "d"], "count": [1, 2]}
    table = Table.stored(pd.DataFrame(cells), {"age": ages, **levels})
    assert table.combinations == 3 * 2 * 3
    assert {name: list(levels) for name, levels in table.factors.items()} == {
        **{"age": [5, 15, 25], "sex": ["f", "m"], "work": ["a", "b", "d"]}
    }
    complete = table.at(np.arange(18), np.ones(18))
    assert len(complete.labels.drop_duplicates()) == 18
    assert complete.numbers.tolist() == [*range(18)]
    assert table.numbers.tolist() == [4, 14]
    assert complete.labels.iloc[14].to_dict() == {"age": 25, "sex": "f", "work": "d"}
    for held in ([4, 14], [0, 1, 2], [17], [0, 17, 3], []):
        empty = sorted({*range(18)} - {*held})
        held_table = table.at(np.array(held, np.int64), np.ones(len(held)))
        assert held_table.empty(np.arange(len(empty))).tolist() == empty


def test_numbers_are_exact_in_the_largest_domains():
    factors = {str(i): np.arange(2.0**13) for i in range(4)}
    table = Table({**factors, "last": np.arange(2.0)}, np.zeros((5, 1), int), np.ones(1))
    assert table.combinations == 2**53
    last = np.array([2**53 - 1, 2**53 - 2])
    np.testing.assert_array_equal(table.at(last, np.ones(2)).numbers, last)
    np.testing.assert_array_equal(table.empty(np.array([2**53 - 2])), [2**53 - 1])
    with pytest.raises(ValueError, match=r"2\^53 .*got 27,021,597,764,222,976"):
        _ = replace(table, factors={**factors, "last": np.arange(6.0)}).numbers


def test_contents_of_records_and_of_counts():
    codes, counts = [np.array([0, 0, 1]), np.arange(3)], np.array([5, 3, 2])
    binned = Table({"a": ["x", "y"], "b": np.array([1.0, 2.0, 3.0])}, codes, counts)
    tally = {"records": 20, "complete": 17, "dropped": 2, "kept": 15, "training": 10, "test": 5}
    found = contents(binned, tally)
    assert [text.split()[0] for text in found.values()] == [*("10", "a", "6,", "1.67,", "5", "5")]
    assert found["columns"] == "a (2 levels), b (3 bins)"
    of_levels = replace(binned, factors={"a": ["x", "y"], "b": ["1", "2", "3"]})
    found = contents(of_levels.completed(), {})
    assert found["columns"] == "a (2 levels), b (3 levels)"
    assert found["cells"].startswith("6, 3 of them")
