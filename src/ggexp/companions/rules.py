"""Calibration rules of other sources, to compare with those that commands and runs use."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import log, sqrt
from typing import Any

from ggexp.companions.staircase import Staircase, best_for_absolute, best_for_variance
from ggexp.mechanisms import calibration, rules
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import Rule, gaussian_rule
from ggexp.mechanisms.guarantee import Guarantee, pdp_delta_of
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.rules import Alone, by_budget, from_scale


def adp_lecture(order: float, budget: Budget) -> float:
    """Return b = √2 σ with σ = √(2 ln(2/δ)) / ε, a Gaussian mechanism for approximate DP.

    Source: approximate-DP lecture notes, Theorem 2.1, for ε <= 1.
    """
    return 2 * sqrt(log(2 / budget.delta)) / budget.epsilon


def zcdp(order: float, budget: Budget) -> float:
    """Return b = √2 σ = 1/√ρ for the ρ at which ρ-zCDP implies (ε, δ)-approximate DP.

    With a = ln(1/δ), ρ + 2 √(ρ a) = ε at √ρ = √(a + ε) - √a. Source: CS208 notes, Theorem 4.2.
    """
    a = -log(budget.delta)
    return (sqrt(a + budget.epsilon) + sqrt(a)) / budget.epsilon


def staircase(best_high: Callable[[float], float]) -> Alone:
    """Return a rule's function for staircase noise. best_high: ε -> the field `high`."""

    def alone(order: None, budget: Budget, sensitivity: float) -> Noise:
        b = rules.at_sensitivity(rules.pure(1, budget), sensitivity)
        return Staircase(b, sensitivity, best_high(budget.epsilon))

    return alone


_staircase_rule = partial(
    Rule, guarantee=Guarantee.PURE, family=Staircase, order=None, is_tight=True
)
#: All rules, by their names.
RULES = calibration.RULES | {
    rule.name: rule
    for rule in (
        gaussian_rule("adp-lecture", alone=from_scale(adp_lecture), proven_below=1),
        gaussian_rule("zcdp", alone=from_scale(zcdp)),
        # the same noise as "adp-truncated", because its loss is at most ε or infinite
        replace(
            calibration.RULES["adp-truncated"],
            name="pdp-truncated",
            guarantee=Guarantee.PROBABILISTIC,
            jointly=by_budget(pdp_delta_of),
            instead="it truncates Laplace noise; use 'pdp-exact'",
        ),
        _staircase_rule("pure-staircase-absolute", alone=staircase(best_for_absolute)),
        _staircase_rule("pure-staircase-variance", alone=staircase(best_for_variance)),
    )
}


def noise_by(name: str, order: float | None, **at: Any) -> Noise:
    """Return the noise of the rule with this name, as `ggexp.mechanisms.calibration.calibrate`."""
    return calibration.calibrate(RULES[name], order=order, **at)
