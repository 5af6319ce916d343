"""Who wins at equal privacy, from a full run: docs/equal-privacy.md."""

from functools import cache
from itertools import product
from math import expm1, gamma, log

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from facts import fact
from facts.library import GRID, committed
from ggexp.experiment.metrics import SHOWN
from ggexp.figures.tabulate_ranks import tabulate_ranks

ORDERS = ("gg-1", "gg-1.5", "gg-2", "gg-3", "gg-4")
FAMILY = (*ORDERS, "gg-best")
ALL = (*FAMILY, "truncated-laplace")
DATASETS = ("mildew", "czech", "adult")


@cache
def ranked(dataset, mechanisms):
    summary = committed("equal_privacy", "summary")
    here = (summary["dataset"] == dataset) & summary["mechanism"].isin(mechanisms)
    return tabulate_ranks(summary[here], SHOWN)


@cache
def ranks(dataset, error, mechanisms):
    """(ε, δ) -> the ranks of these mechanisms, by name."""
    table = ranked(dataset, mechanisms)
    table = table[table["error"] == error].set_index("mechanism", drop=False)
    return dict(iter(table.groupby(["epsilon", "delta"])))


def everywhere(error, mechanisms):
    """(data set, ε, δ) -> the ranks of these mechanisms."""
    return {
        (dataset, *place): here
        for dataset in DATASETS
        for place, here in ranks(dataset, error, mechanisms).items()
    }


def smallest(error, mechanisms):
    """(data set, ε, δ) -> the mechanism with the smallest mean."""
    return {at: here["rank"].idxmin() for at, here in everywhere(error, mechanisms).items()}


# ---- the seven tables


def who_wins(dataset, error):
    percent = 100 if error == "misclassification" else 1
    rows = []
    for at, here in ranks(dataset, error, ALL).items():
        best = here.loc[here["rank"].idxmin()]
        alike = here[(here["excess"] <= 3 * here["excess_se"]) & (here["rank"] > 1)]
        orders = ranks(dataset, error, ORDERS)[at]

        def above(row):
            return (100 * row["excess"], 100 * row["excess_se"]) if row["rank"] > 1 else "best"

        rows.append(
            [
                *at,
                best["mechanism"],
                (percent * best["mean"], percent * best["se"]),
                ", ".join(alike["mechanism"]) or "none",
                orders["rank"].idxmin(),
                above(orders.loc["gg-1"]),
                above(ranks(dataset, error, FAMILY)[at].loc["gg-best"]),
            ]
        )
    return rows


@fact
def who_wins_mildew_l1():
    return who_wins("mildew", "l1")


@fact
def who_wins_mildew_kl():
    return who_wins("mildew", "kl")


@fact
def who_wins_czech_l1():
    return who_wins("czech", "l1")


@fact
def who_wins_czech_kl():
    return who_wins("czech", "kl")


@fact
def who_wins_adult_l1():
    return who_wins("adult", "l1")


@fact
def who_wins_adult_kl():
    return who_wins("adult", "kl")


@fact
def who_wins_adult_accuracy():
    return who_wins("adult", "misclassification")


# ---- Laplace noise among the five orders


def points_of_laplace(error):
    """At how many points it is the smallest of the orders; which order is where."""
    found = smallest(error, ORDERS)
    for (_, epsilon, delta), name in found.items():
        if delta == 0.01:
            assert name == "gg-1"
        elif (epsilon, delta) == (0.5, 0.25):
            assert name in ("gg-2", "gg-3", "gg-4")
        elif epsilon < 2:
            assert name in ("gg-1", "gg-1.5", "gg-2")
    return list(found.values()).count("gg-1"), len(found)


@fact
def laplace_is_the_smallest_in_l1():
    return points_of_laplace("l1")


@fact
def laplace_is_the_smallest_in_kl():
    return points_of_laplace("kl")[0]


def behind(error, mechanism, mechanisms):
    """(data set, ε, δ) -> a mechanism's excess over the smallest of some, and its error."""
    found = everywhere(error, mechanisms)
    return {at: tuple(one.loc[mechanism, ["excess", "excess_se"]]) for at, one in found.items()}


