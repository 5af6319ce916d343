"""Who wins at equal privacy, from a full run: docs/equal-privacy.md."""

from functools import cache
from itertools import product
from math import expm1, gamma, log

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from facts import fact
from facts.library import EPSILONS, GRID, committed
from ggexp.experiment.metrics import SHOWN
from ggexp.figures.tabulate_ranks import tabulate as tabulate_ranks

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


@fact
def who_wins():
    """The tables: best of all, and who is alike; best order; Laplace and gg-best behind, in %."""

    def above(row):
        return (100 * row["excess"], 100 * row["excess_se"]) if row["rank"] > 1 else "best"

    tables = {}
    errors = [*product(DATASETS, ("l1", "kl")), ("adult", "misclassification")]
    for dataset, error in errors:
        unit = 100 if error == "misclassification" else 1
        rows = tables[f"{dataset}-{error}"] = []
        for at, here in ranks(dataset, error, ALL).items():
            best = here.loc[here["rank"].idxmin()]
            alike = here[(here["excess"] <= 3 * here["excess_se"]) & (here["rank"] > 1)]
            orders = ranks(dataset, error, ORDERS)[at]
            rows.append(
                [
                    *at,
                    best["mechanism"],
                    (unit * best["mean"], unit * best["se"]),
                    ", ".join(alike["mechanism"]) or "none",
                    orders["rank"].idxmin(),
                    above(orders.loc["gg-1"]),
                    above(ranks(dataset, error, FAMILY)[at].loc["gg-best"]),
                ]
            )
    return tables


def behind(error, mechanism, mechanisms):
    """(data set, ε, δ) -> a mechanism's excess over the smallest of some, and its error."""
    found = everywhere(error, mechanisms)
    return {at: tuple(one.loc[mechanism, ["excess", "excess_se"]]) for at, one in found.items()}


@fact
def laplace_among_orders():
    """At how many points it is the smallest, or behind beyond error and by how much, in percent."""
    smallest, beyond, most = [], [], []
    for error in ("l1", "kl"):
        best = {at: here["rank"].idxmin() for at, here in everywhere(error, ORDERS).items()}
        for (_, epsilon, delta), name in best.items():
            if delta == 0.01:
                assert name == "gg-1"
            elif (epsilon, delta) == (0.5, 0.25):
                assert name in ("gg-2", "gg-3", "gg-4")
            elif epsilon < 2:
                assert name in ("gg-1", "gg-1.5", "gg-2")
        found = behind(error, "gg-1", ORDERS)
        worst = max(found, key=found.get)
        assert worst == ("czech", 0.5, 0.25)
        smallest.append(list(best.values()).count("gg-1"))
        beyond.append(sum(excess > 3 * error for excess, error in found.values()))
        most.append(100 * found[worst][0])
        for dataset in DATASETS:  # the paper's order of its mechanisms, and where it turns round
            found = ranks(dataset, error, ("gg-1", "gg-2", "gg-3"))
            assert all(list(found[e, 0.01]["rank"]) == [1, 2, 3] for e in EPSILONS)
            turned = [3, 1, 2] if dataset == "adult" else [3, 2, 1]
            if (dataset, error) != ("czech", "l1"):  # where 2 and 3 are the same within error
                assert list(found[0.5, 0.25]["rank"]) == turned
    return {
        "l1": (smallest[0], len(best)),
        "kl": smallest[1],
        "behind": beyond,
        "behind-by": most,
        "order-holds": (0.01, 0.5, 0.25),
    }


@fact
def truncated_laplace_wins():
    """Where it is ahead of all others beyond error, as small as another, and behind."""
    found = {}
    for error in ("l1", "kl"):
        ahead = ties = losses = 0
        for (_, epsilon, _), here in everywhere(error, ALL).items():
            best, beyond = here["rank"].idxmin(), here["excess"] > 3 * here["excess_se"]
            assert best == "truncated-laplace" or (best, epsilon) == ("gg-1", 2)
            clear = best == "truncated-laplace" and beyond.sum() == len(here) - 1
            ahead, losses = ahead + clear, losses + beyond["truncated-laplace"]
            ties += not (clear or beyond["truncated-laplace"])
        found[error] = ahead, ties, losses
    (ahead, ties, losses), of = found["l1"], sum(found["l1"])
    return {"l1": (ahead, of, ties, losses), "kl": found["kl"], "in-short": (ahead, of)}


