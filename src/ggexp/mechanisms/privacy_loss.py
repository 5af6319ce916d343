"""Exact approximate DP of GG noise: from the scale to its (ε, δ), for every real order p >= 1.

The noise e ~ GG(0, b, p) is added to one coordinate, which differs by Δ between neighbours. Its
privacy loss L(e) = (|e + Δ|^p - |e|^p) / b^p does not fall as e rises, and reaches ε at t, so

    δ(ε) = Pr(e > t) - exp(ε) Pr(e > t + Δ).

At order 2 it is the analytic Gaussian mechanism (Balle and Wang 2018). Everything is a function of
u = t/b and h = Δ/b, tied by |u + h|^p = |u|^p + ε: δ falls and the scale grows as u rises, through
negative u as well. Add/remove and replace-one neighbours differ in Δ alone.

The inverse in the scale is the calibration rule "adp-exact".
"""

from fractions import Fraction
from functools import partial
from math import exp, expm1, gamma, inf, log, log1p
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from ggexp import checks
from ggexp.mechanisms.arrays import PLAIN, Array, are_arrays, each
from ggexp.mechanisms.tails import (
    BEYOND,
    NODES,
    UNIT_NODES,
    UNIT_WEIGHTS,
    WEIGHTS,
    inner,
    mills_ratio,
    power,
    upper_point,
    upper_tail,
)

SMALLEST_DELTA = 1e-302  #: no smaller δ is calibrated: tails come to the end of the numbers there
_FAR = 1e-3  # from this u^p on the tail's integral serves, below it the density is nearly flat
_NARROW = 0.1  # of u: the probability between u and u + h is the integral of the density below it
_STEEP = 100.0  # from this ln(|u + h|^p / |u|^p) on the two powers have no digits in common
_HUGE = 1e5  # and from this ε on: the loss, in the integrand's exponent, has an error of 1e-16 ε


@overload
def delta(*, order: float, scale: float, epsilon: float, sensitivity: float = 1.0) -> float: ...
@overload
def delta(
    *, order: float, scale: float, epsilon: Array, sensitivity: float = 1.0
) -> NDArray[np.float64]: ...
def delta(*, order: float, scale: float, epsilon: Any, sensitivity: float = 1.0) -> Any:
    """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP.

    order: p >= 1. scale: b > 0. epsilon: ε >= 0. sensitivity: Δ > 0, in the units of b.
    The result lies in [0, 1]. Its relative error is below 1e-9 for ε from 1e-6 to 1000, orders from
    1.01 to 100 and a δ of at least 1e-300, and mostly near 1e-13. Closer to order 1 the last bits
    of the scale decide about δ, and the result is the exact δ of a scale that differs by at most
    1e-13 of it: an error of 2e-5 at order 1 + 2e-8, scale 138,084, ε = 7.242e-6, and of 4 % at
    order 1 + 1e-12. A smaller δ is made of tails at the end of the floating point numbers: the
    error is some 1e-9 at 1e-304, 1e-6 at 1e-307 and 1 at 1e-320. The result is 0 for order 1 if
    ε >= Δ/b (the Laplace mechanism), and if it is too small for a floating point number.
    Of an array of ε it is an array of the same shape.
    Raises ValueError naming the argument, its value and what is allowed.

    >>> from ggexp import privacy_loss
    >>> round(privacy_loss.delta(order=2, scale=7.55, epsilon=0.5), 5)
    0.00028
    >>> privacy_loss.delta(order=2, scale=7.55, epsilon=[0, 0.25, 0.5]).round(5)
    array([0.07462, 0.00895, 0.00028])
    """
    if not isinstance(epsilon, PLAIN) and are_arrays(epsilon):
        at_one = partial(delta, order=order, scale=scale, sensitivity=sensitivity)
        return each(at_one, epsilon=epsilon)
    h = _relative(order, scale, sensitivity)
    if not 0 <= epsilon < inf:
        checks.not_negative("epsilon", epsilon)  # which raises: a call saved
    if order == 1:
        # exact, since ε and Δ/b may agree in many digits; and not -0.0
        beyond = Fraction(float(epsilon)) - Fraction(float(sensitivity)) / Fraction(float(scale))
        return max(0.0, -expm1(min(0.0, float(max(beyond, Fraction(-2000)))) / 2))
    if epsilon == 0:
        return float(inner(order, h / 2))
    u = where_loss_is(epsilon, order, h)
    return 0.0 if u == inf else delta_at(u, h, order, epsilon)


