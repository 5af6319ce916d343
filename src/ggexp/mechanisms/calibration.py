"""The table of calibration rules, and `calibrate`, which checks arguments and applies a rule."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import floor, inf, log2
from typing import Literal

from ggexp import checks
from ggexp.mechanisms import rules
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import (
    Guarantee,
    delta_of,
    of_release,
    pdp_delta_of,
    too_small_message,
)
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.rules import Alone, Jointly, by_scale, by_scan, from_scale, with_cells
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.ranges import Cells, Delta, Epsilon, Order, Sensitivity

#: The relative precision of the exact δ of integer-valued noise is 2^-DELTA_BITS.
DELTA_BITS = 53
#: Shares by which ε and δ are reduced in successive attempts to calibrate integer-valued noise.
SHARES = (0.0, 1e-9, 1e-7, 1e-5)
#: The value of `order` for the order with the smallest standard deviation at each (ε, δ), and the
#: only rule that has one.
BEST, EXACT = "best", "adp-exact"


@dataclass(frozen=True)
class Rule:
    """A calibration rule and its range.

    name: the name in a configuration. guarantee: the guarantee that the noise is meant to satisfy.
    alone, jointly: noise for one statistic, and for several cells (`ggexp.mechanisms.rules`).
    family: the class of the noise.
    order: the only order that the rule fits, "any", or None if its noise has no order.
    largest_delta: the largest allowed δ. It is below 1 only for truncated noise.
    instead: the advice in the error message for another order.
    proven_below: at an ε from this value on, the noise may not satisfy the guarantee.
    is_tight: whether the requested ε is the smallest ε at which the noise satisfies the guarantee.

    >>> from ggexp import calibration
    >>> calibration.RULES["adp-classical"].order, calibration.RULES["adp-classical"].proven_below
    (2, 1)
    """

    name: str
    guarantee: Guarantee
    alone: Alone
    jointly: Jointly = rules.by_share
    family: type[Noise] = GeneralizedGaussian
    order: float | Literal["any"] | None = "any"
    largest_delta: float = 1.0
    instead: str = ""
    proven_below: float = inf
    is_tight: bool = False

    def check_order(self, order: float | None) -> None:
        """Raise ValueError, naming a valid order, if the rule does not fit the given one."""
        if self.order is None and order is not None:
            raise ValueError(
                f"calibration {self.name!r} has noise without an order, got order {order!r}: "
                "omit the order"
            )
        if self.order and self.order not in ("any", checks.at_least_one("order", order)):
            raise ValueError(
                f"calibration {self.name!r} fits order {self.order:g} only, got order {order!r}: "
                + self.instead
            )


PURE, PDP, ADP = Guarantee
#: A rule with a bound for Gaussian noise.
gaussian_rule = partial(
    Rule,
    guarantee=ADP,
    jointly=rules.by_norm,
    order=2,
    instead="it is a bound for Gaussian noise; use 'adp-exact' or 'pdp'",
)

#: The rules by the names that a configuration and `Mechanism` use.
RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "pure",
            PURE,
            from_scale(rules.pure),
            order=1,
            instead="on unbounded support no scale gives pure DP with another order (paper, Claim "
            "4: the loss grows with the noise); use 'pdp' or 'adp-exact', or bounded support",
            is_tight=True,
        ),
        Rule("pdp", PDP, from_scale(rules.pdp), rules.corollary_7),
        Rule("pdp-exact", PDP, from_scale(rules.pdp_exact), by_scale(pdp_delta_of), is_tight=True),
        gaussian_rule("adp-classical", alone=from_scale(rules.adp_classical), proven_below=1),
        Rule(EXACT, ADP, from_scale(rules.adp_exact), by_scale(delta_of), is_tight=True),
        Rule(
            "adp-truncated",
            ADP,
            rules.truncated_laplace,
            rules.by_budget(delta_of),
            family=TruncatedLaplace,
            order=1,
            largest_delta=1 / 2,
            instead="it truncates Laplace noise; use 'adp-exact'",
            is_tight=True,
        ),
        Rule("pure-integer", PURE, rules.geometric, family=Geometric, order=None, is_tight=True),
        Rule(
            "pdp-exact-integer", PDP, by_scan(pdp_delta_of), with_cells, DiscreteGeneralizedGaussian
        ),
        Rule("adp-exact-integer", ADP, by_scan(delta_of), with_cells, DiscreteGeneralizedGaussian),
        Rule(
            "adp-optimal",
            ADP,
            rules.canonical,
            rules.by_response,
            family=Canonical,
            order=None,
            is_tight=True,
        ),
    )
}

#: The rules with the smallest possible E|e|: for ε-DP (False), and with a δ (True). Their noise is
#: integer-valued.
LEAST_NOISE = {False: "pure-integer", True: "adp-optimal"}


def rule(calibration: str | Rule) -> Rule:
    """Return the rule of this name in `RULES`, or the rule itself.

    >>> from ggexp import calibration
    >>> str(calibration.rule("adp-exact").guarantee)
    '(ε, δ)-aDP'
    """
    if isinstance(calibration, Rule):
        return calibration
    try:
        return RULES[calibration]
    except KeyError:
        known = ", ".join(RULES)
        raise ValueError(f"unknown calibration {calibration!r}, known are: {known}") from None


def calibrate(
    calibration: str | Rule,
    *,
    order: Order | None,
    epsilon: Epsilon,
    delta: Delta | None = None,
    sensitivity: Sensitivity = 1.0,
    cells: Cells = 1,
) -> Noise:
    """Return noise, centred at 0, that satisfies the guarantee of a rule.

    order: None for a rule whose noise has no order.
    delta: at least 1e-302, and at most 1/2 for truncated noise. Rules without a δ ignore it.
    cells: if there are several, they jointly satisfy the guarantee, and the sensitivity must be 1.

    The exact δ of the noise may exceed ``delta`` by a relative error of at most
    `ggexp.mechanisms.solver.DELTA_ERROR`, or 2^-53 for integer-valued noise on one cell, whose δ is
    checked in exact arithmetic; for "pure" the exact δ is 0.
    Warns if the rule is not proven at ε, and the noise does not satisfy the guarantee.

    >>> from ggexp import calibration
    >>> calibration.calibrate("pure", order=1, epsilon=0.5)
    GeneralizedGaussian(order=1, scale=2.0)
    """
    chosen = rule(calibration)
    budget = _checked(chosen, order, epsilon, delta, sensitivity)
    if checks.count("cells", cells) > 1 and sensitivity != 1:
        raise ValueError(f"sensitivity must be 1 for {cells} cells, got {sensitivity!r}")

    def calibrated_at(budget: Budget) -> Noise:
        if cells == 1:
            return chosen.alone(order, budget, sensitivity)
        return chosen.jointly(chosen.alone, order, budget, cells)

    if chosen.family.is_integer_valued and cells == 1:
        return _certified(chosen, calibrated_at, budget, sensitivity)
    noise = calibrated_at(budget)
    if epsilon >= chosen.proven_below and not of_release(
        chosen.guarantee, noise, budget, processed=True, sensitivity=sensitivity, cells=cells
    ):
        exact = delta_of(noise, epsilon=epsilon, sensitivity=sensitivity, cells=cells)
        warnings.warn(too_small_message(chosen.name, budget, exact), stacklevel=3)
    return noise


def _certified(
    chosen: Rule, calibrated_at: Callable[[Budget], Noise], budget: Budget, sensitivity: float
) -> Noise:
    """Return integer-valued noise whose δ in exact arithmetic is at most that of the budget."""
    largest = Fraction(float(budget.delta))
    # bounds on a δ that is exactly the largest must not exceed the allowed δ
    bits = DELTA_BITS - floor(log2(budget.delta)) if budget.delta else DELTA_BITS
    is_probabilistic = chosen.guarantee is Guarantee.PROBABILISTIC
    for share in SHARES:
        noise = calibrated_at(budget.reduced(share))
        assert isinstance(noise, IntegerValuedNoise)
        exact = noise.exact_delta(
            epsilon=budget.epsilon,
            sensitivity=sensitivity,
            probabilistic=is_probabilistic,
            bits=bits,
        )
        if exact <= largest * (1 + Fraction(2) ** -DELTA_BITS):
            return noise
    raise ArithmeticError(
        f"calibration {chosen.name!r} found no integer-valued noise at {budget} whose exact δ "
        "is small enough"
    )


def _checked(
    chosen: Rule, order: float | None, epsilon: float, delta: float | None, sensitivity: float
) -> Budget:
    """Check all arguments and return ε and δ, which is 0 if the rule has none."""
    chosen.check_order(order)
    checks.positive("epsilon", epsilon)
    checks.positive("sensitivity", sensitivity)
    if not chosen.guarantee.has_delta:
        return Budget(epsilon)
    checked = checks.open_unit("delta", delta)
    if not SMALLEST_DELTA <= checked <= chosen.largest_delta:
        raise ValueError(
            f"delta must be from {SMALLEST_DELTA:g} to {chosen.largest_delta:g} for calibration "
            f"{chosen.name!r}, got {delta!r}"
        )
    return Budget(epsilon, checked)
