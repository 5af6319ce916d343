"""Tables of supplementary figures, on coarser grids than in a run, each made once a process.

The seeds are fixed, therefore a test that passes always passes.
"""

from functools import cache
from unittest.mock import patch

import numpy as np
import pandas as pd
from conftest import ROOT, stored

from ggexp import GeneralizedGaussian
from ggexp.companions.figures import tabulate_noise, tabulate_queries
from ggexp.figures import tabulate_best_order
from ggexp.run.files import read_csv

#: The ε of S2 include 0.666, where truncated geometric noise is not the least at δ = 0.25.
NOISE = {
    "MANY_EPSILONS": np.array([0.5, 0.666, 1, 5]),
    "MULTIPLES": np.array([0.5, 1]),
    "ALONG_EPSILON": np.array([0.1, 1, 5, 20]),
    "ALONG_DELTA": np.array([0.01, 0.1]),
    "RATES": np.linspace(0, 1, 41),
}
QUERIES = {"KS": (3, 8, 12), "SIMULATED": (3, 12), "RELEASES": (35, 200), "QUERIES": (100, 1000)}
BEST, SINGLE = tabulate_best_order.best_noise, tabulate_best_order.noise
#: The table of many releases of Figure S3 would take minutes, and is made up.
BEST_ORDER = {
    "EPSILONS": (0.1, 0.5, 1, 5),
    "DELTAS": (1e-6, 0.1, 0.25, 0.4),
    "COMPOSED_EPSILONS": (1,),
    "best_noise": lambda k, budget: GeneralizedGaussian(1.9, 1) if k > 1 else BEST(1, budget),
    "noise": lambda order, k, budget: SINGLE(order, 1, budget),
}


def best_order() -> pd.DataFrame:
    table = tabulate_best_order.tabulate()
    table.loc[table["releases"] == 100, "of_gaussian"] = [0.9985, 0.9999, 1.0]
    table.loc[table["releases"] == 10, "of_gaussian"] = [0.94, 0.998, 1.0]
    return table


MADE = {
    "s1": tabulate_noise.loss_curves,
    "s2": tabulate_noise.above_best,
    "s3": best_order,
    "s4": tabulate_noise.looseness,
    "s5": lambda: tabulate_queries.many_queries(seed=1),
    "s6": tabulate_noise.guessing_advantage,
    "s7": tabulate_noise.trade_off,
    "s8": tabulate_queries.boundary,
    "s9": lambda: read_csv(ROOT / "tests/data/figure_s9.csv"),
    "f1": tabulate_noise.truncated_densities,
    "f2": tabulate_noise.densities,
    "f3": lambda: tabulate_noise.histograms(seed=1),
}


@cache
@patch.multiple(tabulate_noise, **NOISE)
@patch.multiple(tabulate_queries, **QUERIES)
@patch.multiple(tabulate_best_order, **BEST_ORDER)
def made_table(figure: str) -> pd.DataFrame:
    """Return the table of a figure as read from its file. Tests must not change it."""
    return stored(MADE[figure]())
