"""The numbers of Figures 6, 8 and 10: releases, and their range by original count."""

import numpy as np
import pandas as pd
import pytest

from ggexp.figures import tabulate_releases as module
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import AS_PRINTED
from ggexp.releases.simulate import release

COUNTS = np.array([16, 0, 7, 3, 0, 1, 7, 0, 2, 3, 0, 1])
POINTS = [
    NoisyPoint(GridPoint("mildew", "gaussian-pdp", 2, "pdp", 1, 0.05), GeneralizedGaussian(2, 1.7)),
    NoisyPoint(GridPoint("mildew", "laplace", 1, "pure", 0.5, None), GeneralizedGaussian(1, 2.0)),
]
KEYS = ["mechanism", "epsilon", "delta"]
PERCENTILES = {"low": 5, "quartile_1": 25, "median": 50, "quartile_3": 75, "high": 95}
FEW = ["low", "median", "high"]


def tabulate(repeats=9):
    kind = {"kind": "ggexp.releases.simulate.Listed", "total": AS_PRINTED}
    points = [noisy.parameters() for noisy in POINTS]
    return module.releases(pd.DataFrame({"count": COUNTS}), points, kind, seed=3, repeats=repeats)


def pool_of(noisy, repeats):
    return np.array([release(COUNTS, noisy, seed=3, repeat=repeat) for repeat in range(repeats)])


def rows_by_point(table):
    size = len(table) // len(POINTS)
    for i, noisy in enumerate(POINTS):
        rows = table[i * size : (i + 1) * size].reset_index(drop=True)
        point = noisy.point
        assert {*rows["mechanism"]} == {point.mechanism}
        assert {*rows["epsilon"]} == {point.epsilon}
        assert {None if pd.isna(delta) else delta for delta in rows["delta"]} == {point.delta}
        yield noisy, rows


def assert_ranges(rows, noisy, repeats, names):
    """Ranges are over the sanitized counts of all cells with the same count in these repeats."""
    pool = pool_of(noisy, repeats)
    for row in rows.to_dict("records"):
        values = pool[:, row["original"] == COUNTS]
        known = [np.percentile(values, PERCENTILES[name]) for name in names]
        assert [row[name] for name in names] == known


@pytest.mark.parametrize("repeats", [1, 9])
def test_few_cells_have_a_row_each(repeats):
    table = tabulate(repeats)
    assert list(table) == [*KEYS, "cell", "original", "sanitized", *FEW]
    assert len(table) == len(POINTS) * COUNTS.size
    for noisy, rows in rows_by_point(table):
        np.testing.assert_array_equal(rows["cell"], range(COUNTS.size))
        np.testing.assert_array_equal(rows["original"], COUNTS)
        np.testing.assert_array_equal(rows["sanitized"], pool_of(noisy, 1)[0])
        assert_ranges(rows, noisy, repeats, FEW)


def test_many_cells_have_a_row_for_each_count(monkeypatch):
    monkeypatch.setattr(module, "MAX_POINTS", COUNTS.size - 1)
    table = tabulate()
    assert list(table) == [*KEYS, "original", "cells", *PERCENTILES]
    levels, cells = np.unique(COUNTS, return_counts=True)
    for noisy, rows in rows_by_point(table):
        np.testing.assert_array_equal(rows["original"], levels)
        np.testing.assert_array_equal(rows["cells"], cells)
        assert_ranges(rows, noisy, 9, PERCENTILES)


@pytest.mark.parametrize(
    ("pool", "pooled"),
    [(4, 4), (5 - 1 / COUNTS.size, 4), (9, 9), (1000, 9), (1 - 1 / COUNTS.size, 1)],
)
def test_ranges_use_the_repeats_that_fit_in_the_pool(monkeypatch, pool, pooled):
    """At least one repeat. The release does not depend on it."""
    complete = tabulate()
    monkeypatch.setattr(module, "MAX_POOLED_COUNTS", round(pool * COUNTS.size))
    table = tabulate()
    for noisy, rows in rows_by_point(table):
        assert_ranges(rows, noisy, pooled, FEW)
    assert table.drop(columns=FEW).equals(complete.drop(columns=FEW))
