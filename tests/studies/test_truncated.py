"""The studies of truncated noise, compared with fine grids, each other, and unbounded noise."""

from math import sqrt

import numpy as np
import pytest
from conftest import load_study
from scipy.integrate import quad

from ggexp import GeneralizedGaussian
from ggexp.figures import tabulate_best_order

orders, releases = load_study("truncated_orders"), load_study("truncated_releases")


@pytest.mark.parametrize(
    ("order", "scale", "bound"), [(1, 2, 2.9), (1, 1, 30), (2, 1.5, 1), (3, 2, 4)]
)
def test_sd_by_quadrature(order: float, scale: float, bound: float) -> None:
    weight = GeneralizedGaussian(order, scale).scipy.pdf
    total, _ = quad(weight, 0, bound)
    second_moment, _ = quad(lambda x: x * x * weight(x), 0, bound)
    sd = orders.truncated_sd(order, scale, bound)
    assert sd == pytest.approx(sqrt(second_moment / total), rel=1e-8)


@pytest.mark.parametrize(
    ("order", "epsilon", "delta"), [(1, 0.5, 0.1), (2, 1, 0.05), (3, 0.1, 0.25)]
)
def test_delta_on_a_grid(order: float, epsilon: float, delta: float) -> None:
    noise = orders.least(order, epsilon, delta)
    x, step = np.linspace(-noise.bound, noise.bound, 2_000_001, retstep=True)
    density = np.exp(-((np.abs(x) / noise.scale) ** order))
    density /= density.sum() * step
    neighbour = np.where(x + 1 <= noise.bound, np.interp(x + 1, x, density), 0)
    exact = np.maximum(0, density - np.exp(epsilon) * neighbour).sum() * step
    assert exact == pytest.approx(delta, rel=1e-4)
    assert sqrt((x * x * density).sum() * step) == pytest.approx(noise.sd, rel=1e-5)


def test_one_release() -> None:
    noise = orders.least(1.5, 0.5, 0.1)
    delta = releases.joint_delta(1.5, noise.scale, noise.bound, 1, 0.5)
    assert delta == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize("order", [1, 1.5, 2])
def test_ten_releases_within_a_far_bound(order: float) -> None:
    b = tabulate_best_order.noise(order, 10, 1, 0.01).scale
    assert releases.joint_delta(order, b, 30 * b, 10, 1) == pytest.approx(0.01, rel=1e-3)
