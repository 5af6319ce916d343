"""Calibration rules: from the guarantee that is wanted to the scale b of GG noise that gives it.

Each rule is one function of (order, epsilon, delta) for a statistic of which one coordinate moves
by at most 1 between neighbours; `scale` finds it in `RULES` by its name, checks the arguments and
multiplies by another sensitivity. Noise of some rules has a bound besides, which `bound` gives.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import expm1, inf, log, log1p, sqrt
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.arrays import PLAIN, Array, are_arrays, each
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, exact_delta, of_release, too_small
from ggexp.mechanisms.privacy_loss import delta_at, relative_sensitivity
from ggexp.mechanisms.tails import upper_point, upper_tail


@dataclass(frozen=True)
class Rule:
    """A calibration rule and where it applies.

    name: as written in a configuration.
    guarantee: what the noise is meant to satisfy.
    function: (order, epsilon, delta) -> scale at sensitivity 1.
    order: the only order it fits, None for every real order >= 1.
    bound: (order, epsilon, delta) -> bound of the noise at sensitivity 1, None if it has none.
    instead: what to do with another order, for the message.
    proven_below: the ε from which on the noise may not satisfy the guarantee.
    """

    name: str
    guarantee: Guarantee
    function: Callable[[float, float, float], float]
    order: float | None = None
    bound: Callable[[float, float, float], float] | None = None
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


def pure(order: float, epsilon: float, delta: float) -> float:
    """Return b = 1/ε, the Laplace mechanism of ε-DP (paper, Claim 4: order 1 alone has one)."""
    return 1 / epsilon


def pdp(order: float, epsilon: float, delta: float) -> float:
    """Return the b of (ε, δ)-probabilistic DP, in closed form for every real order p >= 1.

    The paper's sufficient condition (Corollary 8, Eqn 13 with one coordinate) is
    Pr((|e| + 1)^p - |e|^p > ε b^p) <= δ. It holds with equality where the privacy loss reaches ε
    at the t = b u with Pr(|e| > t) = δ. Order 2 is Lemma 10 (Eqn 18). Order 1 is 1/ε, to the last
    bit: below it the loss of half of the noise exceeds ε.
    """
    if order == 1:
        return pure(order, epsilon, delta)
    return 1 / relative_sensitivity(upper_point(order, delta / 2), order, epsilon)


def pdp_exact(order: float, epsilon: float, delta: float) -> float:
    """Return the smallest b of (ε, δ)-probabilistic DP: Pr(|L| > ε) = δ for the privacy loss L.

    With L = ε at t, Pr(L > ε) = Pr(e > t) and, as L(-1 - e) = -L(e), Pr(L < -ε) = Pr(e > t + 1);
    the paper's Eqn (3) counts both, other authors the first alone. `pdp` counts 2 Pr(e > t). Order
    1 is 1/ε, as there.
    """
    if order == 1:
        return pure(order, epsilon, delta)

    def two_sided(u: float) -> float:
        return upper_tail(order, u) + upper_tail(order, u + relative_sensitivity(u, order, epsilon))

    low, high = upper_point(order, delta) - 1, upper_point(order, delta / 2) + 1
    return 1 / relative_sensitivity(_solve(two_sided, delta, low, high), order, epsilon)


def adp_classical(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ with σ = √(2 ln(1.25/δ)) / ε, the classical Gaussian mechanism.

    Source: paper, Eqn (19), from Dwork and Roth (2014), whose proof needs ε < 1; the paper uses it
    at ε = 1 and 2 too, where it does satisfy (ε, δ)-approximate DP.
    """
    return 2 * sqrt(log(1.25 / delta)) / epsilon


