"""The numbers of Figure S7: error rates of tests for the presence of a record in the table."""

import warnings

import numpy as np
import pandas as pd

from ggexp.companions.figures.tabulate_loss_curves import MECHANISMS
from ggexp.guarantees.composition import Composition
from ggexp.mechanisms.loss_distribution import LossDistribution, randomized_response
from ggexp.mechanisms.noise import Noise

EPSILON, DELTA = 1.0, 0.05
RELEASES = (1, 10)  # one panel for each
#: False positive rates, closest to each other near 0, where curves are steep.
RATES = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-6, 0.01, 41)]))
GUARANTEE = "guarantee"


def tabulate() -> pd.DataFrame:
    """Return the columns of Figure S7: releases, mechanism, false_positive, false_negative.

    false_negative: the smallest false negative rate at each false positive rate, for a number of
    releases by each of the paper's mechanisms at (1, 0.05). The rows of "guarantee" are the
    lower bounds on this rate for all mechanisms that satisfy (1, 0.05)-approximate DP.
    """
    worst = randomized_response(epsilon=EPSILON, delta=DELTA)
    with warnings.catch_warnings(action="ignore"):  # adp-classical is not proven at ε = 1
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
