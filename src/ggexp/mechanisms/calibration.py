"""Calibration rules, which return noise that satisfies a given guarantee.

The table `RULES` contains for each rule the stated guarantee and a function of (order, epsilon,
delta, sensitivity) that returns noise. `calibrate` looks a rule up by its name and checks the
arguments.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import floor, inf, log2, sqrt
from typing import Any, Literal

from ggexp import checks
from ggexp.mechanisms import integer_valued_rules, rules
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.guarantee import Guarantee, of_release, too_small_message
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.several_cells import delta_of, pdp_delta_of
from ggexp.mechanisms.several_cells_rules import (
    Jointly,
    by_budget,
    by_norm,
    by_scale,
    by_share,
    corollary_7,
)
from ggexp.mechanisms.solver import rounded_up
from ggexp.mechanisms.staircase import Staircase, best_for_absolute, best_for_variance
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.ranges import Cells, Delta, Epsilon, Order, Sensitivity

#: The relative precision of the exact δ of integer-valued noise is 2^-DELTA_BITS.
DELTA_BITS = 53
#: Shares by which ε and δ are reduced in successive attempts to calibrate integer-valued noise.
SHARES = (0.0, 1e-9, 1e-7, 1e-5)
#: The value of `order` for the order with the smallest standard deviation at each (ε, δ).
BEST = "best"


@dataclass(frozen=True)
class Rule:
    """A calibration rule and its range.

    name: the name in a configuration. guarantee: the guarantee that the noise is meant to satisfy.
    calibrate: (order, epsilon, delta, sensitivity) -> noise. For generalized Gaussian noise,
        `from_scale` makes this function from one that returns a scale.
    jointly: (calibrate, order, epsilon, delta, cells) -> noise for each of several cells that
        change by 1; a function of `ggexp.mechanisms.several_cells_rules`.
    family: the class of the noise.
    order: the only order that the rule fits, "any" for every order, or None if its noise has no
        order.
    largest_delta: the largest allowed δ. It is below 1 only for truncated noise.
    instead: the advice in the error message for another order.
    proven_below: the rule is proven only for ε below this value. At other ε the noise may not
        satisfy the guarantee.
    is_tight: whether the requested ε is the smallest ε at which the noise satisfies the guarantee.
    has_best: whether the order may be `BEST`.

    >>> from ggexp import calibration
    >>> calibration.RULES["adp-classical"].order, calibration.RULES["adp-classical"].proven_below
    (2, 1)
    """

    name: str
    guarantee: Guarantee
    calibrate: Callable[[Any, float, float, float], Noise]
    jointly: Jointly = by_share
    family: type[Noise] = GeneralizedGaussian
    order: float | Literal["any"] | None = "any"
    largest_delta: float = 1.0
    instead: str = ""
    proven_below: float = inf
    is_tight: bool = False
    has_best: bool = False

    @property
    def uses_delta(self) -> bool:
        """Whether the guarantee has a δ."""
        return self.guarantee.has_delta

    def check_order(self, order: float | None) -> None:
        """Raise ValueError, naming a valid order, if the rule does not fit the given one."""
        if self.order is None:
            if order is not None:
                raise ValueError(
                    f"calibration {self.name!r} has noise without an order, got order {order!r}: "
                    "omit the order"
                )
            return
        if self.order not in ("any", checks.at_least_one("order", order)):
            raise ValueError(
                f"calibration {self.name!r} fits order {self.order:g} only, got order {order!r}: "
                + self.instead
            )

    @property
    def only_order(self) -> float | None:
        """The rule's only order; None if it has no order, or several."""
        return self.order if isinstance(self.order, float | int) else None

    def check_best(self) -> None:
        """Raise ValueError if the order cannot be `BEST`."""
        if not self.has_best:
            names = " or ".join(repr(name) for name, rule in RULES.items() if rule.has_best)
            raise ValueError(
                f"order {BEST!r} fits calibration {names} only, got {self.name!r}: it is the "
                "order with the smallest standard deviation for exact (ε, δ)-approximate DP"
            )


