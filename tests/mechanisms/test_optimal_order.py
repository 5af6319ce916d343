"""The best order against known values, another search, and other orders."""

from math import exp, log

import pytest
from scipy.optimize import minimize_scalar

from ggexp import GeneralizedGaussian, best_order, calibration


def sd(order, epsilon, delta):
    b = calibration.calibrate("adp-exact", order=order, epsilon=epsilon, delta=delta).scale
    return GeneralizedGaussian(order, b).sd


@pytest.mark.parametrize(
    ("epsilon", "delta", "order", "smallest_sd"),
    [(0.5, 0.1, 1.99, 1.556), (2, 0.1, 1.18, None), (0.1, 0.25, 9.0, None), (0.5, 1e-6, 1, None)],
)
def test_known_values(epsilon, delta, order, smallest_sd):
    best = best_order(epsilon=epsilon, delta=delta)
    assert best.order == pytest.approx(order, abs=0.05 if order == 9 else 0.005)
    if smallest_sd:
        assert best.sd == pytest.approx(smallest_sd, abs=5e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.1), (2, 0.1), (0.1, 0.25), (0.02, 1e-4)])
def test_order_to_three_decimals(epsilon, delta):
    """scipy's bounded search, which does not start from the answer, finds the same minimum."""
    order = best_order(epsilon=epsilon, delta=delta).order
    at, precisely = (epsilon, delta), {"xatol": 1e-5}
    found = minimize_scalar(sd, bounds=(1, 20), args=at, method="bounded", options=precisely)
    assert abs(order - found.x) < 1e-3


def test_the_lower_of_two_minima():
    best = best_order(epsilon=0.02, delta=0.9)
    assert best.order < 2
    assert best.sd < 0.95 * sd(100, 0.02, 0.9)
    assert sd(100, 0.02, 0.9) < sd(20, 0.02, 0.9)  # the other minimum


def test_the_search_for_many_cells_finds_a_known_minimum(monkeypatch):
    """A scale for many cells takes seconds, so that here a curve with a minimum replaces it."""

    def known(rule, *, order, **arguments):
        sd = exp(log(order / 1.5) ** 2)
        return GeneralizedGaussian(order, sd / GeneralizedGaussian(order, 1).sd)

    monkeypatch.setattr(calibration, "calibrate", known)
    best = best_order(epsilon=1, delta=1e-6, cells=10)
    assert best.order == pytest.approx(1.5, abs=1e-3)
