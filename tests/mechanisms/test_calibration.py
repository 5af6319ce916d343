"""Calibration rules against the paper's closed forms, independent derivations and known values."""

import warnings
from itertools import pairwise, product
from math import inf, log, sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import gennorm

from ggexp import GeneralizedGaussian, calibration, privacy_loss
from ggexp.mechanisms.solver import SCALE_ERROR
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

GGM_3 = {
    0.5: {0.01: 12.5086, 0.05: 8.5904, 0.1: 6.7949, 0.25: 4.3600},
    1: {0.01: 6.5749, 0.05: 4.6624, 0.1: 3.7915, 0.25: 2.6124},
    2: {0.01: 3.5823, 0.05: 2.6557, 0.1: 2.2341, 0.25: 1.6579},
}
GRID = [(epsilon, delta) for epsilon in GGM_3 for delta in GGM_3[epsilon]]
ORDERS = [1, 1.01, 1.5, 2, 3, 10, 100]


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_pdp_of_order_3(epsilon, delta):
    b = calibration.calibrate("pdp", order=3, epsilon=epsilon, delta=delta).scale
    assert b == pytest.approx(GGM_3[epsilon][delta], abs=1e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [*GRID, (1e-6, 1e-15), (1000, 1 - 1e-9)])
def test_pdp_of_order_2_is_lemma_10(epsilon, delta):
    z = ndtri(delta / 2)
    sigma = (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon)
    b = calibration.calibrate("pdp", order=2, epsilon=epsilon, delta=delta).scale
    assert b / sqrt(2) == pytest.approx(sigma, rel=1e-9)


@given(epsilon=st.floats(1e-6, 1e3), delta=st.floats(1e-15, 1, exclude_max=True))
@example(epsilon=0.7, delta=0.01)
@pytest.mark.parametrize("name", ["pdp", "pdp-exact"])
def test_pdp_of_order_1_is_pure_at_every_delta(name, epsilon, delta):
    """To the last bit, because at a smaller b the loss exceeds ε for at least half of the noise."""
    pure = calibration.calibrate("pure", order=1, epsilon=epsilon).scale
    assert calibration.calibrate(name, order=1, epsilon=epsilon, delta=delta).scale == pure


def probability_of_the_condition(order, b, epsilon):
    """Return Pr((|e| + 1)^p - |e|^p > ε b^p), by quadrature of scipy's density."""

    def excess(e):
        return (e + 1) ** order - e**order - epsilon * b**order

    threshold = brentq(excess, 0, 100 * b)
    inside, _ = quad(gennorm(order, scale=b).pdf, 0, threshold, epsabs=1e-12)
    return 1 - 2 * inside


@pytest.mark.parametrize("order", [1.5, 2, 3, 4, 6])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1, 0.1), (2, 0.25)])
def test_pdp_meets_the_condition_and_nothing_is_wasted(order, epsilon, delta):
    b = calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=delta).scale
    assert probability_of_the_condition(order, b, epsilon) == pytest.approx(delta, abs=1e-9)
    assert probability_of_the_condition(order, 0.99 * b, epsilon) > delta


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1, 0.25), (2, 0.1)])
def test_one_sided_pdp_is_pdp_at_twice_delta(epsilon, delta):
    def excess(scale):
        """Return Pr(loss > ε) - δ; the loss (|x + 1|^3 - |x|^3) / b^3 increases in x."""

        def loss(x):
            return (abs(x + 1) ** 3 - abs(x) ** 3) / scale**3 - epsilon

        return gennorm.sf(brentq(loss, -1, 1000 * scale), 3, scale=scale) - delta

    expected = calibration.calibrate("pdp", order=3, epsilon=epsilon, delta=2 * delta).scale
    assert brentq(excess, 0.6, 100) == pytest.approx(expected)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1, 1000])
def test_pdp_scales_decrease_to_their_limit_as_delta_increases(order, epsilon):
    deltas = [1e-15, 1e-6, 0.01, 0.5, 0.999, 1 - 1e-9]
    scales = [
        calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=d).scale for d in deltas
    ]
    # the limit: at δ = 1 the loss reaches ε at t = 0, where it is b^-p
    limit = epsilon ** (-1 / order)
    assert all(a >= b * (1 - 1e-12) for a, b in zip(scales, [*scales[1:], limit], strict=True))
    assert scales[-1] == pytest.approx(limit, rel=1e-3)


def test_pdp_scales_increase_with_the_order_up_to_a_limit():
    """Uniform noise, p → ∞, has an infinite loss at its ends, at every scale."""
    scales = [
        calibration.calibrate("pdp", order=p, epsilon=1, delta=0.01).scale
        for p in (2, 10, 100, 1000)
    ]
    assert scales == sorted(scales)
    # the limit: for uniform noise |e| + 1 <= b is sufficient, and Pr(|e| > b - 1) = 1/b <= δ
    assert scales[-1] < 1 / 0.01 < 1.2 * scales[-1]


