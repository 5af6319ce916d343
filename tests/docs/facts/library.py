"""What facts of several pages take from the library."""

import warnings
from functools import cache
from itertools import product

import pytest
from conftest import ROOT

from ggexp import GeneralizedGaussian, calibration
from ggexp.figures import tabulate_best_order
from ggexp.guarantees import convolution
from ggexp.run.columns import read_csv

EPSILONS = (0.5, 1, 2)  # the paper's
DELTAS = (0.01, 0.05, 0.1, 0.25)
GRID = list(product(EPSILONS, DELTAS))


@cache
def scale(rule, order, epsilon, delta=None, sensitivity=1):
    """The scale of a rule, also where it is too small."""
    point = {"order": order, "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="noise of calibration 'adp-")
        return calibration.scale(rule, **point)


def sd(rule, order, epsilon, delta=None):
    """The standard deviation of the noise with that scale."""
    return GeneralizedGaussian(order, scale(rule, order, epsilon, delta)).sd


def coarse(function, *arguments, **named):
    """What a function of exact compositions returns on a grid of losses that adds 1e-5 to ε.

    That is a hundred times as much as the library allows, and takes a third of the time.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution, "TOLERANCE", 1e-5)
        # uncached, so that no other test of this process gets a scale of the coarse grid
        patch.setattr(tabulate_best_order, "noise", tabulate_best_order.noise.__wrapped__)
        return function(*arguments, **named)


@cache
def committed(run, table):
    """A table of a run that is committed (tests/data/README.md)."""
    return read_csv(ROOT / f"tests/data/{run}/{table}.csv")
