"""One guarantee for several tables, against convolutions that the tests compute themselves."""

from math import ceil, exp, sqrt

import numpy as np
import pytest
from scipy.stats import gennorm, norm

from ggexp.mechanisms.mechanism import Mechanism
from ggexp.tables.joint import calibrate

# (ε, δ, number of tables) -> standard deviations of the orders
DEVIATIONS = {
    (1, 1e-6, 3): {1: 4.243, 1.5: 5.689, 2: 7.317},
    (1, 1e-6, 10): {1: 14.128, 1.5: 12.609, 2: 13.360, 3: 16.607},
    (1, 1e-6, 91): {1: 55.867, 1.5: 41.757, 2: 40.301},
    (1, 0.01, 10): {1: 7.987, 1.5: 6.121, 2: 5.938, 4: 7.475},
}


def convolved_delta(noise, tables, epsilon, selections=0, selection_epsilon=0.0, points=2**17):
    """Return δ by a power of the Fourier transform of losses, rounded to the nearest grid point."""
    half = 12 * sqrt(tables) / noise.sd + 4
    step = 1 / noise.scale / ceil(points / (2 * half * noise.scale))  # order 1: ±1/b on the grid
    values = noise.sd * np.linspace(-14, 14, 400_001)
    density = gennorm.pdf(values, noise.order, scale=noise.scale)
    masses = density / density.sum()
    losses = (np.abs(values + 1) ** noise.order - np.abs(values) ** noise.order) / (
        noise.scale**noise.order
    )
    one = np.zeros(points)
    below = np.floor(losses / step).astype(int)
    share = losses / step - below
    np.add.at(one, below % points, masses * (1 - share))  # keeps the mean loss
    np.add.at(one, (below + 1) % points, masses * share)
    total = np.fft.rfft(one) ** tables
    if selections:
        response = np.zeros(points)
        place = round(selection_epsilon / step)
        response[[-place, place]] = np.array([exp(-selection_epsilon), 1]) / (
            1 + exp(-selection_epsilon)
        )
        total *= np.fft.rfft(response) ** selections
    sums = np.fft.irfft(total, points)
    grid = step * np.fft.fftfreq(points, 1 / points)
    above = grid > epsilon
    return float(np.sum(sums[above] * -np.expm1(epsilon - grid[above])))


@pytest.mark.parametrize("point", DEVIATIONS, ids=str)
def test_standard_deviations_for_several_tables(point):
    epsilon, delta, tables = point
    for order, expected in DEVIATIONS[point].items():
        mechanism = Mechanism(order, "adp-exact")
        noise = calibrate(mechanism, epsilon=epsilon, delta=delta, tables=tables).noise
        assert noise.sd == pytest.approx(expected, abs=6e-4)
        if tables > 3:  # with three tables, order 1 needs the ε of its largest loss
            assert convolved_delta(noise, tables, epsilon) == pytest.approx(delta, rel=2e-3)


def test_gaussian_noise_has_the_closed_form():
    tables, epsilon, delta = 27, 1.0, 1e-6
    noise = calibrate(Mechanism(2, "adp-exact"), epsilon=epsilon, delta=delta, tables=tables).noise
    ratio = sqrt(tables) / noise.sd
    exact = norm.cdf(ratio / 2 - epsilon / ratio)
    exact -= exp(epsilon) * norm.cdf(-ratio / 2 - epsilon / ratio)
    assert exact == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("order", [1, 2])
def test_selections_belong_to_the_guarantee(order):
    epsilon, delta = 1.0, 1e-5
    joint = calibrate(
        Mechanism(order, "adp-exact"),
        epsilon=epsilon,
        delta=delta,
        tables=5,
        selections=4,
        share=0.3,
    )
    exact = convolved_delta(joint.noise, 5, epsilon, 4, joint.selection_epsilon)
    assert 0.8 * delta < exact < 1.002 * delta
    alone = calibrate(Mechanism(order, "adp-exact"), epsilon=epsilon, delta=delta, tables=5)
    assert convolved_delta(alone.noise, 5, epsilon, 4, joint.selection_epsilon) > 1.05 * delta


def test_pure_privacy_is_shared_out():
    joint = calibrate(
        Mechanism(1, "pure"), epsilon=1.0, delta=None, tables=5, selections=4, share=0.2
    )
    assert joint.selection_epsilon == pytest.approx(0.05)
    assert joint.noise.scale == pytest.approx(5 / 0.8)
