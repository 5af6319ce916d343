"""The recommended mechanism, for known tables and for a small run."""

from math import asinh, exp, log, sinh

import numpy as np
import pandas as pd
import pytest

from ggexp.experiment.answers import not_compared
from ggexp.experiment.recommendation import (
    Subject,
    left_out,
    needed_epsilon,
    recommend,
    unlearned,
)
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint

pytestmark = pytest.mark.filterwarnings("ignore:noise of calibration 'adp-classical'")

RULES = {
    "laplace": (1, "pure"),
    "gaussian": (2, "pdp"),
    "best": (2, "adp-exact"),
    "classical": (2, "adp-classical"),
    "pdp": (1, "pdp"),
}


def tables(means, metric="l1", se=1):
    summary = pd.DataFrame([*means], columns=["mechanism", "epsilon", "delta"])
    of_own = {"dataset": "own", "metric": metric, "repeats": 9, "sd": 3 * se, "se": se}
    noises = []
    for name, epsilon, delta in means:
        order, calibration = RULES[name]
        noise = Mechanism(order, calibration).noise(epsilon=epsilon, delta=delta)
        point = GridPoint("", name, order, calibration, epsilon, delta)
        noises.append(NoisyPoint(point, noise))
    return summary.assign(mean=[*means.values()], **of_own), noises


def own(records, **facts):
    return {"own": Subject(records, **facts)}


MEANS = {("laplace", 0.5, None): 50.0, ("gaussian", 0.5, 0.01): 60.0, ("best", 0.5, 0.01): 45.0}


def test_mechanisms_are_compared_if_they_satisfy_the_guarantee():
    table = recommend(*tables(MEANS), own(1000), "add-remove")
    assert table[["guarantee", "mechanism", "runner_up"]].fillna("").values.tolist() == [
        ["ε-DP", "laplace", ""],
        ["(ε, δ)-aDP", "best", "laplace"],  # and gaussian, because clamping does not preserve pDP
    ]
    assert table["relative"].tolist() == [0.05, 0.045]
    assert table["difference"].fillna(0).tolist() == [0, 5]
    assert table["clear"].tolist() == [False, True]  # 5 > 3 √2
    means = {("laplace", 0.5, 0.01): 50.0, ("best", 0.5, 0.01): 45.0}
    summary, noises = tables({("laplace", 0.5, None): 1.0} | means)
    kept = summary["delta"].notna()  # the first row is for another data set
    table = recommend(summary[kept], noises, own(1000, uses_delta=True), "add-remove")
    assert table[["guarantee", "mechanism"]].values.tolist() == [["(ε, δ)-aDP", "best"]]
    table = recommend(*tables(MEANS), own(1000, is_private=False), "add-remove")
    assert all(guarantee.startswith("none, noise for ") for guarantee in table["guarantee"])
    assert table["mechanism"].tolist() == ["laplace", "best"]
    assert [*needed_epsilon(table)["guarantee"].unique()] == [*table["guarantee"]]


@pytest.mark.parametrize(("mean", "expected"), [(49.2, "laplace"), (49.3, "best")])
def test_of_equally_good_mechanisms_the_one_with_the_strongest_guarantee_is_best(mean, expected):
    means = MEANS | {("laplace", 0.5, None): mean}  # compared with 45, with a standard error of √2
    row = recommend(*tables(means), own(1000), "add-remove").iloc[-1]
    assert row["mechanism"] == expected
    assert row["mean"] == {"laplace": mean, "best": 45}[expected]
    assert row["relative"] == row["mean"] / 1000
    assert (row["runner_up"] == "best") == (expected == "laplace")
    assert row["clear"] == (expected == "best")
    assert row["alike"] == {"laplace": "laplace, best", "best": "best"}[expected]


def test_negligible_standard_errors_are_treated_as_0():
    means = {("laplace", 0.5, None): 0.1, ("gaussian", 0.5, 0.01): 0.1 + 1e-9}
    for se, clear in ((1e-13, True), (1e-9, False)):
        table = recommend(*tables(means, "kl", se), own(9), "add-remove")
        assert table["se"].iloc[0] == (0 if clear else se)
        assert bool(table["clear"].iloc[-1]) is clear


