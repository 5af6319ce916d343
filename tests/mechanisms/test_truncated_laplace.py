"""Truncated Laplace noise: its distribution, bound and exact δ, each by an independent method."""

import warnings
from itertools import pairwise
from math import exp, inf, log, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import kstest, truncexpon

from ggexp import Mechanism, calibration
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

GRID = [(epsilon, delta) for epsilon in (0.5, 1, 2) for delta in (0.01, 0.05, 0.1, 0.25)]


def calibrated(epsilon, delta, sensitivity=1.0):
    return Mechanism(1, "adp-truncated").noise(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity
    )


def delta_of(scale, bound, epsilon, sensitivity=1.0):
    """Return ∫ max(0, f(x) - e^ε f(x - Δ)) dx, the largest Pr(E) - e^ε Pr'(E) of all events E."""
    weight = quad(lambda x: exp(-abs(x) / scale), -bound, bound, points=[0])[0]

    def density(x):
        return exp(-abs(x) / scale) / weight if abs(x) <= bound else 0.0

    def excess(x):
        return max(0.0, density(x) - exp(epsilon) * density(x - sensitivity))

    shifted = [sensitivity + x for x in (-bound, 0, bound)]
    points = sorted({-bound, 0.0, bound, *shifted})
    return sum(
        quad(excess, a + 1e-12, b - 1e-12, epsabs=1e-14, epsrel=1e-12)[0]
        for a, b in pairwise(points)
    )


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (0.1, 1e-6), (3, 0.5), (0.01, 0.5)])
@pytest.mark.parametrize("sensitivity", [1.0, 2.5])
def test_its_delta_is_exact_and_the_bound_the_smallest(epsilon, delta, sensitivity):
    noise = calibrated(epsilon, delta, sensitivity)
    assert isinstance(noise, TruncatedLaplace)
    assert noise.scale == pytest.approx(sensitivity / epsilon, rel=1e-15)
    exact = delta_of(noise.scale, noise.bound, epsilon, sensitivity)
    assert exact == pytest.approx(delta, rel=1e-6, abs=1e-11)
    for factor, is_above in ((0.98, True), (1.02, False)):
        changed = delta_of(noise.scale, factor * noise.bound, epsilon, sensitivity)
        assert (changed > delta) is is_above
    # δ does not decrease if ε is larger, because every loss is at most ε or infinite
    assert delta_of(noise.scale, noise.bound, epsilon + 0.5, sensitivity) == pytest.approx(
        delta, rel=1e-6, abs=1e-11
    )


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (1e-6, 1e-15), (300, 1e-9)])
def test_the_bound_in_fifty_digits(epsilon, delta):
    """For Laplace(1/ε) within [-A, A] and A >= 1, Pr(e > A - 1) is δ."""
    with mpmath.workdps(50):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        bound = mpmath.log(1 + mpmath.expm1(e) / (2 * d)) / e
        outside = (mpmath.exp(-e * (bound - 1)) - mpmath.exp(-e * bound)) / 2
        assert mpmath.almosteq(outside / -mpmath.expm1(-e * bound), d, 1e-40)
        assert bound >= 1
        computed = calibration.calibrate(
            "adp-truncated", order=1, epsilon=epsilon, delta=delta
        ).bound
        assert abs(computed / bound - 1) < 1e-14


def test_the_bound_is_the_root_of_the_quadrature():
    root = brentq(lambda a: delta_of(2.0, a, 0.5) - 0.1, 1.0, 10.0, xtol=1e-9)
    assert calibrated(0.5, 0.1).bound == pytest.approx(root, rel=1e-6)
    assert calibrated(0.5, 0.1).bound == pytest.approx(2 * log(1 + (exp(0.5) - 1) / 0.2))


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (1e-6, 0.5), (1e-3, 1e-9), (1000, 1e-15)])
def test_sd_in_fifty_digits(epsilon, delta):
    noise = calibrated(epsilon, delta)
    with mpmath.workdps(50):
        x = mpmath.mpf(noise.bound) / noise.scale
        variance = 2 - (x * x + 2 * x) / mpmath.expm1(x)  # in units of the scale
        assert noise.sd == pytest.approx(float(noise.scale * mpmath.sqrt(variance)), rel=1e-13)


def test_sd_at_known_points_and_limits():
    assert calibrated(0.5, 0.1).sd == pytest.approx(1.363, abs=5e-4)
    assert TruncatedLaplace(3.0, 1e6).sd == pytest.approx(sqrt(2) * 3)  # without a bound
    assert TruncatedLaplace(3.0, 1e-6).sd == pytest.approx(1e-6 / sqrt(3))  # uniform
    assert TruncatedLaplace(1.0, 1e-200).sd == pytest.approx(1e-200 / sqrt(3))


