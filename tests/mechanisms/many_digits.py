"""The exact δ of noise by arithmetic of as many digits as a point takes: a second way to all of it.

Nothing here is the library's: the point where the privacy loss reaches ε is found by bisection, and
tails are mpmath's incomplete gamma functions.
"""

from math import log10

import mpmath
from mpmath import mpf


def approximate_delta(order, scale, epsilon, sensitivity=1.0):
    """The smallest δ of approximate DP: Pr(e > t) - exp(ε) Pr(e > t + Δ)."""
    with mpmath.workdps(_digits(order, scale, epsilon, sensitivity)):
        if order == 1:
            return -mpmath.expm1(min(mpf(0), (epsilon - mpf(sensitivity) / mpf(scale)) / 2))
        near, far = _tails(order, scale, epsilon, sensitivity)
        return near - mpmath.exp(mpf(epsilon)) * far


def probabilistic_delta(order, scale, epsilon, sensitivity=1.0, *, sufficient=False):
    """The smallest δ of probabilistic DP: Pr(e > t) + Pr(e > t + Δ), or 2 Pr(e > t)."""
    with mpmath.workdps(_digits(order, scale, epsilon, sensitivity)):
        if order == 1 and mpf(sensitivity) / mpf(scale) <= epsilon:
            return mpf(0)
        near, far = _tails(order, scale, epsilon, sensitivity)
        return 2 * near if sufficient else near + far


def truncated_delta(scale, bound, epsilon, sensitivity=1.0):
    """The smallest δ of Laplace noise within ± bound, of a scale of at least Δ/ε."""
    with mpmath.workdps(_digits(1, scale, epsilon, sensitivity)):
        b, a, move = mpf(scale), mpf(bound), mpf(sensitivity)
        assert move <= epsilon * b
        beyond = _upper(mpf(1), (a - move) / b) - _upper(mpf(1), a / b)
        return beyond / -mpmath.expm1(-a / b)


def _digits(order, scale, epsilon, sensitivity):
    """How many digits leave some 30 after cancellation: of h, ε, order - 1 and exp(ε)."""
    small = [sensitivity / scale, epsilon, order - 1 if order > 1 else 1]
    return 45 + int(sum(max(0.0, -log10(x)) for x in small) + min(epsilon, 1000) / 10)


def _tails(order, scale, epsilon, sensitivity):
    """Pr(e > t) and Pr(e > t + Δ), with the privacy loss ε at t."""
    p, h, epsilon = mpf(order), mpf(sensitivity) / mpf(scale), mpf(epsilon)
    u = _where_loss_is(p, h, epsilon)
    return _upper(p, u), _upper(p, u + h)


def _upper(p, x):
    """Pr(e > x) for e of GG(0, 1, p)."""
    tail = mpmath.gammainc(1 / p, abs(x) ** p, regularized=True) / 2
    return tail if x >= 0 else 1 - tail


def _where_loss_is(p, h, epsilon):
    """The u >= -h/2 at which |u + h|^p - |u|^p is ε."""

    def excess(u):
        return abs(u + h) ** p - abs(u) ** p - epsilon

    low, high = -h / 2, mpf(0)
    while excess(high) < 0:
        low, high = high, max(h, 4 * high)
    for _ in range(60):
        by_ratio = low > 0 and high > 4 * low
        middle = mpmath.sqrt(low * high) if by_ratio else (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    exact = mpf(10) ** (20 - 2 * mpmath.mp.dps)
    return mpmath.findroot(excess, (low, high), solver="anderson", tol=exact, verify=False)
