"""Experiments of the paper compared with ours (Figures 6 to 12): docs/reproduction.md."""

from itertools import chain
from math import ceil, hypot

from facts import fact
from facts.library import DELTAS, EPSILONS, GRID
from ggexp.claims.check import TESTS

NAMES = {
    "Laplace": "laplace",
    "Gaussian-pDP": "gaussian-pdp",
    "GGM-3": "ggm-3",
    "Gaussian-aDP": "gaussian-adp",
}
PAPER = ("laplace", "gaussian-pdp", "gaussian-adp")
#: The (ε, δ) at which GGM-3 is better than Gaussian-aDP.
BETTER = [(0.5, 0.1), (0.5, 0.25), (1, 0.25)]


def means_at_0_05(results, dataset, *columns):
    """Return a table with a row per mechanism, and three ε for each (metric, factor) in columns."""
    rows = [[(), *(epsilon for _ in columns for epsilon in EPSILONS)]]
    for title, name in NAMES.items():
        grids = [(results.grid(dataset, metric), factor) for metric, factor in columns]
        rows.append(
            [title, *(factor * g.at(name, e, 0.05).mean for g, factor in grids for e in EPSILONS)]
        )
    return rows


def differences(results, dataset, metric, first, second):
    """Return a mapping from (ε, δ) to the difference of two means and its standard error."""
    grid = results.grid(dataset, metric)
    pairs = {point: (grid.at(first, *point), grid.at(second, *point)) for point in GRID}
    return {point: (a.mean - b.mean, hypot(a.se, b.se)) for point, (a, b) in pairs.items()}


def significant(differences, sign):
    """Return the points at which a difference with this sign exceeds three standard errors."""
    return [point for point, (value, error) in differences.items() if sign * value > 3 * error]


def extremes(values):
    values = list(values)
    return min(values), max(values)


@fact
def mildew(full_run):
    """Means; comparisons of Gaussian-aDP with GGM-3, and with Gaussian-pDP."""
    for metric in ("kl", "l1"):
        found = differences(full_run, "mildew", metric, "ggm-3", "gaussian-adp")
        worse = significant(found, 1)
        assert worse[4:] == [(2, delta) for delta in DELTAS]
        assert worse[:4] == [(0.5, 0.01), (1, 0.01), (1, 0.05), (1, 0.1)]
        assert significant(found, -1) == BETTER
    sds = full_run.scales.set_index(["mechanism", "epsilon", "delta"])["sd"]
    assert [point for point in GRID if sds["ggm-3", *point] < sds["gaussian-adp", *point]] == BETTER
    parameters = {"dataset": "mildew", "metric": "l1", "within": 0.1, "epsilon": 2, "delta": 0.1}
    similar = TESTS["similar"](full_run, **parameters, mechanisms=["gaussian-pdp", "gaussian-adp"])
    assert len(similar) == 8
    return {
        "table": means_at_0_05(full_run, "mildew", ("l1", 1), ("kl", 1)),
        "worse": (len(worse), len(GRID)),
        "better-at": list(chain(*BETTER)),
        "sds": (sds["ggm-3", 2, 0.01], sds["gaussian-adp", 2, 0.01]),
        "similar": (10, sum(c.difference > 3 * c.error for c in similar), 8),
    }


@fact
def czech(full_run):
    """Means; a smaller KL of Gaussian-pDP; decreases with ε; GGM-3 compared with Gaussian-aDP."""
    kl = full_run.grid("czech", "kl")
    decreases = {}
    for metric in ("l1", "kl"):
        grid = full_run.grid("czech", metric)
        means = {(m, d): [grid.at(m, e, d).mean for e in EPSILONS] for m in PAPER for d in DELTAS}
        decreases[metric] = extremes((a - b) / (b - c) for a, b, c in means.values())
    for dataset, metric in (("czech", "l1"), ("czech", "kl"), ("adult", "l1")):
        found = differences(full_run, dataset, metric, "ggm-3", "gaussian-adp")
        assert significant(found, -1) == BETTER
        assert len(significant(found, 1)) == len(GRID) - len(BETTER)
    return {
        "table": means_at_0_05(full_run, "czech", ("l1", 1), ("kl", 1)),
        "kl": [kl.at(name, 0.5, 0.25).mean for name in ("gaussian-pdp", "laplace")],
        "falls-in-l1": decreases["l1"],
        "falls-in-kl": decreases["kl"],
        "ggm-3": (len(GRID) - len(BETTER), len(GRID), len(BETTER)),
    }


@fact
def sooner(full_run):
    """The smallest and largest l1 in percent of n."""
    ranges = {}
    for dataset, n in (("czech", 1841), ("mildew", 70)):
        grid = full_run.grid(dataset, "l1")
        ranges[f"{dataset}-of-n"] = extremes(100 * e.mean / n for e in grid.estimates.values())
    return ranges


@fact
def adult(full_run):
    """Means, their standard errors, and the loss of accuracy in percentage points."""
    grid, l1 = full_run.grid("adult", "accuracy"), full_run.grid("adult", "l1")
    baseline = 100 * full_run.baseline.set_index("model")["accuracy"]
    original = baseline["original"]
    lost = {point: original - 100 * e.mean for point, e in grid.estimates.items()}
    assert max(lost.values()) < 0.25
    compared = {
        other: differences(full_run, "adult", "accuracy", "ggm-3", other) for other in PAPER
    }
    assert not any(significant(compared[other], 1) for other in ("laplace", "gaussian-pdp"))
    assert not any(significant(compared[other], -1) for other in ("gaussian-pdp", "gaussian-adp"))
    errors = extremes(l1.at(name, e, 0.05).se for name in NAMES.values() for e in EPSILONS)
    error = max(e.se for e in grid.estimates.values())
    return {
        "table": means_at_0_05(full_run, "adult", ("l1", 1), ("kl", 1), ("accuracy", 100)),
        # the largest errors are rounded up
        "errors": (errors[0], ceil(10 * errors[1]) / 10, ceil(100_000 * error) / 1000),
        "baselines": (original, baseline["majority"]),
        "lost": extremes(lost.values()),
        "ggm-3": len(significant(compared["laplace"], -1)),
    }


@fact
def gaussian_adp_on_adult(full_run):
    """Gaussian-aDP's accuracy compared with two other mechanisms: never significantly better."""
    found = {
        (other, *point): value_and_se
        for other in ("laplace", "gaussian-pdp")
        for point, value_and_se in differences(
            full_run, "adult", "accuracy", "gaussian-adp", other
        ).items()
    }
    assert not significant(found, 1)
    against, worst = significant(found, -1), min(found, key=found.get)
    assert worst == ("laplace", 2, 0.01)
    of_laplace = sum(other == "laplace" for other, *_ in against)
    return {
        "comparisons": len(found),
        "against": (len(against), of_laplace),
        "worst": (2, 0.01, -100 * found[worst][0], 100 * found[worst][1]),
    }


@fact
def records_of_adult(full_run):
    """Numbers of records and cells, printed and ours; complete, dropped and kept records."""
    count = full_run.tallies["adult"].set_index("quantity")["count"]
    return {
        "complete": (count["records"], count["complete"]),
        "bins": count["bins"],
        "dropped": count["dropped"],
        "kept": count["kept"],
    }


@fact
def one_number(full_run):
    """The l1 distance whose computation docs/architecture.md follows."""
    return full_run.grid("mildew", "l1").at("gaussian-pdp", 0.5, 0.01).mean
