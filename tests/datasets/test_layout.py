"""Valid and invalid configurations of records."""

import math
from fractions import Fraction

import pytest

from ggexp.datasets.form import Form
from ggexp.datasets.layout import Column, Layout

COLUMNS = {"age": {"from": 0, "to": 30, "bins": 3}, "sex": "categorical", "note": "unused"}


def layout(**settings):
    return Layout.from_config({"columns": COLUMNS, **settings}, "histograms.own.records")


def test_columns():
    columns = {**COLUMNS, "hours": {"edges": [0, 1, 50.5]}, "race": {"levels": ["b", "a"]}}
    assert layout(columns=columns).columns == {
        "age": Column(edges=(0.0, 10.0, 20.0, 30.0)),
        "sex": Column(),
        "note": Column(used=False),
        "hours": Column(edges=(0.0, 1.0, 50.5)),
        "race": Column(levels=("b", "a")),
    }
    assert [*layout(columns=columns).attributes] == ["age", "sex", "hours", "race"]


@pytest.mark.parametrize("division", [{"bins": 3}, {"width": 0.1}])
def test_equal_bins_have_exact_edges(division):
    # 0.1 + 0.1 + 0.1 is not 0.3: edges are not sums of widths
    (column,) = layout(columns={"x": {"from": 0, "to": 0.3, **division}}).columns.values()
    assert column.edges == tuple(0.3 * i / 3 for i in range(4))


def test_defaults():
    assert layout() == Layout(layout().columns, None, (), {}, None, Form())


@pytest.mark.parametrize(
    ("share", "fraction"),
    [("2/3", Fraction(2, 3)), (0.1, Fraction(1, 10)), ("0.5", Fraction(1, 2))],
)
def test_training_share(share, fraction):
    assert layout(training=share).training == fraction


@pytest.mark.parametrize("share", ["0/3", "3/3", "1/0", "two thirds", 0, 1, -0.5, 1.5, math.nan])
def test_invalid_shares(share):
    message = r"own\.records\.training: .*between 0 and 1, got "
    with pytest.raises(ValueError, match=message):
        layout(training=share)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("numeric", r"categorical, unused, .*\{from, to, width\}, got 'numeric'"),
        ({"from": 0, "to": 1}, "categorical, unused"),
        ({"from": 0, "to": 1, "bins": 2, "edges": [0, 1]}, "categorical, unused"),
        ({}, "categorical, unused"),
        ({"edges": [0, 2, 1, 3]}, r"\.edges: must increase, got 2 before 1"),
        ({"edges": [0, 1, 1, 3]}, "must increase, got 1 before 1"),
        ({"edges": [0]}, "two finite numbers"),
        ({"edges": [0, math.nan, 1]}, "two finite numbers"),
        ({"edges": [0, math.inf]}, "two finite numbers"),
        ({"from": 90, "to": 15, "bins": 15}, "from, to: must increase, got 90 before 15"),
        ({"from": 0, "to": math.nan, "bins": 15}, "from, to: .*two finite numbers"),
        ({"from": 0, "to": 1, "bins": 0}, "bins: .*whole .*>= 1, got 0"),
        ({"from": 1, "to": 1 + 1e-15, "bins": 99}, "must increase"),
        ({"from": 0, "to": 0.3, "width": 0.07}, r"width: must divide .*0\.3 .*got 0\.07"),
        ({"from": 0, "to": 0.3, "width": 1.0}, "width: must divide"),
        ({"from": 0, "to": 0.3, "width": 0.0}, "width: .*> 0, got"),
        ({"from": 0, "to": 0.3, "width": math.nan}, "width: .*> 0, got"),
        ({"from": 0, "to": 0.3, "width": 1e-300}, "width: .*at most 100,000 bins"),
        ({"levels": []}, "levels: .*different"),
        ({"levels": ["a", "a"]}, r"levels: .*different.* got \['a', 'a'\]"),
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
        ({"drop": {"age": [math.nan]}}, r"drop\.age: must be finite numbers"),
    ],
)
def test_invalid_layouts(settings, message):
    with pytest.raises(ValueError, match=message):
        layout(**settings)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("wage", r"target: unknown column 'wage'"),
        ("age", r"target: must be .*categorical .*got 'age'"),
        ("note", r"target: must be .*categorical .*got 'note'"),
    ],
)
def test_invalid_targets(target, message):
    layout().check_target("sex", "target")
    with pytest.raises(ValueError, match=message):
        layout().check_target(target, "target")
