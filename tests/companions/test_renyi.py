"""Rényi divergences: closed forms, integrals with 30 digits, and limits."""

from math import inf, log, sqrt

import mpmath
import pytest

from ggexp.companions import renyi


def integral(order, scale, alpha, sensitivity=1.0):
    """D_α by mpmath's quadrature of the densities themselves."""
    with mpmath.workdps(30):
        p, b = mpmath.mpf(order), mpmath.mpf(scale)

        def density(x):
            return p / (2 * b * mpmath.gamma(1 / p)) * mpmath.exp(-(abs(x / b) ** p))

        def integrand(x):
            return density(x) ** alpha * density(x + sensitivity) ** (1 - alpha)

        nodes = [-30 * b - 1, -5 * b, -b, -sensitivity, 0, b, 3 * b, 6 * b, 12 * b, 40 * b]
        return float(mpmath.log(mpmath.quad(integrand, sorted(nodes))) / (alpha - 1))


@pytest.mark.parametrize(
    ("order", "scale", "alpha"), [(1, 1, 2), (1, 4, 1.1), (1.3, 10, 5), (3, 2, 3.5), (3, 4, 1.1)]
)
def test_integral(order, scale, alpha):
    result = renyi.divergence(order=order, scale=scale, alpha=alpha)
    assert result == pytest.approx(integral(order, scale, alpha), rel=1e-8)
    doubled = renyi.divergence(order=order, scale=2 * scale, alpha=alpha, sensitivity=2)
    assert doubled == pytest.approx(result, rel=1e-12)


@pytest.mark.parametrize(("rho", "alpha"), [(0.01, 50), (3, 1.001)])
def test_gaussian_is_rho_alpha(rho, alpha):
    b = renyi.zcdp_scale(rho)
    assert renyi.divergence(order=2, scale=b, alpha=alpha) == pytest.approx(rho * alpha)


def test_the_quadrature_at_orders_with_closed_forms():
    for h, alpha in ((0.01, 2), (0.5, 1.5), (2, 30), (1, 1.01)):
        expected = renyi.divergence(order=2, scale=1 / h, alpha=alpha)
        assert renyi._integrated(2, h, alpha) == pytest.approx(expected, rel=1e-8)
        expected = renyi.divergence(order=1, scale=1 / h, alpha=alpha)
        assert renyi._integrated(1 + 1e-9, h, alpha) == pytest.approx(expected, rel=1e-6)


def test_bad_arguments():
    for alpha in (1, inf):
        with pytest.raises(ValueError, match=f"alpha.* > 1, got {alpha}"):
            renyi.divergence(order=3, scale=2, alpha=alpha)
    # a divergence beyond floating point
    with pytest.raises(ValueError, match=r"alpha .*smaller.* order 200 .*got 50"):
        renyi.divergence(order=200, scale=sqrt(log(2)) / 10, alpha=50)
