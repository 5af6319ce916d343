"""The numbers of Figures S1, S4 and S7: the paper's mechanisms by their exact privacy loss."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd

from ggexp.guarantees.composition import Composition
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.loss_distribution import LossDistribution, randomized_response
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise

EPSILONS = (0.5, 1.0, 2.0)  # the paper's grid
DELTAS = (0.01, 0.05, 0.1, 0.25)
MECHANISMS = {
    "laplace": Mechanism(1, "pure"),
    "gaussian-pdp": Mechanism(2, "pdp"),
    "ggm-3": Mechanism(3, "pdp"),
    "gaussian-adp": Mechanism(2, "adp-classical"),
}
# multiples of the claimed ε at which δ is computed, dense just below 1, because Laplace noise has
# δ = 0 from 1 on
MULTIPLES = np.sort([*np.linspace(0, 4, 81), 0.99, 0.999, 0.9999])

RULES = (  # of Figure S4, with the order of the noise
    ("pdp", 2),
    ("pdp-exact", 2),
    ("adp-classical", 2),
    ("adp-lecture", 2),
    ("zcdp", 2),
    ("pdp", 3),
)
SOME_EPSILONS = (0.1, 0.5, 2.0, 10.0)  # one panel for each
SOME_DELTAS = (1e-6, 0.01, 0.1, 0.25)
ALONG_EPSILON = np.geomspace(0.05, 20, 61)
ALONG_DELTA = np.geomspace(1e-9, 0.4, 61)

EPSILON, DELTA = 1.0, 0.05  # of Figure S7
RELEASES = (1, 10)  # one panel for each
#: False positive rates, closest to each other near 0, where curves are steep.
RATES = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-6, 0.01, 41)]))
GUARANTEE = "guarantee"


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore warnings that some scales are too small or not proven."""
    with warnings.catch_warnings(action="ignore"):
        yield


@_without_warnings()
def loss_curves() -> pd.DataFrame:
    """Return the numbers of Figure S1: exact δ of the paper's mechanisms at its grid points.

    mechanism, order, calibration, scale: the mechanism. epsilon, delta: its claim. exact_delta: the
    exact δ of approximate DP if ε is at_epsilon. Laplace noise claims only ε; it has rows for each
    δ.
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
                    "scale": noise.scale,
                }
                rows += [
                    key | {"at_epsilon": at_epsilon, "exact_delta": noise.delta(epsilon=at_epsilon)}
                    for at_epsilon in MULTIPLES * epsilon
                ]
    return pd.DataFrame(rows)


@_without_warnings()
def looseness() -> pd.DataFrame:
    """Return the columns of Figure S4.

    They are panel, calibration, order, epsilon, delta, ratio and exact_delta.
    ratio: the rule's scale divided by the scale of "adp-exact" at the same order. exact_delta: the
    δ of the rule's scale at ε, larger than delta if the ratio is below 1. In the panel "epsilon", ε
    varies and δ is one of `SOME_DELTAS`; in the panel "delta", δ varies and ε is one of
    `SOME_EPSILONS`.
    """
    grid = [("epsilon", e, d) for d in SOME_DELTAS for e in ALONG_EPSILON]
    grid += [("delta", e, d) for e in SOME_EPSILONS for d in ALONG_DELTA]
    rows = []
    for rule, order in RULES:
        for panel, epsilon, delta in grid:
            setting = {"order": order, "epsilon": epsilon, "delta": delta}
            b = calibration.calibrate(rule, **setting).scale
            rows.append(
                {"panel": panel, "calibration": rule}
                | setting
                | {
                    "ratio": b / calibration.calibrate("adp-exact", **setting).scale,
                    "exact_delta": privacy_loss.delta(order=order, scale=b, epsilon=epsilon),
                }
            )
    return pd.DataFrame(rows)


@_without_warnings()
def trade_off() -> pd.DataFrame:
    """Return the columns of Figure S7: releases, mechanism, false_positive, false_negative.

    false_negative: the smallest false negative rate at each false positive rate, for a number of
    releases by each of the paper's mechanisms at (1, 0.05). The rows of "guarantee" are the
    lower bounds on this rate for all mechanisms that satisfy (1, 0.05)-approximate DP.
    """
    worst = randomized_response(epsilon=EPSILON, delta=DELTA)
    noises = {
        name: mechanism.noise(epsilon=EPSILON, delta=DELTA)
        for name, mechanism in MECHANISMS.items()
    }
    losses: list[tuple[str, Noise | LossDistribution]] = [*noises.items(), (GUARANTEE, worst)]
    curves = [
        pd.DataFrame(
            {
                "releases": releases,
                "mechanism": name,
                "false_positive": RATES,
                "false_negative": Composition([(loss, releases)]).trade_off(RATES),
            }
        )
        for releases in RELEASES
        for name, loss in losses
    ]
    return pd.concat(curves, ignore_index=True)
