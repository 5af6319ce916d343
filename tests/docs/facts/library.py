"""Functions of the library that facts of several pages use."""

import warnings
from functools import cache
from itertools import product

import pytest
from conftest import ROOT

from ggexp import GeneralizedGaussian, calibration
from ggexp.figures import tabulate_best_order
from ggexp.mechanisms import convolution
from ggexp.run.columns import read_csv

EPSILONS = (0.5, 1, 2)  # these and the δ are the paper's
DELTAS = (0.01, 0.05, 0.1, 0.25)
GRID = list(product(EPSILONS, DELTAS))


@cache
def scale(rule, order, epsilon, delta=None, sensitivity=1):
    """Return the scale of a rule, without a warning if it is too small for its guarantee."""
    point = {"order": order, "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="noise of calibration 'adp-")
        return calibration.scale(rule, **point)


def sd(rule, order, epsilon, delta=None):
    """Return the standard deviation of noise with the scale of a rule."""
    return GeneralizedGaussian(order, scale(rule, order, epsilon, delta)).sd


def coarse(function, *arguments, **named):
    """Return a function's result with a coarse grid of losses, whose error in ε is up to 1e-5.

    The library allows a hundredth of this error and takes three times as long.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution, "TOLERANCE", 1e-5)
        # without its cache, because other tests must not get scales of the coarse grid
        patch.setattr(tabulate_best_order, "noise", tabulate_best_order.noise.__wrapped__)
        return function(*arguments, **named)


@cache
def committed(run, table):
    """Return a table of a committed run (tests/data/README.md)."""
    return read_csv(ROOT / f"tests/data/{run}/{table}.csv")