@fact
def laplace_is_behind():
    """At how many points, beyond error; l1 and KL."""
    every = [behind(error, "gg-1", ORDERS).values() for error in ("l1", "kl")]
    return [sum(excess > 3 * error for excess, error in one) for one in every]


@fact
def laplace_is_behind_by():
    """At most, in percent, in l1 and in KL; both at the same point."""
    found = []
    for error in ("l1", "kl"):
        excesses = behind(error, "gg-1", ORDERS)
        worst = max(excesses, key=excesses.get)
        assert worst == ("czech", 0.5, 0.25)
        found.append(100 * excesses[worst][0])
    return found


@fact
def delta_where_the_papers_order_holds():
    """And the point where it holds nowhere."""
    orders = ("gg-1", "gg-2", "gg-3")
    for dataset, error in product(DATASETS, ("l1", "kl")):
        found = ranks(dataset, error, orders)
        assert all(list(found[epsilon, 0.01]["rank"]) == [1, 2, 3] for epsilon in (0.5, 1, 2))
        turned = [3, 1, 2] if dataset == "adult" else [3, 2, 1]
        if (dataset, error) != ("czech", "l1"):  # where 2 and 3 are the same within error
            assert list(found[0.5, 0.25]["rank"]) == turned
    return 0.01, 0.5, 0.25


# ---- truncated Laplace noise and the best order


def points_of_truncated(error):
    """Where it is ahead of all others beyond error, as small as another, and behind."""
    ahead = ties = losses = 0
    for (_, epsilon, _), here in everywhere(error, ALL).items():
        beyond = here["excess"] > 3 * here["excess_se"]
        if here["rank"].idxmin() == "truncated-laplace":
            clear = beyond.sum() == len(here) - 1
            ahead, ties = ahead + clear, ties + (not clear)
        else:
            assert here["rank"].idxmin() == "gg-1"
            assert epsilon == 2
            losses += beyond["truncated-laplace"]
            ties += not beyond["truncated-laplace"]
    return ahead, ties, losses


@fact
def truncated_laplace_in_l1():
    ahead, ties, losses = points_of_truncated("l1")
    return ahead, 36, ties, losses


@fact
def truncated_laplace_in_kl():
    return points_of_truncated("kl")


@fact
def truncated_laplace_is_ahead_in_l1():
    return points_of_truncated("l1")[0], 36


def excess_of_best(error):
    """The largest excess of the best order over the smallest of six, in percent, by data set."""
    found = behind(error, "gg-best", FAMILY)
    return [
        100 * max(one for (name, *_), (one, _) in found.items() if name == at) for at in DATASETS
    ]


@fact
def best_order_is_behind_in_kl_by():
    return excess_of_best("kl")


@fact
def best_order_is_behind_in_l1_by():
    return excess_of_best("l1")


def points_behind(error):
    found = behind(error, "gg-best", FAMILY)
    return {
        at: sum(one > 3 * se for (name, *_), (one, se) in found.items() if name == at)
        for at in DATASETS
    }


@fact
def best_order_is_behind_in_l1():
    """Beyond error, at how many points of Adult and of the Czech data."""
    assert points_behind("l1")["mildew"] == 0
    return points_behind("l1")["adult"], points_behind("l1")["czech"]


@fact
def best_order_is_behind_in_kl():
    """At points of Adult alone."""
    assert points_behind("kl")["mildew"] == points_behind("kl")["czech"] == 0
    return points_behind("kl")["adult"]


