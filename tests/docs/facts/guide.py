"""The meaning of ε, of releases and of rules: docs/guide.md."""

from itertools import chain
from math import exp

from scipy.stats import norm

from facts import fact
from facts.library import EPSILONS, sd
from ggexp import calibration


@fact
def epsilon_means():
    """The factor e^ε, and the probability of a correct guess with prior ½, each with its ε."""
    guesses = chain(*((1 / (1 + exp(-epsilon)), epsilon) for epsilon in EPSILONS))
    return {"odds": (0.5, exp(0.5)), "odds-at-2": (2, exp(2)), "guesses": list(guesses)}


@fact
def clamped_zero():
    """The probability that 12 becomes 0 with Gaussian-pDP at (0.5, 0.01), and the loss there."""
    from_12, from_13 = norm.logcdf([-12, -13], scale=sd("pdp", 2, 0.5, 0.01))
    return {"probability": exp(from_12), "loss": from_12 - from_13}


@fact
def rules():
    """Guarantee and orders of each rule; standard deviations of order 2 by two rules."""
    listed = [
        [
            *(name, rule.guarantee),
            {"any": "any p ≥ 1", None: "none"}.get(rule.order, rule.order),
            None,
        ]
        for name, rule in calibration.RULES.items()
    ]
    classical, exact = (sd(rule, 2, 0.5, 0.01) for rule in ("adp-classical", "adp-exact"))
    return {"table": listed, "classical": classical, "exact": exact}