def zcdp_scale(rho: float, sensitivity: Sensitivity = 1.0) -> float:
    """Return the scale b = Δ_2/√ρ of Gaussian noise (σ = b/√2) that satisfies ρ-zCDP.

    sensitivity: the l_2 sensitivity Δ_2 of all statistics together, in the units of b.
    Source: M. Bun and T. Steinke, "Concentrated Differential Privacy: Simplifications, Extensions,
    and Lower Bounds", TCC 2016, Proposition 1.6.

    >>> from ggexp import calibration
    >>> calibration.zcdp_scale(0.25)
    2.0
    """
    b = checks.positive("sensitivity", sensitivity) / sqrt(checks.positive("rho", rho))
    return checks.positive("scale", b)


def from_scale(
    function: Callable[[float, float, float], float],
) -> Callable[[Any, float, float, float], Noise]:
    """Return a rule's function for generalized Gaussian noise, from a function for its scale.

    function: (order, epsilon, delta) -> scale b at sensitivity 1. The result, (order, epsilon,
    delta, sensitivity) -> noise, is the field ``calibrate`` of a `Rule`.

    >>> from ggexp import calibration
    >>> calibrate = calibration.from_scale(lambda order, epsilon, delta: 2 / epsilon)
    >>> calibrate(1, 0.5, 0, 3)
    GeneralizedGaussian(order=1, scale=12.0, location=0.0)
    """

    def calibrate(order: float, epsilon: float, delta: float, sensitivity: float) -> Noise:
        return GeneralizedGaussian(
            order, _at_sensitivity(function(order, epsilon, delta), sensitivity)
        )

    return calibrate


def _truncated_laplace(order: float, epsilon: float, delta: float, sensitivity: float) -> Noise:
    """Return Laplace noise with scale Δ/ε, truncated at the smallest bound that δ allows."""
    scale = _at_sensitivity(rules.pure(order, epsilon, delta), sensitivity)
    bound = sensitivity * rules.adp_truncated_bound(order, epsilon, delta)
    return TruncatedLaplace(scale, bound)


def _staircase(
    best_high: Callable[[float], float],
) -> Callable[[None, float, float, float], Noise]:
    """Return a rule's function for staircase noise.

    best_high: ε -> γ, the width of a stair's higher part as a share of the stair's width.
    """

    def calibrate(order: None, epsilon: float, delta: float, sensitivity: float) -> Noise:
        b = _at_sensitivity(rules.pure(1, epsilon, delta), sensitivity)
        return Staircase(b, sensitivity, best_high(epsilon))

    return calibrate


def _at_sensitivity(b: float, sensitivity: float) -> float:
    """Return the scale at the given sensitivity, rounded up, from the scale b at sensitivity 1."""
    checks.positive("scale", b)  # 1/ε overflows below 6e-309
    return checks.positive("scale", rounded_up(Fraction(float(sensitivity)) * Fraction(b)))


_GAUSSIAN_ONLY = "it is a bound for Gaussian noise; use 'adp-exact' or 'pdp'"

