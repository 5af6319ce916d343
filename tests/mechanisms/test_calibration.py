"""Calibration rules against the paper's closed forms, independent derivations and known values."""

import warnings
from math import log, sqrt

import numpy as np
import pytest
from formulas import lemma_10
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import gennorm

from ggexp import Mechanism, calibration
from ggexp.companions import renyi
from ggexp.companions.rules import noise_by

GGM_3 = {
    0.5: {0.01: 12.5086, 0.05: 8.5904, 0.1: 6.7949, 0.25: 4.3600},
    1: {0.01: 6.5749, 0.05: 4.6624, 0.1: 3.7915, 0.25: 2.6124},
    2: {0.01: 3.5823, 0.05: 2.6557, 0.1: 2.2341, 0.25: 1.6579},
}
GRID = [(epsilon, delta) for epsilon in GGM_3 for delta in GGM_3[epsilon]]


def test_pdp_of_order_3():
    for epsilon, delta in GRID:
        b = calibration.calibrate("pdp", order=3, epsilon=epsilon, delta=delta).scale
        assert b == pytest.approx(GGM_3[epsilon][delta], abs=1e-4)


def test_gaussian_rules_are_their_formulas():
    """The rule "pdp" is Lemma 10. All scales but that of "pdp" exceed the exact scale."""
    for epsilon, delta in ((0.5, 0.01), (0.9, 0.25), (1e-6, 1e-15), (1000, 1 - 1e-9)):
        point = {"order": 2, "epsilon": epsilon, "delta": delta}
        with warnings.catch_warnings(action="ignore"):
            scales = {
                name: noise_by(name, **point).scale
                for name in ("pdp", "adp-classical", "adp-lecture", "zcdp", "adp-exact")
            }
        assert scales["pdp"] / sqrt(2) == pytest.approx(lemma_10(epsilon, delta), rel=1e-9)
        classical, lecture = (sqrt(2 * log(x / delta)) / epsilon for x in (1.25, 2))
        assert scales["adp-classical"] / sqrt(2) == pytest.approx(classical, rel=1e-14)
        assert scales["adp-lecture"] / sqrt(2) == pytest.approx(lecture, rel=1e-14)
        rho = 1 / scales["zcdp"] ** 2
        assert rho + 2 * sqrt(rho * -log(delta)) == pytest.approx(epsilon, rel=1e-12)
        assert renyi.zcdp_scale(rho) == pytest.approx(scales["zcdp"], rel=1e-12)
        if epsilon < 1:
            assert scales["adp-exact"] < min(scales[name] for name in (*scales,)[1:4])


def probability_of_the_condition(order, b, epsilon):
    """Return Pr((|e| + 1)^p - |e|^p > ε b^p), by quadrature of scipy's density."""

    def excess(e):
        return (e + 1) ** order - e**order - epsilon * b**order

    threshold = brentq(excess, 0, 100 * b)
    inside, _ = quad(gennorm(order, scale=b).pdf, 0, threshold, epsabs=1e-12)
    return 1 - 2 * inside


@pytest.mark.parametrize(
    ("order", "epsilon", "delta"), [(1.5, 0.5, 0.01), (2, 1, 0.1), (3, 0.5, 0.01), (6, 2, 0.25)]
)
def test_pdp_meets_the_condition_and_nothing_is_wasted(order, epsilon, delta):
    b = calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=delta).scale
    assert probability_of_the_condition(order, b, epsilon) == pytest.approx(delta, abs=1e-9)
    assert probability_of_the_condition(order, 0.99 * b, epsilon) > delta


@pytest.mark.parametrize(
    ("name", "order", "epsilon", "delta", "expected"),
    [
        ("pdp-exact", 2, 0.5, 0.01, 7.31927498659),
        ("pdp-exact", 3, 1, 0.1, 3.18318763707),
        ("pdp-exact", 1.5, 1, 0.01, 2.36175740951),
        ("adp-exact", 1, 0.5, 0.25, 0.929917558382),
        ("adp-exact", 1.5, 0.5, 0.1, 1.87038337777),
        ("adp-exact", 2, 1, 1e-6, 5.97459818196),
        ("adp-exact", 3, 2, 0.25, 1.02075461492),
        ("adp-exact", 4, 1, 0.1, 2.33179199504),
    ],
)
def test_exact_rules_return_known_scales(name, order, epsilon, delta, expected):
    b = calibration.calibrate(name, order=order, epsilon=epsilon, delta=delta).scale
    assert b == pytest.approx(expected, rel=5e-12)


@pytest.mark.parametrize(
    ("rule", "epsilon", "exact"), [("adp-classical", 6.5, "0.1379"), ("adp-lecture", 8, "0.1414")]
)
def test_a_warning_only_if_the_exact_delta_is_larger(rule, epsilon, exact):
    with pytest.warns(UserWarning, match=f"'{rule}'.* exact δ is {exact}"):
        noise_by(rule, 2, epsilon=epsilon, delta=0.1, sensitivity=3)
    with warnings.catch_warnings(action="error"):
        for paper_epsilon in (0.5, 1, 2):
            noise_by(rule, 2, epsilon=paper_epsilon, delta=0.25)


def test_bad_arguments():
    good = {"order": 3, "epsilon": 1.0, "delta": 0.05}
    for name, changed, message in (
        ("pdq", {}, "unknown calibration 'pdq', known are: pure, .*adp-classical"),
        ("pdp", {"delta": None}, "delta.* between 0 and 1, got None"),
        ("pdp", {"epsilon": 1e-320}, "scale.* > 0, got inf"),
        ("pure", {"order": 2}, "'pure' fits order 1 only, got order 2.*Claim 4.*'adp-exact'"),
    ):
        with pytest.raises(ValueError, match=message):
            calibration.calibrate(name, **good | changed)
    for order, rule, message in ((3, "adp-classical", "order 2"), (0.5, "pdp", "order.* >= 1")):
        with pytest.raises(ValueError, match=message):
            Mechanism(order=order, calibration=rule)  # before it is used


def test_release_adds_the_noise_and_keeps_the_shape():
    values = np.arange(6.0).reshape(2, 3)
    mechanism = Mechanism(order=1, calibration="pure")
    released = mechanism.release(values, np.random.default_rng(3), epsilon=1)
    noise = mechanism.noise(epsilon=1).sample(np.random.default_rng(3), 6)
    np.testing.assert_array_equal(released, values + noise.reshape(2, 3))
    np.testing.assert_array_equal(values, np.arange(6.0).reshape(2, 3))
