"""Calibration rules against the paper's closed forms, independent derivations and known values."""

import warnings
from math import log, sqrt

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import gennorm

from ggexp import calibration

GGM_3 = {
    0.5: {0.01: 12.5086, 0.05: 8.5904, 0.1: 6.7949, 0.25: 4.3600},
    1: {0.01: 6.5749, 0.05: 4.6624, 0.1: 3.7915, 0.25: 2.6124},
    2: {0.01: 3.5823, 0.05: 2.6557, 0.1: 2.2341, 0.25: 1.6579},
}
GRID = [(epsilon, delta) for epsilon in GGM_3 for delta in GGM_3[epsilon]]
ORDERS = [1, 1.01, 1.5, 2, 3, 10, 100]


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_pdp_of_order_3(epsilon, delta):
    b = calibration.scale("pdp", order=3, epsilon=epsilon, delta=delta)
    assert b == pytest.approx(GGM_3[epsilon][delta], abs=1e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (1e-6, 1e-15), (1000, 1 - 1e-9)])
def test_pdp_of_order_2_is_lemma_10(epsilon, delta):
    z = ndtri(delta / 2)
    sigma = (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon)
    b = calibration.scale("pdp", order=2, epsilon=epsilon, delta=delta)
    assert b / sqrt(2) == pytest.approx(sigma, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 1, 1000])
@pytest.mark.parametrize("delta", [1e-15, 0.01, 0.25, 1 - 1e-9])
def test_pdp_of_order_1_is_pure_whatever_delta(epsilon, delta):
    # log(ε) + |t| enters it, so up to 1e-13
    b = calibration.scale("pdp", order=1, epsilon=epsilon, delta=delta)
    assert b == pytest.approx(1 / epsilon, rel=1e-12)


def probability_of_the_condition(order, b, epsilon):
    """Pr((|e| + 1)^p - |e|^p > ε b^p), by quadrature of scipy's density beyond the threshold."""

    def excess(e):
        return (e + 1) ** order - e**order - epsilon * b**order

    threshold = brentq(excess, 0, 100 * b)
    inside, _ = quad(gennorm(order, scale=b).pdf, 0, threshold, epsabs=1e-12)
    return 1 - 2 * inside


@pytest.mark.parametrize("order", [1.5, 2, 3, 4, 6])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1, 0.1), (2, 0.25)])
def test_pdp_meets_the_condition_and_nothing_is_wasted(order, epsilon, delta):
    b = calibration.scale("pdp", order=order, epsilon=epsilon, delta=delta)
    assert probability_of_the_condition(order, b, epsilon) == pytest.approx(delta, abs=1e-9)
    assert probability_of_the_condition(order, 0.99 * b, epsilon) > delta


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1, 1000])
def test_pdp_falls_as_delta_rises_to_its_limit(order, epsilon):
    deltas = [1e-15, 1e-6, 0.01, 0.5, 0.999, 1 - 1e-9]
    scales = [calibration.scale("pdp", order=order, epsilon=epsilon, delta=d) for d in deltas]
    # the limit: at δ = 1 the loss reaches ε at t = 0, where it is b^-p
    limit = epsilon ** (-1 / order)
    assert all(a >= b * (1 - 1e-12) for a, b in zip(scales, [*scales[1:], limit], strict=True))
    assert scales[-1] == pytest.approx(limit, rel=1e-3)


def test_pdp_grows_without_bound_with_the_order():
    """Uniform noise, p → ∞, has an infinite loss at its ends: no scale hides them at small ε."""
    scales = [calibration.scale("pdp", order=p, epsilon=1, delta=0.01) for p in (2, 10, 100, 1000)]
    assert scales == sorted(scales)
    # it ends: |e| + 1 <= b suffices where Pr(|e| > b - 1) = 1/b <= δ
    assert scales[-1] < 1 / 0.01 < 1.2 * scales[-1]


def test_pure():
    assert calibration.scale("pure", order=1, epsilon=0.5) == 2
    assert calibration.scale("pure", order=1, epsilon=0.5, sensitivity=3) == 6


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (0.1, 0.25)])
def test_adp_classical(epsilon, delta):
    b = calibration.scale("adp-classical", order=2, epsilon=epsilon, delta=delta)
    assert b / sqrt(2) == pytest.approx(sqrt(2 * log(1.25 / delta)) / epsilon, rel=1e-14)


def test_adp_classical_warns_only_where_its_proof_ends():
    with pytest.warns(UserWarning, match="proof of 'adp-classical' needs epsilon < 1, got 1"):
        calibration.scale("adp-classical", order=2, epsilon=1, delta=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calibration.scale("adp-classical", order=2, epsilon=0.999, delta=0.01)


def test_sensitivity_multiplies():
    for name, order in (("pure", 1), ("pdp", 3), ("adp-classical", 2)):
        arguments = {"order": order, "epsilon": 0.7, "delta": 0.05}
        unit = calibration.scale(name, **arguments)
        assert calibration.scale(name, **arguments, sensitivity=2.5) == pytest.approx(2.5 * unit)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("pdq", {}, "unknown calibration 'pdq', known are: pure, pdp, adp-classical"),
        ("pdp", {"order": 0.99}, r"order must be a finite number >= 1, got 0\.99"),
        ("pdp", {"order": float("nan")}, "order must be .*got nan"),
        ("pdp", {"epsilon": 0}, "epsilon must be a finite number > 0, got 0"),
        ("pdp", {"epsilon": float("inf")}, "epsilon must be a finite number > 0, got inf"),
        ("pdp", {"epsilon": float("nan")}, "epsilon must be a finite number > 0, got nan"),
        ("pdp", {"delta": 0}, "delta must be a number strictly between 0 and 1, got 0"),
        ("pdp", {"delta": 1.0}, r"delta must be a number strictly between 0 and 1, got 1\.0"),
        ("pdp", {"delta": None}, "delta must be a number strictly between 0 and 1, got None"),
        ("pdp", {"delta": float("nan")}, "delta must be .*got nan"),
        ("pdp", {"sensitivity": -1}, "sensitivity must be a finite number > 0, got -1"),
        ("pure", {"order": 2}, r"'pure' fits order 1 only, got order 2.*Claim 4.*use 'pdp'"),
        ("adp-classical", {"order": 3}, "fits order 2 only, got order 3.*Gaussian; use 'pdp'"),
    ],
)
def test_bad_arguments(name, arguments, message):
    good = {"order": 3, "epsilon": 1.0, "delta": 0.05}
    with pytest.raises(ValueError, match=message):
        calibration.scale(name, **good | arguments)