@pytest.mark.parametrize(
    ("name", "order", "epsilon", "delta", "expected"),
    [
        ("pdp-exact", 2, 0.5, 0.01, 7.31927498659),
        ("pdp-exact", 2, 1, 0.1, 2.42340154454),
        ("pdp-exact", 2, 2, 0.25, 1.00982176549),
        ("pdp-exact", 3, 0.5, 0.01, 11.9133062476),
        ("pdp-exact", 3, 1, 0.1, 3.18318763707),
        ("pdp-exact", 1.5, 1, 0.01, 2.36175740951),
        ("adp-exact", 1, 1, 0.01, 0.98029540391),
        ("adp-exact", 1, 0.5, 0.25, 0.929917558382),
        ("adp-exact", 1.5, 0.5, 0.1, 1.87038337777),
        ("adp-exact", 2, 0.5, 0.01, 4.45040718366),
        ("adp-exact", 2, 1, 1e-6, 5.97459818196),
        ("adp-exact", 2, 2, 0.1, 1.03514103217),
        ("adp-exact", 3, 0.5, 0.01, 6.5098546897),
        ("adp-exact", 3, 1, 1e-6, 12.4884482583),
        ("adp-exact", 3, 2, 0.25, 1.02075461492),
        ("adp-exact", 4, 1, 0.1, 2.33179199504),
    ],
)
def test_exact_rules_return_known_scales(name, order, epsilon, delta, expected):
    b = calibration.calibrate(name, order=order, epsilon=epsilon, delta=delta).scale
    assert b == pytest.approx(expected, rel=5e-12)


@pytest.mark.parametrize(
    ("delta", "deviations"),
    [(0.1, {2: 1.5563, 1.5: 1.6073, 1: 1.9898, 3: 1.6228}), (0.01, {1: 2.7191})],
)
def test_the_best_order_at_equal_privacy_is_not_always_1(delta, deviations):
    for order, sd in deviations.items():
        b = calibration.calibrate("adp-exact", order=order, epsilon=0.5, delta=delta).scale
        assert GeneralizedGaussian(order, b).sd == pytest.approx(sd, abs=1e-4)


def probability_of_loss(order, b, epsilon):
    """Return Pr(|L| > ε) for the privacy loss L, from scipy's tails at the two thresholds."""

    def excess(e):
        return (abs(e + 1) ** order - abs(e) ** order) / b**order - epsilon

    threshold = brentq(excess, -0.5, 100 * (1 + b))
    noise = gennorm(order, scale=b)
    return noise.sf(threshold) + noise.sf(threshold + 1)


@pytest.mark.parametrize("order", [1.5, 2, 3, 4, 6])
@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 0.01), (1, 1e-6), (2, 0.25), (1, 0.9), (0.1, 0.999)]
)
def test_pdp_exact_is_tight_and_below_pdp(order, epsilon, delta):
    exact, sufficient = (
        calibration.calibrate(name, order=order, epsilon=epsilon, delta=delta).scale
        for name in ("pdp-exact", "pdp")
    )
    assert probability_of_loss(order, exact, epsilon) == pytest.approx(delta, rel=1e-8)
    assert probability_of_loss(order, 0.999 * exact, epsilon) > delta
    assert exact < sufficient


@pytest.mark.parametrize("name", ["pdp", "pdp-exact", "adp-exact"])
@pytest.mark.parametrize("order", ORDERS)
def test_scales_decrease_with_epsilon_and_delta_up_to_the_extremes(name, order):
    epsilons = [1e-6, 1e-3, 0.5, 10, 1000]
    deltas = [1e-15, 1e-6, 0.1, 0.5, 0.99, 1 - 1e-9]
    scales = [
        [calibration.calibrate(name, order=order, epsilon=e, delta=d).scale for d in deltas]
        for e in epsilons
    ]
    for row in (*scales, *zip(*scales, strict=True)):
        assert all(a >= b * (1 - 1e-12) > 0 for a, b in pairwise(row))


@pytest.mark.filterwarnings("ignore:noise of calibration")
def test_every_scale_is_finite_and_satisfies_its_guarantee_or_is_refused():
    """From small to large ε, δ and orders; test_solver.py checks the exact δ."""
    orders, epsilons = [1.0, 1.5, 2.0, 3.0, 10.0, 100.0], [1e-6, 1e-3, 1.0, 30.0, 1e3]
    deltas = [1e-15, 1e-9, 0.05, 0.5, 1 - 1e-9]
    families = (GeneralizedGaussian, TruncatedLaplace)
    rules = {n: r for n, r in calibration.RULES.items() if r.family in families}
    for (name, rule), order in product(rules.items(), orders):
        if rule.order not in ("any", order):
            with pytest.raises(ValueError, match="fits order"):
                calibration.calibrate(name, order=order, epsilon=1, delta=0.05)
            continue
        for epsilon, delta in product(epsilons, deltas if rule.uses_delta else [0.0]):
            arguments = {"order": order, "epsilon": epsilon, "delta": delta}
            if delta > rule.largest_delta:
                with pytest.raises(ValueError, match="delta must be"):
                    calibration.calibrate(name, **arguments)
                continue
            b = calibration.calibrate(name, **arguments).scale
            assert 0 < b < inf, arguments
            if name in ("pure", "adp-exact"):
                smaller = b * (1 - 3 * SCALE_ERROR * order)
                exact, larger = (
                    privacy_loss.delta(order=order, scale=x, epsilon=epsilon) for x in (b, smaller)
                )
                assert exact <= delta * (1 + 1e-9) <= larger * (1 + 1e-8), arguments


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (0.1, 0.01), (1, 0.25)])
def test_gaussian_bounds_are_looser_than_the_exact_scale(epsilon, delta):
    exact = calibration.calibrate("adp-exact", order=2, epsilon=epsilon, delta=delta).scale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("adp-classical", "adp-lecture", "zcdp"):
            assert calibration.calibrate(name, order=2, epsilon=epsilon, delta=delta).scale > exact


