"""Composition: formulas, and the numerical convolution against closed forms and bounds."""

from dataclasses import astuple
from math import exp, expm1, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gennorm

from ggexp.companions import renyi
from ggexp.companions.rules import noise_by
from ggexp.guarantees import composition
from ggexp.guarantees.composition import Composition
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.convolution import epsilon, trade_off
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import randomized_response
from ggexp.mechanisms.optimal_integer import Geometric
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace


def exact(*, order, scale, k, delta, sensitivity=1.0):
    """The ε of k releases with GG noise, rounded up."""
    loss = GeneralizedGaussian(order, scale).loss(sensitivity)
    return Composition([(loss, k)]).sufficient_epsilon(delta=delta)


@pytest.mark.parametrize(
    ("k", "epsilon", "expected"), [(100, 0.1, 6.3082), (10, 0.5, 5), (3, 1000, 3000)]
)
def test_advanced_is_the_reference(k, epsilon, expected):
    result = composition.advanced_of([(Budget(epsilon, 1e-9), k)], slack=1e-6)
    assert result.epsilon == pytest.approx(expected, abs=5e-5)
    is_better = expected < k * epsilon
    assert result.delta == pytest.approx(k * 1e-9 + (1e-6 if is_better else 0), rel=1e-12)


@pytest.mark.parametrize(("rho", "k", "delta"), [(0.01, 10, 1e-6), (0.5, 3, 0.05)])
def test_zcdp_is_an_upper_bound(rho, k, delta):
    result = renyi.zcdp_epsilon(rho=rho, delta=delta, k=k)
    # the rule "zcdp" is the inverse, for one release with kρ
    b = noise_by("zcdp", 2, epsilon=result, delta=delta).scale
    assert b == pytest.approx(renyi.zcdp_scale(k * rho))
    assert result > exact(order=2, scale=1 / sqrt(rho), k=k, delta=delta)


@settings(max_examples=6)
@given(k=st.integers(2, 1000), h=st.floats(0.01, 3), log_delta=st.floats(log(1e-12), log(0.3)))
def test_order_2_is_the_closed_form(k, h, log_delta):
    """The sum of normal losses is normal, as for one release with σ/√k."""
    h, delta = h / sqrt(k), exp(log_delta)
    expected = GeneralizedGaussian(2, 1 / (h * sqrt(k))).epsilon(delta=delta)
    loss = GeneralizedGaussian(2).loss(h)
    result = epsilon([(loss, k)], delta, with_optimistic=False).pessimistic
    if expected > 1e-3:
        assert expected * (1 - 1e-10) <= result <= expected * (1 + 1e-6) + 1e-9
    else:
        assert expected * (1 - 1e-10) <= result <= expected + 1e-5


@pytest.mark.parametrize(
    "found",
    [
        lambda delta: exact(order=3, scale=20.0, k=4, delta=delta),
        lambda delta: composition.exact_scale(order=3, budget=Budget(1.0, delta), k=4),
    ],
)
def test_a_delta_too_small_for_floating_point_tails_is_rejected(found):
    with pytest.raises(ValueError, match=r"delta .*at least 4e-302 .*got 3e-302"):
        found(3e-302)
    assert found(5e-302) > 0


@pytest.mark.parametrize("order", [1, 2, 3])
def test_exact_scale_is_the_inverse(order):
    b = composition.exact_scale(order=order, budget=Budget(1, 1e-6), k=10)
    result = exact(order=order, scale=b, k=10, delta=1e-6)
    assert result == pytest.approx(1, abs=1e-8)
    if order == 2:
        assert b == pytest.approx(sqrt(10) * 5.97459818196, rel=1e-10)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("order", "scale", "k", "delta"),
    [
        (1, 0.02, 5, 1e-6),  # one loss is 50
        (1.0000001, 5, 5, 0.01),  # almost constant losses on both sides
        (3, 1e9, 5, 1e-10),
    ],
)
def test_extremes(order, scale, k, delta):
    """Between one release and basic composition, without a warning."""
    single, together = (exact(order=order, scale=scale, k=number, delta=delta) for number in (1, k))
    basic = k * GeneralizedGaussian(order, scale).epsilon(delta=delta / k)
    assert single < together <= basic * (1 + 1e-12)


MIXED = [(Budget(0.1, 1e-9), 40), (Budget(0.5), 2), (Budget(0.02, 1e-8), 100)]


