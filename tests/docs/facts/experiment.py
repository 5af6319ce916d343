"""Experiments of the paper compared with ours (Figures 6 to 12): docs/reproduction.md."""

from itertools import chain
from math import ceil, hypot

from facts import fact
from facts.library import DELTAS, EPSILONS, GRID, sd
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
def noise_of_ggm_3():
    """Numbers of points at which GGM-3's sd is between those of the Gaussian mechanisms, and above.

    There is a row for each reading of the scale of GGM-3.
    """
    readings = (("pdp", 1), ("pdp-exact", 1), ("pdp", 2), ("adp-exact", 1))
    sds = {point: (sd("pdp", 2, *point), sd("adp-classical", 2, *point)) for point in GRID}
    rows = []
    for rule, factor in readings:
        ggm_3 = {(e, d): sd(rule, 3, e, factor * d) for e, d in GRID}
        between = sum(min(pair) < ggm_3[point] < max(pair) for point, pair in sds.items())
        wider = sum(ggm_3[point] > max(pair) for point, pair in sds.items())
        rows.append([None, between, wider])
    return rows


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
        "kl-by": differences(full_run, "czech", "kl", "laplace", "gaussian-pdp")[0.5, 0.25],
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
        "l1": [round(value, -3) for value in extremes(e.mean for e in l1.estimates.values())],
        "baselines": (original, baseline["majority"]),
        "lost": extremes(lost.values()),
        "sd": extremes(100 * e.sd for e in grid.estimates.values()),
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
    original = full_run.baseline.set_index("model")["accuracy"]["original"]
    grid = full_run.grid("adult", "accuracy")
    lost = [100 * (original - grid.at(m, 2, 0.01).mean) for m in ("gaussian-adp", "laplace")]
    margin = max(3 * error - gain for gain, error in found.values())
    return {
        "comparisons": len(found),
        "against": (len(against), of_laplace),
        "worst": (2, 0.01, -100 * found[worst][0], 100 * found[worst][1]),
        "losses": (lost[0] / lost[1], lost[1]),
        "margin": ceil(10_000 * margin) / 100,  # in percentage points, rounded up
    }


@fact
def records_of_adult(full_run):
    """Numbers of records and cells, printed and ours; complete, dropped and kept records."""
    count = full_run.tallies["adult"].set_index("quantity")["count"]
    return {
        "table": [
            ["training records", None, count["training"], None],
            ["test records", count["test"], count["test"], None],
            ["attributes of the histogram", 14, 14, None],
            ["bins of the histogram", count["bins"], count["bins"], None],
            ["non-empty training cells", None, count["cells"], None],
        ],
        "complete": (count["records"], count["complete"]),
        "bins": count["bins"],
        "dropped": count["dropped"],
        "kept": count["kept"],
    }


@fact
def divergences(full_run):
    """Means at ε = 0.5 and 2 with our prior, ½, and ratios of reverse to forward divergences.

    The numbers for other priors are from a study.
    """

    def means(dataset, title):
        grid = full_run.grid(dataset, "kl")
        return tuple(grid.at(NAMES[title], epsilon, 0.05).mean for epsilon in (0.5, 2))

    rows = [[(0.5, 2), 1, (), (), 1]]
    for name, titles in (("mildew", ["Laplace", "GGM-3"]), ("Czech", ["Laplace"])):
        for title in (*titles, "Gaussian-aDP"):
            label = f"{name}: {title}" if title == "Laplace" else title
            rows.append([label, None, means(name.lower(), title), None, None])
    found = {
        "table": rows,
        "laplace": means("adult", "Laplace"),
        "adp": means("adult", "Gaussian-aDP"),
    }
    for dataset in ("mildew", "czech", "adult"):
        reverse, forward = (full_run.grid(dataset, m).estimates for m in ("kl_reverse", "kl"))
        ratios = (reverse[point].mean / forward[point].mean for point in reverse)
        found[f"reverse-{dataset}"] = extremes(ratios)
    return found


@fact
def rounding_to_records(full_run):
    """Means without rounding; their changes by rounding are from a study."""
    rows = [[(), 0.5, 2, 0.5, 2]]
    for dataset in ("mildew", "Czech", "Adult"):
        grids = [full_run.grid(dataset.lower(), metric) for metric in ("l1", "kl")]
        means = [grid.at("laplace", e, 0.05).mean for grid in grids for e in (0.5, 2)]
        rows.append([dataset, *((mean, None) for mean in means)])
    return rows


@fact
def one_number(full_run):
    """The l1 distance whose computation docs/architecture.md follows."""
    return full_run.grid("mildew", "l1").at("gaussian-pdp", 0.5, 0.01).mean
