"""What docs/errata.md says of printed formulas, where no claim tests it."""

from math import e, erf, exp, gamma, log, sqrt, tanh

import numpy as np
import pytest
from scipy.special import gammainc, lambertw, ndtr, ndtri
from scipy.stats import gennorm

from ggexp import Mechanism, bounded


def lower(a, x):
    """Return the lower incomplete gamma function, not regularized."""
    return gammainc(a, x) * gamma(a)


def test_definitions_5_and_6():
    """At p = 2, b = 2, s = 1 within [0, 4]."""
    p, b, s, low, high, noise = 2, 2, 1, 0, 4, gennorm(2, loc=1, scale=2)
    printed = (lower(1 / p, (high - s) / b) + lower(1 / p, (s - low) / b)) / gamma(1 / p)
    correct = sum(lower(1 / p, (abs(c - s) / b) ** p) for c in (low, high)) / gamma(1 / p) / 2
    assert correct == pytest.approx(noise.cdf(high) - noise.cdf(low))
    assert printed > 1
    tail = 0.5 - lower(1 / p, ((high - s) / b) ** p) / (2 * gamma(1 / p))
    assert tail == pytest.approx(noise.sf(high))


def test_scales_and_utilities():
    z, scale = ndtri(0.05 / 2), Mechanism(2, "pdp").noise(epsilon=1, delta=0.05).scale
    root = sqrt(z**2 + 2)
    assert (root - z) / sqrt(2) == pytest.approx(scale)
    assert (z**2 + 1 - z * root) / 4 == pytest.approx((root - z) ** 2 / 8)
    m, step = 5, 1
    s = np.linspace(-m, m, 101)
    largest = np.abs(s[:, None] ** 2 - s**2)[np.abs(s[:, None] - s) <= step + 1e-12].max()
    assert largest == pytest.approx(2 * m * step - step**2)
    e_13 = largest + 2 * step * m
    assert e_13 == pytest.approx(bounded.utility_sensitivity(2, [2 * m], [step]))
    assert e_13 < bounded.lemma_9(2, [(-m, m)], [step])


def test_variances_and_the_lectures_set():
    variances = {p: gamma(3 / p) / gamma(1 / p) for p in range(1, 1001)}
    assert min(variances, key=variances.get) == 9
    assert variances[10] < variances[20] < variances[1000] < 1 / 3
    log_term = log(2 / 0.01)
    assert 2 * exp(-log_term / 2) == pytest.approx(sqrt(2 * 0.01))
    assert 2 * ndtr(-sqrt(log_term)) > 0.01


def f(v, delta, q=1.0):
    return -log(v / (q - v) * (1 / (delta + v) - 1))


def test_guesses():
    assert f(0.45, 0.1) < min(f(0.3, 0.1), f(0.6, 0.1), f(0.475, 0.1))
    p, q, delta, h = 0.2, 0.6, 0.1, 1e-6
    slope = (f(p + h, delta, q) - f(p - h, delta, q)) / (2 * h)
    first = 1 / ((p + delta) - (p + delta) ** 2)
    assert first - q / (p * (q - p)) == pytest.approx(slope, rel=1e-6)
    assert first - 1 / ((q - p) - (q - p) ** 2) > 0 > slope
    prior = 1 / (1 + exp(0.5))
    assert 1 / (1 + exp(-1) * (1 - prior) / prior) - prior == pytest.approx(tanh(0.25))
    epsilon = log(7 * 0.225 / 0.775)
    assert 0.25 / (0.25 + 0.75 * exp(-epsilon)) - 0.25 > 0.15
    within_1, within_2 = (erf(x / sqrt(2)) for x in (1, 2))
    assert within_2 - within_1 < within_1 / 2
    assert -log(0.475 / 0.525 * 0.425 / 0.575) == pytest.approx(0.402, abs=5e-4)
    assert f(0.42, 0.1, 0.6) < 0
    assert f(0.22, 0.1, 0.43) < 0


def test_lambert_w():
    """Newton's method reaches W(1) in four steps; the printed recursion is far from it in eight."""
    printed, newton = [1.0, 1.0], 1.0
    for step in range(8):
        w, before = printed[-1], printed[-2]
        printed.append(before - (before * exp(w) - 1) / ((w + 1) * exp(w)))
        newton -= (newton * exp(newton) - 1) / ((newton + 1) * exp(newton))
        assert step < 3 or newton == pytest.approx(lambertw(1).real, abs=5e-7)
    assert abs(printed[-1] - lambertw(1).real) > 0.01


def test_pdp_by_pairs():
    """All pairs of three data sets satisfy (1, δ)-pDP; the bound on the first fails too often."""
    delta, eta = 0.01, 0.01 / e
    data = np.array([[1 - 2 * delta, delta, delta], [1 - eta, 0, eta], [1 - eta, eta, 0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, probabilities in enumerate(data):
            for other in np.delete(data, i, axis=0):
                loss = np.nan_to_num(np.abs(np.log(probabilities / other)), nan=0, posinf=9)
                assert probabilities[loss > 1 + 1e-9].sum() <= delta
    prior = np.array([0.4, 0.3, 0.3])
    posterior = prior[0] * data[0] / (prior @ data)
    bound = 1 / (1 + exp(-1) * 0.6 / 0.4)
    assert data[0][posterior > bound].sum() == pytest.approx(2 * delta)
