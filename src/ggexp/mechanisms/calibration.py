"""Calibration rules: from a guarantee to noise that satisfies it.

A rule is an entry of the table `RULES`: a function of (order, epsilon, delta, sensitivity) that
returns noise, and the guarantee that it states. `noise` finds a rule by its name and checks the
arguments; `scale` and `bound` are numbers of that noise.
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

#: In place of an order: the order with the smallest standard deviation at each (ε, δ).
BEST = "best"
#: An order as configurations and users write it; None for noise that has none.
Order = float | str | None


@dataclass(frozen=True)
class Rule:
    """A calibration rule and its range.

    Parameters
    ----------
    name : str
        Its name in a configuration.
    guarantee : Guarantee
        The guarantee that the noise is meant to satisfy.
    calibrate : callable
        (order, epsilon, delta, sensitivity) -> noise. For generalized Gaussian noise it is
        `of_scale` of a function that returns a scale.
    family : type
        The class of the noise.
    order : float, "any" or None
        The only order that the rule fits, "any" for every real order >= 1, None if its noise has no
        order.
    largest_delta : float
        No larger δ is allowed. The bound of truncated noise has such a limit.
    instead : str
        What to do with another order, for the error message.
    proven_below : float
        The noise may not satisfy the guarantee from this ε on.
    is_tight : bool
        Whether the noise satisfies the guarantee at no smaller ε.
    has_best : bool
        Whether the order may be `BEST`.

    Examples
    --------
    >>> from ggexp import calibration
    >>> calibration.RULES["adp-classical"].order, calibration.RULES["adp-classical"].proven_below
    (2, 1)
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
        """Raise ValueError if the rule does not fit the order, and say which order it fits."""
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
        """Raise ValueError if the order cannot be `BEST`."""
        if not self.has_best:
            names = " or ".join(repr(name) for name, rule in RULES.items() if rule.has_best)
            raise ValueError(
                f"order {BEST!r} fits calibration {names} only, got {self.name!r}: it is the "
                "order of least standard deviation at exact (ε, δ)-approximate DP"
            )


def zcdp_scale(rho: float, sensitivity: float = 1.0) -> float:
    """Return the scale b = Δ_2/√ρ of Gaussian noise (σ = b/√2) that satisfies ρ-zCDP.

    Parameters
    ----------
    rho : float
        ρ > 0.
    sensitivity : float, optional
        The l_2 sensitivity Δ_2 > 0 of all statistics together.

    Returns
    -------
    float
        b > 0, in the units of the sensitivity.

    Raises
    ------
    ValueError
        If an argument or the scale is not finite and positive.

    References
    ----------
    M. Bun and T. Steinke, "Concentrated Differential Privacy: Simplifications, Extensions, and
    Lower Bounds", TCC 2016, Proposition 1.6.

    Examples
    --------
    >>> from ggexp import calibration
    >>> calibration.zcdp_scale(0.25)
    2.0
    """
    b = checks.positive("sensitivity", sensitivity) / sqrt(checks.positive("rho", rho))
    return checks.positive("scale", b)


def of_scale(
    function: Callable[[float, float, float], float],
) -> Callable[[Any, float, float, float], Noise]:
    """Return a rule's function that gives generalized Gaussian noise of a scale.

    Parameters
    ----------
    function : callable
        (order, epsilon, delta) -> scale b at sensitivity 1.

    Returns
    -------
    callable
        (order, epsilon, delta, sensitivity) -> noise, as `Rule` needs it.

    Examples
    --------
    >>> from ggexp import calibration
    >>> calibrate = calibration.of_scale(lambda order, epsilon, delta: 2 / epsilon)
    >>> calibrate(1, 0.5, 0, 3)
    GeneralizedGaussian(order=1, scale=12.0, location=0.0)
    """

    def calibrate(order: float, epsilon: float, delta: float, sensitivity: float) -> Noise:
        return GeneralizedGaussian(order, _moved(function(order, epsilon, delta), sensitivity))

    return calibrate


def _truncated(order: float, epsilon: float, delta: float, sensitivity: float) -> Noise:
    """Return Laplace noise of scale Δ/ε within the smallest bound whose cost is at most δ."""
    scale = _moved(rules.pure(order, epsilon, delta), sensitivity)
    bound = sensitivity * rules.adp_truncated_bound(order, epsilon, delta)
    return TruncatedLaplace(scale, bound)


def _staircase(
    best: Callable[[float], float],
) -> Callable[[None, float, float, float], Noise]:
    """Return a rule's function that gives staircase noise.

    best: ε -> γ, the width of a stair's higher part as a share of the stair.
    """

    def calibrate(order: None, epsilon: float, delta: float, sensitivity: float) -> Noise:
        b = _moved(rules.pure(1, epsilon, delta), sensitivity)
        return Staircase(b, sensitivity, best(epsilon))

    return calibrate


