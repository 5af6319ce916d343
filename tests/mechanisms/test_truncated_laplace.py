"""Truncated Laplace noise: its distribution, its bound, and its exact δ, each a second way."""

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


def of(epsilon, delta, sensitivity=1.0):
    return Mechanism(1, "adp-truncated").noise(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity
    )


def delta_of(scale, bound, epsilon, sensitivity=1.0):
    """sup over events of Pr(E) - e^ε Pr'(E): ∫ max(0, f(x) - e^ε f(x - Δ)) dx, by quadrature."""
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
    found = of(epsilon, delta, sensitivity)
    assert isinstance(found, TruncatedLaplace)
    assert found.scale == pytest.approx(sensitivity / epsilon, rel=1e-15)
    reached = delta_of(found.scale, found.bound, epsilon, sensitivity)
    assert reached == pytest.approx(delta, rel=1e-6, abs=1e-11)
    for factor, above in ((0.98, True), (1.02, False)):
        other = delta_of(found.scale, factor * found.bound, epsilon, sensitivity)
        assert (other > delta) is above
    # and an ε that is larger costs no less of δ: there the loss is ε at most, beyond it infinite
    assert delta_of(found.scale, found.bound, epsilon + 0.5, sensitivity) == pytest.approx(
        delta, rel=1e-6, abs=1e-11
    )


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (1e-6, 1e-15), (300, 1e-9)])
def test_the_bound_in_fifty_digits(epsilon, delta):
    """Pr(e > A - 1) = δ of Laplace(1/ε) within [-A, A], for A >= 1, and δ never more than that."""
    with mpmath.workdps(50):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        bound = mpmath.log(1 + mpmath.expm1(e) / (2 * d)) / e
        beyond = (mpmath.exp(-e * (bound - 1)) - mpmath.exp(-e * bound)) / 2
        assert mpmath.almosteq(beyond / -mpmath.expm1(-e * bound), d, 1e-40)
        assert bound >= 1
        ours = calibration.bound("adp-truncated", order=1, epsilon=epsilon, delta=delta)
        assert abs(ours / bound - 1) < 1e-14


def test_the_bound_found_by_search_of_the_quadrature():
    found = brentq(lambda a: delta_of(2.0, a, 0.5) - 0.1, 1.0, 10.0, xtol=1e-9)
    assert of(0.5, 0.1).bound == pytest.approx(found, rel=1e-6)
    assert of(0.5, 0.1).bound == pytest.approx(2 * log(1 + (exp(0.5) - 1) / 0.2))


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (1e-6, 0.5), (1e-3, 1e-9), (1000, 1e-15)])
def test_sd_in_fifty_digits(epsilon, delta):
    found = of(epsilon, delta)
    with mpmath.workdps(50):
        x = mpmath.mpf(found.bound) / found.scale
        variance = 2 - (x * x + 2 * x) / mpmath.expm1(x)  # in units of the scale
        assert found.sd == pytest.approx(float(found.scale * mpmath.sqrt(variance)), rel=1e-13)


def test_sd_at_known_points_and_limits():
    assert of(0.5, 0.1).sd == pytest.approx(1.363, abs=5e-4)
    assert TruncatedLaplace(3.0, 1e6).sd == pytest.approx(sqrt(2) * 3)  # without a bound
    assert TruncatedLaplace(3.0, 1e-6).sd == pytest.approx(1e-6 / sqrt(3))  # uniform
    assert TruncatedLaplace(1.0, 1e-200).sd == pytest.approx(1e-200 / sqrt(3))


@pytest.mark.parametrize(("scale", "bound"), [(2.0, 2.89), (1.0, 40.0), (5.0, 0.5), (1e9, 1.0)])
def test_draws_follow_scipys_distribution_and_a_wrong_bound_or_scale_is_seen(scale, bound):
    """Kolmogorov's test at 1e-6, each of eight: sizes are a truncated exponential, signs fair."""
    drawn = TruncatedLaplace(scale, bound).sample(np.random.default_rng(20261122), 40_000)
    assert np.abs(drawn).max() <= bound

    def p_value(b, a):
        return kstest(np.abs(drawn), truncexpon(a / b, scale=b).cdf).pvalue

    assert p_value(scale, bound) > 1e-6
    assert p_value(scale, 1.3 * bound) < 1e-6 or bound > 20 * scale
    assert p_value(1.3 * scale, bound) < 1e-6 or bound < scale
    # of signs: five standard errors, 6e-7
    assert abs(np.sign(drawn).sum()) < 5 * sqrt(drawn.size)
    assert abs(np.corrcoef(np.sign(drawn), np.abs(drawn))[0, 1]) < 5 / sqrt(drawn.size)


