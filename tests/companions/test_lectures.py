"""Numbers in the claims of the lectures, each derived in a second way.

Simulations have fixed seeds and must agree within 5 standard errors, which fails by chance once in
two million runs.
"""

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

from ggexp.claims.evidence import Results
from ggexp.companions import renyi
from ggexp.companions.claims import compound_guesses, cs208, lectures
from ggexp.mechanisms import calibration
from ggexp.mechanisms.budget import Budget

EMPTY = Results(pd.DataFrame(), pd.DataFrame(), seed=1)


def test_exercise_4_3():
    sigma = cs208._sigma("adp-classical", Budget(0.5, 1e-6), 2 / 1000)
    assert sigma == pytest.approx(0.021195, abs=5e-7)
    first, _ = cs208.mean_query(bound=1, n=1000, epsilon=0.5, delta=1e-6, rho=0.1)
    assert "0.021195" in first.what
    # ρ-zCDP: the printed variance is Theorem 4.2's at a sensitivity of 2b/n
    assert pytest.approx((2 / 1000) ** 2 / (2 * 0.1)) == 2 / (0.1 * 1000**2)


@pytest.mark.parametrize(
    ("function", "expected"),
    [(np.mean, 2 * 1.5 / 30), (np.sum, 3), (lambda x: (x**2).sum(), 1.5**2)],
)
def test_sensitivities(function, expected):
    assert cs208._largest_change(function, 30, 1.5) == pytest.approx(expected)


def test_exercise_4_8():
    """Σx has noise of variance 4b²/ρ and Σx² of variance b⁴/ρ, with half the budget each."""
    for sensitivity, printed in ((2 * 1.5, 4 * 1.5**2 / 0.1), (1.5**2, 1.5**4 / 0.1)):
        b = renyi.zcdp_scale(0.1 / 2, sensitivity=sensitivity)
        assert b**2 / 2 == pytest.approx(printed)
    parameters = {"bound": 1, "n": 100, "rho": 0.1, "draws": 100_000}
    (comparison,) = cs208.gram_not_psd(EMPTY, **parameters, value=0.5)
    # n T₂ < T₁² if 100 e₂ < 100 e₁ + e₁², with noise e₁ of variance 40 and e₂ of variance 10
    first, second = norm(0, sqrt(40)), norm(0, sqrt(10))
    share, _ = quad(lambda e: first.pdf(e) * second.cdf((100 * e + e * e) / 100), -60, 60)
    assert abs(comparison.difference - share) < 5 * comparison.error
    assert comparison.difference == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("density", [0.1, 1])
def test_no_set_of_queries_exceeds_the_bound(density):
    """The 95 % point of the largest error is within the bound, for sparse to full queries."""
    size, k, constant = 16, 10, 9
    (comparison,) = cs208.histogram_answers(cells=[size], queries=[k], constant=constant)
    limit = (constant - comparison.difference) * sqrt(size * log(k))
    rng = np.random.default_rng(1)
    queries = rng.random((k, size)) < density
    largest = np.abs(rng.laplace(0, 2, (100_000, size)) @ queries.T).max(axis=1)
    assert np.quantile(largest, 0.95) < limit


def test_bias_of_clamping():
    (comparison,) = cs208.clamping_biases(EMPTY, epsilon=1, counts=[1], draws=400_000)
    k = np.arange(1, 200)
    rounded = k @ (laplace.cdf(k + 0.5, 1, 2) - laplace.cdf(k - 0.5, 1, 2))
    assert abs(comparison.difference - (rounded - 1)) < 5 * comparison.error


def test_the_loss_of_approximate_dp_exceeds_epsilon():
    (comparison,) = lectures.loss_beyond_epsilon(epsilon=1, delta=0.05, at_most_delta=True)
    b = calibration.calibrate("adp-exact", order=2, epsilon=1, delta=0.05).scale
    rho = 1 / b**2
    assert 0.05 - comparison.difference == pytest.approx(norm.sf(1, rho, sqrt(2 * rho)))
    assert 0.05 - comparison.difference == pytest.approx(0.169, abs=5e-4)


def test_a_tail_bound_with_a_larger_exponent_is_refuted(monkeypatch):
    """Random mechanisms exceed exp(-λ²/(3.9 ρ)), but Gaussian noise does not."""
    original = lectures._smallest_rho
    monkeypatch.setattr(lectures, "_smallest_rho", lambda p, q: original(p, q) * 3.9 / 4)
    gaussian, *random = lectures.zcdp_tail(EMPTY, rhos=[1], mechanisms=1000)
    assert gaussian.difference > 0
    assert all(comparison.difference < 0 for comparison in random)


@pytest.mark.parametrize(("size", "order"), [(0.01, 1.5), (1, 4), (20, 9)])
def test_the_size_of_generalized_cauchy_noise(size, order):
    """By quadrature of its density, in the tail with t = 1/x."""

    def area(size):
        return quad(lambda x: 1 / (1 + x**order), 0, size)[0]

    total = area(1) + quad(lambda t: t ** (order - 2) / (1 + t**order), 0, 1)[0]
    assert compound_guesses.cauchy_within(size, order) == pytest.approx(area(size) / total)
