"""Calibration rules: from the guarantee that is wanted to the noise that satisfies it.

A rule is a line of the table `RULES`: a function of (order, epsilon, delta, sensitivity) that
returns noise, and what it states. `noise` finds it by its name and checks the arguments; `scale`
and `bound` are numbers of that noise.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, sqrt
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import rules, whole_rules
from ggexp.mechanisms.arrays import PLAIN, Array, are_arrays, each
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.guarantee import Guarantee, of_release, too_small
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.solver import rounded_up
from ggexp.mechanisms.staircase import Staircase, best_for_absolute, best_for_variance
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

#: The order of a mechanism that stands for the one of least noise at each (ε, δ).
BEST = "best"
#: An order as configurations and users write it; None for noise that has none.
Order = float | str | None


@dataclass(frozen=True)
class Rule:
    """A calibration rule and where it applies.

    name: as written in a configuration.
    guarantee: what the noise is meant to satisfy.
    calibrate: (order, epsilon, delta, sensitivity) -> noise. A rule of generalized Gaussian noise
        is `of_scale` of a function that returns a scale.
    family: of the noise.
    order: the only order it fits, "any" for every real order >= 1, None if its noise has no order.
    largest_delta: no larger δ is possible, for example with a bound.
    instead: what to do with another order, for the message.
    proven_below: the ε from which on the noise may not satisfy the guarantee.
    is_tight: whether its noise satisfies the guarantee at no smaller ε, however little smaller.
    has_best: whether the order may be `BEST`.
    """

    name: str
    guarantee: Guarantee
    calibrate: Callable[[Any, float, float, float], Noise]
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
        """Raise ValueError where the rule does not fit the order, and say what does."""
        if self.order is None:
            if order is not None:
                raise ValueError(
                    f"calibration {self.name!r} has noise without an order, got order {order!r}: "
                    "leave it out"
                )
            return
        if self.order not in ("any", checks.at_least_one("order", order)):
            raise ValueError(
                f"calibration {self.name!r} fits order {self.order:g} only, got order {order!r}: "
                + self.instead
            )

    def check_best(self) -> None:
        """Raise ValueError where the order cannot be `BEST`."""
        if not self.has_best:
            names = " or ".join(repr(name) for name, rule in RULES.items() if rule.has_best)
            raise ValueError(
                f"order {BEST!r} fits calibration {names} only, got {self.name!r}: it is the "
                "order of least standard deviation at exact (ε, δ)-approximate DP"
            )


def zcdp_scale(rho: float, sensitivity: float = 1.0) -> float:
    """Return the scale b = Δ_2/√ρ of Gaussian noise (σ = b/√2) that satisfies ρ-zCDP.

    rho: ρ > 0. sensitivity: the l_2 sensitivity Δ_2 > 0 of the statistics together.
    """
    b = checks.positive("sensitivity", sensitivity) / sqrt(checks.positive("rho", rho))
    return checks.positive("scale", b)


def of_scale(
    function: Callable[[float, float, float], float],
) -> Callable[[Any, float, float, float], Noise]:
    """Return a rule's function that gives generalized Gaussian noise of a scale.

    function: (order, epsilon, delta) -> scale b at sensitivity 1.
    """

    def calibrate(order: float, epsilon: float, delta: float, sensitivity: float) -> Noise:
        return GeneralizedGaussian(order, _moved(function(order, epsilon, delta), sensitivity))

    return calibrate


def _truncated(order: float, epsilon: float, delta: float, sensitivity: float) -> Noise:
    """Return Laplace noise for ε-DP within the smallest bound that costs no more than δ."""
    scale = _moved(rules.pure(order, epsilon, delta), sensitivity)
    bound = sensitivity * rules.adp_truncated_bound(order, epsilon, delta)
    return TruncatedLaplace(scale, bound)


def _staircase(
    best: Callable[[float], float],
) -> Callable[[None, float, float, float], Noise]:
    """Return a rule's function that gives staircase noise.

    best: ε -> γ, the share of a stair that is the higher part.
    """

    def calibrate(order: None, epsilon: float, delta: float, sensitivity: float) -> Noise:
        b = _moved(rules.pure(1, epsilon, delta), sensitivity)
        return Staircase(b, sensitivity, best(epsilon))

    return calibrate


def _moved(b: float, sensitivity: float) -> float:
    """Return the scale at a sensitivity from that at 1, rounded up."""
    checks.positive("scale", b)  # 1/ε overflows below 6e-309
    return checks.positive("scale", rounded_up(Fraction(float(sensitivity)) * Fraction(b)))


_GAUSSIAN = "it is a bound for the Gaussian; use 'adp-exact' or 'pdp'"

#: The rules by their names, as a configuration and `Mechanism` have them.
RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "pure",
            Guarantee.PURE,
            of_scale(rules.pure),
            order=1,
            instead="on unbounded support no scale gives pure DP with another order (paper, Claim "
            "4: the loss grows with the noise); use 'pdp' or 'adp-exact', or bounded support",
            is_tight=True,
        ),
        Rule("pdp", Guarantee.PROBABILISTIC, of_scale(rules.pdp)),
        Rule("pdp-exact", Guarantee.PROBABILISTIC, of_scale(rules.pdp_exact), is_tight=True),
        Rule(
            "adp-classical",
            Guarantee.APPROXIMATE,
            of_scale(rules.adp_classical),
            order=2,
            instead=_GAUSSIAN,
            proven_below=1,
        ),
        Rule(
            "adp-lecture",
            Guarantee.APPROXIMATE,
            of_scale(rules.adp_lecture),
            order=2,
            instead=_GAUSSIAN,
            proven_below=1,
        ),
        Rule(
            "adp-exact",
            Guarantee.APPROXIMATE,
            of_scale(rules.adp_exact),
            is_tight=True,
            has_best=True,
        ),
        Rule(
            "adp-truncated",
            Guarantee.APPROXIMATE,
            _truncated,
            family=TruncatedLaplace,
            order=1,
            largest_delta=1 / 2,
            instead="its bound is one for truncated Laplace noise; use 'adp-exact'",
            is_tight=True,
        ),
        # the same noise: its loss is at most ε or infinite
        Rule(
            "pdp-truncated",
            Guarantee.PROBABILISTIC,
            _truncated,
            family=TruncatedLaplace,
            order=1,
            largest_delta=1 / 2,
            instead="its bound is one for truncated Laplace noise; use 'pdp-exact'",
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
        Rule("zcdp", Guarantee.APPROXIMATE, of_scale(rules.zcdp), order=2, instead=_GAUSSIAN),
        Rule(
            "pure-integer",
            Guarantee.PURE,
            whole_rules.geometric,
            family=Geometric,
            order=None,
            is_tight=True,
        ),
        Rule(
            "pdp-exact-integer",
            Guarantee.PROBABILISTIC,
            whole_rules.pdp_exact,
            family=DiscreteGeneralizedGaussian,
        ),
        Rule(
            "adp-exact-integer",
            Guarantee.APPROXIMATE,
            whole_rules.adp_exact,
            family=DiscreteGeneralizedGaussian,
        ),
        Rule(
            "adp-optimal",
            Guarantee.APPROXIMATE,
            whole_rules.canonical,
            family=Canonical,
            order=None,
            is_tight=True,
        ),
    )
}


def rule(calibration: str) -> Rule:
    """Return the rule of that name; ValueError names the known ones."""
    try:
        return RULES[calibration]
    except KeyError:
        known = ", ".join(RULES)
        raise ValueError(f"unknown calibration {calibration!r}, known are: {known}") from None


def least_whole(delta: float | None) -> str:
    """Return the rule of the least whole-number noise: of ε-DP, with a δ of approximate DP."""
    return "pure-integer" if delta is None else "adp-optimal"


def noise(
    calibration: str,
    *,
    order: float | None,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> Noise:
    """Return the noise with which a release satisfies the rule's guarantee, centred at 0.

    calibration: a name in `RULES`.
    order: p >= 1; some rules fit one order only, and noise of some has none.
    epsilon: ε > 0.
    delta: δ in [1e-302, 1), for "adp-truncated" at most 1/2; ignored by rules that have none.
    sensitivity: Δ > 0, by how much the one coordinate that changes may move.
    The δ of the noise exceeds δ by at most `ggexp.mechanisms.solver.DELTA_ERROR` of it, and is 0
    with "pure". Warns if the noise does not satisfy the guarantee, beyond the proof of its rule.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    chosen = RULES.get(calibration) or rule(calibration)  # which has the message: a call saved
    delta = _checked(chosen, order, epsilon, delta, sensitivity)
    made = chosen.calibrate(order, epsilon, delta, sensitivity)
    if epsilon >= chosen.proven_below:
        _warn_if_too_small(chosen, made, epsilon, delta, sensitivity)
    return made


