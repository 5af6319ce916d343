"""The largest error of k counts: closed forms, simulation, and reference crossings."""

from math import sqrt

import mpmath
import numpy as np
import pytest

from ggexp.companions import queries
from ggexp.guarantees import composition
from ggexp.mechanisms.distribution import GeneralizedGaussian

SMALL = {"epsilon": 1, "delta": 1e-6}


@pytest.mark.parametrize("k", [1, 2, 12, 100, 10_000])
def test_laplace_is_harmonic(k):
    result = queries.expected_largest(order=1, scale=3, k=k)
    assert result == pytest.approx(3 * float(mpmath.harmonic(k)), rel=1e-10)


def test_one_and_two_normals():
    for k, expected in ((1, sqrt(2 / np.pi)), (2, 2 / sqrt(np.pi))):
        result = queries.expected_largest(order=2, scale=sqrt(2), k=k)
        assert result == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("order", "k"), [(2, 30), (3, 7), (1.5, 200)])
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


@pytest.mark.parametrize(("order", "k"), [(1, 10), (2, 10), (3, 40)])
def test_simulation(order, k):
    """Within 5 standard errors: fails once in two million runs. A 2 % difference is detected."""
    draws = 100_000
    noise = GeneralizedGaussian(order, 2.0).sample(np.random.default_rng(5), draws * k)
    largest = np.abs(noise.reshape(draws, k)).max(axis=1)
    error = largest.std() / sqrt(draws)
    expected = queries.expected_largest(order=order, scale=2.0, k=k)
    assert abs(largest.mean() - expected) < 5 * error
    assert abs(largest.mean() - 1.02 * expected) > 5 * error


def test_the_lectures_ways_are_the_reference():
    at_100 = {way: queries.largest_error(way, **SMALL, k=100) for way in queries.WAYS}
    assert at_100["gaussian"] == pytest.approx(147.972, abs=5e-4)
    assert at_100["laplace"] == pytest.approx(518.738, abs=5e-4)
    assert at_100["gaussian-exact"] < at_100["laplace-exact"] < at_100["laplace"]
    assert at_100["gaussian-exact"] < at_100["gaussian"]


@pytest.mark.parametrize(("delta", "lecture", "exact"), [(1e-6, 12, 8), (1e-3, 7, 4)])
def test_crossings(delta, lecture, exact):
    point = {"epsilon": 1, "delta": delta}
    assert queries.crossing("laplace", "gaussian", **point) == lecture
    ways = ("laplace-exact", "gaussian-exact")
    for k, crossed in ((exact - 1, False), (exact, True)):
        laplace, gaussian = (queries.largest_error(way, **point, k=k) for way in ways)
        assert (gaussian < laplace) == crossed
    assert queries.crossing("laplace", "gaussian", **point, largest_k=lecture - 1) is None
    # for larger k, Gaussian noise remains better
    for k in (lecture, 2 * lecture, 10 * lecture):
        assert queries.largest_error("gaussian", **point, k=k) < queries.largest_error(
            "laplace", **point, k=k
        )


@pytest.mark.parametrize("way", ["laplace-exact", "gaussian-exact"])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_exact_scales_satisfy_the_guarantee(way, k):
    b = queries.scale(way, **SMALL, k=k)
    order = queries.WAYS[way].order
    releases = composition.Composition([(GeneralizedGaussian(order, b), k)])
    together = releases.sufficient_epsilon(delta=1e-6)
    assert together == pytest.approx(1, abs=1e-7)


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match=r"way .* laplace, gaussian, .*'poisson'"):
        queries.largest_error("poisson", **SMALL, k=3)
