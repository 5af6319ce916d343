"""Exact δ and ε of GG noise against reference values, many digits and closed forms."""

from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from conftest import ROOT
from formulas import gaussian_delta
from many_digits import approximate_delta
from scipy.stats import gennorm

from ggexp import GeneralizedGaussian, calibration
from ggexp.mechanisms.solver import SCALE_ERROR

REFERENCE = np.loadtxt(ROOT / "tests/data/privacy_loss.csv", delimiter=",", skiprows=1)


@pytest.mark.parametrize(("order", "scale", "epsilon", "expected"), REFERENCE)
def test_delta_is_the_reference(order, scale, epsilon, expected):
    delta = GeneralizedGaussian(order, scale).delta(epsilon=epsilon)
    assert delta == pytest.approx(expected, rel=1e-13, abs=0)


@pytest.mark.parametrize(
    ("order", "scale", "epsilon", "error"),
    [
        (1 + 1.85856512e-8, 138084.35543416318, 7.241950995537591e-06, 3e-5),
        (1 + 1.40553e-12, 320.51286301017296, 0.0031199995863424855, 0.05),
        (1.0000000014, 904822.7523127298, 1.1051888198945233e-06, 1e-6),  # 1e-5 without `_NARROW`
        (100, 4.890455352777414e19, 1e-20, 1e-12),
    ],
)
def test_errors_close_to_order_1_are_as_the_docstring_says(order, scale, epsilon, error):
    delta = GeneralizedGaussian(order, scale).delta(epsilon=epsilon)
    assert delta == pytest.approx(float(approximate_delta(order, scale, epsilon)), rel=error, abs=0)


@pytest.mark.parametrize("epsilon", [1e-3, 1, 1000])
@pytest.mark.parametrize("delta", [1e-15, 1e-3, 0.9])
def test_order_2_is_the_analytic_gaussian_mechanism(epsilon, delta):
    b = calibration.calibrate("adp-exact", order=2, epsilon=epsilon, delta=delta).scale
    # tolerance 1e-8, because two logarithms near -ε² σ² / 2 are subtracted
    assert gaussian_delta(b / sqrt(2), epsilon) == pytest.approx(delta, rel=1e-8)


@pytest.mark.parametrize("order", [1, 1.01, 3, 100])
@pytest.mark.parametrize("epsilon", [1e-6, 1, 1000])
@pytest.mark.parametrize("delta", [1e-15, 0.1, 1 - 1e-9])
def test_scale_epsilon_and_delta_are_consistent(order, epsilon, delta):
    b = calibration.calibrate("adp-exact", order=order, epsilon=epsilon, delta=delta).scale
    exact = GeneralizedGaussian(order, b).delta(epsilon=epsilon)
    assert exact <= delta * (1 + 2e-9)
    smaller = b * (1 - 2 * SCALE_ERROR * order)
    assert GeneralizedGaussian(order, smaller).delta(epsilon=epsilon) >= delta * (1 - 1e-9)
    inverse = GeneralizedGaussian(order, b).epsilon(delta=delta)
    at_inverse = GeneralizedGaussian(order, b).delta(epsilon=inverse)
    assert at_inverse == pytest.approx(exact, rel=1e-9)
    if delta <= 0.5:  # a δ near 1 hardly depends on ε
        assert inverse == pytest.approx(epsilon, rel=1e-8, abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("order", [1, 1.01, 2, 100])
@pytest.mark.parametrize("scale", [1e-6, 2, 1e9])
def test_delta_is_a_probability_at_the_extremes(order, scale):
    deltas = [
        GeneralizedGaussian(order, scale).delta(epsilon=epsilon)
        for epsilon in (0, 1e-12, 1e-3, 1, 1000, 1e6)
    ]
    assert all(0 <= b <= a <= 1 for a, b in pairwise(deltas))
    assert not np.signbit(deltas).any()


def test_an_epsilon_that_is_too_large_for_floating_point_is_refused():
    assert log(GeneralizedGaussian(2, 1e-9).epsilon(delta=0.1)) == pytest.approx(2 * log(1e9))
    with pytest.raises(ValueError, match=r"scale must be large enough .* got 1e-05 at order 100"):
        GeneralizedGaussian(100, 1e-5).epsilon(delta=0.1)


@pytest.mark.parametrize("order", [1, 3])
def test_epsilon_is_zero_if_delta_is_at_least_the_total_variation(order):
    total_variation = GeneralizedGaussian(order, 3).delta(epsilon=0)
    assert total_variation == pytest.approx(2 * gennorm.cdf(1 / 6, order) - 1)
    assert GeneralizedGaussian(order, 3).epsilon(delta=total_variation + 1e-9) == 0
    assert 0 < GeneralizedGaussian(order, 3).epsilon(delta=total_variation - 1e-9) < 1e-6
