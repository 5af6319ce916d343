"""Which mechanism is recommended, of tables that are known, and of a small run."""

from math import exp, log

import numpy as np
import pandas as pd
import pytest

from ggexp.experiment.recommendation import left_out, needed_epsilon, recommend
from ggexp.run.answers import answers, not_compared

pytestmark = pytest.mark.filterwarnings("ignore:noise of calibration 'adp-classical'")

RULES = {
    "laplace": (1, "pure"),
    "gaussian": (2, "pdp"),
    "best": (2, "adp-exact"),
    "classical": (2, "adp-classical"),
}


def tables(means: dict[tuple[str, float, float | None], float], metric: str = "l1", se: float = 1):
    """A summary of these means, and scales as large as they must be."""
    from ggexp.mechanisms import calibration

    keys = [
        {"mechanism": name, "epsilon": epsilon, "delta": delta} for name, epsilon, delta in means
    ]
    summary = pd.DataFrame(keys).assign(
        dataset="own", metric=metric, repeats=9, mean=list(means.values()), sd=3 * se, se=se
    )
    scales = pd.DataFrame(keys)
    scales["order"] = [RULES[name][0] for name in scales["mechanism"]]
    scales["calibration"] = [RULES[name][1] for name in scales["mechanism"]]
    scales["scale"] = [
        calibration.scale(
            row["calibration"],
            order=row["order"],
            epsilon=row["epsilon"],
            delta=None if pd.isna(row["delta"]) else row["delta"],
        )
        for row in scales.to_dict("records")
    ]
    return summary, scales


MEANS = {
    ("laplace", 0.5, None): 50.0,
    ("gaussian", 0.5, 0.01): 60.0,
    ("best", 0.5, 0.01): 45.0,
}


def test_mechanisms_compete_where_they_keep_the_guarantee():
    table = recommend(*tables(MEANS), {"own": 1000}, "add-remove")
    assert table[["guarantee", "mechanism", "runner_up"]].fillna("").values.tolist() == [
        ["ε-DP", "laplace", ""],
        ["(ε, δ)-aDP", "best", "laplace"],  # and gaussian, since pDP does not survive clamping
    ]
    assert table["relative"].tolist() == [0.05, 0.045]
    assert table["difference"].fillna(0).tolist() == [0, 5]
    assert table["clear"].tolist() == [False, True]  # 5 > 3 √2


def test_a_mechanism_of_pdp_competes_under_approximate_dp():
    means = {("gaussian", 0.5, 0.01): 40.0, ("best", 0.5, 0.01): 45.0}
    table = recommend(*tables(means), {"own": 1000}, "add-remove")
    assert table[["guarantee", "mechanism"]].values.tolist() == [["(ε, δ)-aDP", "gaussian"]]


def test_releases_whose_cells_cost_delta_are_of_approximate_dp():
    means = {("laplace", 0.5, 0.01): 50.0, ("best", 0.5, 0.01): 45.0}
    summary, scales = tables({("laplace", 0.5, None): 1.0} | means)
    own = summary["delta"].notna()  # the first is of another data set of the same run
    summary["dataset"] = np.where(own, "own", "other")
    table = recommend(summary[own], scales, {"own": 1000}, "add-remove", {"own"})
    assert table[["guarantee", "mechanism"]].values.tolist() == [["(ε, δ)-aDP", "best"]]


@pytest.mark.parametrize(("se", "clear"), [(1.17, True), (1.19, False), (np.nan, False)])
def test_a_difference_within_the_monte_carlo_error_is_not_clear(se, clear):
    table = recommend(*tables(MEANS, se=se), {"own": 1000}, "add-remove")
    assert bool(table["clear"].iloc[-1]) is clear  # 5 against 3 √2 se