def test_classifiers_that_learned_nothing_are_not_ranked():
    """Their accuracy exceeds that of the majority class by at most three standard errors."""
    accuracies = dict(zip(MEANS, (0.779, 0.781, 0.6), strict=True))
    summary, noises = tables(accuracies, "accuracy", se=0.01)
    baseline = {"dataset": "own", "model": ["original", "majority"], "accuracy": [0.9, 0.75]}
    baselines = [pd.DataFrame(baseline)]
    assert unlearned(summary, baselines)["mechanism"].tolist() == ["laplace", "best"]
    table = recommend(summary, noises, own(9), "add-remove", baselines=baselines)
    assert table[["guarantee", "mechanism"]].values.tolist() == [["(ε, δ)-aDP", "gaussian"]]
    assert table["runner_up"].isna().all()
    assert unlearned(summary, [pd.DataFrame(baseline | {"dataset": "other"})]).empty
    # the standard error of a single repeat is unknown
    single = unlearned(summary.assign(se=np.nan), baselines)
    assert single["mechanism"].tolist() == ["best"]
    errors, _ = tables(accuracies)
    assert unlearned(errors, baselines).empty


def test_other_metrics_are_compared_if_they_are_named():
    parts = [tables(MEANS, metric) for metric in ("accuracy", "kl_reverse", "l1")]
    summary, noises = pd.concat([summary for summary, _ in parts]), parts[0][1]
    table = recommend(summary, noises, own(9), "add-remove")
    assert list(table["metric"].unique()) == ["l1", "accuracy"]
    accuracies = table[table["metric"] == "accuracy"]
    assert accuracies["mechanism"].tolist() == ["laplace", "gaussian"]  # the larger ones
    assert (accuracies["difference"].dropna() > 0).all()
    assert accuracies["relative"].isna().all()
    table = recommend(summary, noises, own(9), "add-remove", metrics=["kl_reverse", "l1"])
    assert list(table["metric"].unique()) == ["l1", "kl_reverse", "accuracy"]
    best = table[table["metric"] == "kl_reverse"]["mechanism"]
    assert best.tolist() == ["laplace", "best"]  # with the smallest means


def test_a_rule_outside_its_proven_range_is_compared_if_its_exact_delta_is_small_enough():
    rows = [(name, epsilon, 0.1) for epsilon in (2.0, 6.5) for name in ("best", "classical")]
    means = dict(zip(rows, [9.0, 5.0] * 2, strict=True))
    summary, noises = tables(means, se=0.5)
    table = recommend(summary, noises, own(9), "add-remove")
    assert table[["epsilon", "mechanism"]].values.tolist() == [[2.0, "classical"], [6.5, "best"]]
    assert table["runner_up"].fillna("").tolist() == ["best", ""]
    violations = left_out(noises, "add-remove")
    assert violations == {"classical": [(Budget(6.5, 0.1), pytest.approx(0.1379, abs=5e-5))]}
    (message,) = not_compared(violations)
    assert all(part in message for part in ("classical", "6.5", "0.14"))
    # no mechanism is recommended if none satisfies its guarantee
    empty = recommend(summary[3:], noises[3:], own(9), "add-remove")
    assert empty.empty
    assert needed_epsilon(empty).empty


def test_the_needed_epsilon():
    # a power of ε, so that interpolation is exact
    means = {("laplace", e, None): 100 / e for e in (0.5, 1.0, 2.0)}

    def needed_of(records):
        return needed_epsilon(recommend(*tables(means), own(records), "add-remove"))

    needed = needed_of(1000)
    assert needed["within"].tolist() == [0.05, 0.1, 0.2]
    assert needed["epsilon"].tolist() == pytest.approx([2.0, 1.0, 0.5])
    assert needed["how"].tolist() == ["interpolated", "interpolated", "the smallest ε of the run"]
    not_reached = needed_of(100)
    assert not_reached["how"].tolist() == ["not reached"] * 3
    assert not_reached["epsilon"].isna().all()
    assert needed_of(0).empty
    between = needed_of(700)
    assert between["epsilon"].tolist()[1:] == pytest.approx([1000 / 700, 500 / 700])
    # an error that falls faster than a power of ε, like that of integer-valued noise
    means = {("laplace", e, None): 100 / sinh(e) for e in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)}
    curved = needed_of(700)
    exact = [asinh(100 / 700 / within) for within in curved["within"]]
    assert curved["epsilon"].tolist() == pytest.approx(exact, rel=0.01)
    # interpolation is on logarithmic scales
    assert between["epsilon"].iloc[1] == pytest.approx(exp(log(2) * log(10 / 7) / log(2)))
