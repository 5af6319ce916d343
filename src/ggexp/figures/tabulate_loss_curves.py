"""The numbers of Figures S1 and S4: approximate DP of scales, and the looseness of bounds."""

import warnings

import numpy as np
import pandas as pd

from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.mechanism import Mechanism

FIGURES = {"s1": "exact δ of each mechanism", "s4": "scales relative to the smallest"}

EPSILONS = (0.5, 1.0, 2.0)  # the paper's grid
DELTAS = (0.01, 0.05, 0.1, 0.25)
MECHANISMS = {
    "laplace": Mechanism(1, "pure"),
    "gaussian-pdp": Mechanism(2, "pdp"),
    "ggm-3": Mechanism(3, "pdp"),
    "gaussian-adp": Mechanism(2, "adp-classical"),
}
# of the ε claimed, at which δ is computed: 1 is among them, below which Laplace noise has its δ
SHARES = np.sort([*np.linspace(0, 4, 81), 0.99, 0.999, 0.9999])

RULES = (  # of Figure S4, with their order
    ("pdp", 2),
    ("pdp-exact", 2),
    ("adp-classical", 2),
    ("adp-lecture", 2),
    ("zcdp", 2),
    ("pdp", 3),
)
SOME_EPSILONS = (0.1, 0.5, 2.0, 10.0)  # a panel each
SOME_DELTAS = (1e-6, 0.01, 0.1, 0.25)
ALONG_EPSILON = np.geomspace(0.05, 20, 61)
ALONG_DELTA = np.geomspace(1e-9, 0.4, 61)


def tabulate(number: str) -> pd.DataFrame:
    """Return the numbers of Figure S1 or S4, which have no chance in them."""
    with warnings.catch_warnings(action="ignore"):  # the figures show where scales are too small
        return {"s1": loss_curves, "s4": looseness}[number]()


def loss_curves() -> pd.DataFrame:
    """Return what (ε, δ)-approximate DP the paper's mechanisms have at its grid points: Figure S1.

    mechanism, order, calibration; epsilon, delta: what is claimed; scale; at_epsilon, exact_delta:
    the δ that the noise has there, in truth. Laplace noise claims ε alone and stands in each δ.
    """
    rows = []
    for epsilon in EPSILONS:
        for delta in DELTAS:
            for name, mechanism in MECHANISMS.items():
                noise = mechanism.noise(epsilon=epsilon, delta=delta)
                key = {
                    "mechanism": name,
                    "order": mechanism.order,
                    "calibration": mechanism.calibration,
                    "epsilon": epsilon,
                    "delta": delta,
                    "scale": noise.numbers["scale"],
                }
                rows += [
                    key | {"at_epsilon": at, "exact_delta": noise.delta(epsilon=at)}
                    for at in SHARES * epsilon
                ]
    return pd.DataFrame(rows)


def looseness() -> pd.DataFrame:
    """Return panel, calibration, order, epsilon, delta, ratio, exact_delta: Figure S4.

    ratio: the rule's scale over that of "adp-exact" of the same order. exact_delta: the δ that the
    rule's scale has at ε, larger than δ where the ratio is below 1. In the panel "epsilon" ε varies
    and δ has one of `SOME_DELTAS`, in the panel "delta" the reverse.
    """
    grid = [("epsilon", e, d) for d in SOME_DELTAS for e in ALONG_EPSILON]
    grid += [("delta", e, d) for e in SOME_EPSILONS for d in ALONG_DELTA]
    rows = []
    for rule, order in RULES:
        for panel, epsilon, delta in grid:
            at = {"order": order, "epsilon": epsilon, "delta": delta}
            b = calibration.scale(rule, **at)
            rows.append(
                {"panel": panel, "calibration": rule}
                | at
                | {
                    "ratio": b / calibration.scale("adp-exact", **at),
                    "exact_delta": privacy_loss.delta(order=order, scale=b, epsilon=epsilon),
                }
            )
    return pd.DataFrame(rows)
