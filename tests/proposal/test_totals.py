"""Levels of a table of counts that are totals of the others: left out, or kept with a warning."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import proposed

from ggexp.datasets.sniff import sniff
from ggexp.datasets.table import Table
from ggexp.datasets.tables import make_table
from ggexp.datasets.totals import find_totals
from ggexp.proposal.guess import CountOptions, guess_table


def with_margins(names, shape=(3, 5)):
    """A table of two factors in long form, with its margins, as from addmargins in R."""
    counts = np.random.default_rng(1).integers(1, 40, shape)
    margins = np.pad(counts, ((0, 1), (0, 1)))
    margins[-1, :], margins[:, -1] = margins.sum(axis=0), margins.sum(axis=1)
    margins[-1, -1] = counts.sum()
    a, b = ([*map(str, range(k)), name] for k, name in zip(shape, names, strict=True))
    cells = [(x, y, margins[i, j]) for (i, x), (j, y) in product(enumerate(a), enumerate(b))]
    return frame(cells)


def frame(rows):
    return pd.DataFrame(rows, columns=["sex", "age", "count"])


def contingency(table):
    *names, counts = table.columns
    columns = {name: pd.Categorical(table[name]) for name in names}
    factors = {name: [*column.categories] for name, column in columns.items()}
    codes = [column.codes for column in columns.values()]
    return Table(factors, codes, table[counts].to_numpy(np.int64))


def found(table):
    return find_totals(contingency(table), "t.csv")


@pytest.mark.parametrize("name", ["(all)", "Grand Total"])
def test_margins_are_found_by_their_names(name):
    assert found(with_margins((name, "total"))) == ({"sex": [name], "age": ["total"]}, [])
    assert found(with_margins((name, "total"), (2, 2))) == ({"sex": [name], "age": ["total"]}, [])


def test_margins_without_a_name_need_five_strata():
    assert found(with_margins(("x", "total"))) == ({"sex": ["x"], "age": ["total"]}, [])
    # in four strata the level may be the sum of the others by chance
    totals, warnings = found(with_margins(("total", "x"), (4, 5)))
    assert totals == {"sex": ["total"]}
    assert [re.findall("'(.+?)'", warning) for warning in warnings] == [["x", "age"]]
    assert "4 strata" in warnings[0]
    rng = np.random.default_rng(4)
    cells = [(*cell, rng.integers(0, 9)) for cell in product("abc", "uvwxy", "12")]
    table = pd.DataFrame(cells, columns=[*"xyzn"])
    assert find_totals(contingency(table), "t.csv") == ({}, [])
    assert find_totals(contingency(table.assign(n=0)), "t.csv") == ({}, [])


@pytest.mark.parametrize("row", [("Total", ""), ("Total", "Total"), ("", "total")])
def test_a_sum_below_a_table_is_a_total(row):
    table = frame([["f", "o", 3], ["m", "o", 4], ["m", "y", 5], [*row, 12]])
    totals, warnings = found(table)
    assert warnings == []
    assert {level for levels in totals.values() for level in levels} == {*row} - {""}


def test_a_level_that_is_only_named_like_a_total_is_kept_and_reported():
    table = frame([["left", "o", 3], ["right", "o", 4], ["both", "o", 2]])
    totals, (warning,) = found(table)
    assert totals == {}
    assert "'both' of 'sex'" in warning
    # and does not hide a total of another factor
    second_factor = [["left", "all", 3], ["right", "all", 4], ["both", "all", 2]]
    totals, (warning,) = found(pd.concat([table, frame(second_factor)]))
    assert totals == {"age": ["all"]}
    assert "'both' of 'sex'" in warning


def test_totals_that_are_left_out_are_not_cells_of_the_run(tmp_path):
    path, table = tmp_path / "t.csv", with_margins(("all", "Total"))
    table.to_csv(path, index=False)
    total = table.query("sex != 'all' and age != 'Total'")["count"].sum()
    settings = proposed(path)
    assert settings["drop"] == {"age": ["Total"], "sex": ["all"]}
    made = make_table(settings, "histograms.t")
    assert settings["total"] == made.total == total
    assert made.factors["sex"] == [*"012"]
    guess = guess_table(sniff(path))
    assert (guess.table.total, len(guess.left_out)) == (total, 2)
    kept = guess_table(sniff(path), CountOptions(keep_totals=True))
    assert (kept.table.total, len(kept.left_out), len(kept.warnings)) == (4 * total, 0, 2)
