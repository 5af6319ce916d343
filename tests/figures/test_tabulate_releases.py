"""The numbers of Figures 6, 8 and 10: releases, their range, and the counts of many cells."""

import numpy as np
import pandas as pd
import pytest

from ggexp.figures import tabulate_releases as module
from ggexp.figures.tabulate_releases import bin_releases, tabulate_releases
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import AS_PRINTED
from ggexp.releases.sanitize import Listed, release

COUNTS = np.array([16, 0, 7, 3, 0, 1, 7, 0, 2, 3, 0, 1])
POINTS = [
    NoisyPoint(GridPoint("mildew", "gaussian-pdp", 2, "pdp", 1, 0.05), GeneralizedGaussian(2, 1.7)),
    NoisyPoint(GridPoint("mildew", "laplace", 1, "pure", 0.5, None), GeneralizedGaussian(1, 2.0)),
]
KEYS = ["mechanism", "epsilon", "delta"]
RANGE = ["low", "median", "high"]


def tabulate(repeats=9):
    kind = Listed(COUNTS.size, total=AS_PRINTED)
    return tabulate_releases(COUNTS, kind, POINTS, seed=3, repeats=repeats)


def releases(noisy, repeats):
    return np.array([release(COUNTS, noisy, seed=3, repeat=repeat) for repeat in range(repeats)])


def rows_by_point(table):
    """Each grid point with its rows, in the order of the table."""
    size = COUNTS.size
    assert len(table) == len(POINTS) * size
    return [
        (noisy, table[i * size : (i + 1) * size].reset_index(drop=True))
        for i, noisy in enumerate(POINTS)
    ]


def test_a_row_for_each_point_and_cell():
    table = tabulate()
    assert list(table) == [*KEYS, "cell", "original", "sanitized", *RANGE]
    for noisy, rows in rows_by_point(table):
        point = noisy.point
        assert set(rows["mechanism"]) == {point.mechanism}
        assert set(rows["epsilon"]) == {point.epsilon}
        delta = {None if pd.isna(value) else value for value in rows["delta"]}
        assert delta == {point.delta}
        assert list(rows["cell"]) == list(range(COUNTS.size))
        assert list(rows["original"]) == list(COUNTS)


def test_sanitized_is_the_first_release():
    for noisy, rows in rows_by_point(tabulate()):
        np.testing.assert_array_equal(rows["sanitized"], releases(noisy, 1)[0])


def assert_ranges(table, repeats):
    """Ranges are over the sanitized counts of all cells with the same count in these repeats."""
    for noisy, rows in rows_by_point(table):
        pool = releases(noisy, repeats)
        for _, same in rows.groupby("original"):
            values = pool[:, same.index].ravel()
            for name, percent in zip(RANGE, (5, 50, 95), strict=True):
                np.testing.assert_array_equal(same[name], np.percentile(values, percent))


@pytest.mark.parametrize("repeats", [1, 9])
def test_ranges_are_over_all_repeats(repeats):
    assert_ranges(tabulate(repeats), repeats)


@pytest.mark.parametrize(
    ("pool", "pooled"),
    [
        (4 * COUNTS.size, 4),
        (5 * COUNTS.size - 1, 4),
        (9 * COUNTS.size, 9),
        (1000 * COUNTS.size, 9),
        (COUNTS.size - 1, 1),  # at least one repeat
    ],
)
def test_ranges_use_the_repeats_that_fit_in_the_pool(monkeypatch, pool, pooled):
    complete = tabulate()
    monkeypatch.setattr(module, "MAX_POOLED_COUNTS", pool)
    table = tabulate()
    assert_ranges(table, pooled)
    assert table[RANGE].equals(complete[RANGE]) == (pooled == 9)
    assert table.drop(columns=RANGE).equals(complete.drop(columns=RANGE))


def test_few_cells_stay_as_they_are(monkeypatch):
    table = tabulate().drop(columns=KEYS)[: COUNTS.size]
    for limit in (1000, COUNTS.size):
        monkeypatch.setattr(module, "MAX_POINTS", limit)
        pd.testing.assert_frame_equal(bin_releases(table), table)
    monkeypatch.setattr(module, "MAX_POINTS", COUNTS.size - 1)
    assert "cell" not in bin_releases(table)


def test_bins_by_hand(monkeypatch):
    monkeypatch.setattr(module, "MAX_POINTS", 3)
    sanitized = [0, 1e-9, 0.25, 0.2500001, 0.5, 0, 0.1, 7.01]
    cells = len(sanitized)
    table = pd.DataFrame(
        {
            "cell": range(cells),
            "original": [0] * 6 + [1, 1],
            "sanitized": sanitized,
            "low": [0.0] * 6 + [0.1] * 2,
            "median": [0.2] * 6 + [0.3] * 2,
            "high": [3.0] * 6 + [4.0] * 2,
        }
    )
    binned = bin_releases(table)
    assert list(binned) == ["original", "sanitized", *RANGE, "cells"]
    rows = binned[["original", "sanitized", *RANGE, "cells"]].values.tolist()
    # a bin includes its upper edge, and only exact zeros are at 0
    assert sorted(rows) == [
        [0, 0, 0, 0.2, 3, 2],
        [0, 0.125, 0, 0.2, 3, 2],
        [0, 0.375, 0, 0.2, 3, 2],
        [1, 0.125, 0.1, 0.3, 4, 1],
        [1, 7.125, 0.1, 0.3, 4, 1],
    ]


def test_bins_keep_every_cell_and_move_none_by_more_than_half_a_bin(monkeypatch):
    table = tabulate()
    monkeypatch.setattr(module, "MAX_POINTS", 5)
    binned = tabulate()
    assert list(binned) == [*KEYS, "original", "sanitized", *RANGE, "cells"]
    keys = [*KEYS, "original"]
    bins_by_key = binned.groupby(keys, sort=False, dropna=False)
    cells_by_key = table.groupby(keys, sort=False, dropna=False)
    pd.testing.assert_series_equal(
        bins_by_key["cells"].sum(), cells_by_key.size(), check_names=False
    )
    assert bins_by_key["cells"].sum().sum() == COUNTS.size * len(POINTS)
    assert (binned["cells"] > 1).any()
    for name in RANGE:
        pd.testing.assert_series_equal(bins_by_key[name].first(), cells_by_key[name].first())
    zeros = table["sanitized"] == 0
    assert zeros.any()
    assert binned.loc[binned["sanitized"] == 0, "cells"].sum() == zeros.sum()
    # in each group, sorted counts differ by at most half a bin
    for key, rows in cells_by_key:
        bins = bins_by_key.get_group(key)
        values = np.sort(bins["sanitized"].repeat(bins["cells"]))
        assert (np.abs(values - np.sort(rows["sanitized"])) <= module.BIN_HEIGHT / 2).all()