@fact
def best_order_is_behind():
    """By how much at most, in percent, and at how many points beyond error."""
    most, beyond = {}, {}
    for error in ("l1", "kl"):
        found = behind(error, "gg-best", FAMILY).items()
        for dataset in DATASETS:
            here = [values for (name, *_), values in found if name == dataset]
            most.setdefault(error, []).append(100 * max(excess for excess, _ in here))
            beyond[dataset, error] = sum(excess > 3 * error for excess, error in here)
    adult = beyond["adult", "l1"], beyond["adult", "kl"]
    assert sum(beyond.values()) == sum(adult) + beyond["czech", "l1"]
    return {
        "kl-by": most["kl"],
        "l1-by": most["l1"],
        "l1": (adult[0], beyond["czech", "l1"]),
        "kl": adult[1],
    }


def simulated_kl(counts, order, scale, rng, releases=40_000):
    """The mean KL divergence of releases with noise of an order."""
    n, found = counts.sum(), []
    share = (counts + 0.5) / (n + counts.size / 2)
    for _ in range(releases // 4000):
        size = (4000, counts.size)
        noise = scale * rng.gamma(1 / order, size=size) ** (1 / order) * rng.choice([-1, 1], size)
        released = np.clip(counts + noise, 0, n)
        released *= n / released.sum(axis=1, keepdims=True)
        found.append(share @ np.log(share / ((released + 0.5) / (n + counts.size / 2))).T)
    return np.mean(found)


@fact
@pytest.mark.slow
def best_order_in_40_000_releases():
    """How far it is behind in KL, at most, on mildew and the Czech data: the error is 0.2 %."""
    scales = committed("equal_privacy", "scales").set_index(["epsilon", "delta", "mechanism"])
    rng, found = np.random.default_rng(7), []
    for dataset in ("mildew", "czech"):
        counts = pd.read_csv(ROOT / f"data/{dataset}.csv")["count"].to_numpy()
        excesses = []
        for at in GRID:
            here = ranks(dataset, "kl", FAMILY)[at]
            near = [*here.index[here["excess"] < 0.06].drop("gg-best", errors="ignore"), "gg-best"]
            noises = [scales.loc[(*at, name), ["order", "scale"]] for name in near]
            means = [simulated_kl(counts, *noise, rng) for noise in noises]
            excesses.append(100 * means[-1] / min(means) - 100)
        found.append(max(excesses))
    return 40_000, *found


@fact
def accuracy_at_equal_privacy():
    """How many means and their range, the original counts', and how many are behind the best."""
    means = 100 * committed("equal_privacy", "summary").query("metric == 'accuracy'")["mean"]
    baseline = committed("equal_privacy", "baseline").set_index("model")["accuracy"]
    found = ranks("adult", "misclassification", ALL).values()
    names = [name for here in found for name in here.index[here["excess"] > 3 * here["excess_se"]]]
    assert set(names) <= {"gg-2", "gg-3", "gg-4"}
    return {
        "range": (len(means), means.min(), means.max()),
        "original": 100 * baseline["original"],
        "behind": len(names),
    }


def mean_absolute_deviation(row):
    """E|e| of the noise of a row of the scales, in closed form."""
    if row["calibration"] == "adp-truncated":
        x = log(1 + expm1(row["epsilon"]) / (2 * row["delta"]))  # the bound in scales
        return row["scale"] * (1 - x / expm1(x))
    return row["scale"] * gamma(2 / row["order"]) / gamma(1 / row["order"])


@fact
def moments():
    """Order, sd and E|e| at (2, 0.25); where the least E|e| has the least l1, the least sd KL."""
    scales = committed("equal_privacy", "scales")
    scales = scales.assign(mad=[mean_absolute_deviation(row) for row in scales.to_dict("records")])
    columns = ["order", "sd", "mad"]
    wide = scales.pivot_table(index=["epsilon", "delta"], columns="mechanism", values=columns)
    at = wide.loc[2, 0.25]
    winners = {
        (dataset, moment): sum(
            ranks(dataset, error, ALL)[place]["rank"].idxmin() == name
            for place, name in wide[moment].idxmin(axis=1).items()
        )
        for dataset, (moment, error) in product(DATASETS, (("mad", "l1"), ("sd", "kl")))
    }
    return {
        "sd": (at["order", "gg-best"], at["sd", "gg-best"], at["sd", "gg-1"]),
        "mad": (at["mad", "gg-best"], at["mad", "gg-1"]),
        "mad-of-truncated": at["mad", "truncated-laplace"],
        "czech-l1": (winners["czech", "mad"], len(wide)),
        "czech-kl": (winners["czech", "sd"], len(wide)),
        "mildew": (winners["mildew", "mad"], winners["mildew", "sd"]),
        "adult": (winners["adult", "mad"], winners["adult", "sd"], len(wide)),
    }
