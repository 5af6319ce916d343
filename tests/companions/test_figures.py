"""The numbers of the supplementary figures, each derived in a second way, and their drawings."""

import re
from importlib import import_module
from math import sqrt, tanh
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from formulas import lemma_10
from made_figures import made_table
from scipy.stats import laplace, norm, truncnorm

from ggexp.companions.figures import findings, tabulate_noise, tabulate_queries
from ggexp.companions.figures.catalog import NUMBERED
from ggexp.companions.figures.tabulate_noise import DELTAS, EPSILONS, WORST, guessing_advantage

ADULT = pd.DataFrame({"sex": ["M", "M", "F"], "race": ["W", "B", "W"], "count": [50, 20, 30]})
PANELS = {
    **{"s1": 12, "s2": 8, "s4": 8, "s5": 3, "s6": 2, "s7": 2, "s8": 3},
    **{"f1": 4, "f2": 3, "f3": 6},
}


@pytest.mark.parametrize("number", NUMBERED)
def test_every_figure_is_drawn_from_its_table(number):
    module, _, function = NUMBERED[number].function("draw").rpartition(".")
    drawn = getattr(import_module(module), function)(made_table(number))
    assert len(drawn.axes) == PANELS[number]
    assert drawn.get_label()
    assert all(axes.lines or axes.patches for axes in drawn.axes)


def numbers_in(title):
    """Return the numbers in a title, without those in names such as 10⁻⁶ and (ε, δ)."""
    return [float(number.replace(",", "")) for number in re.findall(r"[\d,]*\.?\d+(?!⁻)", title)]


def with_one(table, rows, **values):
    """Return a table of another design: the first of these rows has other values."""
    table = table.copy()
    for name, value in values.items():
        table.loc[table.index[rows][0], name] = value
    return table


def test_titles_state_exact_findings_of_several_designs():
    s1 = made_table("s1")
    claimed = s1[s1["at_epsilon"] == s1["epsilon"]]
    largest = 100 * (claimed["exact_delta"] / claimed["delta"]).max()
    assert numbers_in(findings.of_loss_curves(s1)) == [float(f"{largest:.2g}")]
    wrong = with_one(s1, s1["at_epsilon"] == s1["epsilon"], exact_delta=0.5)
    assert numbers_in(findings.of_loss_curves(wrong)) == [1, 48]
    s4 = made_table("s4")
    small = [(s4[s4["calibration"] == f"adp-{name}"]["ratio"] < 1).sum() for name in RULES]
    assert numbers_in(findings.of_looseness(s4))[:2] == small
    sound = s4[s4["calibration"].isin(["pdp", "zcdp"])]
    (scale,) = numbers_in(findings.of_looseness(sound))
    assert scale == float(f"{sound['ratio'].max():.2g}")
    expected = [
        float(f"{number:.2g}")
        for epsilon in (0.5, 2)
        for number in (tanh(epsilon / 4), tanh(epsilon / 2), epsilon)
    ]
    assert numbers_in(findings.of_guessing_advantage(made_table("s6"))) == expected
    s7 = made_table("s7")
    swapped = s7.replace({"mechanism": {"laplace": "ggm-3", "ggm-3": "laplace"}})
    first, second = (findings.of_trade_off(table).split() for table in (s7, swapped))
    assert ["GGM-3" if word == "Laplace" else word for word in first] == second != first
    f1, f2 = made_table("f1"), made_table("f2")
    assert numbers_in(findings.of_truncated_densities(f1)) == [0, 4, 4, 7, 8]
    exchanged = f1.replace({"mechanism": {"laplace": "gaussian", "gaussian": "laplace"}})
    assert numbers_in(findings.of_truncated_densities(exchanged)) == [0, 0, 4, 1, 8]
    ratios = [lemma_10(e, d) * e / sqrt(2) for e in EPSILONS for d in DELTAS]
    expected = [float(f"{end(ratios):.2g}") for end in (min, max)]
    assert numbers_in(findings.of_densities(f2)) == expected


RULES = ("classical", "lecture")


def test_titles_compare_draws_at_three_standard_errors():
    s5 = made_table("s5")
    simulated = (s5["kind"] == "simulated") & (s5["way"] == "laplace")
    *_, agree, total = numbers_in(findings.of_many_queries(s5))
    assert agree == total == (s5["kind"] == "simulated").sum()
    curve = s5[(s5["panel"] == "queries") & (s5["kind"] == "curve") & (s5["way"] == "laplace")]
    drawn = s5[simulated].iloc[0]
    value = curve.set_index(["delta", "k"])["value"][drawn["delta"], drawn["k"]]
    for errors, expected in ((2.9, total), (3.1, total - 1)):
        changed = with_one(s5, simulated, value=value + errors * drawn["se"])
        assert numbers_in(findings.of_many_queries(changed))[-2:] == [expected, total]
    f3 = made_table("f3")
    more, cases, less = numbers_in(findings.of_histograms(f3))
    assert (more, cases, less) == (19, 24, 2)
    # with one draw in each case, no difference exceeds three standard errors
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(findings, "DRAWS", 1)
        assert numbers_in(findings.of_histograms(f3)) == [0, 24, 0]


def curve(table, way, **where):
    for name, value in {"way": way, **where}.items():
        table = table[table[name] == value]
    return table.set_index("k")["value"]


def test_errors_meet_on_the_boundary():
    with patch.object(tabulate_queries, "QUERIES", (1, 10)):
        table = tabulate_queries.boundary()
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


@pytest.mark.parametrize(
    ("panel", "laplace_scale", "gaussian_scale"),
    # 2Δ/ε and √(2/ε · Σ (2wΔ + Δ²)), Δ = 1
    [("a", 2, sqrt(42)), ("d", 20, sqrt(820))],
)
def test_f1_is_truncated_noise_of_definition_5(panel, laplace_scale, gaussian_scale):
    rows = made_table("f1")[made_table("f1")["panel"] == panel]
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


def test_f2_is_laplace_and_gaussian_pdp():
    table = made_table("f2")
    assert len(table.groupby(["epsilon", "mechanism", "delta"], dropna=False)) == 15
    for (epsilon, delta), curve in table.groupby(["epsilon", "delta"]):
        s = lemma_10(epsilon, delta)
        np.testing.assert_allclose(curve["density"], norm.pdf(curve["x"], scale=s), rtol=1e-8)
        assert curve["sd"].to_numpy() == pytest.approx(s)
    for epsilon, curve in table[table["delta"].isna()].groupby("epsilon"):
        expected = laplace.pdf(curve["x"], scale=1 / epsilon)
        np.testing.assert_allclose(curve["density"], expected, rtol=1e-8)
        assert curve["sd"].to_numpy() == pytest.approx(sqrt(2) / epsilon)


def test_f3_probabilities_and_sds_by_other_formulas():
    table = made_table("f3")
    draws = tabulate_noise.DRAWS
    p = table["probability"]
    deviation = np.abs(table["share"] - p) / np.sqrt(p * (1 - p) / draws + 1e-12)
    assert deviation[p > 1e-4].max() < 5.5  # 540 bins: false alarm 2e-5
    for (bound, epsilon, delta), rows in table.groupby(["bound", "epsilon", "delta"]):
        s = lemma_10(epsilon, delta)
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
