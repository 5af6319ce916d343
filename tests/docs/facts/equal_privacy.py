"""Comparison of mechanisms at equal privacy, from a full run: docs/equal-privacy.md."""

from functools import cache
from itertools import product
from math import ceil

import numpy as np
import pandas as pd
from conftest import ROOT

from facts import fact
from facts.library import DELTAS, EPSILONS, committed
from ggexp.experiment.metrics import SHOWN
from ggexp.figures.tabulate_ranks import tabulate as tabulate_ranks
from ggexp.mechanisms.mechanism import Mechanism

PURE = ("laplace", "geometric")
ORDERS = ("gg-1", "gg-2", "gg-3")
CONTINUOUS = (*ORDERS, "gg-best", "truncated-laplace")
DISCRETE = ("discrete-1", "discrete-2", "discrete-3")
APPROXIMATE = (*CONTINUOUS, *DISCRETE, "optimal")
SMALL = ("mildew", "czech")
DATASETS = (*SMALL, "adult")
#: (data set, ε, δ) -> the mechanism with the smallest l1 under approximate DP, if not `optimal`.
NOT_OPTIMAL = {
    ("adult", 0.5, 0.01): "truncated-laplace",
    ("adult", 0.5, 0.05): "truncated-laplace",
    ("adult", 2, 0.25): "discrete-3",
}


@cache
def ranked(dataset, mechanisms):
    summary = committed("equal_privacy", "summary")
    selected = (summary["dataset"] == dataset) & summary["mechanism"].isin(mechanisms)
    return tabulate_ranks(summary[selected], SHOWN)


@cache
def ranks(dataset, error, mechanisms):
    """Return a mapping from (ε, δ) to a table of ranks with a row for each mechanism."""
    table = ranked(dataset, mechanisms)
    table = table[table["error"] == error].set_index("mechanism", drop=False)
    return dict(iter(table.groupby(["epsilon", "delta"], dropna=False)))


def smallest(dataset, error, mechanisms):
    """Return a mapping from (ε, δ) to the mechanism with the smallest mean."""
    tables = ranks(dataset, error, mechanisms)
    return {point: table["rank"].idxmin() for point, table in tables.items()}


def excess(dataset, error, name, mechanisms):
    """Return a mapping from (ε, δ) to the excess over the smallest mean and its standard error."""
    tables = ranks(dataset, error, mechanisms)
    return {point: tuple(t.loc[name, ["excess", "excess_se"]]) for point, t in tables.items()}


@fact
def who_wins():
    """The smallest mean l1, and the excess of continuous and of geometric noise in percent.

    The table is at the smallest and the largest δ.
    "errors": the largest standard errors, rounded up, of the means (in percent of the mean) and, by
    data set, of the excesses.
    """
    rows = {point: [*point] for point in ranks("mildew", "l1", APPROXIMATE)}
    errors, excess_errors = [], []
    for dataset in DATASETS:
        dataset_errors = []
        for point, table in ranks(dataset, "l1", APPROXIMATE).items():
            best = table.loc[table["rank"].idxmin()]
            assert best["mechanism"] == NOT_OPTIMAL.get((dataset, *point), "optimal")
            continuous = smallest(dataset, "l1", CONTINUOUS)[point]
            assert continuous == "truncated-laplace" or (continuous, point[0]) == ("gg-1", 2)
            with_pure = ranks(dataset, "l1", (*PURE, best["mechanism"]))[point]
            others = (table.loc[continuous], with_pure.loc["geometric"])
            excesses = (100 * row["excess"] if row["rank"] > 1 else "best" for row in others)
            rows[point] += [best["mean"], *excesses]
            errors.append(100 * best["se"] / best["mean"])
            dataset_errors += [100 * row["excess_se"] for row in others]
        excess_errors.append(max(dataset_errors))
    largest = [ceil(10 * error) / 10 for error in (max(errors), *excess_errors)]
    table = [row for (_, delta), row in rows.items() if delta in (DELTAS[0], DELTAS[-1])]
    return {"table": table, "errors": largest}


