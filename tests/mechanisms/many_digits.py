"""The exact δ of noise in arithmetic of many digits, independent of the library's code.

The noise at which the privacy loss reaches ε is found by bisection, and tails are mpmath's
incomplete gamma functions.
"""

from math import log10

import mpmath
from mpmath import mpf


def approximate_delta(order, scale, epsilon, sensitivity=1.0):
    """Return the smallest δ of approximate DP, Pr(e > t) - exp(ε) Pr(e > t + Δ)."""
    with mpmath.workdps(_digits(order, scale, epsilon, sensitivity)):
        if order == 1:
            return -mpmath.expm1(min(mpf(0), (epsilon - mpf(sensitivity) / mpf(scale)) / 2))
        tail, shifted_tail = _tails(order, scale, epsilon, sensitivity)
        return tail - mpmath.exp(mpf(epsilon)) * shifted_tail


def probabilistic_delta(order, scale, epsilon, sensitivity=1.0, *, sufficient=False):
    """Return the smallest δ of probabilistic DP, Pr(e > t) + Pr(e > t + Δ).

    sufficient: whether to return the larger 2 Pr(e > t) instead.
    """
    with mpmath.workdps(_digits(order, scale, epsilon, sensitivity)):
        if order == 1 and mpf(sensitivity) / mpf(scale) <= epsilon:
            return mpf(0)
        tail, shifted_tail = _tails(order, scale, epsilon, sensitivity)
        return 2 * tail if sufficient else tail + shifted_tail


def truncated_delta(scale, bound, epsilon, sensitivity=1.0):
    """Return the smallest δ of Laplace noise truncated at ± bound, with a scale of at least Δ/ε."""
    with mpmath.workdps(_digits(1, scale, epsilon, sensitivity)):
        b, a, shift = mpf(scale), mpf(bound), mpf(sensitivity)
        assert shift <= epsilon * b
        outside = _upper(mpf(1), (a - shift) / b) - _upper(mpf(1), a / b)
        return outside / -mpmath.expm1(-a / b)


def _digits(order, scale, epsilon, sensitivity):
    """Return a number of digits of which about 30 remain after cancellation.

    More digits are lost the smaller h, ε or order - 1 is, and the larger exp(ε) is.
    """
    small = [sensitivity / scale, epsilon, order - 1 if order > 1 else 1]
    return 45 + int(sum(max(0.0, -log10(x)) for x in small) + min(epsilon, 1000) / 10)


def _tails(order, scale, epsilon, sensitivity):
    """Return Pr(e > t) and Pr(e > t + Δ), for the t at which the privacy loss is ε."""
    p, h, epsilon = mpf(order), mpf(sensitivity) / mpf(scale), mpf(epsilon)
    u = _where_loss_is(p, h, epsilon)
    return _upper(p, u), _upper(p, u + h)


def _upper(p, x):
    """Return Pr(e > x) for e from GG(0, 1, p)."""
    tail = mpmath.gammainc(1 / p, abs(x) ** p, regularized=True) / 2
    return tail if x >= 0 else 1 - tail


def _where_loss_is(p, h, epsilon):
    """Return the u >= -h/2 at which |u + h|^p - |u|^p is ε."""

    def excess(u):
        return abs(u + h) ** p - abs(u) ** p - epsilon

    low, high = -h / 2, mpf(0)
    while excess(high) < 0:
        low, high = high, max(h, 4 * high)
    for _ in range(60):
        is_geometric = low > 0 and high > 4 * low
        middle = mpmath.sqrt(low * high) if is_geometric else (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    tolerance = mpf(10) ** (20 - 2 * mpmath.mp.dps)
    return mpmath.findroot(excess, (low, high), solver="anderson", tol=tolerance, verify=False)
