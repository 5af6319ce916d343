"""The numbers of the supplementary figures, each derived in a second way, and their drawings."""

from importlib import import_module
from math import sqrt, tanh

import numpy as np
import pandas as pd
import pytest
from conftest import stored
from scipy.stats import laplace, norm, truncnorm

from ggexp.companions.figures import tabulate_noise, tabulate_queries
from ggexp.companions.figures.catalog import NUMBERED
from ggexp.companions.figures.tabulate_noise import DELTAS, EPSILONS, WORST, guessing_advantage

ADULT = pd.DataFrame({"sex": ["M", "M", "F"], "race": ["W", "B", "W"], "count": [50, 20, 30]})
PANELS = {
    **{"s1": 12, "s2": 8, "s4": 8, "s5": 3, "s6": 2, "s7": 2, "s8": 3},
    **{"f1": 4, "f2": 3, "f3": 6},
}

#: Coarser grids of Figures S5 and S8.
GRIDS = {"KS": (1, 3, 10, 30), "SIMULATED": (3, 30), "RELEASES": (1, 34, 35, 100)}
GRIDS |= {"CROSSINGS": (("laplace", "gaussian"),), "QUERIES": (1, 10)}


@pytest.fixture(scope="module")
def tables():
    """The tables of all figures, some on coarser grids, as read from their files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_noise, "MANY_EPSILONS", np.array([0.5, 1, 2]))
        for name in ("ALONG_EPSILON", "ALONG_DELTA"):
            patch.setattr(tabulate_noise, name, getattr(tabulate_noise, name)[::8])
        for name, values in GRIDS.items():
            patch.setattr(tabulate_queries, name, values)
        noise = tabulate_noise
        numbers = {"s1": noise.loss_curves(), "s4": noise.looseness(), "s7": noise.trade_off()}
        numbers |= {"s2": noise.above_best(), "s6": guessing_advantage()}
        numbers |= {"s5": tabulate_queries.many_queries(1), "s8": tabulate_queries.boundary()}
        numbers |= {"f1": noise.truncated_densities(), "f2": noise.densities()}
        numbers["f3"] = noise.histograms(seed=1)
    return {name: stored(table) for name, table in numbers.items()}


@pytest.mark.parametrize("number", NUMBERED)
def test_every_figure_is_drawn_from_its_table(tables, number):
    module, _, function = NUMBERED[number].draw.rpartition(".")
    drawn = getattr(import_module(module), function)(tables[number])
    assert len(drawn.axes) == PANELS[number]
    assert all(axes.lines or axes.patches for axes in drawn.axes)


def curve(table, way, **where):
    for name, value in {"way": way, **where}.items():
        table = table[table[name] == value]
    return table.set_index("k")["value"]


def test_errors_meet_on_the_boundary(tables):
    table = tables["s8"]
    setting = {"epsilon": 1, "failure": 0.05}
    for way, histogram in tabulate_queries.COMPARED_WITH.items():
        for delta in tabulate_queries.DELTAS:
            cells = curve(table, way, panel="boundary", delta=delta)
            error = tabulate_queries.HISTOGRAMS[histogram](**setting, cells=cells[10], k=10)
            one_by_one = curve(table, way, panel="error", delta=delta)
            assert one_by_one[10] == pytest.approx(error, rel=1e-5)
            # for a single query, no histogram is better than Laplace noise
            assert cells[1] == 0 or way == "gaussian-exact"


@pytest.mark.parametrize("adult", [None, ADULT], ids=["without Adult", "with Adult"])
def test_advantage_by_bayes_theorem(adult):
    """For the likelihood ratios e^loss and e^-loss; at the worst prior it is tanh(loss/4)."""
    table = guessing_advantage(adult)
    answers = {"1 of 10 answers": 0.1} if adult is None else {"sex": 0.3, "race": 0.2}
    for panel, priors, radius in (
        ("presence", {"prior 0.01": 0.01, WORST: None}, 1),
        ("answer", answers | {WORST: None}, 2),
    ):
        for name, v in priors.items():
            rows = table[(table["panel"] == panel) & (table["prior"] == name)]
            for row in rows[rows["delta"].isna()].itertuples():
                ratios = np.exp([radius * row.epsilon, -radius * row.epsilon])
                expected = tanh(radius * row.epsilon / 4)
                if v is not None:
                    expected = np.abs(v * ratios / (v * ratios + 1 - v) - v).max()
                assert row.advantage == pytest.approx(expected, abs=1e-12)
    means = table[table["delta"].notna()]
    assert len(means) == len(EPSILONS) * len(DELTAS)
    for row in means.itertuples():
        expected = (1 - row.delta) * tanh(row.epsilon / 4) + row.delta
        assert row.advantage == pytest.approx(expected)


def sigma(epsilon, delta):
    """By Lemma 10."""
    z = norm.ppf(delta / 2)
    return (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon)


@pytest.mark.parametrize(
    ("panel", "laplace_scale", "gaussian_scale"),
    # 2Δ/ε and √(2/ε · Σ (2wΔ + Δ²)), Δ = 1
    [("a", 2, sqrt(42)), ("d", 20, sqrt(820))],
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
        np.testing.assert_allclose(curve["density"], expected, rtol=1e-8)


def test_f2_is_laplace_and_gaussian_pdp(tables):
    table = tables["f2"]
    assert len(table.groupby(["epsilon", "mechanism", "delta"], dropna=False)) == 15
    for (epsilon, delta), curve in table.groupby(["epsilon", "delta"]):
        s = sigma(epsilon, delta)
        np.testing.assert_allclose(curve["density"], norm.pdf(curve["x"], scale=s), rtol=1e-8)
        assert curve["sd"].to_numpy() == pytest.approx(s)
    for epsilon, curve in table[table["delta"].isna()].groupby("epsilon"):
        expected = laplace.pdf(curve["x"], scale=1 / epsilon)
        np.testing.assert_allclose(curve["density"], expected, rtol=1e-8)
        assert curve["sd"].to_numpy() == pytest.approx(sqrt(2) / epsilon)


def test_f3_probabilities_and_sds_by_other_formulas(tables):
    table = tables["f3"]
    draws = tabulate_noise.DRAWS
    p = table["probability"]
    deviation = np.abs(table["share"] - p) / np.sqrt(p * (1 - p) / draws + 1e-12)
    assert deviation[p > 1e-4].max() < 5.5  # 540 bins: false alarm 2e-5
    for (bound, epsilon, delta), rows in table.groupby(["bound", "epsilon", "delta"]):
        s = sigma(epsilon, delta)
        a = bound / s
        on_bound = rows["probability"][rows["left"] == rows["right"]]
        assert on_bound.to_numpy() == pytest.approx(norm.sf(a))
        assert rows["probability"].sum() == pytest.approx(1)
        # expected square of values within the bounds, in units of s²
        inside = 1 - 2 * norm.sf(a) - 2 * a * norm.pdf(a)
        expected = s * sqrt(inside + 2 * a**2 * norm.sf(a))
        assert rows["bounded_sd"].to_numpy() == pytest.approx(expected)
        # the shares would differ significantly with a scale that is 20 % smaller
        if norm.sf(a) > 1e-3:
            difference = rows["share"].iloc[0] - norm.sf(a / 0.8)
            assert abs(difference) > 5 * sqrt(norm.sf(a) / draws)
    for (bound, epsilon), rows in table[table["delta"].isna()].groupby(["bound", "epsilon"]):
        tail = np.exp(-epsilon * bound)
        expected = sqrt(2 / epsilon**2 * (1 - tail * (1 + epsilon * bound)))
        assert rows["bounded_sd"].to_numpy() == pytest.approx(expected)