#: The rules by the names that a configuration and `Mechanism` use.
RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "pure",
            Guarantee.PURE,
            from_scale(rules.pure),
            order=1,
            instead="on unbounded support no scale gives pure DP with another order (paper, Claim "
            "4: the loss grows with the noise); use 'pdp' or 'adp-exact', or bounded support",
            is_tight=True,
        ),
        Rule("pdp", Guarantee.PROBABILISTIC, from_scale(rules.pdp), corollary_7),
        Rule(
            "pdp-exact",
            Guarantee.PROBABILISTIC,
            from_scale(rules.pdp_exact),
            by_scale(pdp_delta_of),
            is_tight=True,
        ),
        Rule(
            "adp-classical",
            Guarantee.APPROXIMATE,
            from_scale(rules.adp_classical),
            by_norm,
            order=2,
            instead=_GAUSSIAN_ONLY,
            proven_below=1,
        ),
        Rule(
            "adp-lecture",
            Guarantee.APPROXIMATE,
            from_scale(rules.adp_lecture),
            by_norm,
            order=2,
            instead=_GAUSSIAN_ONLY,
            proven_below=1,
        ),
        Rule(
            "adp-exact",
            Guarantee.APPROXIMATE,
            from_scale(rules.adp_exact),
            by_scale(delta_of),
            is_tight=True,
            has_best=True,
        ),
        Rule(
            "adp-truncated",
            Guarantee.APPROXIMATE,
            _truncated_laplace,
            by_budget(delta_of),
            family=TruncatedLaplace,
            order=1,
            largest_delta=1 / 2,
            instead="it truncates Laplace noise; use 'adp-exact'",
            is_tight=True,
        ),
        # the same noise as "adp-truncated", because its loss is at most ε or infinite
        Rule(
            "pdp-truncated",
            Guarantee.PROBABILISTIC,
            _truncated_laplace,
            by_budget(pdp_delta_of),
            family=TruncatedLaplace,
            order=1,
            largest_delta=1 / 2,
            instead="it truncates Laplace noise; use 'pdp-exact'",
            is_tight=True,
        ),
        Rule(
            "pure-staircase-absolute",
            Guarantee.PURE,
            _staircase(best_for_absolute),
            family=Staircase,
            order=None,
            is_tight=True,
        ),
        Rule(
            "pure-staircase-variance",
            Guarantee.PURE,
            _staircase(best_for_variance),
            family=Staircase,
            order=None,
            is_tight=True,
        ),
        Rule(
            "zcdp",
            Guarantee.APPROXIMATE,
            from_scale(rules.zcdp),
            by_norm,
            order=2,
            instead=_GAUSSIAN_ONLY,
        ),
        Rule(
            "pure-integer",
            Guarantee.PURE,
            integer_valued_rules.geometric,
            family=Geometric,
            order=None,
            is_tight=True,
        ),
        Rule(
            "pdp-exact-integer",
            Guarantee.PROBABILISTIC,
            integer_valued_rules.pdp_exact,
            integer_valued_rules.by_scan(pdp_delta_of),
            family=DiscreteGeneralizedGaussian,
        ),
        Rule(
            "adp-exact-integer",
            Guarantee.APPROXIMATE,
            integer_valued_rules.adp_exact,
            integer_valued_rules.by_scan(delta_of),
            family=DiscreteGeneralizedGaussian,
        ),
        Rule(
            "adp-optimal",
            Guarantee.APPROXIMATE,
            integer_valued_rules.canonical,
            by_budget(delta_of),
            family=Canonical,
            order=None,
            is_tight=True,
        ),
    )
}


def rule(calibration: str) -> Rule:
    """Return the rule of a given name, a key of `RULES`.

    >>> from ggexp import calibration
    >>> str(calibration.rule("adp-exact").guarantee)
    '(ε, δ)-aDP'
    """
    try:
        return RULES[calibration]
    except KeyError:
        known = ", ".join(RULES)
        raise ValueError(f"unknown calibration {calibration!r}, known are: {known}") from None


def smallest_integer_valued_rule(delta: float | None) -> str:
    """Return the name of the rule with the smallest integer-valued noise.

    delta: δ of approximate DP, or None for ε-DP.

    >>> from ggexp import calibration
    >>> calibration.smallest_integer_valued_rule(0.01)
    'adp-optimal'
    """
    return "pure-integer" if delta is None else "adp-optimal"


def calibrate(
    calibration: str,
    *,
    order: Order | None,
    epsilon: Epsilon,
    delta: Delta | None = None,
    sensitivity: Sensitivity = 1.0,
    cells: Cells = 1,
) -> Noise:
    """Return noise, centred at 0, that satisfies the guarantee of a rule.

    calibration: a name in `RULES`.
    order: None for a rule whose noise has no order. Some rules fit one order only.
    delta: at least 1e-302, and at most 1/2 for "adp-truncated" and "pdp-truncated". Rules without a
        δ ignore it.
    cells: if there are several, they jointly satisfy the guarantee, and the sensitivity must be 1.

    The exact δ of the noise may exceed ``delta`` by a relative error of at most
    `ggexp.mechanisms.solver.DELTA_ERROR`; for "pure" the exact δ is 0. The δ of integer-valued
    noise for up to two cells is checked in exact arithmetic, and may exceed ``delta`` by a factor
    of 1 + 2^-53.
    Warns if ε is outside the range for which the rule is proven, and the noise does not satisfy the
    guarantee.

    >>> from ggexp import calibration
    >>> calibration.calibrate("pure", order=1, epsilon=0.5)
    GeneralizedGaussian(order=1, scale=2.0, location=0.0)
    """
    chosen = RULES.get(calibration) or rule(calibration)  # `rule` is called only for its error
    delta = _checked_delta(chosen, order, epsilon, delta, sensitivity)
    if checks.count("cells", cells) > 1 and sensitivity != 1:
        raise ValueError(f"sensitivity must be 1 for {cells} cells, got {sensitivity!r}")
    calibrated_at = partial(_calibrated, chosen, order, sensitivity=sensitivity, cells=cells)
    if chosen.family.is_integer_valued and cells < 3:
        calibrated = _certified(
            chosen, calibrated_at, epsilon, delta, sensitivity=sensitivity, cells=cells
        )
    else:
        calibrated = calibrated_at(epsilon, delta)
    if epsilon >= chosen.proven_below:
        _warn_if_too_small(chosen, calibrated, epsilon, delta, sensitivity, cells)
    return calibrated


