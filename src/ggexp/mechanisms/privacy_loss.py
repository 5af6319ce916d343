"""Exact (ε, δ) of approximate DP for GG noise of a given scale and every real order p >= 1.

The noise e ~ GG(0, b, p) is added to one coordinate, which differs by Δ between neighbours. The
privacy loss L(e) = (|e + Δ|^p - |e|^p) / b^p does not decrease in e, and reaches ε at t. Therefore

    δ(ε) = Pr(e > t) - exp(ε) Pr(e > t + Δ).

Order 2 is the analytic Gaussian mechanism (Balle and Wang 2018). All quantities are functions of
u = t/b and h = Δ/b with |u + h|^p = |u|^p + ε. As u increases, δ decreases and the scale increases.
"""

from math import exp, expm1, gamma, inf, log

import numpy as np
import scipy  # scipy.special, loaded when it is first used (0.2 s)

from ggexp.mechanisms import tails
from ggexp.mechanisms.solver import root
from ggexp.mechanisms.tails import MAX_POWER, NODES, WEIGHTS, inner, power, upper_tail

SMALLEST_DELTA = 1e-302  #: the smallest δ of a calibration, because smaller tails lose precision
_FLAT_POWER = 1e-3  # up to this u^p the density is nearly flat; above it the tail is integrated
_NARROW = 0.1  # if h is below this share of u, Pr(u < e < u + h) is an integral of the density
_HUGE = 1e5  # above this ε, the error 1e-16 ε of the loss is too large for the integrand


def relative_sensitivity(u: float, order: float, epsilon: float) -> float:
    """Return the h = Δ/b > 0 with |u + h|^p = |u|^p + ε, without cancellation or overflow."""
    if u == 0:
        return float(epsilon ** (1 / order))
    log_ratio = float(np.logaddexp(0, log(epsilon) - order * log(abs(u)))) / order
    if log_ratio > 700:  # |u|^p is negligible in the sum
        return float(epsilon ** (1 / order))
    return u * expm1(log_ratio) if u > 0 else -u * (exp(log_ratio) + 1)


def delta_at(u: float, h: float, order: float, epsilon: float) -> float:
    """Return δ(ε) from u and h = relative_sensitivity(u, order, ε).

    u: t/b, where t is the noise at which the privacy loss is ε > 0. order: p > 1.

    Let v = u + h, let f be the density of GG(0, 1, p), and let m be the ratio Pr(e > v) / f(v).
    Then exp(ε) Pr(e > v) = f(u) m, which avoids an overflow of exp(ε). If u is large, the two terms
    of δ are almost equal. Integration by parts,

        δ = ∫_ε^∞ exp(ε - L) Pr(e > e(L)) dL,  with the variable  y = |e|^p - u^p >= 0,

    then gives an integrand without a difference.

    The relative error is below 1e-9, and usually near 1e-13, for ε from 1e-6 to 1000, orders from
    1.01 to 100 and δ >= 1e-300. Closer to order 1, δ depends on the last bits of the scale, and the
    result is the exact δ of a scale whose relative difference is at most 1e-13: at order 1 + 2e-8,
    scale 138,084 and ε = 7.242e-6, δ is off by 2e-5, at order 1 + 1e-12 by 4 %. Tails near the
    smallest floating-point numbers have few digits: the error of δ is 1e-6 at 1e-307, 1 at 1e-320.

    Sources: S. Vinterbo, "Differential privacy for symmetric log-concave mechanisms",
    arXiv:2202.11393; for order 2, Balle and Wang, arXiv:1805.06530.
    """
    q = power(order, u)
    if u > 0 and q == MAX_POWER:
        return 0.0
    if u > 0 and q > _FLAT_POWER and epsilon < _HUGE:
        y = q + NODES
        growth = np.log1p(h * y ** (-1 / order))  # ln(|e + Δ| / |e|)
        loss = y * np.expm1(np.minimum(order * growth, 700))
        decay = np.exp(np.minimum(epsilon - loss, 0))
        slope = np.expm1(np.minimum((order - 1) * growth, 700))
        return float(WEIGHTS @ (decay * slope * scipy.special.gammaincc(1 / order, y))) / 2
    v = u + h
    shifted = exp(-q) * tails.mills_ratio(order, v) / (2 * gamma(1 + 1 / order))  # exp(ε) Pr(e > v)
    if q > _FLAT_POWER:
        inside = upper_tail(order, u) - upper_tail(order, v)  # Pr(u < e < v)
    elif 0 < h < _NARROW * u:
        density = tails.UNIT_WEIGHTS @ np.exp(-((u + h * tails.UNIT_NODES) ** order))
        inside = h * float(density) / (2 * gamma(1 + 1 / order))
    else:
        inside = float(inner(order, v) - inner(order, u)) / 2
    return max(0.0, inside + expm1(-epsilon) * shifted)


def where_loss_is(loss: float, order: float, h: float) -> float:
    """Return the u = t/b at which the privacy loss has a value, or ±∞ if the tail at that u is 0.

    h: Δ/b. order: p > 1. The result is the inverse of `relative_sensitivity` as a function of u.
    """

    def excess(u: float) -> float:
        return relative_sensitivity(u, order, loss) - h

    if loss <= 0:  # it is an odd function of u + h/2
        return -h - where_loss_is(-loss, order, h) if loss else -h / 2
    low, high = -h / 2, MAX_POWER ** (1 / order)  # at -h/2 the loss is 0
    if excess(high) >= 0:
        return inf
    return root(excess, low, high, xtol=1e-15 * h)
