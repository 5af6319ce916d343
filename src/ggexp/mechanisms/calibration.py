"""Calibration rules: from the guarantee that is wanted to the scale b of GG noise that gives it.

Each rule is one function of (order, epsilon, delta) in `ggexp.mechanisms.rules`. `scale` finds it
in `RULES` by its name, checks the arguments and multiplies by the sensitivity. Noise of some rules
has a bound besides, which `bound` gives.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, sqrt
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import rules
from ggexp.mechanisms.arrays import PLAIN, Array, are_arrays, each
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, exact_delta, of_release, too_small
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.solver import rounded_up


@dataclass(frozen=True)
class Rule:
    """A calibration rule and where it applies.

    name: as written in a configuration.
    guarantee: what the noise is meant to satisfy.
    function: (order, epsilon, delta) -> scale at sensitivity 1.
    order: the only order it fits, None for every real order >= 1.
    bound: (order, epsilon, delta) -> bound of the noise at sensitivity 1, None if it has none.
    largest_delta: no larger δ is possible, for example with a bound.
    instead: what to do with another order, for the message.
    proven_below: the ε from which on the noise may not satisfy the guarantee.
    """

    name: str
    guarantee: Guarantee
    function: Callable[[float, float, float], float]
    order: float | None = None
    bound: Callable[[float, float, float], float] | None = None
    largest_delta: float = 1.0
    instead: str = ""
    proven_below: float = inf

    @property
    def uses_delta(self) -> bool:
        """Whether the guarantee has a δ."""
        return self.guarantee.has_delta

    def check_order(self, order: float) -> None:
        """Raise ValueError where the rule does not fit the order, and say what does."""
        checks.at_least_one("order", order)
        if self.order is not None and order != self.order:
            raise ValueError(
                f"calibration {self.name!r} fits order {self.order:g} only, got order {order!r}: "
                + self.instead
            )


def zcdp_scale(rho: float, sensitivity: float = 1.0) -> float:
    """Return the scale b = Δ_2/√ρ of Gaussian noise (σ = b/√2) that is of ρ-zCDP.

    rho: ρ > 0. sensitivity: the l_2 sensitivity Δ_2 > 0 of the statistics together.
    """
    b = checks.positive("sensitivity", sensitivity) / sqrt(checks.positive("rho", rho))
    return checks.positive("scale", b)


_GAUSSIAN = "it is a bound for the Gaussian; use 'adp-exact' or 'pdp'"

#: The rules by their names, as a configuration and `Mechanism` have them.
RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "pure",
            Guarantee.PURE,
            rules.pure,
            order=1,
            instead="on unbounded support no scale gives pure DP with another order (paper, Claim "
            "4: the loss grows with the noise); use 'pdp' or 'adp-exact', or bounded support",
        ),
        Rule("pdp", Guarantee.PROBABILISTIC, rules.pdp),
        Rule("pdp-exact", Guarantee.PROBABILISTIC, rules.pdp_exact),
        Rule(
            "adp-classical",
            Guarantee.APPROXIMATE,
            rules.adp_classical,
            order=2,
            instead=_GAUSSIAN,
            proven_below=1,
        ),
        Rule(
            "adp-lecture",
            Guarantee.APPROXIMATE,
            rules.adp_lecture,
            order=2,
            instead=_GAUSSIAN,
            proven_below=1,
        ),
        Rule("adp-exact", Guarantee.APPROXIMATE, rules.adp_exact),
        Rule(
            "adp-truncated",
            Guarantee.APPROXIMATE,
            rules.pure,
            order=1,
            bound=rules.adp_truncated_bound,
            largest_delta=1 / 2,
            instead="its bound is one for truncated Laplace noise; use 'adp-exact'",
        ),
        Rule("zcdp", Guarantee.APPROXIMATE, rules.zcdp, order=2, instead=_GAUSSIAN),
    )
}


def rule(calibration: str) -> Rule:
    """Return the rule of that name; ValueError names the known ones."""
    try:
        return RULES[calibration]
    except KeyError:
        known = ", ".join(RULES)
        raise ValueError(f"unknown calibration {calibration!r}, known are: {known}") from None


@overload
def scale(
    calibration: str,
    *,
    order: float,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> float: ...
@overload
def scale(
    calibration: str, *, order: float, epsilon: float, delta: Array, sensitivity: float = 1.0
) -> NDArray[np.float64]: ...
@overload
def scale(
    calibration: str, *, order: float, epsilon: Array, delta: Any = None, sensitivity: float = 1.0
) -> NDArray[np.float64]: ...
def scale(
    calibration: str, *, order: float, epsilon: Any, delta: Any = None, sensitivity: float = 1.0
) -> Any:
    """Return the scale b of GG noise of that order that meets the rule's guarantee.

    calibration: a name in `RULES`.
    order: p >= 1; some rules fit one order only.
    epsilon: ε > 0.
    delta: δ in [1e-302, 1), for "adp-truncated" at most 1/2; ignored by rules that have none.
    sensitivity: Δ > 0, by how much the one coordinate that changes may move.
    Of arrays of ε or δ it is an array, of the shape that they broadcast to.
    The δ of the noise exceeds δ by at most `ggexp.mechanisms.solver.DELTA_ERROR` of it, and is 0
    with "pure". Warns if the noise does not satisfy the guarantee, beyond the proof of its rule.
    Raises ValueError naming the argument, its value and what is allowed.

    >>> from ggexp import calibration
    >>> calibration.scale("pdp", order=3, epsilon=[0.5, 1, 2], delta=0.05).round(4)
    array([8.5904, 4.6624, 2.6557])
    """
    if not (isinstance(epsilon, PLAIN) and (delta is None or isinstance(delta, PLAIN))):
        if are_arrays(epsilon, delta):
            at_one = partial(scale, calibration, order=order, sensitivity=sensitivity)
            return each(at_one, epsilon=epsilon, delta=delta)
    chosen = RULES.get(calibration) or rule(calibration)  # which has the message: a call saved
    delta = _checked(chosen, order, epsilon, delta, sensitivity)
    b = chosen.function(order, epsilon, delta)
    checks.positive("scale", b)  # 1/ε overflows below 6e-309
    b = checks.positive("scale", rounded_up(Fraction(float(sensitivity)) * Fraction(b)))
    if epsilon >= chosen.proven_below:
        _warn_if_too_small(chosen, order, b, epsilon, delta, sensitivity)
    return b


def bound(
    calibration: str,
    *,
    order: float,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> float | None:
    """Return the bound A that noise with the rule's scale never exceeds, None where it has none.

    The arguments are those of `scale`, and so is what is raised.
    """
    chosen = rule(calibration)
    delta = _checked(chosen, order, epsilon, delta, sensitivity)
    if chosen.bound is None:
        return None
    return checks.positive("bound", sensitivity * chosen.bound(order, epsilon, delta))


def _warn_if_too_small(
    chosen: Rule, order: float, b: float, epsilon: float, delta: float, sensitivity: float
) -> None:
    """Warn if noise of this scale does not satisfy the guarantee of its rule."""
    noise, at = GeneralizedGaussian(order, b), {"epsilon": epsilon, "sensitivity": sensitivity}
    if of_release(chosen.guarantee, noise, **at, delta=delta, processed=True) is None:
        exact = exact_delta(noise, **at)
        warnings.warn(too_small(chosen.name, epsilon, delta, exact), stacklevel=3)


def _checked(
    chosen: Rule, order: float, epsilon: float, delta: float | None, sensitivity: float
) -> float:
    """Return the δ of checked arguments, 0 for a rule that has none."""
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
