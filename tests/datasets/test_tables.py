"""Contingency tables, the two published ones, and the messages about broken ones."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, save

from ggexp.datasets import table as table_module
from ggexp.datasets.layout import TableDesign
from ggexp.datasets.table import Table
from ggexp.datasets.tables import make_table

FACTORS = {"a": ["z", "y", "x"], "b": ["2", "10"], "c": ["u", "v", "never"]}


@pytest.fixture
def table():
    """A table of some cells, none of which has the last level of the last factor."""
    rng = np.random.default_rng(3)
    codes = np.unique(rng.integers(0, [3, 2, 2], (11, 3)), axis=0)
    codes = rng.permutation(codes).T
    return Table(FACTORS, codes, rng.integers(0, 50, codes.shape[1]))


def test_empty_cells_and_levels_without_cells(table, monkeypatch):
    assert table.factors == FACTORS
    assert (table.combinations, table.absent) == (18, 18 - table.counts.size)
    cells = dict(zip(map(tuple, table.labels.to_numpy(object)), table.counts, strict=True))
    complete = table.completed()
    assert [*map(tuple, complete.labels.to_numpy(object))] == [*product(*FACTORS.values())]
    assert complete.counts.tolist() == [cells.get(c, 0) for c in product(*FACTORS.values())]
    monkeypatch.setattr(table_module, "MAX_CELLS", 17)
    with pytest.raises(ValueError, match="18 combinations, at most 17"):
        table.completed()
    full = Table({"a": ["x", "y"]}, [np.arange(2)], np.full(2, 2**62))
    assert full.total == 2**63  # beyond int64


@pytest.mark.parametrize("batch", [3, table_module.BATCH])
@pytest.mark.parametrize("names", [["a"], ["c", "a"], ["a", "b", "c"]])
def test_margins(table, names, batch, monkeypatch):
    monkeypatch.setattr(table_module, "BATCH", batch)
    margin = table.margin(names)
    frame = table.labels.assign(n=table.counts)
    for cell, count in zip(margin.labels.to_numpy(object), margin.counts, strict=True):
        assert frame.loc[(frame[names] == cell).all(axis=1), "n"].sum() == count
    assert margin.total == table.total
    assert margin.factors == {name: FACTORS[name] for name in names}
    rest = table.without("a", ["z", "unknown"])
    assert rest.factors == FACTORS | {"a": ["y", "x"]}
    assert rest.total == table.counts[(table.labels["a"] != "z").to_numpy()].sum()


def read(path, factors, total):
    return make_table({"counts": str(path), "factors": factors, "total": total}, "t")


@pytest.mark.parametrize(
    ("name", "levels", "total", "non_empty", "largest"),
    [("mildew", ["1", "2"], 70, 22, 16), ("czech", ["y", "n"], 1841, 63, 145)],
)
def test_published_tables(name, levels, total, non_empty, largest):
    path = ROOT / f"data/{name}.csv"
    factors = dict.fromkeys(path.read_text().splitlines()[0].split(",")[:-1], levels)
    found = read(path, factors, total)
    assert found.factors == factors
    assert (found.counts.size, found.counts.dtype) == (64, np.int64)
    assert ((found.counts > 0).sum(), found.counts.max()) == (non_empty, largest)
    # the first factor varies fastest
    first, *_, last = (found.labels[factor].tolist() for factor in factors)
    assert first[:4] == levels * 2
    assert last == [levels[0]] * 32 + [levels[1]] * 32


def test_the_example_of_hair_and_eyes_is_snees():
    """Snee's printed table of hair and eye colours of 592 students."""
    frame = pd.read_csv(ROOT / "examples/hair-eye.csv")
    printed = frame.pivot_table("Freq", "Hair", "Eye", aggfunc="sum", sort=False)
    assert printed.to_dict("split") == {
        "index": ["Black", "Brown", "Red", "Blond"],
        "columns": ["Brown", "Blue", "Hazel", "Green"],
        "data": [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]],
    }


@pytest.mark.parametrize(
    ("text", "marks", "count"),
    [
        *(("3.", {}, 3), ("1e+05", {}, 100_000), ("1.5e1", {}, 15), ("3.5", {}, None)),
        *(("-3", {}, None), ("", {}, None), ("nan", {}, None), ("٢", {}, None)),
        ("1,234", {}, None),
        ("1,234.0", {"thousands": ","}, 1234),
        ("12,34", {"thousands": ","}, None),
        ("3.0", {"decimal": ","}, None),
        ("1.234.567,0", {"decimal": ",", "thousands": "."}, 1_234_567),
        ("1\u00a0234", {"thousands": " "}, 1234),
        ("1'234", {"thousands": "'"}, 1234),
    ],
)
def test_texts_of_counts(text, marks, count):
    assert TableDesign(factors={}, **marks).parse(text) == count


GOOD = "sex,smoke,count\nf,y,1\nm,y,2\nf,n,0\nm,n,4\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no records"),
        (GOOD.replace("sex", "gender"), "line 1: the header has no 'sex'; it has 'gender'"),
        (GOOD.replace("m,y,2\n", ""), "3 cells, .* 4 combinations; .* omitted: zero"),
        (GOOD.replace("m,y,2", "m,y"), "line 3: 3 fields expected.* got 2"),
        (GOOD.replace("m,y,2", f"m,y,{'9' * 5000}"), "line 3: count .*at most 9007199254740992"),
        (GOOD.replace("m,y,2", "m,x,2"), "line 3: smoke .* y, n, got 'x'"),
        (GOOD.replace("m,y,2", "f,y,2"), "line 3: .*second .* f,y.* line 2"),
        (GOOD.replace("m,y,2", "m,y,3"), "sum to 8, .* 7"),
        (GOOD.replace("m,y,2", 'm,"y,2'), "line 5: unexpected end of data"),
    ],
)
def test_a_broken_table(tmp_path, text, message):
    factors, path = {"sex": ["f", "m"], "smoke": ["y", "n"]}, tmp_path / "table.csv"
    assert read(save(path, GOOD), factors, 7).counts.tolist() == [1, 2, 0, 4]
    with pytest.raises(ValueError, match=f"{path}.*{message}"):
        read(save(path, text), factors, 7)


def test_settings_of_a_table(tmp_path):
    path = save(tmp_path / "t.csv", "Freq;Eye;Hair\n4;g;fair\n5;b;dark\n9;all;fair\n")
    settings = {"counts": str(path), "factors": {"Hair": ["dark", "fair"], "Eye": ["b", "g"]}}
    settings |= {"count": "Freq", "total": 9, "separator": ";", "omitted": "zero"}
    found = make_table(settings | {"drop": {"Eye": ["all"]}}, "t")
    assert found.labels["Hair"].tolist() == ["dark", "dark", "fair", "fair"]
    assert found.counts.tolist() == [5, 0, 0, 4]
    for drop, message in (({"b": ["all"]}, "unknown factor 'b'"), ({"Eye": ["b"]}, "Eye: 'b'")):
        with pytest.raises(ValueError, match=message):
            make_table(settings | {"drop": drop}, "t")
    levels = [str(i) for i in range(1001)]
    path.write_text("a,b,Freq\n0,0,1\n")
    with pytest.raises(ValueError, match="1,002,001 combinations, at most 1,000,000"):
        make_table(settings | {"separator": ",", "factors": {"a": levels, "b": levels}}, "t")
