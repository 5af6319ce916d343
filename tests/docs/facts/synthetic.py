"""Synthetic records and private modes, from a full run: docs/synthetic.md."""

from itertools import product
from math import isclose

from facts import fact
from facts.library import EPSILONS, committed
from ggexp import GeneralizedGaussian
from ggexp.releases.records import clamping_bias

DATASETS = {"mildew": "mildew-records", "Czech": "czech-records", "Adult": "adult-records"}


@fact
def synthetic_records():
    """Numbers of records by the method `counts`, and errors of two-way marginals in percent."""
    keys = ["dataset", "metric", "mechanism", "epsilon", "method"]
    means = committed("synthetic", "records").set_index(keys)["mean"]
    made = [[(), (), *EPSILONS, *EPSILONS]]
    for name, dataset in DATASETS.items():
        points = product(("laplace", "gaussian-pdp"), EPSILONS)
        counts = [means[dataset, "records", *point, "counts"] for point in points]
        made.append([name, means[dataset, "records", "laplace", 1, "release"], *counts])
    methods = ("release", "largest-remainder", "counts", "multinomial")
    errors = [
        [name, e, *(100 * means[dataset, "two_way", "laplace", e, method] for method in methods)]
        for name, dataset in DATASETS.items()
        for e in EPSILONS
    ]
    (czech,) = (row[2:] for row in errors if row[:2] == ["Czech", 2])
    table = committed("synthetic", "marginals")  # Adult with Laplace noise at ε = 0.5
    assert table["other"].notna().sum() == 91
    largest, smallest = (table.loc[table["mean"].agg(extreme)] for extreme in ("idxmax", "idxmin"))
    assert list(largest[["attribute", "other"]]) == ["age", "occupation"]
    assert smallest["attribute"] == "capital-gain"
    return {
        "made": made,
        "errors": errors,
        "at-random": (2, czech[3] / czech[0]),
        "furthest": 100 * largest["mean"],
        "nearest": 100 * smallest["mean"],
    }


@fact
def wrong_modes():
    """Probabilities of a wrong mode; the one-sided mechanism at ε equals the other at 2ε."""
    modes = ["exponential", "exponential-one-sided", "laplace", "gaussian-pdp", "ggm-3"]
    keys = ["dataset", "mechanism", "epsilon"]
    wrong = committed("synthetic", "modes").set_index(keys)["wrong"]
    names = DATASETS | {"Adult, age": "adult-age"}
    shown = [
        *(("mildew", e) for e in EPSILONS),
        ("Czech", 0.5),
        *(("Adult, age", e) for e in (0.5, 1)),
    ]
    rows = [
        [name, e, *(wrong[names[name], mode, e] for mode in (*modes, "gaussian-adp"))]
        for name, e in shown
    ]
    for dataset, e in product(("mildew-records", "czech-records", "adult-age"), (0.5, 1)):
        assert isclose(wrong[dataset, modes[1], e], wrong[dataset, modes[0], 2 * e], rel_tol=1e-6)
    tails = [wrong["czech-records", name, 2] for name in ("laplace", "ggm-3")]
    return {"table": rows, "tails": tails}


@fact
def clamping_of_records():
    """The bias of a cell of 1 at scale 2, without and with rounding, and of a cell of 16."""
    noise = GeneralizedGaussian(1, 2.0)
    gains = committed("synthetic", "gains").query(
        "dataset == 'mildew-records' and mechanism == 'laplace' and original == 16"
        " and epsilon == 0.5 and method == 'largest-remainder'"
    )
    return {
        "gained": (clamping_bias(1, noise, rounded=False), 2),
        "gained-rounded": clamping_bias(1, noise, rounded=True),
        "lost": (0.5, 16, -gains["mean"].item()),
    }
