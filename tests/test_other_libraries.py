"""Numbers of other programs (tests/data/other_libraries.csv), compared with ggexp.

The rows were made by studies/other_libraries.py, which describes the columns.
"""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from scipy.integrate import quad

from ggexp import GeneralizedGaussian, Mechanism
from ggexp.companions import least_real, renyi, staircase
from ggexp.guarantees.composition import Composition
from ggexp.mechanisms import bounded, privacy_loss, selection
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.loss_distribution import randomized_response
from ggexp.mechanisms.optimal_integer import Geometric
from ggexp.mechanisms.tails import upper_tail


def noise(order, rule, row):
    return Mechanism(order, rule).noise(
        epsilon=row.epsilon, delta=None if np.isnan(row.delta) else row.delta
    )


def gg(row):
    return GeneralizedGaussian(row.order, row.scale)


def whole(row):
    if row.order == 1:
        return Geometric(row.scale)
    return DiscreteGeneralizedGaussian(row.order, row.scale)


def sd(row, order, rule):
    """Return the standard deviation of noise for sensitivity 1, or for the Δ in the row's scale."""
    return noise(order, rule, row).sd * (1 if np.isnan(row.scale) else row.scale)


def composition(row):
    count = 1 if np.isnan(row["count"]) else int(row["count"])
    if np.isnan(row.order):
        return Composition([(randomized_response(Budget(row.epsilon, row.delta)), count)])
    return Composition([(gg(row), count)])


def loss_at_most(row):
    """Return Pr(loss <= ε), the probability that the noise is at least -t."""
    h = 1 / row.scale
    return 1 - upper_tail(row.order, privacy_loss.where_loss_is(row.epsilon, row.order, h))


def canonical(row):
    """Return the probability of an absolute value of the noise, which is the row's order."""
    size = int(row.order)
    return noise(None, "adp-optimal", row).probabilities[size] * (1 if size == 0 else 2)


def epsilon_from_zcdp(row):
    """Return the smallest ε, and the ε from a simple conversion of ρ."""
    rho = 1 / row.scale**2
    return gg(row).epsilon(delta=row.delta), renyi.zcdp_epsilon(rho=rho, delta=row.delta, k=1)


def accuracy(row):
    """Return the real number k with Pr(|noise| >= k) = δ, from the exponential form of the tail."""
    tails = [Geometric(row.scale).upper_tail(k - 1) * 2 for k in (1, 2)]
    b = 1 / log(tails[0] / tails[1])
    return 1 + b * log(tails[0] / row.delta)


