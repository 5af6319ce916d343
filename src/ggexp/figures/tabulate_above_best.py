"""The numbers of Figure S2: the excess of each mechanism's noise over the least possible."""

import warnings
from collections.abc import Iterator
from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pandas as pd

from ggexp.guarantees import least_pdp
from ggexp.guarantees.optimality import variance
from ggexp.mechanisms.mechanism import Mechanism

FIGURES = {"s2": "noise relative to the smallest possible"}

EPSILONS = np.unique([*np.geomspace(0.1, 5, 30), 0.5, 1, 2])
DELTAS = (0.01, 0.05, 0.1, 0.25)  # the paper's
LAPLACE = Mechanism(1, "pure")
OPTIMUM = Mechanism(None, "adp-optimal")
GEOMETRIC = Mechanism(None, "pure-integer")
PDP = {"gaussian-pdp": Mechanism(2, "pdp"), "ggm-3": Mechanism(3, "pdp")}
APPROXIMATE = {
    "laplace": LAPLACE,
    **PDP,
    "gaussian-adp": Mechanism(2, "adp-classical"),
    "best-order": Mechanism("best", "adp-exact"),
    "truncated-laplace": Mechanism(1, "adp-truncated"),
    "geometric": GEOMETRIC,
    "discrete-gaussian": Mechanism(2, "adp-exact-integer"),
}
PROBABILISTIC = {
    "laplace": LAPLACE,
    **PDP,
    "truncated-laplace": Mechanism(1, "pdp-truncated"),
    "geometric": GEOMETRIC,
    "discrete-gaussian": Mechanism(2, "pdp-exact-integer"),
}


def tabulate() -> pd.DataFrame:
    """Return the numbers of Figure S2, which have no chance in them.

    panel: "approximate" or "probabilistic", the DP that the noise satisfies at epsilon and delta.
    mechanism: its name. value: E|e| in the first panel, the standard deviation in the second, for a
    count that moves by 1. bound: in the first panel no noise has less, in the second no symmetric
    whole-number noise. ratio: value over bound.
    """
    with warnings.catch_warnings(action="ignore"):  # of adp-classical from ε = 1 on, enough up to 5
        rows = [
            (panel, name, epsilon, delta, value, bound)
            for epsilon in map(float, EPSILONS)
            for delta in DELTAS
            for panel, compared in (("approximate", absolute), ("probabilistic", deviations))
            for name, value, bound in compared(epsilon, delta)
        ]
    columns = ["panel", "mechanism", "epsilon", "delta", "value", "bound"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(ratio=table["value"] / table["bound"])


def absolute(epsilon: float, delta: float) -> Iterator[tuple[str, float, float]]:
    """Yield each mechanism with its E|e| and the least possible, the optimum's."""
    least = OPTIMUM.noise(epsilon=epsilon, delta=delta).mean_absolute
    for name, mechanism in APPROXIMATE.items():
        yield name, mechanism.noise(epsilon=epsilon, delta=delta).mean_absolute, least


def deviations(epsilon: float, delta: float) -> Iterator[tuple[str, float, float]]:
    """Yield each mechanism with its standard deviation and the bound of it.

    Truncated geometric noise is among them: the bound is its own at nearly all points.
    """
    found = least_pdp.certify(Fraction(exp(epsilon)), Fraction(delta), variance)
    least = sqrt(found.bound)
    for name, mechanism in PROBABILISTIC.items():
        yield name, mechanism.noise(epsilon=epsilon, delta=delta).sd, least
    yield "truncated-geometric", sqrt(found.cost), least
