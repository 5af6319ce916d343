"""The numbers of Figure S7: the power of tests whether a record is in the table."""

import warnings

import numpy as np
import pandas as pd

from ggexp.figures.tabulate_loss_curves import MECHANISMS
from ggexp.guarantees.composition import Composition
from ggexp.guarantees.loss_distribution import LossDistribution
from ggexp.guarantees.noise_losses import randomized_response
from ggexp.mechanisms.noise import Noise

FIGURES = {"s7": "trade-off curves"}

EPSILON, DELTA = 1.0, 0.05
RELEASES = (1, 10)  # a panel each
#: Rates close to 0 and to 1, where curves are steep and flat.
RATES = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-6, 0.01, 41)]))
GUARANTEE = "guarantee"


def tabulate() -> pd.DataFrame:
    """Return releases, mechanism, false_positive, false_negative: Figure S7.

    The smallest false negative rate at each false positive rate, of so many releases by each of the
    paper's mechanisms at (1, 0.05); and as "guarantee" of so many releases by any mechanism of
    (1, 0.05)-approximate DP.
    """
    worst = randomized_response(epsilon=EPSILON, delta=DELTA)
    with warnings.catch_warnings(action="ignore"):  # that adp-classical is not proven at ε = 1
        noises = {
            name: mechanism.noise(epsilon=EPSILON, delta=DELTA)
            for name, mechanism in MECHANISMS.items()
        }
    rows: list[tuple[str, Noise | LossDistribution]] = [*noises.items(), (GUARANTEE, worst)]
    curves = [
        pd.DataFrame(
            {
                "releases": releases,
                "mechanism": name,
                "false_positive": RATES,
                "false_negative": Composition([(each, releases)]).trade_off(RATES),
            }
        )
        for releases in RELEASES
        for name, each in rows
    ]
    return pd.concat(curves, ignore_index=True)