def test_basic_and_advanced_of_different_releases():
    assert astuple(composition.basic_of(MIXED)) == pytest.approx((7, 40e-9 + 100e-8))
    squares = 40 * 0.01 + 2 * 0.25 + 100 * 0.0004
    drift = 4 * expm1(0.1) + expm1(0.5) + 2 * expm1(0.02)
    expected = sqrt(2 * log(1e6) * squares) + drift
    result = composition.advanced_of(MIXED, slack=1e-6)
    assert astuple(result) == pytest.approx((expected, 40e-9 + 100e-8 + 1e-6))
    assert result.epsilon < 7
    assert composition.advanced_of(MIXED[1:2], slack=1e-6) == composition.basic_of(MIXED[1:2])


def test_releases_with_gaussian_noise_of_any_scales_are_equivalent_to_one():
    noises = [(GeneralizedGaussian(2, 10.0), 30), (GeneralizedGaussian(2, 3.0), 2)]
    scale = 1 / sqrt(30 / 100 + 2 / 9)
    lower, upper = Composition(noises).epsilon(delta=1e-6)
    expected = GeneralizedGaussian(2, scale).epsilon(delta=1e-6)
    assert lower == upper == pytest.approx(expected, rel=1e-14)
    assert Composition(noises).delta(epsilon=1).pessimistic == pytest.approx(
        GeneralizedGaussian(2, scale).delta(epsilon=1), rel=1e-12
    )


def test_bad_arguments_of_a_composition():
    for count, message in (
        (None, r"releases .*1 to 1,000,000 .*got 0"),
        (10**6 + 1, r"releases .*got 1,000,001"),
        (0, r"^count .*whole .*>= 1, got 0"),
        (4, r"^false_positive .*\[0, 1\], got 1\.5"),
    ):
        parts = [(GeneralizedGaussian(1, 1.0), count)] * (count is not None)
        with pytest.raises(ValueError, match=message):
            Composition(parts).trade_off(1.5)


RATES = np.array([0, 1e-9, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1])


@pytest.mark.parametrize(("order", "k"), [(1, 1), (1.5, 1), (2, 9), (3, 1)])
def test_trade_off_of_gg_noise(order, k):
    """The best test for GG noise is a threshold."""
    noise = GeneralizedGaussian(order, 2.0)
    result = Composition([(noise, k)]).trade_off(RATES)
    distribution = gennorm(order, scale=2.0 / sqrt(k))
    expected = distribution.cdf(distribution.isf(RATES) - 1)
    assert result == pytest.approx(expected, abs=2e-8)
    by_convolution = np.interp(RATES, *trade_off([(noise.loss(), k)]))
    assert by_convolution == pytest.approx(expected, abs=2e-8)
    assert (by_convolution <= expected + 1e-15).all()


@pytest.mark.parametrize(
    "releases",
    [
        pytest.param(
            [(GeneralizedGaussian(3, 4.0), 5), (Geometric(6.0), 7)], marks=pytest.mark.slow
        ),
        [(TruncatedLaplace(5, 30), 10), (randomized_response(Budget(0.2, 0.01)), 2)],
    ],
)
def test_trade_off_is_the_dual_of_delta(releases):
    """The curve is at least the lines 1 - δ - e^ε α and their mirror images, and touches them."""
    together = Composition(releases)
    rates = np.linspace(0, 1, 21)
    curve = together.trade_off(rates)
    for loss in (0, 0.3, 1, 2):
        delta = together.delta(epsilon=loss).pessimistic
        lines = [1 - delta - exp(loss) * rates, exp(-loss) * (1 - delta - rates)]
        touches = [np.abs(curve - np.maximum(line, 0)).min() for line in lines]
        assert (curve >= np.max(lines, axis=0) - 1e-6).all()
        assert max(touches) < 0.02
    assert curve[0] == pytest.approx(1 - together.delta(epsilon=1e6).optimistic, abs=1e-9)
    assert curve[-1] == 0
    # convex, descending, and its own inverse
    assert (np.diff(curve) <= 0).all()
    assert (np.diff(curve, 2) >= -1e-9).all()
    is_inside = curve > 1e-3
    assert together.trade_off(curve[is_inside]) == pytest.approx(rates[is_inside], abs=1e-6)


def test_trade_off_of_releases_that_reveal_nothing_or_everything():
    assert Composition([(randomized_response(Budget(0)), 3)]).trade_off(RATES) == pytest.approx(
        1 - RATES
    )
    assert (Composition([(TruncatedLaplace(1, 0.4), 1)]).trade_off(RATES) == 0).all()