def _calibrated(
    chosen: Rule,
    order: float | None,
    epsilon: float,
    delta: float,
    *,
    sensitivity: float,
    cells: int,
) -> Noise:
    """Return the noise of a rule for one cell, or for several of sensitivity 1."""
    if cells == 1:
        return chosen.calibrate(order, epsilon, delta, sensitivity)
    return chosen.jointly(chosen.calibrate, order, epsilon, delta, cells)


def _certified(
    chosen: Rule,
    calibrate: Callable[[float, float], Noise],
    epsilon: float,
    delta: float,
    *,
    sensitivity: float,
    cells: int,
) -> Noise:
    """Return integer-valued noise whose δ in exact arithmetic is at most ``delta``.

    calibrate: (epsilon, delta) -> noise. If it does not satisfy its guarantee because of
        floating-point errors, the noise for slightly smaller ε and δ is tried.
    """
    largest = Fraction(float(delta)) if chosen.uses_delta else Fraction(0)
    # bounds on a δ that is exactly ``delta`` must not exceed the allowed δ
    bits = DELTA_BITS - floor(log2(delta)) if chosen.uses_delta else DELTA_BITS
    for share in SHARES:
        calibrated = calibrate(epsilon * (1 - share), delta * (1 - share))
        exact = calibrated.exact_delta(
            epsilon=epsilon,
            sensitivity=sensitivity,
            cells=cells,
            probabilistic=chosen.guarantee is Guarantee.PROBABILISTIC,
            bits=bits,
        )
        if exact <= largest * (1 + Fraction(2) ** -DELTA_BITS):
            return calibrated
    raise ArithmeticError(
        f"calibration {chosen.name!r} found no integer-valued noise at epsilon = {epsilon!r} and "
        f"delta = {delta!r} whose exact delta is small enough"
    )


def _warn_if_too_small(
    chosen: Rule, calibrated: Noise, epsilon: float, delta: float, sensitivity: float, cells: int
) -> None:
    """Warn if the calibrated noise does not satisfy the guarantee of its rule."""
    arguments: Any = {"epsilon": epsilon, "sensitivity": sensitivity, "cells": cells}
    if of_release(chosen.guarantee, calibrated, **arguments, delta=delta, processed=True) is None:
        exact = delta_of(calibrated, **arguments)
        warnings.warn(too_small_message(chosen.name, epsilon, delta, exact), stacklevel=4)


def _checked_delta(
    chosen: Rule, order: float | None, epsilon: float, delta: float | None, sensitivity: float
) -> float:
    """Check all arguments and return δ, or 0 if it is None and the rule has no δ."""
    chosen.check_order(order)
    checks.positive("epsilon", epsilon)
    checks.positive("sensitivity", sensitivity)
    if not chosen.uses_delta:
        return delta or 0.0
    checked = checks.open_unit("delta", delta)
    if not SMALLEST_DELTA <= checked <= chosen.largest_delta:
        raise ValueError(
            f"delta must be from {SMALLEST_DELTA:g} to {chosen.largest_delta:g} for calibration "
            f"{chosen.name!r}, got {delta!r}"
        )
    return checked