def simulated_kl(counts, order, scale, rng, releases=40_000):
    """Mean KL divergence of releases with noise of an order, and its standard error."""
    n, found = counts.sum(), []
    share = (counts + 0.5) / (n + counts.size / 2)
    for _ in range(releases // 4000):
        size = (4000, counts.size)
        noise = scale * rng.gamma(1 / order, size=size) ** (1 / order) * rng.choice([-1, 1], size)
        released = np.clip(counts + noise, 0, n)
        released *= n / released.sum(axis=1, keepdims=True)
        found.append(share @ np.log(share / ((released + 0.5) / (n + counts.size / 2))).T)
    found = np.concatenate(found)
    return found.mean(), found.std() / releases**0.5


@fact
@pytest.mark.slow  # 20 s
def best_order_is_behind_in_40_000_releases():
    """The largest excess in KL over the smallest of the six, on mildew and the Czech data."""
    scales = committed("equal_privacy", "scales").set_index(["epsilon", "delta", "mechanism"])
    rng, found = np.random.default_rng(7), []
    for dataset in ("mildew", "czech"):
        counts = pd.read_csv(ROOT / f"data/{dataset}.csv")["count"].to_numpy()
        excesses = []
        for at in GRID:
            here = ranks(dataset, "kl", FAMILY)[at]
            near = [*here.index[here["excess"] < 0.06].drop("gg-best", errors="ignore"), "gg-best"]
            noises = [scales.loc[(*at, name), ["order", "scale"]] for name in near]
            means = [simulated_kl(counts, *noise, rng)[0] for noise in noises]
            excesses.append(100 * means[-1] / min(means) - 100)
        found.append(max(excesses))
    return 40_000, *found


# ---- accuracy


@fact
def accuracy_at_equal_privacy():
    """How many means, their range, and the accuracy of the original counts, in percent."""
    summary = committed("equal_privacy", "summary").query("metric == 'accuracy'")
    means = 100 * summary["mean"]
    return len(means), means.min(), means.max()


@fact
def accuracy_of_the_original():
    baseline = committed("equal_privacy", "baseline").set_index("model")["accuracy"]
    return 100 * baseline["original"]


@fact
def accuracies_behind_the_best():
    """How many, beyond error; all of order 2 or more."""
    found = ranks("adult", "misclassification", ALL).values()
    names = [name for here in found for name in here.index[here["excess"] > 3 * here["excess_se"]]]
    assert set(names) <= {"gg-2", "gg-3", "gg-4"}
    return len(names)


# ---- why the best order is not the best in l1


def mean_absolute_deviation(row):
    """E|e| of the noise of a row of the scales, in closed form."""
    if row["calibration"] == "adp-truncated":
        x = log(1 + expm1(row["epsilon"]) / (2 * row["delta"]))  # the bound in scales
        return row["scale"] * (1 - x / expm1(x))
    return row["scale"] * gamma(2 / row["order"]) / gamma(1 / row["order"])


@cache
def noises():
    """Scales with E|e|, wide: the columns order, sd and mad by mechanism, at each ε and δ."""
    scales = committed("equal_privacy", "scales")
    scales = scales.assign(mad=[mean_absolute_deviation(row) for row in scales.to_dict("records")])
    return scales.pivot_table(
        index=["epsilon", "delta"], columns="mechanism", values=["order", "sd", "mad"]
    )


def at_2_and_a_quarter(*columns):
    return [noises().loc[(2, 0.25), column] for column in columns]


@fact
def sds_of_best_order_and_laplace():
    """At (2, 0.25), after the order."""
    return at_2_and_a_quarter(("order", "gg-best"), ("sd", "gg-best"), ("sd", "gg-1"))


@fact
def mads_of_best_order_and_laplace():
    return at_2_and_a_quarter(("mad", "gg-best"), ("mad", "gg-1"))


@fact
def mad_of_truncated_laplace():
    return at_2_and_a_quarter(("mad", "truncated-laplace"))


def winners_by_moment(dataset):
    """At how many points the least E|e| has the least l1, and the least sd the least KL."""
    found = []
    for moment, error in (("mad", "l1"), ("sd", "kl")):
        winners = smallest(error, ALL)
        least = noises()[moment].idxmin(axis=1)
        found.append(sum(winners[dataset, *at] == name for at, name in least.items()))
    return found


@fact
def winners_by_moment_czech_l1():
    return winners_by_moment("czech")[0], 12


@fact
def winners_by_moment_czech_kl():
    return winners_by_moment("czech")[1], 12


@fact
def winners_by_moment_mildew():
    return winners_by_moment("mildew")


@fact
def winners_by_moment_adult():
    return *winners_by_moment("adult"), 12
