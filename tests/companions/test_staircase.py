"""Staircase noise: the minima of Geng and Viswanath, sums over a grid, and draws."""

from math import exp

import numpy as np
import pytest
from scipy.stats import kstest

from ggexp.companions.rules import noise_by
from ggexp.companions.staircase import Staircase

NOISES = [
    Staircase(2.0, 1.0, 0.4),
    Staircase(0.5, 1.5, 0.2),
    Staircase(1, 1, 0),
    Staircase(1, 1, 1),
]


@pytest.mark.parametrize("epsilon", [1e-5, 0.5, 6, 100])
def test_minimal_mean_absolute_value_and_variance(epsilon):
    """E|e| is e^(ε/2)/(e^ε - 1), and the variance is that of the paper's theorem on the l2 cost."""
    rules = ("pure-staircase-absolute", "pure-staircase-variance")
    absolute, variance = (noise_by(name, None, epsilon=epsilon) for name in rules)
    q = exp(-epsilon)
    assert absolute.mean_absolute == pytest.approx(exp(-epsilon / 2) / (1 - q), rel=1e-9)
    minimum = (2 ** (-2 / 3) * q ** (2 / 3) * (1 + q) ** (2 / 3) + q) / (1 - q) ** 2
    assert variance.sd**2 == pytest.approx(minimum, rel=1e-9)


def density(noise, x):
    """Return the density at x by the formula in the class's docstring."""
    q = exp(-noise.width / noise.scale)
    stair, part = np.divmod(np.abs(x) / noise.width, 1)
    factor = (1 - q) / (2 * noise.width * (noise.high + q * (1 - noise.high)))
    return factor * q ** (stair + (part >= noise.high))


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_moments_tails_and_losses_are_sums_over_a_grid(noise):
    """The grid consists of midpoints, so that all edges, multiples of 0.005, lie between them."""
    step = 0.005
    x = (np.arange(-16_000, 16_000) + 0.5) * step
    f = density(noise, x) * step
    assert f.sum() == pytest.approx(1, abs=1e-12)
    assert noise.mean_absolute == pytest.approx(abs(x) @ f, rel=1e-9)
    assert noise.sd**2 == pytest.approx((x**2 + step**2 / 12) @ f, rel=1e-9)
    for point in (-2.5, -0.3, 0, 0.1, 0.7, 1.5, 4.2):
        assert noise.upper_tail(point) == pytest.approx(f[x > point].sum(), rel=1e-9)
    for tail in (0.99, 0.6, 0.5, 0.3, 0.01, 1e-9):
        assert noise.upper_tail(noise.upper_point(tail)) == pytest.approx(tail, rel=1e-9)
    for sensitivity in (0.3, 1, 1.5, 4.2):
        shifted = density(noise, x - sensitivity) * step
        loss = np.log(f / shifted)
        for epsilon in (0.01, 0.3, 1.1, 4):
            arguments = {"epsilon": epsilon, "sensitivity": sensitivity}
            delta = np.maximum(0, f - exp(epsilon) * shifted).sum()
            assert noise.delta(**arguments) == pytest.approx(delta, rel=1e-9, abs=1e-13)
            pdp = f[abs(loss) > epsilon + 1e-9].sum()
            assert noise.pdp_delta(**arguments) == pytest.approx(pdp, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("noise", NOISES[::3], ids=str)
def test_draws(noise):
    """Each of four Kolmogorov tests has level 1e-6, and detects a scale that is off by 3 %."""
    rng = np.random.default_rng(8)
    draws = noise.sample(rng, 200_000)
    points = np.linspace(draws.min(), 2 * draws.max(), 20_001)
    below = np.array([1 - noise.upper_tail(x) for x in points])

    def cdf(x):  # linear between the steps of the density
        return np.interp(x, points, below, left=0.0)

    assert kstest(draws, cdf).pvalue > 1e-6
    assert kstest(1.03 * draws, cdf).pvalue < 1e-6
    tail = noise.upper_tail(1.2)
    above = noise.sample_above(1.2, rng, 50_000)
    assert kstest(above, lambda x: 1 - (1 - cdf(x)) / tail).pvalue > 1e-6