def test_draws_are_those_of_the_inverse_at_their_ends():
    """A uniform draw of -1, 0 and nearly 1 is the bound, 0 and the bound, with no warning."""

    class Ends(np.random.Generator):
        def uniform(self, low, high, size):
            return np.array([-1.0, 0.0, 1 - 2.0**-53])[:size]

    for scale, bound in ((1.0, 3.0), (1.0, 700.0), (1e5, 1e-5)):
        with warnings.catch_warnings(action="error"):
            drawn = TruncatedLaplace(scale, bound).sample(Ends(np.random.PCG64(0)), 3)
        assert drawn[0] == -bound
        assert drawn[1] == 0
        assert drawn[2] == pytest.approx(bound) or bound == 700.0
        assert np.isfinite(drawn).all()


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_two_cells_that_move_by_one_each_are_within_a_sensitivity_of_two(epsilon, delta):
    """replace-one: a release of one table is beyond the other's in either cell, else loses 2/b."""
    found = of(epsilon, delta, sensitivity=2.0)
    assert 2 / found.scale == pytest.approx(epsilon)
    inside = truncexpon(found.bound / found.scale, scale=found.scale)
    beyond = inside.sf(found.bound - 1) / 2
    assert 0.5 * delta < 1 - (1 - beyond) ** 2 < delta


def test_samples_are_reproducible_and_scale():
    first = TruncatedLaplace(1.0, 2.0).sample(np.random.default_rng(4), 50)
    again = TruncatedLaplace(3.0, 6.0).sample(np.random.default_rng(4), 50)
    assert first.dtype == np.float64
    np.testing.assert_allclose(again, 3 * first)
    assert TruncatedLaplace(1.0, 2.0).sample(np.random.default_rng(4), 0).shape == (0,)


@given(epsilon=st.floats(1e-6, 700), delta=st.floats(1e-15, 0.5))
def test_the_bound_is_at_least_the_sensitivity_and_falls_with_delta(epsilon, delta):
    found = of(epsilon, delta).bound
    assert 1 - 1e-9 <= found < inf
    assert of(epsilon, min(0.5, 1.5 * delta)).bound <= found


def test_the_mechanism_releases_within_the_bound():
    mechanism = Mechanism(1, "adp-truncated")
    values = np.full((200, 3), 10.0)
    released = mechanism.release(values, np.random.default_rng(1), epsilon=1, delta=0.1)
    bound = mechanism.bound(epsilon=1, delta=0.1)
    assert released.shape == values.shape
    assert 0.9 * bound < np.abs(released - 10).max() <= bound


@pytest.mark.parametrize(
    "name", [n for n, rule in calibration.RULES.items() if rule.family is GeneralizedGaussian]
)
def test_no_other_rule_has_a_bound(name):
    order = calibration.rule(name).order
    order = 3 if order == "any" else order
    assert calibration.bound(name, order=order, epsilon=0.5, delta=0.01) is None
    with warnings.catch_warnings(action="ignore"):
        made = Mechanism(order, name).noise(epsilon=0.5, delta=0.01)
    assert isinstance(made, GeneralizedGaussian)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": 2}, "'adp-truncated' fits order 1 only, got order 2: its bound is one for"),
        ({"delta": 0.51}, r"delta must be .* 0\.5 .*'adp-truncated', got 0\.51"),
        ({"delta": None}, "delta.* between 0 and 1, got None"),
        ({"epsilon": 0}, "epsilon.* > 0, got 0"),
        ({"sensitivity": -1}, "sensitivity.* > 0, got -1"),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"order": 1, "epsilon": 1.0, "delta": 0.1} | arguments
    with pytest.raises(ValueError, match=message):
        calibration.scale("adp-truncated", **given)


def test_bad_noise():
    with pytest.raises(ValueError, match=r"bound.* > 0, got 0"):
        TruncatedLaplace(1.0, 0.0)
    with pytest.raises(ValueError, match=r"scale.* > 0, got nan"):
        TruncatedLaplace(float("nan"), 1.0)
    with pytest.raises(TypeError, match=r"rng .*numpy\.random\.Generator"):
        TruncatedLaplace(1.0, 1.0).sample(3, 5)