@fact
def whole_numbers_win():
    """Numbers of points at which the optimum has the smallest mean, wins, ties and loses."""
    counts = {}
    for error in ("l1", "kl"):
        for name, datasets in (("small", SMALL), ("adult", ("adult",))):
            first = ahead = ties = behind = points = 0
            for dataset in datasets:
                for table in ranks(dataset, error, APPROXIMATE).values():
                    others = table.drop(index="optimal")
                    is_first = table.loc["optimal", "rank"] == 1
                    is_ahead = is_first and (others["excess"] > 3 * others["excess_se"]).all()
                    optimal = table.loc["optimal"]
                    is_behind = optimal["excess"] > 3 * optimal["excess_se"]
                    points, first, ahead = points + 1, first + is_first, ahead + is_ahead
                    behind, ties = behind + is_behind, ties + (not is_ahead and not is_behind)
            counts[f"{name}-{error}"] = first, points, ahead, ties, behind
    return counts


@fact
def whole_numbers_win_by():
    """The percentages by which the optimum's l1 is below that of the best continuous noise."""
    extremes = {}
    for dataset in DATASETS:
        gains = {}
        for point, table in ranks(dataset, "l1", APPROXIMATE).items():
            continuous = table.loc[smallest(dataset, "l1", CONTINUOUS)[point], "mean"]
            gains[point] = 100 - 100 * table.loc["optimal", "mean"] / continuous
        best, worst = max(gains, key=gains.get), min(gains, key=gains.get)
        extremes[dataset] = gains[best], *best
        extremes[f"{dataset}-least"] = gains[worst], *worst
    gain, *point = extremes.pop("adult-least")
    extremes["adult-loss"] = -gain, *point
    return {**extremes, "in-short": max(extremes[dataset][0] for dataset in DATASETS)}


@fact
def pure_noise():
    """Changes from Laplace to geometric noise under ε-DP in percent; the largest decrease of l1."""
    names = {"mildew": "mildew", "czech": "Czech", "adult": "Adult"}
    rows = [[(), *EPSILONS]]
    l1_changes = []
    for dataset, error in product(DATASETS, ("l1", "kl")):
        means = [table["mean"] for table in ranks(dataset, error, PURE).values()]
        changes = [100 * mean["geometric"] / mean["laplace"] - 100 for mean in means]
        rows.append([f"{names[dataset]}, {'l₁' if error == 'l1' else 'KL'}", *changes])
        if error == "l1":
            l1_changes += zip(changes, EPSILONS, strict=True)
    change, epsilon = min(l1_changes)
    assert [e for change, e in l1_changes if change > 0] == [0.5]  # on Adult
    return {"table": rows, "most": (-change, epsilon)}


@fact
def rounded_laplace():
    """Mean l1 of 3,000 releases of mildew at ε = 2: Laplace noise, the same rounded, and geometric.

    The standard errors are below 0.1.
    """
    counts = pd.read_csv(ROOT / "data/mildew.csv")["count"].to_numpy()
    rng, n = np.random.default_rng(11), counts.sum()
    laplace = rng.laplace(scale=1 / 2, size=(3000, counts.size))
    p = 1 - np.exp(-2)
    geometric = rng.geometric(p, laplace.shape) - rng.geometric(p, laplace.shape)
    errors = []
    for noise in (laplace, laplace.round(), geometric):
        released = np.clip(counts + noise, 0, n)
        released = released * (n / released.sum(axis=1, keepdims=True))
        errors.append(np.abs(released - counts).sum(axis=1).mean())
    return errors


@fact
def laplace_among_orders():
    """Numbers of points at which order 1 has the smallest mean or loses, and its largest excess."""
    first, behind, largest, points = [], [], [], 0
    for error in ("l1", "kl"):
        best = [smallest(dataset, error, ORDERS) for dataset in DATASETS]
        excesses = {
            (dataset, *point): value_and_se
            for dataset in DATASETS
            for point, value_and_se in excess(dataset, error, "gg-1", ORDERS).items()
        }
        points = len(excesses)
        first.append(sum(name == "gg-1" for names in best for name in names.values()))
        behind.append(sum(value > 3 * se for value, se in excesses.values()))
        largest.append(100 * max(excesses.values())[0])
        assert max(excesses, key=excesses.get) == ("czech", 0.5, 0.25)
        assert all(names[epsilon, 0.01] == "gg-1" for names in best for epsilon in EPSILONS)
    return {"l1": (first[0], points), "kl": first[1], "behind": behind, "behind-by": largest}


