"""Mutations that change, or keep, the verdict of each claim about Figure S2.

The table is coarser than that of a run.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import Case, figure

from ggexp.claims.evidence import Results
from ggexp.companions.figures import tabulate_above_best


@cache
def results():
    """The ε include 0.666, where truncated geometric noise is not the smallest at δ = 0.25."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_above_best, "EPSILONS", np.array([0.1, 0.5, 0.666, 1, 5]))
        table = tabulate_above_best.tabulate()
    return Results(pd.DataFrame(), pd.DataFrame(), figures={"s2": table})


def times(factor, **where):
    return figure("s2", where, ratio=lambda t: factor * t["ratio"])


CASES = {
    "least-absolute": Case(
        times(0.999, mechanism="discrete-gaussian"), "partly", times(1.001, mechanism="ggm-3")
    ),
    "paper-twice-the-least": Case(
        times(0.7, mechanism="gaussian-pdp"), "partly", times(0.9, mechanism="gaussian-pdp")
    ),
    "geometric-near-best": Case(
        times(1.01, mechanism="geometric"), "partly", times(1.001, mechanism="geometric")
    ),
    "truncated-laplace-near-best": Case(
        times(1.1, mechanism="truncated-laplace", delta=0.25),
        "partly",
        times(1.01, mechanism="truncated-laplace"),
    ),
    "continuous-far-from-best": Case(
        times(0.9, mechanism="best-order"), "partly", times(0.999, mechanism="laplace")
    ),
    "truncated-geometric-least": Case(
        figure("s2", {"mechanism": "truncated-geometric"}, ratio=lambda t: 1.0),
        "confirmed",
        times(1.01, mechanism="truncated-geometric", ratio=lambda ratio: ratio > 1.1),
    ),
}
