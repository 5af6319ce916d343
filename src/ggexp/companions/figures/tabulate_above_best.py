"""The numbers of Figure S2: each mechanism's noise relative to the smallest possible noise."""

import warnings
from collections.abc import Iterator
from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pandas as pd

from ggexp.companions import least_pdp
from ggexp.companions.optimality import variance
from ggexp.mechanisms.mechanism import Mechanism

EPSILONS = np.unique([*np.geomspace(0.1, 5, 30), 0.5, 1, 2])
DELTAS = (0.01, 0.05, 0.1, 0.25)  # as in the paper
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
    """Return the numbers of Figure S2, which do not depend on random draws.

    panel: "approximate" or "probabilistic", the kind of DP that the noise satisfies at epsilon and
    delta. mechanism: its name. value: for a count that changes by 1, E|e| in the first panel and
    the standard deviation in the second. bound: a lower bound on the value, for all noise in the
    first panel, and for symmetric integer-valued noise in the second. ratio: value over bound.
    """
    # adp-classical warns from ε = 1 on, but its noise is sufficient up to ε = 5
    with warnings.catch_warnings(action="ignore"):
        rows = [
            (panel, name, epsilon, delta, value, bound)
            for epsilon in map(float, EPSILONS)
            for delta in DELTAS
            for panel, values in (("approximate", mean_absolutes), ("probabilistic", deviations))
            for name, value, bound in values(epsilon, delta)
        ]
    columns = ["panel", "mechanism", "epsilon", "delta", "value", "bound"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(ratio=table["value"] / table["bound"])


def mean_absolutes(epsilon: float, delta: float) -> Iterator[tuple[str, float, float]]:
    """Yield each mechanism with its E|e|, and the smallest possible E|e|, that of the optimum."""
    smallest = OPTIMUM.noise(epsilon=epsilon, delta=delta).mean_absolute
    for name, mechanism in APPROXIMATE.items():
        yield name, mechanism.noise(epsilon=epsilon, delta=delta).mean_absolute, smallest


def deviations(epsilon: float, delta: float) -> Iterator[tuple[str, float, float]]:
    """Yield each mechanism with its standard deviation, and the lower bound.

    The mechanisms include truncated geometric noise, which attains the bound at nearly all points.
    """
    certificate = least_pdp.certify(Fraction(exp(epsilon)), Fraction(delta), variance)
    bound = sqrt(certificate.bound)
    for name, mechanism in PROBABILISTIC.items():
        yield name, mechanism.noise(epsilon=epsilon, delta=delta).sd, bound
    yield "truncated-geometric", sqrt(certificate.cost), bound
