"""Errors of counting queries, one by one or from a histogram: closed forms and simulation."""

from math import log, sqrt

import mpmath
import numpy as np
import pytest

from ggexp.companions import queries

SMALL = {"epsilon": 1, "delta": 1e-6}


@pytest.mark.parametrize("k", [1, 12, 10_000])
def test_laplace_is_harmonic(k):
    result = queries.expected_largest(order=1, scale=3, k=k)
    assert result == pytest.approx(3 * float(mpmath.harmonic(k)), rel=1e-10)


@pytest.mark.parametrize(("order", "k"), [(3, 7), (1.5, 200)])
def test_integral_of_the_density(order, k):
    """E max = ∫ x k F^(k-1) f, with F the distribution of |e|."""
    with mpmath.workdps(20):
        p = mpmath.mpf(order)

        def integrand(x):
            inside = mpmath.gammainc(1 / p, 0, x**p, regularized=True)
            return x * k * inside ** (k - 1) * mpmath.exp(-(x**p)) / mpmath.gamma(1 + 1 / p)

        expected = float(mpmath.quad(integrand, [0, 0.5, 1, 2, 4, 8, 30]))
    result = queries.expected_largest(order=order, scale=1, k=k)
    assert result == pytest.approx(expected, rel=1e-9)


def test_the_lectures_ways_are_the_reference():
    at_100 = {way: queries.largest_error(way, **SMALL, k=100) for way in queries.WAYS}
    assert at_100["gaussian"] == pytest.approx(147.972, abs=5e-4)
    assert at_100["laplace"] == pytest.approx(518.738, abs=5e-4)
    assert at_100["gaussian-exact"] < at_100["laplace-exact"] < at_100["laplace"]
    assert at_100["gaussian-exact"] < at_100["gaussian"]
    with pytest.raises(ValueError, match=r"way .* laplace, gaussian, .*'poisson'"):
        queries.largest_error("poisson", **SMALL, k=3)


AT = {"epsilon": 1.0, "failure": 0.05}


@pytest.mark.parametrize("cells", [2, 64])
def test_simulation_of_a_histogram(cells):
    """5 % of sums exceed t, within 5 standard errors: fails once in two million runs."""
    rng = np.random.default_rng(3)
    sums = rng.laplace(0, 2, (100_000, cells)).sum(axis=1)
    t = queries.of_histogram(**AT, cells=cells, k=1)
    error = sqrt(0.05 * 0.95 / len(sums))
    assert abs((np.abs(sums) > t).mean() - 0.05) < 5 * error
    assert abs((np.abs(sums) > 0.97 * t).mean() - 0.05) > 5 * error


@pytest.mark.parametrize(("cells", "k"), [(1, 1), (10, 100), (1000, 10_000)])
def test_the_bound(cells, k):
    """It exceeds the exact error, and for many bins it is close to 4 √(|X| ln(2k/β))."""
    bound = queries.of_histogram_by_bound(**AT, cells=cells, k=k)
    assert bound > queries.of_histogram(**AT, cells=cells, k=k)
    with_many_bins = queries.of_histogram_by_bound(**AT, cells=1e9, k=k)
    assert with_many_bins == pytest.approx(4 * sqrt(1e9 * log(2 * k / 0.05)), rel=1e-4)


def test_most_cells():
    at = {**AT, "k": 100}
    for error in (100.0, 1000.0):
        cells = queries.most_cells(queries.of_histogram, **at, error=error)
        error_at_cells = queries.of_histogram(**at, cells=cells)
        assert error_at_cells == pytest.approx(error, rel=1e-5)
    for error, expected in ((1.0, 0.0), (1e9, np.inf)):
        cells = queries.most_cells(queries.of_histogram, **at, error=error)
        assert cells == expected


@pytest.mark.parametrize(("delta", "lecture", "exact"), [(1e-6, 12, 8), (1e-3, 7, 4)])
def test_crossings(delta, lecture, exact):
    point = {"epsilon": 1, "delta": delta}
    assert queries.crossing("laplace", "gaussian", **point) == lecture
    ways = ("laplace-exact", "gaussian-exact")
    for k, crossed in ((exact - 1, False), (exact, True)):
        laplace, gaussian = (queries.largest_error(way, **point, k=k) for way in ways)
        assert (gaussian < laplace) == crossed
    assert queries.crossing("laplace", "gaussian", **point, largest_k=lecture - 1) is None
