"""The meaning of ε, of releases and of rules: docs/guide.md."""

from itertools import chain
from math import exp

import numpy as np
from scipy.stats import norm

from facts import fact
from facts.library import EPSILONS, GRID, sd
from ggexp import Mechanism, calibration


@fact
def epsilon_means():
    """The factor e^ε, and the probability of a correct guess with prior ½, each with its ε."""
    guesses = chain(*((1 / (1 + exp(-epsilon)), epsilon) for epsilon in EPSILONS))
    return {"odds": (0.5, exp(0.5)), "odds-at-2": (2, exp(2)), "guesses": list(guesses)}


@fact
def loss_beyond_epsilon():
    """Pr(|loss| > ε) for the smallest noise that satisfies (0.5, 0.1)-approximate DP, by order."""
    noises = [
        Mechanism(order, "adp-exact").noise(epsilon=0.5, delta=0.1) for order in (1, 1.5, 2, 3)
    ]
    return [noise.pdp_delta(epsilon=0.5) for noise in noises]


@fact
def clamped_zero():
    """The probability that 12 becomes 0 with Gaussian-pDP at (0.5, 0.01), and the loss there."""
    from_12, from_13 = norm.logcdf([-12, -13], scale=sd("pdp", 2, 0.5, 0.01))
    return {"probability": exp(from_12), "loss": from_12 - from_13}


@fact
def rules():
    """Guarantee and orders of each rule, and sds at the paper's points."""
    listed = [
        [
            *(name, rule.guarantee),
            {"any": "any p ≥ 1", None: "none"}.get(rule.order, rule.order),
            None,
        ]
        for name, rule in calibration.RULES.items()
    ]
    columns = [("pure", 1), ("pdp", 2), ("pdp", 3), *(("adp-exact", order) for order in (1, 2, 3))]
    rows = [[(), (), *(order for _, order in columns)]]
    for point in GRID:
        pure, *pdp = sds = [sd(*column, *point) for column in columns]
        best = int(np.argmin(sds[3:])) + 1  # the best order of adp-exact
        assert best == 1 or point[1] > 0.01
        assert best == 3 or point != (0.5, 0.25)
        assert [sd_of_pdp < pure for sd_of_pdp in pdp[:2]] == [point == (0.5, 0.25)] * 2
        if point[1] != 0.05:
            rows.append([*point, *sds])
    classical, exact = (sd(rule, 2, 0.5, 0.01) for rule in ("adp-classical", "adp-exact"))
    return {"table": listed, "noise": rows, "classical": classical, "exact": exact}
