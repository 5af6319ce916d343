"""Numbers behind the claims of the lectures, each by a second derivation.

Simulations have fixed seeds and tell with 5 standard errors: wrong once in two million runs.
"""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

from ggexp.claims import exercises, histograms, lectures
from ggexp.claims.evidence import Results
from ggexp.guarantees import histogram_queries
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.tails import upper_tail

NOTHING = Results(pd.DataFrame(), pd.DataFrame(), seed=1)


def test_exercise_4_3():
    sigma = exercises._sigma("adp-classical", 0.5, 1e-6, 2 / 1000)
    assert sigma == pytest.approx(0.021195, abs=5e-7)
    found = exercises.mean_query(bound=1, n=1000, epsilon=0.5, delta=1e-6, rho=0.1)
    assert "0.021195" in found[0].what
    # ρ-zCDP: the printed variance is Theorem 4.2's at a sensitivity of 2b/n
    assert pytest.approx((2 / 1000) ** 2 / (2 * 0.1)) == 2 / (0.1 * 1000**2)


@pytest.mark.parametrize(
    ("function", "expected"),
    [(np.mean, 2 * 1.5 / 30), (np.sum, 3), (lambda x: (x**2).sum(), 1.5**2)],
)
def test_sensitivities(function, expected):
    assert exercises._largest_move(function, 30, 1.5) == pytest.approx(expected)


def test_exercise_4_8():
    """Σx gets 4b²/ρ and Σx² gets b⁴/ρ, of half the budget each."""
    for move, printed in ((2 * 1.5, 4 * 1.5**2 / 0.1), (1.5**2, 1.5**4 / 0.1)):
        b = calibration.zcdp_scale(0.1 / 2, sensitivity=move)
        assert b**2 / 2 == pytest.approx(printed)
    about = {"bound": 1, "n": 100, "rho": 0.1, "draws": 100_000}
    (found,) = exercises.gram_not_psd(NOTHING, **about, value=0.5)
    # near the edge of the cone: n T₂ < T₁² where 100 e₂ < 100 e₁ + e₁², e of variances 10 and 40
    share = quad(
        lambda e: norm.pdf(e, 0, sqrt(40)) * norm.cdf((100 * e + e * e) / 100, 0, sqrt(10)), -60, 60
    )
    assert abs(found.difference - share[0]) < 5 * found.error
    assert found.difference == pytest.approx(0.5, abs=0.01)


def test_spread_values_hardly_leave_the_cone():
    x = np.linspace(-1, 1, 100)
    rng = np.random.default_rng(1)
    total = x.sum() + rng.normal(0, sqrt(40), 100_000)
    squares = (x**2).sum() + rng.normal(0, sqrt(10), 100_000)
    assert (100 * squares < total**2).mean() < 1e-3


@pytest.mark.parametrize("m", [1, 10, 64])
def test_the_sum_of_laplace_noise(m):
    """Its tail against draws, and of one noise against the closed form."""
    draws = np.random.default_rng(m).laplace(0, 2, (200_000, m)).sum(axis=1)
    for t in (0, sqrt(8 * m), 3 * sqrt(8 * m)):
        expected = histogram_queries.sum_tail(m, t)
        assert abs((draws > t).mean() - expected) < 5 * sqrt(expected / len(draws))
    assert histogram_queries.sum_tail(1, 3.0) == pytest.approx(laplace.sf(3, scale=2))


@pytest.mark.parametrize("density", [0.1, 0.5, 0.9, 1])
def test_no_set_of_queries_exceeds_the_bound(density):
    """The 95 % point of the largest error, of sets with small, half, large and all queries."""
    size, k, constant = 16, 10, 9
    (found,) = histograms.histogram_answers(cells=[size], queries=[k], constant=constant)
    limit = (constant - found.difference) * sqrt(size * log(k))
    rng = np.random.default_rng(1)
    chosen = rng.random((k, size)) < density
    largest = np.abs(rng.laplace(0, 2, (100_000, size)) @ chosen.T).max(axis=1)
    assert np.quantile(largest, 0.95) < limit


def test_bias_of_clamping():
    """At count 1 and scale 2: exp(-1/2) before rounding."""
    bias = quad(lambda e: max(1 + e, 0) * laplace.pdf(e, scale=2), -80, 80, points=[-1, 0])[0] - 1
    assert bias == pytest.approx(exp(-0.5), rel=1e-7)
    assert bias == pytest.approx(0.6065, abs=5e-5)
    (found,) = histograms.clamping_biases(NOTHING, epsilon=1, counts=[1], draws=400_000)
    rounded = sum(
        k * (laplace.cdf(k + 0.5, 1, 2) - laplace.cdf(k - 0.5, 1, 2)) for k in range(1, 200)
    )
    assert abs(found.difference - (rounded - 1)) < 5 * found.error


@pytest.mark.parametrize("rho", [0.01, 1, 10])
def test_the_gaussians_loss_is_normal(rho):
    """With mean ρ and variance 2ρ."""
    b = calibration.zcdp_scale(rho)
    for loss in rho + np.array([-0.5, 0.1, 1, 3]) * sqrt(2 * rho):
        if loss > 0:
            u = privacy_loss.where_loss_is(float(loss), 2, 1 / b)
            assert upper_tail(2, u) == pytest.approx(norm.sf(loss, rho, sqrt(2 * rho)))


def test_the_loss_of_approximate_dp_exceeds_epsilon():
    (found,) = lectures.loss_beyond_epsilon(epsilon=1, delta=0.05, at_most_delta=True)
    b = calibration.scale("adp-exact", order=2, epsilon=1, delta=0.05)
    rho = 1 / b**2
    assert 0.05 - found.difference == pytest.approx(norm.sf(1, rho, sqrt(2 * rho)))
    assert 0.05 - found.difference == pytest.approx(0.169, abs=5e-4)


def test_the_tail_bound_is_that_of_the_normal():
    """With λ = t√(2ρ) it is Pr(Z > t) <= exp(-t²/2): at most half of it, at t = 0.

    The grid begins at 0.01.
    """
    for comparison in lectures.zcdp_tail(NOTHING, rhos=[0.01, 10], mechanisms=5)[:2]:
        expected = norm.sf(0.01) * exp(0.01**2 / 2)
        assert 1 - comparison.difference == pytest.approx(expected, rel=1e-6)


def test_the_least_rho_of_randomized_response():
    """D_α/α falls with α: the least ρ is the divergence at α = 1, ε tanh(ε/2)."""
    epsilons = np.array([0.1, 1, 3])
    right = 1 / (1 + np.exp(-epsilons))
    p, q = np.log([right, 1 - right]).T, np.log([1 - right, right]).T
    expected = epsilons * np.tanh(epsilons / 2)
    assert lectures._least_rho(p, q) == pytest.approx(expected, rel=1e-5)


def test_a_tail_bound_with_a_larger_exponent_is_refuted(monkeypatch):
    """exp(-λ²/(3.9 ρ)) is exceeded by mechanisms that are drawn, if not by Gaussian noise."""
    least = lectures._least_rho
    monkeypatch.setattr(lectures, "_least_rho", lambda p, q: least(p, q) * 3.9 / 4)
    found = lectures.zcdp_tail(NOTHING, rhos=[1], mechanisms=1000)
    assert found[0].difference > 0
    assert all(one.difference < 0 for one in found[1:])


def test_advanced_composition_gains_at_35():
    """By its formula."""
    gains = [0.1 * k - 0.1 * sqrt(2 * k * log(1e6)) - k * 0.1 * (exp(0.1) - 1) for k in (34, 35)]
    assert gains[0] < 0 < gains[1]