#: Quantity -> function of a row that returns our result: a number, or two bounds.
OURS = {
    "sd": lambda row: sd(row, 2, "adp-exact"),
    "sd-classical": lambda row: sd(row, 2, "adp-classical"),
    "sd-pdp": lambda row: sd(row, 2, "pdp"),
    "sd-truncated": lambda row: sd(row, 1, "adp-truncated"),
    "sd-least": lambda row: [
        bound * row.scale for bound in least_real.bounds(Budget(row.epsilon, row.delta), 20)
    ],
    "scale": lambda row: noise(row.order, "adp-exact", row).scale,
    "delta": lambda row: gg(row).delta(epsilon=row.epsilon),
    "integer-delta": lambda row: whole(row).delta(epsilon=row.epsilon),
    "epsilon": lambda row: composition(row).epsilon(delta=row.delta),
    "false-negative": lambda row: float(composition(row).trade_off(row.delta)),
    "advantage": lambda row: composition(row).delta(epsilon=0),
    "bound": lambda row: noise(1, "adp-truncated", row).bound,
    "sd-integer": lambda row: noise(None, "pure-integer", row).sd,
    "staircase-width": lambda row: staircase.best_for_absolute(row.epsilon),
    "exponential": lambda row: sum(
        selection.probabilities([0, 1, 3, 7], epsilon=row.epsilon, sensitivity=1)[:3]
    ),
    "pure-epsilon": lambda row: Mechanism(1, "pure").noise(epsilon=1).scale / row.scale,
    "rho": lambda row: (renyi.zcdp_scale(1) / row.scale) ** 2,
    "epsilon-by-zcdp": epsilon_from_zcdp,
    "integer-accuracy": accuracy,
    "canonical": canonical,
    "loss-at-most": loss_at_most,
    "sparse-delta": lambda row: max(
        gg(row).delta(epsilon=row.epsilon), upper_tail(row.order, row["count"] / row.scale)
    ),
    "sd-sufficient": lambda row: sd(row, 1, "adp-exact"),
    "integer-sigma": lambda row: noise(2, "adp-exact-integer", row).scale / sqrt(2),
    "scale-within-bounds": lambda row: bounded.truncated_scale(
        order=1, epsilon=row.epsilon, widths=[row["count"]], sensitivities=[1]
    ),
}
#: Program and quantity -> the largest accepted difference, relative to our result; else `EQUAL`.
WITHIN = {
    ("SubbotinMechanism", "scale"): 1e-8,
    ("DPpack", "sd"): 1e-4,
    ("riskcal", "false-negative"): 1e-5,
    ("riskcal", "advantage"): 1e-7,
    ("diffprivlib", "sd"): 1e-8,
    ("diffprivlib", "integer-sigma"): 1e-5,
    ("DP-via-DRO", "sd"): 1e-4,
    ("DP-via-DRO", "sd-classical"): 1e-4,
    ("DP-via-DRO", "sd-truncated"): 1e-4,
}
EQUAL = 1e-12
#: The same in standard errors. A false alarm at 5 standard errors has a probability below 10^-6.
ERRORS = {("opendp", "canonical"): 5, ("Generalized-Gaussians", "loss-at-most"): 5}
#: Quantities that are larger than ours, which is the smallest possible value.
LARGER = {("diffprivlib", "sd-sufficient"), ("opendp", "epsilon-by-zcdp")}
#: Quantities that are smaller than ours, which is only sufficient.
SMALLER = {("diffprivlib", "scale-within-bounds")}


def ours(row):
    """Return the bounds of our result for a row; they are equal if it is a number."""
    result = OURS[row.quantity](row)
    return result if isinstance(result, tuple | list) else (result, result)


pytestmark = pytest.mark.slow

ROWS = pd.read_csv(ROOT / "tests/data/other_libraries.csv", dtype={"version": str})
GROUPS = {
    key: [row for _, row in rows.iterrows()] for key, rows in ROWS.groupby(["program", "quantity"])
}


NUMBERS = [key for key in GROUPS if key not in {*ERRORS, *LARGER, *SMALLER}]


def test_every_row_is_compared():
    assert GROUPS.keys() > {*WITHIN, *ERRORS, *LARGER, *SMALLER}
    assert len(NUMBERS) == 25
    assert len(ROWS) > 250


@pytest.mark.parametrize("key", NUMBERS, ids="-".join)
def test_numbers_agree(key):
    """The distance from the bounds is relative to the lower one if that is not 0."""
    for row in GROUPS[key]:
        low, high = ours(row)
        allowed = WITHIN.get(key, EQUAL) + (0 if np.isnan(row.error) else row.error / row.value)
        distance = max(0.0, low - row.value, row.value - high)
        assert distance / (low or 1) <= allowed, row.to_dict()


@pytest.mark.parametrize("key", ERRORS, ids="-".join)
def test_draws_agree(key):
    for row in GROUPS[key]:
        low, _ = ours(row)
        assert abs(low - row.value) <= ERRORS[key] * row.error, row.to_dict()


def test_sufficient_values_are_larger():
    for row in GROUPS["diffprivlib", "sd-sufficient"]:
        _, high = ours(row)
        assert row.value >= high * (1 - 1e-12)
    for row in GROUPS["opendp", "epsilon-by-zcdp"]:
        low, high = ours(row)
        assert low < row.value < high


def integral(s, b, width):
    return quad(lambda x: exp(-abs(x - s) / b), 0, width, points=[s])[0]


def test_the_smallest_scale_of_truncated_laplace_releases():
    """Definition 5 gives a larger scale; at diffprivlib's scale, the largest loss is ε."""
    for row in GROUPS["diffprivlib", "scale-within-bounds"]:
        low, _ = ours(row)
        assert row.value < low
        at_0, at_1 = (integral(s, row.value, row["count"]) for s in (0, 1))
        assert 1 / row.value + log(at_1 / at_0) == pytest.approx(row.epsilon, rel=1e-6)
