"""Noise in balls of the l_p norm: its norm, its direction and its density.

The tests have fixed seeds. With other seeds, a false alarm has a probability of at most 10^-6.
"""

from math import log

import numpy as np
import pytest
from scipy import stats

from ggexp.companions import lp_ball

FALSE_ALARM = 1e-6  # the probability of a false alarm


def draw(order, r, size=100_000, seed=3, epsilon=1.0, sensitivity=1.0):
    rng = np.random.default_rng(seed)
    return lp_ball.sample(
        rng, size, coordinates=r, order=order, epsilon=epsilon, sensitivity=sensitivity
    )


def norm(x, order):
    largest = np.abs(x).max(axis=1)  # high powers overflow
    return largest * ((np.abs(x) / largest[:, None]) ** order).sum(axis=1) ** (1 / order)


@pytest.mark.parametrize(("order", "r"), [(1, 5), (1.5, 2), (3, 1), (1000, 5)])
def test_the_norm_is_gamma(order, r):
    radius = norm(draw(order, r, 50_000, epsilon=0.5, sensitivity=3) / 6, order)
    assert stats.kstest(radius, stats.gamma(r).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(1.05 * radius, stats.gamma(r).cdf).pvalue < FALSE_ALARM


@pytest.mark.parametrize("order", [1.5, 4])
def test_the_direction_is_uniform_in_the_ball(order):
    """A point with this direction and the radius U^(1/r) is uniform in the ball (grid of cells)."""
    x = draw(order, 2)
    rng = np.random.default_rng(4)
    inside = x / norm(x, order)[:, None] * np.sqrt(rng.uniform(size=(len(x), 1)))
    cells = np.linspace(-0.6, 0.6, 9)
    cells = cells[np.abs(cells) <= 0.5 ** (1 / order)]  # a square within the ball
    counts = np.histogram2d(*inside.T, bins=(cells, cells))[0].ravel()
    assert stats.chisquare(counts).pvalue > FALSE_ALARM
    radius = norm(x, order)
    small, large = (np.abs(x[:, 0] / radius)[part] for part in (radius < 1.5, radius >= 1.5))
    assert stats.ks_2samp(small, large).pvalue > FALSE_ALARM


@pytest.mark.parametrize("order", [1.5, 5])
def test_no_loss_exceeds_epsilon(order):
    """The losses are computed at draws of the noise, for shifts by Δ_p in random directions."""
    epsilon, sensitivity = 0.7, 2.0
    x = draw(order, 4, size=10_000, epsilon=epsilon, sensitivity=sensitivity)
    shifts = draw(order, 4, size=10_000, seed=5)
    shifts *= sensitivity / norm(shifts, order)[:, None]
    losses = epsilon * (norm(x + shifts, order) - norm(x, order)) / sensitivity
    assert np.abs(losses).max() <= epsilon * (1 + 1e-12)
    largest = epsilon * (norm(2 * shifts, order) - norm(shifts, order)) / sensitivity
    assert largest == pytest.approx(np.full(10_000, epsilon))


def test_release():
    values = np.arange(6.0).reshape(2, 3)
    options = {"order": 3, "epsilon": 0.5, "sensitivity": 2}
    released = lp_ball.release(values, np.random.default_rng(1), **options)
    noise = lp_ball.sample(np.random.default_rng(1), 1, coordinates=6, **options)
    assert (released - values).ravel() == pytest.approx(noise[0])


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"coordinates.* whole .*>= 1, got 0"):
        lp_ball.sample(np.random.default_rng(1), 1, order=3, epsilon=0.5, coordinates=0)
    with pytest.raises(TypeError, match=r"rng .*numpy\.random\.Generator"):
        lp_ball.sample(1, 1, order=3, epsilon=0.5, coordinates=2)
    with pytest.raises(ValueError, match=r"values .*finite.* got nan at 1"):
        lp_ball.release(np.array([1, np.nan]), np.random.default_rng(1), order=1, epsilon=log(2))
