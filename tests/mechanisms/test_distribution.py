"""The GG distribution and its tails against scipy's gennorm, closed forms and limits."""

from math import erfc, gamma, log, sqrt

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import gennorm

from ggexp import GeneralizedGaussian
from ggexp.mechanisms.tails import (
    between,
    inner,
    log_upper_tail,
    mills_ratio,
    upper_point,
    upper_tail,
)


@pytest.mark.parametrize(
    ("order", "variance"),
    [(1, 2 * 3**2), (2, 3**2 / 2), (1e6, 3**2 / 3), (1.5, gennorm.var(1.5, scale=3))],
    ids=["Laplace: 2b²", "normal: b²/2", "p → ∞, uniform(-b, b): b²/3", "1.5, by scipy"],
)
def test_variance_of_known_members(order, variance):
    assert GeneralizedGaussian(order, 3).sd ** 2 == pytest.approx(variance, rel=1e-5)


def test_scipy_is_the_density_of_the_paper():
    order, b, x = 3.0, 2.0, np.linspace(-5, 5, 11)
    density = order / (2 * b * gamma(1 / order)) * np.exp(-((np.abs(x) / b) ** order))
    np.testing.assert_allclose(GeneralizedGaussian(order, b).scipy.pdf(x), density)


@pytest.mark.parametrize("order", [1, 1.5, 3, 10])
def test_tails_are_gennorms(order):
    for probability in (1e-15, 0.01, 0.5, 0.999):
        x = upper_point(order, probability)
        assert gennorm.sf(x, order) == pytest.approx(probability, rel=1e-11)
    for x in (-3.0, 0.0, 0.2, 2.5):
        assert upper_tail(order, x) == pytest.approx(gennorm.sf(x, order), rel=1e-12)
        assert inner(order, x) == pytest.approx(1 - 2 * gennorm.sf(x, order), rel=1e-12, abs=1e-15)
    for low, high in ((-1, 2), (0, 1), (0.5, 0.7), (-3, -2.9)):
        expected = gennorm.cdf(high, order) - gennorm.cdf(low, order)
        assert between(order, low, high) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("probability", [0.5 - 1e-4, 0.5 - 1e-9, 0.5 + 1e-4])
def test_upper_point_if_the_power_underflows(probability):
    # the density is flat there: Pr(0 < e < x) = x / (2 Γ(1 + 1/p))
    x = upper_point(100, probability)
    assert x / (2 * gamma(1.01)) == pytest.approx(0.5 - probability, rel=1e-12)


@pytest.mark.parametrize("x", [1e-6, 0.5, 1, 3, 26])
def test_tails_of_known_members(x):
    assert upper_tail(2, x) == pytest.approx(erfc(x) / 2, rel=1e-12)
    assert log_upper_tail(2, x) == pytest.approx(log_ndtr(-x * sqrt(2)), rel=1e-12)
    assert log_upper_tail(1, x) == pytest.approx(-x - log(2), rel=1e-12)
    assert mills_ratio(1, x) == pytest.approx(1, rel=1e-12)


def test_tails_if_powers_underflow_or_overflow():
    assert upper_tail(100, 1e-4) == pytest.approx(0.5 - 1e-4 / (2 * gamma(1.01)), rel=1e-15)
    assert inner(100, -1e-9) == pytest.approx(-1e-9 / gamma(1.01), rel=1e-14)
    assert (inner(100, 1e9), upper_tail(100, 1e9), upper_tail(100, -1e9)) == (1, 0, 1)
    assert log_upper_tail(2, 1e6) == pytest.approx(log_ndtr(-1e6 * sqrt(2)), rel=1e-12)
    assert mills_ratio(100, 1e9) == 0
    expected = (erfc(9) - erfc(9.1)) / 2
    assert between(2, 9, 9.1) == pytest.approx(expected, rel=1e-10)
    assert between(2, -9.1, -9) == pytest.approx(expected, rel=1e-10)
    assert between(2, 1, 1) == between(2, 2, 1) == 0
