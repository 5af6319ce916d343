"""What the noise guarantees if one record is replaced by another, so that two cells change."""

from functools import cache

import numpy as np

from facts import fact
from facts.library import EPSILONS, GRID, committed
from ggexp.mechanisms.mechanism import Mechanism

ORDERS = (1, 1.25, 1.5, 2, 3)
#: Rows of the table of standard deviations.
SHOWN = ((0.5, 0.01), (1, 0.01), (1, 0.05), (2, 0.01), (2, 0.25))


@cache
def sds(point, cells):
    """Return the smallest standard deviations for (ε, δ)-approximate DP, by order."""
    epsilon, delta = point
    noises = (
        Mechanism(order, "adp-exact").noise(epsilon=epsilon, delta=delta, cells=cells)
        for order in ORDERS
    )
    return [noise.sd for noise in noises]


@cache
def scales():
    """Return the scales of the paper's design, by mechanism."""
    return committed("full_run", "scales").set_index("mechanism")


@fact
def replaced():
    """The paper's noise as published: its guarantees if one record is replaced.

    "laplace": ε, 2ε and the exact δ at ε, for each ε. "approximate": the number of points with δ
    whose noise satisfies (ε, δ)-approximate DP. "probabilistic": the same of probabilistic DP, for
    the rule "pdp". "sds": the sd of Laplace noise for 0.5-DP and of the published Gaussian-pDP.
    """
    laplace = scales().loc["laplace"]
    assert list(laplace["replaced_epsilon"]) == [2 * epsilon for epsilon in EPSILONS]
    others = scales().drop("laplace")
    is_approximate = others["replaced_delta"] <= others["delta"]
    failing = others[~is_approximate]
    assert set(failing["epsilon"]) == {2}
    pdp = others[others["calibration"] == "pdp"]
    gaussian = scales().loc["gaussian-pdp"].query("epsilon == 0.5 and delta == 0.01")
    return {
        "laplace": list(laplace["replaced_delta"]),
        "approximate": (int(is_approximate.sum()), len(others)),
        "probabilistic": (int((pdp["replaced_pdp_delta"] <= pdp["delta"]).sum()), len(pdp)),
        "sds": (2 * laplace["sd"].iloc[0], gaussian["sd"].item()),
    }


@fact
def replaced_orders():
    """Standard deviations of five orders for both kinds of neighbours, and the best orders.

    "laplace": the number of points at which order 1 has the smallest sd of the five orders, for
    one record more or less and for one record replaced, of all points. "gaussian", "readme": the
    same for points at which order 2 has a smaller sd than order 1. "gain": the smallest and the
    largest reduction, in percent, by the best of the five orders if one record is replaced.
    """
    table = [[*point, *sds(point, 1), *sds(point, 2)] for point in SHOWN]
    first = [sum(int(np.argmin(sds(point, cells)) == 0) for point in GRID) for cells in (1, 2)]
    gaussian = [
        sum(sds(point, cells)[3] < sds(point, cells)[0] for point in GRID) for cells in (1, 2)
    ]
    gains = [100 * (1 - min(sds(point, 2)) / sds(point, 2)[0]) for point in GRID]
    return {
        "table": [[(), (), *ORDERS, *ORDERS], *table],
        "laplace": (*first, len(GRID)),
        "readme": (gaussian[1], gaussian[0], len(GRID)),
        "gaussian": (*gaussian, len(GRID)),
        "gain": (min(gains), max(gains)),
    }


@fact
def replaced_errors():
    """The mechanism with the smallest mean l1 on the mildew and the Czech data, of 24 points.

    "laplace": the number of points at which this is order 1, of the five orders. "canonical",
    "discrete": the number at which it is `canonical-replaced` or `discrete-2-replaced`, of all
    mechanisms for approximate DP.
    """
    summary = committed("equal_privacy_replaced", "summary").query("metric == 'l1'").dropna()
    means = summary.pivot_table(
        index=["dataset", "epsilon", "delta"], columns="mechanism", values="mean"
    )
    of_orders = means.filter(regex="^gg-").idxmin(axis=1)
    best = means.idxmin(axis=1)
    return {
        "laplace": (int((of_orders == "gg-1-replaced").sum()), len(means)),
        "canonical": int((best == "canonical-replaced").sum()),
        "discrete": int((best == "discrete-2-replaced").sum()),
    }