def test_the_last_digits_decide_nothing():
    means = {("laplace", 0.5, None): 0.3, ("best", 0.5, 0.01): 0.1 + 0.2}
    assert 0.1 + 0.2 > 0.3
    for order in ([*means], [*means][::-1]):
        table = recommend(*tables({key: means[key] for key in order}), {"own": 9}, "add-remove")
        assert table["mechanism"].iloc[-1] == order[0][0]
        assert not table["clear"].iloc[-1]


def test_accuracy_is_best_where_it_is_largest():
    table = recommend(*tables(MEANS, "accuracy"), {"own": 1000}, "add-remove")
    assert table["mechanism"].tolist() == ["laplace", "gaussian"]
    assert (table["difference"].dropna() > 0).all()
    assert table["relative"].isna().all()


def test_other_metrics_compete_where_they_are_named():
    parts = [tables(MEANS, metric) for metric in ("accuracy", "kl_reverse", "l1")]
    summary, scales = pd.concat([summary for summary, _ in parts]), parts[0][1]
    found = recommend(summary, scales, {"own": 9}, "add-remove")
    assert list(found["metric"].unique()) == ["l1", "accuracy"]
    found = recommend(summary, scales, {"own": 9}, "add-remove", metrics=["kl_reverse", "l1"])
    assert list(found["metric"].unique()) == ["l1", "kl_reverse", "accuracy"]
    best = found[found["metric"] == "kl_reverse"]["mechanism"]
    assert best.tolist() == ["laplace", "best"]  # the smallest


def test_a_rule_beyond_its_proof_competes_where_its_exact_delta_is_small_enough():
    means = {
        (name, epsilon, 0.1): mean
        for epsilon in (2.0, 6.5)
        for name, mean in (("best", 9.0), ("classical", 5.0))
    }
    summary, scales = tables(means)
    found = recommend(summary, scales, {"own": 9}, "add-remove")
    assert found[["epsilon", "mechanism"]].values.tolist() == [[2.0, "classical"], [6.5, "best"]]
    assert found["runner_up"].fillna("").tolist() == ["best", ""]
    (row,) = left_out(scales, "add-remove").to_dict("records")
    assert row.pop("exact_delta") == pytest.approx(0.1379, abs=5e-5)
    assert row == {"mechanism": "classical", "epsilon": 6.5, "delta": 0.1}
    (told,) = not_compared(left_out(scales, "add-remove"))
    assert "classical" in told
    assert "6.5" in told
    assert "0.14" in told
    # where none satisfies its guarantee there is nothing to recommend
    none = recommend(summary[3:], scales[3:], {"own": 9}, "add-remove")
    assert none.empty
    assert needed_epsilon(none).empty


def test_what_competes_under_replace_one_is_decided_at_its_sensitivity():
    means = {("best", 5.0, 0.4): 9.0, ("classical", 5.0, 0.4): 5.0, ("laplace", 5.0, None): 9.0}
    for neighbours in ("add-remove", "replace-one"):
        found = recommend(*tables(means), {"own": 9}, neighbours)
        assert found["mechanism"].tolist() == ["laplace", "best"]
        assert left_out(tables(means)[1], neighbours)["mechanism"].tolist() == ["classical"]


def test_the_epsilon_that_an_error_needs():
    means = {("laplace", e, None): 100 / e for e in (0.5, 1.0, 2.0)}  # a power: so exact
    recommended = recommend(*tables(means), {"own": 1000}, "add-remove")
    needed = needed_epsilon(recommended)
    assert needed["within"].tolist() == [0.05, 0.1, 0.2]
    assert needed["epsilon"].tolist() == pytest.approx([2.0, 1.0, 0.5])
    assert needed["how"].tolist() == ["interpolated", "interpolated", "the smallest ε of the run"]
    few = needed_epsilon(recommend(*tables(means), {"own": 100}, "add-remove"))
    assert few["how"].tolist() == ["not reached"] * 3
    assert few["epsilon"].isna().all()
    between = needed_epsilon(recommend(*tables(means), {"own": 700}, "add-remove"))
    assert between["epsilon"].tolist()[1:] == pytest.approx([1000 / 700, 500 / 700])
    # by logarithms, not by a line
    assert between["epsilon"].iloc[1] == pytest.approx(exp(log(2) * log(10 / 7) / log(2)))


