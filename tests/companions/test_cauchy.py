"""The size of generalized Cauchy noise, against quadrature and other distributions."""

from math import inf, pi, sqrt

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import cauchy as standard_cauchy

from ggexp.companions import cauchy


def area(size, order):
    return quad(lambda x: 1 / (1 + x**order), 0, size)[0]


@pytest.mark.parametrize("size", [0.01, 0.5, 1, 3, 20])
@pytest.mark.parametrize("order", [1.5, 2, 4, 9])
def test_probability_by_quadrature(size, order):
    total = area(1, order) + quad(lambda t: t ** (order - 2) / (1 + t**order), 0, 1)[0]
    assert cauchy.within(size, order=order) == pytest.approx(area(size, order) / total)


def test_the_paper_s_density():
    expected = quad(lambda x: sqrt(2) / pi / (1 + x**4), -1, 1)[0]
    assert cauchy.within(1, order=4) == pytest.approx(expected, rel=1e-12)
    assert cauchy.within(3, order=2) == pytest.approx(1 - 2 * standard_cauchy.sf(3), rel=1e-12)


@pytest.mark.parametrize("probability", [1e-6, 0.1, 0.5, 0.78, 0.99])
@pytest.mark.parametrize("order", [1.5, 4])
def test_reach_by_a_root(probability, order):
    size = cauchy.reach(probability, order=order)

    def excess(x):
        return cauchy.within(x, order=order) - probability

    assert size == pytest.approx(brentq(excess, 1e-9, 1e9, xtol=1e-15, rtol=1e-12), rel=1e-7)


def test_large_sizes():
    assert cauchy.reach(1 - 1e-12, order=2) == pytest.approx(standard_cauchy.isf(5e-13), rel=1e-3)
    assert cauchy.reach(1 - 1e-15, order=1.005) == inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cauchy.within(0, order=4), "size must be .* > 0, got 0"),
        (lambda: cauchy.within(1, order=1), "order must be .* > 1, got 1"),
        (lambda: cauchy.reach(1, order=4), "probability must be .*, got 1"),
        (lambda: cauchy.reach(0.5, order=0.5), "order must be .* > 1, got 0.5"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