@overload
def scale(
    calibration: str,
    *,
    order: float | None,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> float: ...
@overload
def scale(
    calibration: str, *, order: float | None, epsilon: float, delta: Array, sensitivity: float = 1.0
) -> NDArray[np.float64]: ...
@overload
def scale(
    calibration: str,
    *,
    order: float | None,
    epsilon: Array,
    delta: Any = None,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]: ...
def scale(
    calibration: str,
    *,
    order: float | None,
    epsilon: Any,
    delta: Any = None,
    sensitivity: float = 1.0,
) -> Any:
    """Return the scale b of the noise that satisfies the rule's guarantee; see `noise`.

    Of arrays of ε or δ it is an array, of the shape that they broadcast to. Raises ValueError also
    for a rule whose noise has no scale.

    >>> from ggexp import calibration
    >>> calibration.scale("pdp", order=3, epsilon=[0.5, 1, 2], delta=0.05).round(4)
    array([8.5904, 4.6624, 2.6557])
    """
    if not (isinstance(epsilon, PLAIN) and (delta is None or isinstance(delta, PLAIN))):
        if are_arrays(epsilon, delta):
            at_one = partial(scale, calibration, order=order, sensitivity=sensitivity)
            return each(at_one, epsilon=epsilon, delta=delta)
    at = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    made = noise(calibration, order=order, **at)
    if "scale" not in made.numbers:
        raise ValueError(f"calibration must be a rule of noise with a scale, got {calibration!r}")
    return made.numbers["scale"]


def bound(
    calibration: str,
    *,
    order: float | None,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> float | None:
    """Return what the noise of a rule never exceeds, None if there is no bound; see `noise`."""
    made = noise(calibration, order=order, epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    return made.numbers.get("bound")


def _warn_if_too_small(
    chosen: Rule, made: Noise, epsilon: float, delta: float, sensitivity: float
) -> None:
    """Warn if noise does not satisfy the guarantee of its rule."""
    at = {"epsilon": epsilon, "sensitivity": sensitivity}
    if of_release(chosen.guarantee, made, **at, delta=delta, processed=True) is None:
        exact = made.delta(**at)
        warnings.warn(too_small(chosen.name, epsilon, delta, exact), stacklevel=4)


def _checked(
    chosen: Rule, order: float | None, epsilon: float, delta: float | None, sensitivity: float
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