def test_a_table_without_records_has_no_relative_error():
    recommended = recommend(*tables(MEANS), {"own": 0}, "add-remove")
    assert recommended["relative"].isna().all()
    assert needed_epsilon(recommended).empty


def test_what_a_reader_is_told():
    recommended = recommend(*tables(MEANS), {"own": 1000}, "add-remove")
    needed = needed_epsilon(recommended).assign(advantage=0.1)
    (told,) = answers(recommended, needed, {"l1": "l₁ distance"})
    assert told["sentences"] == [
        "ε-DP: laplace alone satisfies it.",
        "(ε, δ)-aDP, smallest l₁ distance: best at 1 of 1 grid points beyond chance.",
    ]
    assert told["best"]["not told apart from the best"].tolist() == [""] * 2
    assert told["needed"]["relative error"].tolist() == ["5%", "10%", "20%"] * 2
    assert told["needed"]["ε"].tolist()[:3] == ["≤ 0.5"] * 3


def test_a_reader_is_told_where_chance_decides():
    later = {(name, 1.0, delta): mean / 2 for (name, _, delta), mean in MEANS.items()}
    means = MEANS | later | {("gaussian", 1.0, 0.01): 23.0}
    recommended = recommend(*tables(means), {"own": 100}, "add-remove")
    assert recommended["alike"].tolist()[-2:] == ["best", "best, gaussian, laplace"]
    needed = needed_epsilon(recommended).assign(advantage=0.1)
    (told,) = answers(recommended, needed, {"l1": "l₁ distance"})
    assert told["sentences"][-2:] == [
        "(ε, δ)-aDP, smallest l₁ distance: best at 1 of 2 grid points beyond chance; at the others "
        "chance decides. best is among the best at all of them.",
        "No ε of this run, up to 1, brings the l₁ distance to 20% of n. Larger cells would: fewer "
        "columns, or wider bins.",
    ]
    recommended = recommend(*tables(MEANS, se=9), {"own": 9999}, "add-remove")
    (unsure,) = answers(recommended, needed[:0], {"l1": "l₁ distance"})
    assert unsure["sentences"][-1] == (
        "(ε, δ)-aDP, smallest l₁ distance: chance decides which mechanism is the best. Among the "
        "best everywhere: best, gaussian, laplace. Take the one whose own guarantee is the "
        "strongest."
    )


def test_whole_number_noise_competes_for_the_guarantee_that_it_satisfies():
    """Under replace-one too, where both cells that move satisfy their part."""
    names = {"geometric": (None, "pure-integer"), "discrete": (2, "adp-exact-integer")}
    names |= {"pdp": (2, "pdp-exact-integer"), "optimal": (None, "adp-optimal")}
    keys = [
        {"mechanism": name, "epsilon": 0.5, "delta": None if name == "geometric" else 0.1}
        for name in names
    ]
    summary = pd.DataFrame(keys).assign(
        dataset="own", metric="l1", repeats=9, mean=[4.0, 3.0, 5.0, 2.0], sd=3.0, se=0.1
    )
    orders, rules = zip(*names.values(), strict=True)
    scales = pd.DataFrame(keys).assign(order=orders, calibration=rules, scale=1.0)
    for neighbours in ("add-remove", "replace-one"):
        found = recommend(summary, scales, {"own": 9}, neighbours)
        assert found[["guarantee", "mechanism", "runner_up"]].fillna("").values.tolist() == [
            ["ε-DP", "geometric", ""],
            ["(ε, δ)-aDP", "optimal", "discrete"],
        ]
        assert left_out(scales, neighbours).empty
