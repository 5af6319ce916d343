"""The numbers of Figures 1 to 5, and the paper's statements about them."""

from math import gamma, sqrt

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import gennorm

from ggexp import GeneralizedGaussian, calibration
from ggexp.figures import tabulate_theory


@pytest.fixture(scope="module")
def tables():
    theory = tabulate_theory
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theory, "DRAWS", 40_000)
        numbers = {1: theory.densities(), 2: theory.corollary_7(1)}
    numbers |= {3: theory.gaussian_bounds(), 4: theory.tail_ratios()}
    return numbers | {5: theory.relative_costs()}


def nearest(table, **values):
    """The row nearest to the first value; among equals, the nearest to the next value."""
    for name, value in values.items():
        table = table[(table[name] - value).abs() == (table[name] - value).abs().min()]
    (row,) = table.to_dict("records")
    return row


def test_figure_1_densities_are_gennorms(tables):
    for (panel, order), curve in tables[1].groupby(["panel", "order"]):
        b = sqrt(2) if panel == "scale" else sqrt(gamma(1 / order) / gamma(3 / order))
        np.testing.assert_allclose(curve["density"], gennorm.pdf(curve["x"], order, scale=b))
        assert np.trapezoid(curve["density"], curve["x"]) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(
    ("order", "epsilon", "delta", "expected"),
    [(2, 0.5, 0.05, 6.2206), (2, 1, 0.25, 2.2498), (3, 1, 0.01, 6.7380), (4, 2, 0.05, 3.5171)],
)
def test_figure_2_is_the_quadratures(tables, order, epsilon, delta, expected):
    row = nearest(tables[2], order=order, epsilon=epsilon, delta=delta)
    assert (row["order"], row["epsilon"], row["delta"]) == (order, epsilon, delta)
    # six standard errors, false alarm 2e-9 each
    assert abs(row["scale"] - expected) < 3 * (row["high"] - row["low"]) / 2 + 1e-4


def test_figure_2_closed_form_is_tighter(tables):
    second = tables[2][tables[2]["order"] == 2]
    assert (second["closed_form"] < second["low"]).all()
    assert tables[2].loc[tables[2]["order"] > 2, "closed_form"].isna().all()


def test_the_scale_does_not_rise_with_the_order_everywhere():
    """The paper sees it rise "in the examined scenarios"; at large δ and small ε it falls."""
    for epsilon, delta, orders in ((0.1, 0.4, (2, 3, 4)), (0.5, 0.25, (4, 10))):
        scales = [
            calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=delta).scale
            for order in orders
        ]
        assert scales == sorted(scales, reverse=True)


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [(0.5, 0.01, 0.8590), (0.5, 0.05, 0.8198), (0.1, 0.05, 0.7824)],
)
def test_figure_3_by_hand(tables, epsilon, delta, expected):
    for panel, name in (("epsilon", "delta"), ("delta", "epsilon")):
        table = tables[3][tables[3]["panel"] == panel]
        table = table[table[name] == {"epsilon": epsilon, "delta": delta}[name]]
        row = nearest(table, epsilon=epsilon, delta=delta)
        assert row["ratio"] == pytest.approx(expected, abs=2e-3)
    z = ndtri(delta / 2)
    ratio = (sqrt(z**2 + 2 * epsilon) - z) / (2 * sqrt(2 * np.log(1.25 / delta)))
    assert ratio == pytest.approx(expected, abs=5e-5)


def test_figure_3_ratio_is_below_1_everywhere(tables):
    assert (tables[3]["ratio"] < 1).all()
    # also outside the drawn range, where it tends to 1 as δ vanishes
    epsilon = np.linspace(0, 1, 1001)[1:, None]
    delta = np.concatenate([np.logspace(-300, -3, 1000), np.linspace(0.001, 0.5, 1000)])
    z = ndtri(delta / 2)
    ratio = (np.sqrt(z**2 + 2 * epsilon) - z) / (2 * np.sqrt(2 * np.log(1.25 / delta)))
    assert ratio.max() < 1


