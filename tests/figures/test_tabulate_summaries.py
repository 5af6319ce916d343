"""The numbers of figures of summaries: ratios, losses, ranks, and references."""

from math import hypot

import numpy as np
import pandas as pd
import pytest
from conftest import stored
from test_pictures import BASELINE, EQUAL, METHODS, TALLY, made_methods, made_summary

from ggexp.figures import tabulate_other_releases as other_releases
from ggexp.figures import tabulate_rows
from ggexp.figures import tabulate_summaries as summaries

METRICS = ["l1", "kl"]
SUMMARY = ["dataset", "mechanism", "epsilon", "delta", "metric", "repeats", "mean", "sd", "se"]


def summary(metric, means, *, se=0.1, repeats=100):
    rows = [
        {"dataset": "own", "mechanism": name, "epsilon": epsilon, "delta": delta, "metric": metric}
        | {"repeats": repeats, "mean": mean, "sd": 1.0, "se": se}
        for (name, epsilon, delta), mean in means.items()
    ]
    return stored(pd.DataFrame(rows))


def ratios_of(table):
    return table[table["metric"] == "ratio"].set_index(["mechanism", "epsilon", "delta"])


def test_errors_are_the_rows_of_the_metrics_and_ratios_of_the_first():
    measured = made_summary({"l1": 100, "kl": 0.5, "kl_reverse": 0.7})
    table = stored(summaries.errors(measured, ["kl", "l1"], EQUAL))
    drawn = table[table["metric"] != "ratio"]
    assert list(table) == [*SUMMARY, "reference", "equal"]
    equal = table.groupby("metric")["equal"].agg(["min", "max"])
    assert equal.loc[METRICS].to_numpy().tolist() == [[15_000, 15_000], [9, 9]]
    assert equal.loc["ratio"].isna().all()
    expected = measured[measured["metric"] != "kl_reverse"].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        drawn[SUMMARY], expected[SUMMARY], check_dtype=False, check_index_type=False
    )
    ratios = ratios_of(table)
    assert len(ratios) == len(expected) / 2
    assert (ratios.loc["laplace", ["mean", "se"]] == [1, 0]).all(axis=None)
    assert ratios["sd"].isna().all()
    l1 = measured[measured["metric"] == "l1"].set_index(["mechanism", "epsilon", "delta"])
    for key, row in ratios.drop("laplace").iterrows():
        other = l1.loc[("laplace", key[1])].iloc[0]
        assert row["mean"] == pytest.approx(l1.loc[key, "mean"] / other["mean"], rel=1e-9)
        relative = hypot(l1.loc[key, "se"] / l1.loc[key, "mean"], other["se"] / other["mean"])
        assert row["se"] == pytest.approx(row["mean"] * relative, rel=1e-9)


def test_ratios_to_a_mechanism_with_a_delta():
    """The first one, because Laplace is missing; a mechanism without δ has ratios at each δ."""
    means = {("b", 1, 0.1): 12.0, ("b", 1, 0.2): 8.0, ("a", 1, None): 10.0}
    ratios = ratios_of(summaries.errors(summary("l1", means), METRICS, EQUAL))
    assert set(ratios["reference"]) == {"b"}
    assert ratios["mean"].to_dict() == pytest.approx(
        {("a", 1, 0.1): 10 / 12, ("b", 1, 0.1): 1} | {("a", 1, 0.2): 10 / 8, ("b", 1, 0.2): 1}
    )


def test_ratios_and_excesses_of_errors_of_0():
    means = {("a", 1, 0.1): 0.0, ("b", 1, 0.1): 0.0}
    table = summaries.errors(summary("l1", means), METRICS, EQUAL)
    assert list(ratios_of(table)["mean"]) == [1, 1]
    assert set(ratios_of(table)["reference"]) == {"a"}
    means = {("a", 1, 0.1): 0.0, ("b", 1, 0.1): 0.0, ("c", 1, 0.1): 2.0}
    ranks = tabulate_rows.ranks(summary("l1", means), METRICS, EQUAL)
    assert list(ranks["excess"]) == [0, 0, np.inf]


