"""Results for mutations of claims that are not on the results of a run (mutations.yaml).

Tables of figures are coarser than in a run. The seeds are fixed, therefore a test that passes
always passes.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import DATA, tables_of

from ggexp import GeneralizedGaussian
from ggexp.claims.evidence import Results
from ggexp.companions.audit_table import Point, tabulate_audit
from ggexp.companions.figures import tabulate_noise, tabulate_queries
from ggexp.figures import tabulate_best_order
from ggexp.run.files import read_csv

#: Fewer points of Figures S5 and S8.
GRIDS = {"KS": (3, 8, 12, 30), "SIMULATED": (3, 30), "RELEASES": (35, 200)}
GRIDS |= {"QUERIES": (50, 200, 1000)}
#: The ε of S2 include 0.666, where truncated geometric noise is not the least at δ = 0.25.
NOISE = {
    "MANY_EPSILONS": np.array([0.1, 0.5, 0.666, 1, 5]),
    "MULTIPLES": np.array([0.5, 1]),
    "ALONG_EPSILON": np.array([0.1, 1, 5, 20]),
    "ALONG_DELTA": np.array([0.01]),
}
SINGLE = tabulate_best_order.noise
#: The table of many releases of Figure S3 would take minutes, and is made up.
BEST_ORDER = {
    "EPSILONS": (0.1, 1, 5),
    "DELTAS": (1e-6, 0.1, 0.4),
    "COMPOSED_EPSILONS": (1,),
    "best_of_many": lambda k, budget: GeneralizedGaussian(1.9, 1),
    "noise": lambda order, k, budget: SINGLE(order, 1, budget),
}
RULES = [
    ("laplace", 1, "pure", None),
    ("gaussian-pdp", 2, "pdp", 0.05),
    ("gaussian-adp", 2, "adp-classical", 0.05),
    ("ggm-3", 3, "pdp", 0.05),
]
SCALES = pd.DataFrame(RULES, columns=["mechanism", "order", "calibration", "delta"])


def of_figures(**figures):
    return Results(pd.DataFrame(), pd.DataFrame(), figures=figures, seed=1)


def with_values(make, module, values):
    """Return what a function makes while a module has other values."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setattr(module, name, value)
        return make()


@cache
def audit():
    """Return an audit with 1/20 of the releases, at (2, 0.25), where few releases suffice.

    Each bound in it is wrong with probability 0.001.
    """
    points = [Point("laplace", 1, "pure", 2, None), Point("ggm-3", 3, "pdp", 2, 0.25)]
    return of_figures(audit=tabulate_audit(points, seed=7, share=0.05))


@cache
def guessing():
    return of_figures(
        f1=tabulate_noise.truncated_densities(),
        f2=tabulate_noise.densities(),
        f3=tabulate_noise.histograms(seed=1),
        s6=tabulate_noise.guessing_advantage(),
    )


@cache
def lectures():
    queries = tabulate_queries
    return of_figures(
        s5=with_values(lambda: queries.many_queries(seed=1), queries, GRIDS),
        s8=with_values(queries.boundary, queries, GRIDS | {"DELTAS": (1e-6,)}),
    )


@cache
def noise():
    makers = {"s1": "loss_curves", "s2": "above_best", "s4": "looseness", "s7": "trade_off"}
    figures = {
        name: with_values(getattr(tabulate_noise, maker), tabulate_noise, NOISE)
        for name, maker in makers.items()
    }
    s3 = with_values(tabulate_best_order.tabulate, tabulate_best_order, BEST_ORDER)
    s3.loc[s3["releases"] == 100, "of_gaussian"] = [0.9985, 0.9999, 1.0]
    s3.loc[s3["releases"] == 10, "of_gaussian"] = [0.94, 0.998, 1.0]
    return of_figures(**figures, s3=s3, s9=read_csv(DATA / "figure_s9.csv"))


@cache
def synthetic():
    tables = tables_of("synthetic")
    return Results(
        summary=tables["releases"],
        scales=SCALES.merge(pd.DataFrame({"epsilon": [0.5, 1, 2]}), how="cross"),
        baseline=tables["baseline"],
        figures={name: tables[name] for name in ("records", "count_bias", "modes")},
    )