@pytest.mark.parametrize(
    ("epsilon", "delta", "t", "minimum"), [(1, 0.01, 6.69, 0.0815), (1, 0.2, 1.73, 0.6375)]
)
def test_figure_4_minima(tables, epsilon, delta, t, minimum):
    curve = tables[4][(tables[4]["epsilon"] == epsilon) & (tables[4]["delta"] == delta)]
    lowest = curve.loc[curve["ratio"].idxmin()]
    assert lowest["ratio"] == pytest.approx(minimum, abs=5e-5)
    assert lowest["t"] == pytest.approx(t, abs=0.05)


def test_figure_4_starts_at_1_falls_and_bounces_back(tables):
    turning_points = {}
    for (epsilon, delta), curve in tables[4].groupby(["epsilon", "delta"]):
        ratio, t = curve["ratio"].to_numpy(), curve["t"].to_numpy()
        assert ratio[0] == 1
        bottom = ratio.argmin()
        assert (np.diff(ratio[: bottom + 1]) < 0).all()
        assert (np.diff(ratio[bottom:]) > 0).all()
        turning_points[epsilon, delta] = t[bottom]
        np.testing.assert_allclose(curve["p1"], np.exp(-epsilon * t))
        unlikely = (curve["p1"] < 1e-4) & (curve["p2"] < 1e-4)
        np.testing.assert_array_equal(curve["unlikely"], unlikely)
        assert unlikely.any()
        assert not unlikely.all()
    # the ratio turns at a larger t if δ is smaller
    for epsilon in tabulate_theory.EPSILONS:
        turns = [turning_points[epsilon, delta] for delta in tabulate_theory.DELTAS]
        assert turns == sorted(turns, reverse=True)


@pytest.mark.parametrize(("t", "expected"), [(1, 2.1703), (3, 1.4955), (6, 1.1156)])
def test_figure_5_by_hand(tables, t, expected):
    curve = tables[5][(tables[5]["epsilon"] == 1) & (tables[5]["delta"] == 0.05)]
    ratio = np.interp(t, curve["t"], curve["ratio"])
    assert ratio == pytest.approx(expected, abs=3e-4)


def test_figure_5_gaussian_has_the_same_tail_at_epsilon_2(tables):
    for row in tables[5].iloc[::97].to_dict("records"):
        b = calibration.calibrate(
            "pdp", order=2, epsilon=row["epsilon_2"], delta=row["delta"]
        ).scale
        assert 2 * ndtr(-row["t"] / (b / sqrt(2))) == pytest.approx(row["tail"], rel=1e-8)
        assert row["tail"] == pytest.approx(np.exp(-row["epsilon"] * row["t"]))
        assert row["unlikely"] == (row["tail"] < 1e-4)


def test_lemma_11():
    """Below δ = 2 Φ(-√2) = 0.1573 the Gaussian's variance exceeds Laplace's at every ε."""
    threshold = 2 * ndtr(-sqrt(2))
    assert threshold == pytest.approx(0.1573, abs=5e-5)
    for epsilon in (1e-6, 1e-3, 0.1, 1, 10, 1000):
        b = calibration.calibrate("pdp", order=2, epsilon=epsilon, delta=threshold).scale
        assert GeneralizedGaussian(2, b).sd > GeneralizedGaussian(1, 1 / epsilon).sd
    # sufficient and, as ε vanishes, necessary
    b = calibration.calibrate("pdp", order=2, epsilon=1e-6, delta=1.001 * threshold).scale
    assert GeneralizedGaussian(2, b).sd < GeneralizedGaussian(1, 1e6).sd


@pytest.mark.parametrize("order", [1.1, 1.5, 2, 3])
def test_claim_4_no_scale_gives_pure_dp_beyond_order_1(order):
    """At any scale the privacy loss at t grows without bound with t; at order 1 it is bounded."""
    for b in (1, 1e3):
        losses = [order * t ** (order - 1) / b**order for t in (1e2, 1e12, 1e90)]  # lower bounds
        assert losses[-1] > 1e3
    # therefore the scale for pDP grows without bound as δ → 0; at order 1 it tends to Δ/ε
    scales = [
        calibration.calibrate("pdp", order=order, epsilon=1, delta=delta).scale
        for delta in (1e-3, 1e-30, 1e-300)
    ]
    assert scales[0] < scales[1] < scales[2]
    assert calibration.calibrate("pdp", order=1, epsilon=1, delta=1e-300).scale == pytest.approx(1)