@pytest.mark.parametrize(("scale", "bound"), [(2.0, 2.89), (1.0, 40.0), (5.0, 0.5), (1e9, 1.0)])
def test_draws_follow_scipys_distribution_and_a_wrong_bound_or_scale_is_detected(scale, bound):
    """Each of eight Kolmogorov tests has level 1e-6.

    The absolute values have a truncated exponential distribution, and both signs are equally
    likely.
    """
    draws = TruncatedLaplace(scale, bound).sample(np.random.default_rng(20261122), 40_000)
    assert np.abs(draws).max() <= bound

    def p_value(b, a):
        return kstest(np.abs(draws), truncexpon(a / b, scale=b).cdf).pvalue

    assert p_value(scale, bound) > 1e-6
    assert p_value(scale, 1.3 * bound) < 1e-6 or bound > 20 * scale
    assert p_value(1.3 * scale, bound) < 1e-6 or bound < scale
    # signs: five standard errors, a level of 6e-7
    assert abs(np.sign(draws).sum()) < 5 * sqrt(draws.size)
    assert abs(np.corrcoef(np.sign(draws), np.abs(draws))[0, 1]) < 5 / sqrt(draws.size)


def test_draws_at_the_ends_of_the_uniform_variable():
    """Uniform draws of -1, 0 and nearly 1 become -bound, 0 and the bound, without a warning."""

    class Ends(np.random.Generator):
        def uniform(self, low, high, size):
            return np.array([-1.0, 0.0, 1 - 2.0**-53])[:size]

    for scale, bound in ((1.0, 3.0), (1.0, 700.0), (1e5, 1e-5)):
        with warnings.catch_warnings(action="error"):
            draws = TruncatedLaplace(scale, bound).sample(Ends(np.random.PCG64(0)), 3)
        assert draws[0] == -bound
        assert draws[1] == 0
        assert draws[2] == pytest.approx(bound) or bound == 700.0
        assert np.isfinite(draws).all()


def test_samples_are_reproducible_and_scale():
    draws = TruncatedLaplace(1.0, 2.0).sample(np.random.default_rng(4), 50)
    scaled = TruncatedLaplace(3.0, 6.0).sample(np.random.default_rng(4), 50)
    assert draws.dtype == np.float64
    np.testing.assert_allclose(scaled, 3 * draws)
    assert TruncatedLaplace(1.0, 2.0).sample(np.random.default_rng(4), 0).shape == (0,)


@given(epsilon=st.floats(1e-6, 700), delta=st.floats(1e-15, 0.5))
def test_the_bound_is_at_least_the_sensitivity_and_decreases_with_delta(epsilon, delta):
    bound = calibrated(epsilon, delta).bound
    assert 1 - 1e-9 <= bound < inf
    assert calibrated(epsilon, min(0.5, 1.5 * delta)).bound <= bound


def test_the_mechanism_releases_within_the_bound():
    mechanism = Mechanism(1, "adp-truncated")
    values = np.full((200, 3), 10.0)
    released = mechanism.release(values, np.random.default_rng(1), epsilon=1, delta=0.1)
    bound = mechanism.noise(epsilon=1, delta=0.1).bound
    assert released.shape == values.shape
    assert 0.9 * bound < np.abs(released - 10).max() <= bound


@pytest.mark.parametrize(
    "name", [n for n, rule in calibration.RULES.items() if rule.family is GeneralizedGaussian]
)
def test_no_other_rule_has_a_bound(name):
    order = calibration.rule(name).order
    order = 3 if order == "any" else order
    assert not hasattr(calibration.calibrate(name, order=order, epsilon=0.5, delta=0.01), "bound")
    with warnings.catch_warnings(action="ignore"):
        noise = Mechanism(order, name).noise(epsilon=0.5, delta=0.01)
    assert isinstance(noise, GeneralizedGaussian)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": 2}, "'adp-truncated' fits order 1 only, got order 2: it truncates"),
        ({"delta": 0.51}, r"delta must be .* 0\.5 .*'adp-truncated', got 0\.51"),
        ({"delta": None}, "delta.* between 0 and 1, got None"),
    ],
)
def test_bad_arguments(arguments, message):
    good = {"order": 1, "epsilon": 1.0, "delta": 0.1}
    with pytest.raises(ValueError, match=message):
        calibration.calibrate("adp-truncated", **good | arguments)


def test_bad_noise():
    with pytest.raises(ValueError, match=r"bound.* > 0, got 0"):
        TruncatedLaplace(1.0, 0.0)
    with pytest.raises(TypeError, match=r"rng .*numpy\.random\.Generator"):
        TruncatedLaplace(1.0, 1.0).sample(3, 5)