def test_adp_lecture():
    b = calibration.calibrate("adp-lecture", order=2, epsilon=1, delta=0.01).scale
    assert b / sqrt(2) == pytest.approx(sqrt(2 * log(2 / 0.01)), rel=1e-14)


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 1000])
@pytest.mark.parametrize("delta", [1e-15, 0.01, 1 - 1e-9])
def test_zcdp_converts_back_to_epsilon(epsilon, delta):
    b = calibration.calibrate("zcdp", order=2, epsilon=epsilon, delta=delta).scale
    rho = 1 / b**2
    assert rho + 2 * sqrt(rho * -log(delta)) == pytest.approx(epsilon, rel=1e-12)
    assert calibration.zcdp_scale(rho) == pytest.approx(b, rel=1e-12)


def test_zcdp_scale_has_the_rho_of_gaussian_noise():
    # ρ = Δ² / (2 σ²), σ = b/√2
    sigma = calibration.zcdp_scale(0.3, sensitivity=2.0) / sqrt(2)
    assert 2**2 / (2 * sigma**2) == pytest.approx(0.3)
    with pytest.raises(ValueError, match=r"rho.* > 0, got 0"):
        calibration.zcdp_scale(0)


def test_pure():
    assert calibration.calibrate("pure", order=1, epsilon=0.5).scale == 2
    assert calibration.calibrate("pure", order=1, epsilon=0.5, sensitivity=3).scale == 6


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (0.1, 0.25)])
def test_adp_classical(epsilon, delta):
    b = calibration.calibrate("adp-classical", order=2, epsilon=epsilon, delta=delta).scale
    assert b / sqrt(2) == pytest.approx(sqrt(2 * log(1.25 / delta)) / epsilon, rel=1e-14)


@pytest.mark.parametrize(
    ("rule", "epsilon", "exact"),
    [("adp-classical", 6.5, "0.1379"), ("adp-lecture", 8, "0.1414")],
)
def test_a_warning_only_if_the_exact_delta_is_larger(rule, epsilon, exact):
    for sensitivity in (1, 3):
        point = {"order": 2, "epsilon": epsilon, "sensitivity": sensitivity}
        with pytest.warns(UserWarning, match=f"'{rule}'.* exact delta is {exact}"):
            b = calibration.calibrate(rule, **point, delta=0.1).scale
        assert privacy_loss.delta(**point, scale=b) == pytest.approx(float(exact), abs=5e-5)
    with warnings.catch_warnings(action="error"):
        for paper_epsilon in (0.5, 1, 2):
            calibration.calibrate(rule, order=2, epsilon=paper_epsilon, delta=0.25)


def test_sensitivity_multiplies():
    for name, order in (("pure", 1), ("pdp", 3), ("adp-classical", 2)):
        arguments = {"order": order, "epsilon": 0.7, "delta": 0.05}
        unit = calibration.calibrate(name, **arguments).scale
        assert calibration.calibrate(name, **arguments, sensitivity=2.5).scale == pytest.approx(
            2.5 * unit
        )


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("pdq", {}, "unknown calibration 'pdq', known are: pure, pdp, pdp-exact, adp-classical, "),
        ("pdp", {"delta": None}, "delta.* between 0 and 1, got None"),
        ("pdp", {"epsilon": 1e-320}, "scale.* > 0, got inf"),
        ("zcdp", {"order": 1}, "'zcdp' fits order 2 only, got order 1"),
        ("adp-lecture", {"order": 1.5}, "'adp-lecture' fits order 2 only, got order 1.5"),
        (
            "pure",
            {"order": 2},
            r"'pure' fits order 1 only, got order 2.*Claim 4.*use 'pdp' or 'adp-exact'",
        ),
        (
            "adp-classical",
            {"order": 3},
            "fits order 2 only, got order 3.*Gaussian.*use 'adp-exact'",
        ),
    ],
)
def test_bad_arguments(name, arguments, message):
    good = {"order": 3, "epsilon": 1.0, "delta": 0.05}
    with pytest.raises(ValueError, match=message):
        calibration.calibrate(name, **good | arguments)
