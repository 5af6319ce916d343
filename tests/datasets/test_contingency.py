"""Contingency tables: levels, margins and empty cells, compared with pandas on random tables."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from ggexp.datasets import tables
from ggexp.datasets.tables import ContingencyTable

FACTORS = {"a": ["z", "y", "x"], "b": ["2", "10"], "c": ["u", "v", "never"]}


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    shape = [len(levels) for levels in FACTORS.values()]
    cells = rng.permutation(np.prod(shape))[:11]
    codes = [code % 2 if i == 2 else code for i, code in enumerate(np.unravel_index(cells, shape))]
    unique = ~pd.DataFrame(codes).T.duplicated().to_numpy()
    codes = [code[unique] for code in codes]
    return ContingencyTable.of(FACTORS, codes, rng.integers(0, 50, unique.sum()))


def test_levels_keep_their_order_even_without_cells(table):
    assert table.factors == FACTORS
    assert table.combinations == 18
    assert table.absent == 18 - table.counts.size


def test_completed_has_every_combination_in_the_order_of_levels(table):
    complete = table.completed()
    assert [*map(tuple, complete.labels.to_numpy(object))] == [*product(*FACTORS.values())]
    expected = table.labels.astype(object).assign(n=table.counts).set_index([*FACTORS])["n"]
    found = complete.labels.astype(object).assign(n=complete.counts).set_index([*FACTORS])["n"]
    assert found[found.index.isin(expected.index)].sort_index().equals(expected.sort_index())
    assert complete.total == table.total
    assert complete.absent == 0


@pytest.mark.parametrize("names", [["a"], ["c", "a"], ["a", "b", "c"]])
def test_margins(table, names):
    margin = table.margin(names)
    frame = table.labels.astype(object).assign(n=table.counts)
    for cell, count in zip(margin.labels.to_numpy(object), margin.counts, strict=True):
        assert frame.loc[(frame[names] == cell).all(axis=1), "n"].sum() == count
    assert margin.total == table.total
    assert margin.factors == {name: FACTORS[name] for name in names}
    assert margin.absent or margin.completed().labels.equals(margin.labels)


def test_levels_are_left_out(table):
    rest = table.without("a", ["z", "unknown"])
    assert rest.factors == FACTORS | {"a": ["y", "x"]}
    assert rest.total == table.counts[(table.labels["a"] != "z").to_numpy()].sum()


def test_a_table_is_not_completed_beyond_memory(table, monkeypatch):
    monkeypatch.setattr(tables, "MAX_CELLS", 17)
    with pytest.raises(ValueError, match="18 combinations, at most 17"):
        table.completed()


def test_totals_beyond_int64():
    table = ContingencyTable.of({"a": ["x", "y"]}, [np.arange(2)], np.full(2, 2**62))
    assert table.total == 2**63
