"""Mutations that change the verdict of each claim about synthetic records.

The tables are those of `make synthetic` (tests/data/README.md).
"""

from dataclasses import replace
from functools import cache

import pandas as pd
from conftest import tables_of
from mutations import figure, patched, returned

from ggexp.claims import synthetic
from ggexp.claims.evidence import Results

SCALES = pd.DataFrame(
    [
        {"mechanism": name, "order": order, "calibration": rule, "epsilon": epsilon, "delta": delta}
        for name, order, rule, delta in (
            ("laplace", 1, "pure", None),
            ("gaussian-pdp", 2, "pdp", 0.05),
            ("gaussian-adp", 2, "adp-classical", 0.05),
            ("ggm-3", 3, "pdp", 0.05),
        )
        for epsilon in (0.5, 1, 2)
    ]
)

FIGURES = "records", "count_bias", "modes"


@cache
def results():
    tables = tables_of("synthetic")
    return Results(
        summary=tables["releases"],
        scales=SCALES,
        baseline=tables["baseline"],
        figures={name: tables[name] for name in FIGURES},
    )


def records(dataset, metric, change, method, **where):
    """Change means in the summary of synthetic records; change: function of the means."""
    where |= {"dataset": f"{dataset}-records", "metric": metric, "method": method}
    return figure("records", where, mean=lambda t: change(t["mean"]))


def biased(factor, column="mean", **where):
    return figure("count_bias", where, **{column: lambda t: factor * t[column]})


def wrong(factor, mechanism):
    return figure("modes", {"mechanism": mechanism}, wrong=lambda t: factor * t["wrong"])


def clamping(change):
    """Change the bias by clamping that the library returns."""
    return patched(synthetic, "clamping_bias", returned(change))


def releases(change):
    def mutate(results, patch):
        table = results.summary
        return replace(results, summary=table.assign(mean=table["mean"] + change))

    return mutate


def rounding(dataset):
    return (records(dataset, "two_way_added", lambda x: 0.5, "largest-remainder"), "refuted")


def drawing(dataset):
    return (
        records(dataset, "two_way_added", lambda x: -x, "multinomial", mechanism="laplace"),
        "partly",
    )


CASES = {
    "clamping-gain": (clamping(lambda x: 1.001 * x), "refuted"),
    "small-cells-gain": (biased(-1, method="counts", mechanism="laplace"), "partly"),
    "gains-as-computed": (biased(1.3, "exact", dataset="adult-records"), "partly"),
    "mildew-too-many-records": (
        records("mildew", "records", lambda x: 70.0, "counts", epsilon=2),
        "partly",
    ),
    "czech-too-many-records": (
        records("czech", "records", lambda x: 1.2 * x, "counts", epsilon=0.5),
        "partly",
    ),
    "adult-too-many-records": (
        records("adult", "records", lambda x: 20_009 - (x - 20_009), "counts"),
        "refuted",
    ),
    "mildew-rounding": rounding("mildew"),
    "czech-rounding": rounding("czech"),
    "adult-rounding": rounding("adult"),
    "mildew-drawing": drawing("mildew"),
    "czech-drawing": drawing("czech"),
    "adult-drawing": drawing("adult"),
    "synthetic-training": (
        records("adult", "accuracy", lambda x: x + 0.01, "counts", mechanism="laplace"),
        "partly",
    ),
    "mode-largest-count": (wrong(10, "laplace"), "partly"),
    "mode-one-sided": (wrong(1e-3, "laplace"), "refuted"),
}