def _moved(b: float, sensitivity: float) -> float:
    """Return the scale at a sensitivity from the scale at 1, rounded up."""
    checks.positive("scale", b)  # 1/ε overflows below 6e-309
    return checks.positive("scale", rounded_up(Fraction(float(sensitivity)) * Fraction(b)))


_GAUSSIAN = "it is a bound for the Gaussian; use 'adp-exact' or 'pdp'"

#: The rules by name, as in a configuration and in `Mechanism`.
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
    """Return the rule of a given name.

    Parameters
    ----------
    calibration : str
        A name in `RULES`.

    Returns
    -------
    Rule
        The rule of that name.

    Raises
    ------
    ValueError
        If there is none. The message lists the known names.

    Examples
    --------
    >>> from ggexp import calibration
    >>> str(calibration.rule("adp-exact").guarantee)
    '(ε, δ)-aDP'
    """
    try:
        return RULES[calibration]
    except KeyError:
        known = ", ".join(RULES)
        raise ValueError(f"unknown calibration {calibration!r}, known are: {known}") from None


def least_whole(delta: float | None) -> str:
    """Return the name of the rule with the least whole-number noise.

    Parameters
    ----------
    delta : float or None
        δ of approximate DP, or None for ε-DP.

    Returns
    -------
    str
        A name in `RULES`.

    Examples
    --------
    >>> from ggexp import calibration
    >>> calibration.least_whole(None), calibration.least_whole(0.01)
    ('pure-integer', 'adp-optimal')
    """
    return "pure-integer" if delta is None else "adp-optimal"


def noise(
    calibration: str,
    *,
    order: float | None,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> Noise:
    """Return noise, centred at 0, that satisfies the guarantee of a rule.

    Parameters
    ----------
    calibration : str
        A name in `RULES`.
    order : float or None
        p >= 1. Some rules fit one order only, and the noise of some has none.
    epsilon : float
        ε > 0.
    delta : float, optional
        δ in [1e-302, 1), at most 1/2 for "adp-truncated" and "pdp-truncated". Rules without a δ
        ignore it.
    sensitivity : float, optional
        Δ > 0 of the one coordinate that changes.

    Returns
    -------
    Noise
        Its exact δ exceeds ``delta`` by at most the share `ggexp.mechanisms.solver.DELTA_ERROR`,
        and is 0 for "pure".

    Raises
    ------
    ValueError
        If the rule is unknown or an argument is outside its range.

    Warns
    -----
    UserWarning
        If ε is outside the range for which the rule is proven and the noise does not satisfy the
        guarantee.

    Examples
    --------
    >>> from ggexp import calibration
    >>> calibration.noise("pure", order=1, epsilon=0.5)
    GeneralizedGaussian(order=1, scale=2.0, location=0.0)
    """
    chosen = RULES.get(calibration) or rule(calibration)  # which raises the error; one call saved
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
    """Return the scale b of the noise that satisfies the guarantee of a rule.

    Parameters
    ----------
    calibration : str
        A name in `RULES`.
    order : float or None
        p >= 1. Some rules fit one order only, and the noise of some has none.
    epsilon : float or array_like
        ε > 0.
    delta : float or array_like, optional
        δ in [1e-302, 1), at most 1/2 for "adp-truncated" and "pdp-truncated". Rules without a δ
        ignore it.
    sensitivity : float, optional
        Δ > 0 of the one coordinate that changes.

    Returns
    -------
    float or ndarray
        b > 0, in the units of the sensitivity. It is an array of the shape to which ε and δ
        broadcast if one of them is an array.

    Raises
    ------
    ValueError
        If the rule is unknown, if its noise has no scale, or if an argument is outside its range.

    References
    ----------
    F. Liu, "Generalized Gaussian Mechanism for Differential Privacy", IEEE TKDE 31(4), 2019,
    Corollary 8 (rule "pdp"). The functions in `ggexp.mechanisms.rules` have the sources of the
    others.

    Examples
    --------
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
    """Return the bound of a rule's noise, or None if the noise is unbounded.

    Parameters
    ----------
    calibration : str
        A name in `RULES`.
    order : float or None
        p >= 1. Some rules fit one order only, and the noise of some has none.
    epsilon : float
        ε > 0.
    delta : float, optional
        δ in [1e-302, 1), at most 1/2 for "adp-truncated" and "pdp-truncated". Rules without a δ
        ignore it.
    sensitivity : float, optional
        Δ > 0 of the one coordinate that changes.

    Returns
    -------
    float or None
        The noise lies in [-bound, bound].

    Raises
    ------
    ValueError
        If the rule is unknown or an argument is outside its range.

    References
    ----------
    Q. Geng, W. Ding, R. Guo and S. Kumar, "Truncated Laplacian Mechanism for Approximate
    Differential Privacy", arXiv:1810.00877.

    Examples
    --------
    >>> from ggexp import calibration
    >>> round(calibration.bound("adp-truncated", order=1, epsilon=0.5, delta=0.01), 4)
    7.0193
    """
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
    """Return the checked δ, 0 for a rule that has none."""
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
