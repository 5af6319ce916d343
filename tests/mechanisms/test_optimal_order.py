"""The best order against known values, 30-digit arithmetic, other orders and the uniform limit."""

import mpmath
import pytest

from ggexp import GeneralizedGaussian, best_order, calibration
from ggexp.mechanisms import privacy_loss, rules
from ggexp.mechanisms.budget import Budget


def sd(order, epsilon, delta):
    b = calibration.calibrate("adp-exact", order=order, epsilon=epsilon, delta=delta).scale
    return GeneralizedGaussian(order, b).sd


@pytest.mark.parametrize(
    ("epsilon", "delta", "order", "smallest_sd"),
    [
        (0.5, 0.1, 1.99, 1.556),
        (2, 0.1, 1.18, None),
        (0.1, 0.25, 9.0, None),
        (0.5, 1e-6, 1.00, None),
    ],
)
def test_known_values(epsilon, delta, order, smallest_sd):
    best = best_order(epsilon=epsilon, delta=delta)
    assert best.order == pytest.approx(order, abs=0.05 if order == 9 else 0.005)
    if smallest_sd:
        assert best.sd == pytest.approx(smallest_sd, abs=5e-4)


def exact_order(epsilon, delta, guess):
    """Return the order near a guess at which d ln(sd) / dp is 0, by arithmetic of 40 digits."""
    with mpmath.workdps(40):
        epsilon, delta = mpmath.mpf(epsilon), mpmath.mpf(delta)

        b = rules.adp_exact(guess, Budget(float(epsilon), float(delta)))
        start = privacy_loss.where_loss_is(float(epsilon), guess, 1 / b)

        def upper(p, x):  # Pr(e > x) for e from GG(0, 1, p)
            return mpmath.sign(x) * mpmath.gammainc(1 / p, abs(x) ** p, regularized=True) / 2 + (
                x < 0
            )

        def log_sd(p):
            def shifted(u):  # the v with |v|^p = |u|^p + ε
                return (abs(u) ** p + epsilon) ** (1 / p)

            def excess(u):
                return upper(p, u) - mpmath.exp(epsilon) * upper(p, shifted(u)) - delta

            u = mpmath.findroot(excess, (start, start * (1 + mpmath.mpf(10) ** -6)))
            b = 1 / (shifted(u) - u)
            return mpmath.log(b) + (mpmath.loggamma(3 / p) - mpmath.loggamma(1 / p)) / 2

        step = mpmath.mpf(10) ** -10

        def slope(p):
            return (log_sd(p + step) - log_sd(p - step)) / (2 * step)

        return float(mpmath.findroot(slope, (guess, guess * 1.001), tol=1e-12))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.1), (2, 0.1), (0.1, 0.25), (0.02, 1e-4)])
def test_order_to_three_decimals(epsilon, delta):
    order = best_order(epsilon=epsilon, delta=delta).order
    exact = exact_order(epsilon, delta, order + 0.01)  # does not start from the answer itself
    assert abs(order - exact) < 1e-3


def test_the_lower_of_two_minima():
    best = best_order(epsilon=0.02, delta=0.9)
    assert best.order < 2
    assert best.sd < 0.95 * sd(100, 0.02, 0.9)
    assert sd(100, 0.02, 0.9) < sd(20, 0.02, 0.9)  # the other minimum


def test_the_search_for_many_cells_finds_a_known_minimum(monkeypatch):
    """A scale for many cells takes seconds, so that here a curve with a minimum replaces it."""

    def known(rule, *, order, **arguments):
        sd = mpmath.exp(mpmath.log(order / 1.5) ** 2)
        return GeneralizedGaussian(order, float(sd) / GeneralizedGaussian(order, 1).sd)

    monkeypatch.setattr(calibration, "calibrate", known)
    best = best_order(epsilon=1, delta=1e-6, cells=10)
    assert best.order == pytest.approx(1.5, abs=1e-3)