@overload
def epsilon(*, order: float, scale: float, delta: float, sensitivity: float = 1.0) -> float: ...
@overload
def epsilon(
    *, order: float, scale: float, delta: Array, sensitivity: float = 1.0
) -> NDArray[np.float64]: ...
def epsilon(*, order: float, scale: float, delta: Any, sensitivity: float = 1.0) -> Any:
    """Return the smallest ε >= 0 for which the noise satisfies (ε, δ)-approximate DP.

    That is the smoothed max divergence at δ between the noise and the neighbour's (CS208 notes,
    Definition 2.2), or 0 where that is negative.
    order: p >= 1. scale: b > 0. delta: δ in (0, 1). sensitivity: Δ > 0, in the units of b.
    Of an array of δ it is an array of the same shape.
    Raises ValueError naming the argument, its value and what is allowed, and if ε exceeds the
    floating point numbers (order 100 with a scale of Δ/2000).

    >>> from ggexp import privacy_loss
    >>> round(privacy_loss.epsilon(order=2, scale=7.55, delta=0.01), 4)
    0.2398
    >>> privacy_loss.epsilon(order=2, scale=7.55, delta=[0.001, 0.01]).round(4)
    array([0.4198, 0.2398])
    """
    if not isinstance(delta, PLAIN) and are_arrays(delta):
        at_one = partial(epsilon, order=order, scale=scale, sensitivity=sensitivity)
        return each(at_one, delta=delta)
    h = _relative(order, scale, sensitivity)
    checks.open_unit("delta", delta)
    if order == 1:
        return max(0.0, h + 2 * log1p(-delta))
    if inner(order, h / 2) <= delta:
        return 0.0
    from scipy.optimize import brentq

    def excess(u: float) -> float:
        return log(max(delta_at(u, h, order, _loss_at(u, h, order)), 5e-324)) - log(delta)

    # the loss is 0 at u = -h/2, and δ(u) <= Pr(e > u b)
    low, high = -h / 2, upper_point(order, delta) + 1
    u = float(brentq(excess, low, high, xtol=1e-16 * h, rtol=1e-15, maxiter=500))
    found = _loss_at(u, h, order)
    if found == inf:
        raise ValueError(
            f"scale must be large enough for a finite epsilon, got {scale!r} at order {order!r}"
        )
    return found


def relative_sensitivity(u: float, order: float, epsilon: float) -> float:
    """Return the h = Δ/b for which the privacy loss reaches ε at t = b u.

    It solves |u + h|^p = |u|^p + ε. For u > 0 it is the difference of two numbers that may agree
    in many digits, or whose powers overflow: hence expm1 and logaddexp.
    """
    if u == 0:
        return float(epsilon ** (1 / order))
    log_ratio = float(np.logaddexp(0, log(epsilon) - order * log(abs(u)))) / order
    if log_ratio > 700:  # |u| is no part of the sum
        return float(epsilon ** (1 / order))
    return u * expm1(log_ratio) if u > 0 else -u * (exp(log_ratio) + 1)


def delta_at(u: float, h: float, order: float, epsilon: float) -> float:
    """Return δ(ε), given u and h with h = relative_sensitivity(u, order, ε); order > 1.

    With f the density of GG(0, 1, p), m the ratio Pr(e > v) / f(v) and v = u + h, exp(ε) Pr(e > v)
    is f(u) m: no exp(ε), which overflows, is needed. Where u is far out both terms are almost the
    same, and integration by parts,

        δ = ∫_ε^∞ exp(ε - L) Pr(e > e(L)) dL,  in  y = |e|^p - u^p >= 0,

    gives an integrand without any difference.
    """
    q = power(order, u)
    if u > 0 and q == BEYOND:
        return 0.0
    if u > 0 and q > _FAR and epsilon < _HUGE:
        y = q + NODES
        growth = np.log1p(h * y ** (-1 / order))  # of |e| to |e + Δ|
        loss = y * np.expm1(np.minimum(order * growth, 700))
        decay = np.exp(np.minimum(epsilon - loss, 0))
        slope = np.expm1(np.minimum((order - 1) * growth, 700))
        return float(WEIGHTS @ (decay * slope * gammaincc(1 / order, y))) / 2
    v = u + h
    shifted = exp(-q) * mills_ratio(order, v) / (2 * gamma(1 + 1 / order))  # exp(ε) Pr(e > v)
    if q > _FAR:
        between = upper_tail(order, u) - upper_tail(order, v)
    elif 0 < h < _NARROW * u:
        density = UNIT_WEIGHTS @ np.exp(-((u + h * UNIT_NODES) ** order))
        between = h * float(density) / (2 * gamma(1 + 1 / order))
    else:
        between = float(inner(order, v) - inner(order, u)) / 2
    return max(0.0, between + expm1(-epsilon) * shifted)


def _relative(order: float, scale: float, sensitivity: float) -> float:
    """Return h = Δ/b of checked arguments."""
    checks.at_least_one("order", order)
    checks.positive("scale", scale)
    return checks.positive("sensitivity", sensitivity) / scale


def _loss_at(u: float, h: float, order: float) -> float:
    """Return |u + h|^p - |u|^p for u >= -h/2, where u + h >= |u| may agree in many digits.

    It is ∞ where it exceeds the floating point numbers.
    """
    v, size = u + h, abs(u)
    growth = inf
    if v <= 2 * size:
        growth = log1p(h / u) if u > 0 else log1p(max(0.0, h + 2 * u) / size)
    try:
        if order * growth < _STEEP:
            return float(size) ** order * expm1(order * growth)
        return float(v) ** order - float(size) ** order
    except OverflowError:
        return inf


def where_loss_is(epsilon: float, order: float, h: float) -> float:
    """Return the u = t/b at which the privacy loss is ε > 0, or ∞ where no tail is left.

    h: Δ/b. The inverse of `relative_sensitivity` in u.
    """
    from scipy.optimize import brentq

    def excess(u: float) -> float:
        return relative_sensitivity(u, order, epsilon) - h

    low, high = -h / 2, BEYOND ** (1 / order)  # at -h/2 the loss is 0
    if excess(high) >= 0:
        return inf
    return float(brentq(excess, low, high, xtol=1e-15 * h, rtol=1e-15, maxiter=500))