@fact
def order_among_whole_numbers():
    """The number of points at which discrete and continuous noise have the same best order."""
    same = [
        name.removeprefix("discrete-") == smallest(dataset, "l1", ORDERS)[point].removeprefix("gg-")
        for dataset in DATASETS
        for point, name in smallest(dataset, "l1", DISCRETE).items()
    ]
    return {"as-continuous": (sum(same), len(same))}


@fact
def probabilistic_noise():
    """Ratios of l1 with the discrete Gaussian under pDP to l1 with geometric noise under ε-DP."""
    ratios = [
        table.loc["pdp-discrete-2", "mean"] / table.loc["geometric", "mean"]
        for dataset in DATASETS
        for table in ranks(dataset, "l1", ("geometric", "pdp-discrete-2")).values()
    ]
    return {"larger": (sum(ratio > 1 for ratio in ratios), len(ratios)), "ratio": max(ratios)}


@fact
def truncated_laplace_wins():
    """Numbers of points at which truncated Laplace noise wins, ties and loses."""
    counts = {}
    for error in ("l1", "kl"):
        ahead = ties = losses = 0
        for dataset in DATASETS:
            for (epsilon, _), table in ranks(dataset, error, CONTINUOUS).items():
                best, is_behind = table["rank"].idxmin(), table["excess"] > 3 * table["excess_se"]
                assert best == "truncated-laplace" or (best, epsilon) == ("gg-1", 2)
                is_ahead = best == "truncated-laplace" and is_behind.sum() == len(table) - 1
                ahead, losses = ahead + is_ahead, losses + is_behind["truncated-laplace"]
                ties += not (is_ahead or is_behind["truncated-laplace"])
        counts[error] = ahead, ties, losses
    (ahead, ties, losses), points = counts["l1"], sum(counts["l1"])
    return {"l1": (ahead, points, ties, losses), "kl": counts["kl"]}


@fact
def accuracy_at_equal_privacy():
    """The number and range of means, the original accuracy, and the number of means that lose."""
    means = 100 * committed("equal_privacy", "summary").query("metric == 'accuracy'")["mean"]
    baseline = committed("equal_privacy", "baseline").set_index("model")["accuracy"]
    tables = ranks("adult", "misclassification", APPROXIMATE).values()
    behind = [name for t in tables for name in t.index[t["excess"] > 3 * t["excess_se"]]]
    return {
        "range": (len(means), means.min(), means.max()),
        "original": 100 * baseline["original"],
        "behind": (len(behind), 12 * len(APPROXIMATE)),
    }


@fact
def moments():
    """E|e| and sd at (2, 0.25), and how often the smallest moment gives the smallest error.

    E|e| is compared with l1, and the sd with KL.
    """
    scales = committed("equal_privacy", "scales")
    rows = scales[scales["mechanism"].isin(APPROXIMATE)].to_dict("records")
    mean_absolute, sd = {}, {}
    for row in rows:
        order = None if row["mechanism"] == "optimal" else row["order"]
        point = (row["epsilon"], row["delta"])
        noise = Mechanism(order, row["calibration"]).noise(epsilon=point[0], delta=point[1])
        mean_absolute.setdefault(point, {})[row["mechanism"]] = noise.mean_absolute
        sd.setdefault(point, {})[row["mechanism"]] = noise.sd
    shown = (2.0, 0.25)
    names = ("gg-best", "gg-1", "truncated-laplace", "optimal")

    def agree(moment, error, datasets):
        return sum(
            min(values, key=values.get) == smallest(dataset, error, APPROXIMATE)[point]
            for dataset in datasets
            for point, values in moment.items()
        )

    return {
        "absolute": [mean_absolute[shown][name] for name in names],
        "sd": [sd[shown][name] for name in names],
        "small": (agree(mean_absolute, "l1", SMALL), agree(sd, "kl", SMALL)),
        "adult": (agree(mean_absolute, "l1", ("adult",)), agree(sd, "kl", ("adult",)), len(sd)),
    }