def test_accuracies_have_losses_and_a_row_for_each_baseline():
    measured = made_summary({"accuracy": 0.9})
    table = stored(summaries.losses(measured, BASELINE))
    assert list(table) == [*SUMMARY[:4], *SUMMARY[5:], "loss"]
    np.testing.assert_allclose(table["mean"][:-3], measured["mean"])
    np.testing.assert_allclose(table["loss"], 100 * (0.845 - table["mean"]), atol=1e-8)
    last = table[-3:]
    assert list(last["mechanism"]) == ["original", "majority", "equal"]
    assert list(last["mean"]) == [0.845, 0.75, 0.844]
    assert list(last["loss"]) == pytest.approx([0, 9.5, 0.1])
    assert last[["epsilon", "delta", "sd"]].isna().all(axis=None)


def test_training_and_marginals_of_synthetic_records():
    releases = made_summary({"accuracy": 0.9}, [("laplace", 1.0, None)])
    table = other_releases.training(made_methods({"accuracy": 0.8, "l1": 9}), releases, BASELINE)
    assert list(table["method"].dropna().unique()) == METHODS
    assert len(table) == 1 + len(made_methods({"accuracy": 1})) + 3
    assert table["loss"].iloc[0] == pytest.approx(100 * (0.845 - releases["mean"].iloc[0]))
    assert list(table["mean"][-3:]) == [0.845, 0.75, 0.844]
    errors = made_methods({"records": 1, "one_way": 1, "two_way": 2})
    table = other_releases.marginals(errors, EQUAL)
    assert set(table["metric"]) == {"one_way", "two_way"}
    assert set(table["equal"]) == {0.3}


def test_the_references_of_retained_cells():
    """The largest l1 is twice the records."""
    retained = made_summary({"l1": 9000, "kept": 300, "added": 7})
    trained = (made_summary({"accuracy": 0.4}), BASELINE)
    for inputs, known in (((), {}), (trained, {"accuracy": 0.845})):
        table = stored(other_releases.retained_cells(retained, TALLY, EQUAL, *inputs))
        references = table[table["mechanism"] == "reference"].set_index("metric")["mean"]
        assert references.to_dict() == {"l1": 40_000, "kept": 1600} | known
        assert set(table["metric"]) == {"l1", "kept", *known}


def test_ranks_by_hand():
    means = {("a", 1, 0.1): 12.0, ("b", 1, 0.1): 10.0, ("c", 1, 0.1): 11.0}
    table = tabulate_rows.ranks(summary("l1", means), METRICS, EQUAL)
    assert list(table) == [
        *["error", "epsilon", "delta", "mechanism", "rank"],
        *["repeats", "mean", "se", "excess", "excess_se", "equal"],
    ]
    assert list(table["mechanism"]) == ["a", "b", "c"]
    assert list(table["rank"]) == [3, 1, 2]
    assert list(table["excess"]) == pytest.approx([0.2, 0, 0.1])
    assert table["excess_se"][0] == pytest.approx(1.2 * hypot(0.1 / 12, 0.1 / 10))
    assert table["excess_se"][1] == 0
    assert set(table["equal"]) == {15_000 / 10 - 1}


def test_accuracy_is_ranked_by_misclassification():
    means = {("a", 1, 0.1): 0.80, ("b", 1, 0.1): 0.84}
    table = tabulate_rows.ranks(
        summary("accuracy", means, se=0.001), METRICS, EQUAL, baseline=BASELINE
    )
    assert set(table["error"]) == {"misclassification"}
    assert list(table["mean"]) == pytest.approx([0.20, 0.16])
    assert list(table["rank"]) == [2, 1]
    assert table["excess"][0] == pytest.approx(0.25)
    assert list(table["equal"]) == pytest.approx([0.156 / 0.16 - 1] * 2)
    assert table["excess_se"][0] == pytest.approx(1.25 * hypot(0.001 / 0.2, 0.001 / 0.16))


def test_a_mechanism_without_a_delta_is_ranked_at_every_delta():
    means = {("laplace", 1, None): 10.0, ("b", 1, 0.1): 12.0, ("b", 1, 0.2): 8.0}
    table = tabulate_rows.ranks(summary("l1", means), METRICS, EQUAL)
    assert list(zip(table["delta"], table["mechanism"], table["rank"], strict=True)) == [
        *[(0.1, "laplace", 1), (0.1, "b", 2)],
        *[(0.2, "laplace", 2), (0.2, "b", 1)],
    ]
    means = {(name, epsilon, None): 10.0 + epsilon for name in "ab" for epsilon in (1, 2)}
    table = tabulate_rows.ranks(summary("kl", means), METRICS, EQUAL)
    assert table["delta"].isna().all()
    assert list(table["rank"]) == [1, 2, 1, 2]
    assert list(table["excess_se"] > 0) == [False, True] * 2
