"""What facts of several pages take from the library."""

import warnings
from functools import cache
from itertools import product

from ggexp import GeneralizedGaussian, calibration

EPSILONS = (0.5, 1, 2)  # the paper's
DELTAS = (0.01, 0.05, 0.1, 0.25)
GRID = list(product(EPSILONS, DELTAS))


@cache
def scale(rule, order, epsilon, delta=None, sensitivity=1):
    """The scale of a rule, also where it has no proof."""
    point = {"order": order, "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the proof of 'adp-")
        return calibration.scale(rule, **point)


def sd(rule, order, epsilon, delta=None):
    """The standard deviation of the noise with that scale."""
    return GeneralizedGaussian(order, scale(rule, order, epsilon, delta)).sd
