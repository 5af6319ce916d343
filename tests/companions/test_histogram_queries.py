"""Errors of counting queries, from a histogram or one by one: closed forms and simulation."""

from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import laplace

from ggexp.companions import histogram_queries, queries
from ggexp.guarantees import composition

AT = {"epsilon": 1.0, "failure": 0.05}


def test_one_bin_and_one_query():
    error = histogram_queries.of_histogram(**AT, cells=1, k=1)
    assert error == pytest.approx(laplace.isf(0.025, scale=2))
    assert histogram_queries.of_histogram(epsilon=0.1, failure=0.05, cells=1, k=1) == (
        pytest.approx(10 * error)
    )


@pytest.mark.parametrize("cells", [2, 64])
def test_simulation(cells):
    """5 % of sums exceed t, within 5 standard errors: fails once in two million runs."""
    rng = np.random.default_rng(3)
    sums = rng.laplace(0, 2, (100_000, cells)).sum(axis=1)
    t = histogram_queries.of_histogram(**AT, cells=cells, k=1)
    error = sqrt(0.05 * 0.95 / len(sums))
    assert abs((np.abs(sums) > t).mean() - 0.05) < 5 * error
    assert abs((np.abs(sums) > 0.97 * t).mean() - 0.05) > 5 * error


def test_any_queries_are_within():
    """All errors of 100 random queries over 64 bins are at most t in over 95 % of releases."""
    rng = np.random.default_rng(4)
    chosen = rng.random((64, 100)) < 0.5
    largest = np.abs(rng.laplace(0, 2, (5000, 64)) @ chosen).max(axis=1)
    t = histogram_queries.of_histogram(**AT, cells=64, k=100)
    assert (largest > t).mean() < 0.05


@pytest.mark.parametrize("cells", [1, 10, 1000])
@pytest.mark.parametrize("k", [1, 100, 10_000])
def test_the_bound(cells, k):
    """It exceeds the exact error, and for many bins it is close to 4 √(|X| ln(2k/β))."""
    bound = histogram_queries.of_histogram_by_bound(**AT, cells=cells, k=k)
    assert bound > histogram_queries.of_histogram(**AT, cells=cells, k=k)
    with_many_bins = histogram_queries.of_histogram_by_bound(**AT, cells=1e9, k=k)
    assert with_many_bins == pytest.approx(4 * sqrt(1e9 * log(2 * k / 0.05)), rel=1e-4)


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_advanced_scale(k):
    b = histogram_queries.advanced_scale(epsilon=1.0, delta=1e-6, k=k)
    together = composition.advanced_of([(1 / b, 0.0, k)], slack=1e-6)
    assert together.epsilon == pytest.approx(1)


def test_one_by_one():
    at = {**AT, "delta": 1e-6}
    single = histogram_queries.one_by_one("advanced", **at, k=1)
    assert single == pytest.approx(laplace.isf(0.025))
    by_way = {way: histogram_queries.one_by_one(way, **at, k=100) for way in histogram_queries.WAYS}
    assert by_way["gaussian-exact"] < by_way["laplace-exact"] < by_way["advanced"]
    b = queries.scale("gaussian-exact", epsilon=1, delta=1e-6, k=100)
    noise = np.random.default_rng(5).normal(0, b / sqrt(2), (50_000, 100))
    share = (np.abs(noise).max(axis=1) > by_way["gaussian-exact"]).mean()
    assert abs(share - 0.05) < 5 * sqrt(0.05 * 0.95 / 50_000)
    with pytest.raises(ValueError, match=r"way must be one of advanced, .*, got 'other'"):
        histogram_queries.one_by_one("other", **at, k=1)


def test_most_cells():
    at = {**AT, "k": 100}
    for error in (100.0, 1000.0):
        cells = histogram_queries.most_cells(histogram_queries.of_histogram, **at, error=error)
        error_at_cells = histogram_queries.of_histogram(**at, cells=cells)
        assert error_at_cells == pytest.approx(error, rel=1e-5)
    for error, expected in ((1.0, 0.0), (1e9, np.inf)):
        cells = histogram_queries.most_cells(histogram_queries.of_histogram, **at, error=error)
        assert cells == expected