def adp_lecture(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ with σ = √(2 ln(2/δ)) / ε, a Gaussian mechanism of approximate DP.

    Source: approximate-DP lecture notes, Theorem 2.1, for ε <= 1.
    """
    return 2 * sqrt(log(2 / delta)) / epsilon


def adp_exact(order: float, epsilon: float, delta: float) -> float:
    """Return the smallest b of (ε, δ)-approximate DP, where `privacy_loss.delta` is δ.

    Order 1 has the closed form 1 / (ε - 2 ln(1 - δ)); order 2 is the analytic Gaussian mechanism.
    """
    if order == 1:
        return 1 / (epsilon - 2 * log1p(-delta))

    def exact(u: float) -> float:
        return delta_at(u, relative_sensitivity(u, order, epsilon), order, epsilon)

    # 1 - 2 Pr(e > -u) <= δ(u) for u < 0, and δ(u) < Pr(e > u)
    low, high = -upper_point(order, (1 - delta) / 2) - 1, upper_point(order, delta) + 1
    return 1 / relative_sensitivity(_solve(exact, delta, low, high), order, epsilon)


def adp_truncated(order: float, epsilon: float, delta: float) -> float:
    """Return b = 1/ε, the scale of truncated Laplace noise; its δ is in `adp_truncated_bound`.

    Of two neighbours' releases, where both are possible the loss is at most ε, as without a bound.
    """
    if not 0 < delta <= 1 / 2:
        raise ValueError(
            f"delta must be a number in (0, 1/2], got {delta!r}, for the bound of 'adp-truncated'"
        )
    return pure(order, epsilon, delta)


def adp_truncated_bound(order: float, epsilon: float, delta: float) -> float:
    """Return A = ln(1 + (e^ε - 1) / (2δ)) / ε, the smallest bound of truncated Laplace noise.

    One neighbour's releases are beyond all of the other's with probability Pr(e > A - 1), which is
    δ there; for A >= 1, so δ <= 1/2. Source: approximate-DP lecture notes, section 1.2 and
    Exercise 1.5.
    """
    log_excess = epsilon + log(-expm1(-epsilon)) - log(2 * delta)  # e^ε may overflow
    return float(np.logaddexp(0, log_excess)) / epsilon


def zcdp(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ of the ρ-zCDP that implies (ε, δ)-approximate DP: 1/√ρ.

    With a = ln(1/δ), ρ + 2 √(ρ a) = ε at √ρ = √(a + ε) - √a. Source: CS208 notes, Theorem 4.2.
    """
    a = -log(delta)
    return (sqrt(a + epsilon) + sqrt(a)) / epsilon


def zcdp_scale(rho: float, sensitivity: float = 1.0) -> float:
    """Return the scale b = Δ_2/√ρ of Gaussian noise (σ = b/√2) that is of ρ-zCDP.

    rho: ρ > 0. sensitivity: the l_2 sensitivity Δ_2 > 0 of the statistics together.
    """
    b = checks.positive("sensitivity", sensitivity) / sqrt(checks.positive("rho", rho))
    return checks.positive("scale", b)


def _solve(function: Callable[[float], float], delta: float, low: float, high: float) -> float:
    """Return the u in (low, high) at which a falling function is δ, searched on a log scale."""
    from scipy.optimize import brentq

    def excess(u: float) -> float:
        return log(max(function(u), 5e-324)) - log(delta)

    return float(brentq(excess, low, high, xtol=1e-22, rtol=1e-15, maxiter=500))


_GAUSSIAN = "it is a bound for the Gaussian; use 'adp-exact' or 'pdp'"

#: The rules by their names, as a configuration and `Mechanism` have them.
RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "pure",
            Guarantee.PURE,
            pure,
            order=1,
            instead="on unbounded support no scale gives pure DP with another order (paper, Claim "
            "4: the loss grows with the noise); use 'pdp' or 'adp-exact', or bounded support",
        ),
        Rule("pdp", Guarantee.PROBABILISTIC, pdp),
        Rule("pdp-exact", Guarantee.PROBABILISTIC, pdp_exact),
        *(
            Rule(
                name,
                Guarantee.APPROXIMATE,
                function,
                order=2,
                instead=_GAUSSIAN,
                proven_below=1,
            )
            for name, function in (("adp-classical", adp_classical), ("adp-lecture", adp_lecture))
        ),
        Rule("adp-exact", Guarantee.APPROXIMATE, adp_exact),
        Rule(
            "adp-truncated",
            Guarantee.APPROXIMATE,
            adp_truncated,
            order=1,
            bound=adp_truncated_bound,
            instead="its bound is one for truncated Laplace noise; use 'adp-exact'",
        ),
        Rule("zcdp", Guarantee.APPROXIMATE, zcdp, order=2, instead=_GAUSSIAN),
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
    delta: δ in (0, 1); ignored by rules whose guarantee has none.
    sensitivity: Δ > 0, by how much the one coordinate that changes may move.
    Of arrays of ε or δ it is an array, of the shape that they broadcast to.
    Warns if the noise does not satisfy the guarantee, beyond the proof of its rule.
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
    b = sensitivity * chosen.function(order, epsilon, delta)
    if not 0 < b < inf:
        checks.positive("scale", b)  # 1/ε overflows below 6e-309
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
    return checks.open_unit("delta", delta)
