"""Figures F1 to F3: Laplace and Gaussian noise, truncated, unbounded and boundary-inflated."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, stored
from scipy.stats import laplace, norm, truncnorm

from ggexp.companions.figures.draw_first_version import draw
from ggexp.companions.figures.tabulate_first_version import DRAWS, tabulate
from ggexp.figures import style
from ggexp.run.pages import caption


@pytest.fixture(scope="module")
def tables():
    return {figure: tabulate(figure, seed=1) for figure in ("f1", "f2", "f3")}


def sigma(epsilon, delta):
    """By Lemma 10."""
    z = norm.ppf(delta / 2)
    return (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon)


@pytest.mark.parametrize(
    ("panel", "laplace_scale", "gaussian_scale"),
    # 2Δ/ε and √(2/ε · Σ (2wΔ + Δ²)), Δ = 1
    [("a", 2, sqrt(42)), ("b", 4, sqrt(164)), ("c", 10, sqrt(210)), ("d", 20, sqrt(820))],
)
def test_f1_is_truncated_noise_of_definition_5(tables, panel, laplace_scale, gaussian_scale):
    rows = tables["f1"][tables["f1"]["panel"] == panel]
    for mechanism, b in (("laplace", laplace_scale), ("gaussian", gaussian_scale)):
        curve = rows[rows["mechanism"] == mechanism]
        x = curve["x"].to_numpy()
        assert curve["scale"].to_numpy() == pytest.approx(b)
        if mechanism == "gaussian":
            s = b / sqrt(2)
            expected = truncnorm.pdf(x, x[0] / s, x[-1] / s, scale=s)
        else:
            noise = laplace(scale=b)
            expected = noise.pdf(x) / (noise.cdf(x[-1]) - noise.cdf(x[0]))
        np.testing.assert_allclose(curve["density"], expected, rtol=1e-12)
        assert np.trapezoid(curve["density"], x) == pytest.approx(1, abs=1e-4)


def test_f2_is_laplace_and_gaussian_pdp(tables):
    table = tables["f2"]
    assert len(table.groupby(["epsilon", "mechanism", "delta"], dropna=False)) == 15
    for (epsilon, delta), curve in table.groupby(["epsilon", "delta"]):
        s = sigma(epsilon, delta)
        np.testing.assert_allclose(curve["density"], norm.pdf(curve["x"], scale=s), rtol=1e-9)
        assert curve["sd"].to_numpy() == pytest.approx(s)
    for epsilon, curve in table[table["delta"].isna()].groupby("epsilon"):
        expected = laplace.pdf(curve["x"], scale=1 / epsilon)
        np.testing.assert_allclose(curve["density"], expected, rtol=1e-12)
        assert curve["sd"].to_numpy() == pytest.approx(sqrt(2) / epsilon)


def test_f3_shares_are_draws_of_the_probabilities(tables):
    p, share = tables["f3"]["probability"], tables["f3"]["share"]
    deviation = np.abs(share - p) / np.sqrt(p * (1 - p) / DRAWS + 1e-12)
    assert deviation[p > 1e-4].max() < 5.5  # 540 bins: false alarm 2e-5
    for _, rows in tables["f3"].groupby(["bound", "epsilon", "mechanism", "delta"], dropna=False):
        assert rows["probability"].sum() == pytest.approx(1)
        assert rows["share"].sum() == pytest.approx(1)


def test_f3_probabilities_and_sds_by_other_formulas(tables):
    for (bound, epsilon, delta), rows in tables["f3"].groupby(["bound", "epsilon", "delta"]):
        s = sigma(epsilon, delta)
        a = bound / s
        on_bound = rows["probability"][rows["left"] == rows["right"]]
        assert on_bound.to_numpy() == pytest.approx(norm.sf(a))
        # expected square of values within the bounds, in units of s²
        inside = 1 - 2 * norm.sf(a) - 2 * a * norm.pdf(a)
        expected = s * sqrt(inside + 2 * a**2 * norm.sf(a))
        assert rows["bounded_sd"].to_numpy() == pytest.approx(expected)
        # the shares would differ significantly with a scale that is 20 % smaller
        deviation = rows["share"].iloc[0] - norm.sf(a / 0.8)
        if norm.sf(a) > 1e-3:
            assert abs(deviation) > 5 * sqrt(norm.sf(a) / DRAWS)
    for (bound, epsilon), rows in tables["f3"][tables["f3"]["delta"].isna()].groupby(
        ["bound", "epsilon"]
    ):
        tail = np.exp(-epsilon * bound)
        expected = sqrt(2 / epsilon**2 * (1 - tail * (1 + epsilon * bound)))
        assert rows["bounded_sd"].to_numpy() == pytest.approx(expected)


def test_f3_depends_on_the_seed(tables):
    again = tabulate("f3", seed=1)
    pd.testing.assert_frame_equal(again, tables["f3"])
    assert (tabulate("f3", seed=2)["share"] != tables["f3"]["share"]).any()


@pytest.mark.parametrize(("figure", "panels", "curves"), [("f1", 4, 2), ("f2", 3, 5), ("f3", 6, 5)])
def test_panels_curves_and_labels(tables, figure, panels, curves):
    drawn = draw(stored(tables[figure]), figure)
    assert drawn.get_figwidth() == style.WIDTH
    assert len(drawn.axes) == panels
    for axes in drawn.axes:
        assert axes.get_title()
        assert len(axes.lines) + len(axes.patches) == curves
    (legend,) = drawn.legends
    assert len(legend.get_texts()) == curves + (figure == "f3")


def test_the_legend_of_f3_has_a_mark_for_bars_on_a_bound(tables):
    """The bars and their mark are vertical and equally wide."""
    drawn = draw(stored(tables["f3"]), "f3")
    *_, mark = drawn.legends[0].legend_handles
    widths = {bars.get_linewidth()[0] for axes in drawn.axes for bars in axes.collections}
    assert (mark.get_marker(), widths) == ("|", {mark.get_markeredgewidth()})


@pytest.mark.parametrize("figure", ["f1", "f2", "f3"])
def test_captions_mention_settings_and_draws(figure):
    text, _ = caption(ROOT / f"workflow/report/figures/{figure}.rst")
    assert "settings" in text
    assert (f"{DRAWS:,} draws" in text) == (figure == "f3")
