"""Truncated Laplace noise: its distribution and its bound, by independent methods."""

import warnings
from math import sqrt

import mpmath
import numpy as np
import pytest
from scipy.stats import kstest, truncexpon

from ggexp.companions.rules import noise_by
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.1), (1e-6, 0.5), (1000, 1e-15)])
def test_bound_and_sd_in_fifty_digits(epsilon, delta):
    """For Laplace(1/ε) within [-A, A] and A >= 1, Pr(e > A - 1) is δ."""
    noise = noise_by("adp-truncated", 1, epsilon=epsilon, delta=delta)
    with mpmath.workdps(50):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        bound = mpmath.log(1 + mpmath.expm1(e) / (2 * d)) / e
        outside = (mpmath.exp(-e * (bound - 1)) - mpmath.exp(-e * bound)) / 2
        assert mpmath.almosteq(outside / -mpmath.expm1(-e * bound), d, 1e-40)
        assert bound >= 1
        assert abs(noise.bound / bound - 1) < 1e-14
        x = mpmath.mpf(noise.bound) / noise.scale
        variance = 2 - (x * x + 2 * x) / mpmath.expm1(x)  # in units of the scale
        assert noise.sd == pytest.approx(float(noise.scale * mpmath.sqrt(variance)), rel=1e-13)


def test_sd_at_known_points_and_limits():
    assert noise_by("adp-truncated", 1, epsilon=0.5, delta=0.1).sd == pytest.approx(1.363, abs=5e-4)
    assert TruncatedLaplace(3.0, 1e6).sd == pytest.approx(sqrt(2) * 3)  # without a bound
    assert TruncatedLaplace(3.0, 1e-6).sd == pytest.approx(1e-6 / sqrt(3))  # uniform
    assert TruncatedLaplace(1.0, 1e-200).sd == pytest.approx(1e-200 / sqrt(3))


@pytest.mark.parametrize(("scale", "bound"), [(2.0, 2.89), (1.0, 40.0), (1e9, 1.0)])
def test_draws_follow_scipys_distribution_and_a_wrong_bound_or_scale_is_detected(scale, bound):
    """Each of three Kolmogorov tests has level 1e-6.

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
