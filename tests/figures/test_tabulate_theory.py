"""The numbers of Figures 1 to 5; reference/claims.yaml has the paper's statements about them."""

from math import gamma, sqrt

import numpy as np
import pytest
from formulas import COROLLARY_7, lemma_10
from scipy.special import ndtr
from scipy.stats import gennorm

from ggexp import calibration
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


@pytest.mark.parametrize(("order", "epsilon", "delta", "expected"), COROLLARY_7)
def test_figure_2_is_the_quadratures(tables, order, epsilon, delta, expected):
    row = nearest(tables[2], order=order, epsilon=epsilon, delta=delta)
    assert (row["order"], row["epsilon"], row["delta"]) == (order, epsilon, delta)
    # six standard errors, false alarm 2e-9 each
    assert abs(row["scale"] - expected) < 3 * (row["high"] - row["low"]) / 2 + 1e-4


def test_figure_2_closed_form_is_tighter(tables):
    second = tables[2][tables[2]["order"] == 2]
    assert (second["closed_form"] < second["low"]).all()
    assert tables[2].loc[tables[2]["order"] > 2, "closed_form"].isna().all()


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
    ratio = lemma_10(epsilon, delta) * epsilon / sqrt(2 * np.log(1.25 / delta))
    assert ratio == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("epsilon", "delta", "t", "minimum"), [(1, 0.01, 6.69, 0.0815), (1, 0.2, 1.73, 0.6375)]
)
def test_figure_4_minima(tables, epsilon, delta, t, minimum):
    curve = tables[4][(tables[4]["epsilon"] == epsilon) & (tables[4]["delta"] == delta)]
    lowest = curve.loc[curve["ratio"].idxmin()]
    assert lowest["ratio"] == pytest.approx(minimum, abs=5e-5)
    assert lowest["t"] == pytest.approx(t, abs=0.05)


def test_figure_4_probabilities_and_which_are_unlikely(tables):
    for (epsilon, _), curve in tables[4].groupby(["epsilon", "delta"]):
        np.testing.assert_allclose(curve["p1"], np.exp(-epsilon * curve["t"]))
        unlikely = (curve["p1"] < 1e-4) & (curve["p2"] < 1e-4)
        np.testing.assert_array_equal(curve["unlikely"], unlikely)
        assert unlikely.any()
        assert not unlikely.all()


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
