"""Mutations that change the verdict of each claim about synthetic records.

The tables are those of `make synthetic` (tests/data/README.md).
"""

from functools import cache

import pandas as pd
from mutations import figure, multiplied, tables_of

from ggexp.claims import synthetic
from ggexp.claims.evidence import Results

RULES = [
    ("laplace", 1, "pure", None),
    ("gaussian-pdp", 2, "pdp", 0.05),
    ("gaussian-adp", 2, "adp-classical", 0.05),
    ("ggm-3", 3, "pdp", 0.05),
]
SCALES = pd.DataFrame(RULES, columns=["mechanism", "order", "calibration", "delta"])


@cache
def results():
    tables = tables_of("synthetic")
    return Results(
        summary=tables["releases"],
        scales=SCALES.merge(pd.DataFrame({"epsilon": [0.5, 1, 2]}), how="cross"),
        baseline=tables["baseline"],
        figures={name: tables[name] for name in ("records", "count_bias", "modes")},
    )


def records(dataset, metric, mean, method, **where):
    """Change means in the summary of synthetic records; mean: the new one."""
    where |= {"dataset": f"{dataset}-records", "metric": metric, "method": method}
    return figure("records", f"mean = {mean}", **where)


def rounding(dataset):
    return records(dataset, "two_way_added", "0.5", "largest-remainder")


def drawing(dataset):
    return records(dataset, "two_way_added", "-mean", "multinomial", mechanism="laplace")


SMALL_CELLS = figure("count_bias", "mean = -mean", method="counts", mechanism="laplace")
COMPUTED = figure("count_bias", "exact = 1.3 * exact", dataset="adult-records")
MORE_ACCURATE = records("adult", "accuracy", "mean + 0.01", "counts", mechanism="laplace")
FEWER = "20_009 - (mean - 20_009)"
CASES = {
    "clamping-gain": (multiplied(synthetic, "clamping_bias", 1.001), "refuted"),
    "small-cells-gain": (SMALL_CELLS, "partly"),
    "gains-as-computed": (COMPUTED, "partly"),
    "mildew-too-many-records": (
        records("mildew", "records", "70.0", "counts", epsilon=2),
        "partly",
    ),
    "czech-too-many-records": (
        records("czech", "records", "1.2 * mean", "counts", epsilon=0.5),
        "partly",
    ),
    "adult-too-many-records": (records("adult", "records", FEWER, "counts"), "refuted"),
    "mildew-rounding": (rounding("mildew"), "refuted"),
    "czech-rounding": (rounding("czech"), "refuted"),
    "adult-rounding": (rounding("adult"), "refuted"),
    "mildew-drawing": (drawing("mildew"), "partly"),
    "czech-drawing": (drawing("czech"), "partly"),
    "adult-drawing": (drawing("adult"), "partly"),
    "synthetic-training": (MORE_ACCURATE, "partly"),
    "mode-largest-count": (figure("modes", "wrong = 10 * wrong", mechanism="laplace"), "partly"),
    "mode-one-sided": (figure("modes", "wrong = 1e-3 * wrong", mechanism="laplace"), "refuted"),
}
