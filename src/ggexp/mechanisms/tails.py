"""Tail probabilities of GG(0, 1, p), accurate also for small tails and at high orders.

Pr(|e| > x) is Q(1/p, x^p), an incomplete gamma function of scipy. This module also handles the
cases in which x^p underflows or overflows, or in which both tails of a ratio are too small for
floating point. It defines the nodes of the integrals for these cases. ``scipy.stats.gennorm`` is
wrong if x^p underflows (at order 100 its ``sf(1e-4)`` is 1/2), and it cannot compute such ratios.
"""

from math import exp, gamma, log

import numpy as np
import scipy  # scipy.special, loaded when it is first used (0.2 s)
from numpy.typing import ArrayLike, NDArray

MIN_POWER = 1e-290  # below this x^p, exp(-x^p) is 1 to the last bit, and x^p may underflow
MAX_POWER = 2000.0  # exp(-MAX_POWER) is 0 in floating point

# Nodes y and weights of ∫_0^∞ f(y) dy, for an f that decreases at least as fast as exp(-y), by the
# double exponential rule y = exp(x - exp(-x)) (Takahasi and Mori 1974). The nodes are dense near 0,
# because f may change there over arbitrarily small distances.
_X = np.arange(-4.25, 4.25, 1 / 28)
NODES = np.exp(_X - np.exp(-_X))
WEIGHTS = NODES * (1 + np.exp(-_X)) / 28

# Nodes s and weights of ∫_0^1 f(s) ds by the same method. The error is 1e-12 for the least smooth
# losses, which occur at order 50 and ε = 1000.
_T = np.pi * np.sinh(np.arange(-3.25, 3.26, 1 / 24))
UNIT_NODES = 1 / (1 + np.exp(-_T))
UNIT_WEIGHTS = UNIT_NODES / (1 + np.exp(_T)) * np.hypot(np.pi, _T) / 24


def upper_points(order: float, probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return the x with Pr(e > x) = probability, for e from GG(0, 1, p).

    Near 0, x^p underflows at high orders (0.001^110). There, Pr(|e| < x) = x / Γ(1 + 1/p).
    """
    smaller = np.minimum(probabilities, np.subtract(1, probabilities))
    q = scipy.special.gammainccinv(1 / order, 2 * smaller)
    flat = (1 - 2 * smaller) * gamma(1 + 1 / order)
    x = np.where(q < MIN_POWER, flat, q ** (1 / order))
    return np.where(np.greater(probabilities, 1 / 2), -x, x)


def upper_point(order: float, probability: float) -> float:
    """Return the x with Pr(e > x) = probability; see `upper_points`."""
    return float(upper_points(order, probability))


def inner(order: float, x: ArrayLike) -> NDArray[np.float64]:
    """Return Pr(|e| < |x|) with the sign of x, for e from GG(0, 1, p), in the shape of x."""
    size = np.abs(np.asarray(x, dtype=float))
    with np.errstate(over="ignore", under="ignore"):
        q = size**order
    flat = size / gamma(1 + 1 / order)
    return np.copysign(np.where(q > MIN_POWER, scipy.special.gammainc(1 / order, q), flat), x)


def upper_tails(order: float, x: ArrayLike) -> NDArray[np.float64]:
    """Return Pr(e > x) for e from GG(0, 1, p), p >= 1, without cancellation for large x."""
    with np.errstate(over="ignore", under="ignore"):
        q = np.abs(x, dtype=float) ** order
    outer = scipy.special.gammaincc(1 / order, q) / 2
    return np.where(np.greater(x, 0) & (q > MIN_POWER), outer, (1 - inner(order, x)) / 2)


def upper_tail(order: float, x: float) -> float:
    """Return Pr(e > x); see `upper_tails`."""
    return float(upper_tails(order, x))


def between(order: float, low: float, high: float) -> float:
    """Return Pr(low < e < high), for e from GG(0, 1, p) of order p >= 1; 0 if low >= high."""
    return float(probabilities(order, np.array([low, high]))[0]) if low < high else 0.0


def density(order: float, x: float) -> float:
    """Return the density at x of GG(0, 1, p) of order p >= 1."""
    return exp(-power(order, x)) / (2 * gamma(1 + 1 / order))


def probabilities(order: float, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities between ascending edges, for e from GG(0, 1, p)."""
    with np.errstate(over="ignore", under="ignore"):
        tail = scipy.special.gammaincc(1 / order, np.abs(edges) ** order) / 2
    between = np.abs(np.diff(tail))
    (crossing,) = np.nonzero(np.sign(edges[1:]) * np.sign(edges[:-1]) <= 0)
    between[crossing] = (inner(order, edges[crossing + 1]) - inner(order, edges[crossing])) / 2
    return between


def power(order: float, x: float) -> float:
    """Return min(|x|^p, `MAX_POWER`); |x|^p may overflow, and tails are 0 from the maximum on."""
    if order * log(max(abs(x), 1)) > log(MAX_POWER):
        return MAX_POWER
    return float(abs(x) ** order)


def mills_ratio(order: float, x: float) -> float:
    """Return Pr(e > x) / f(x) for x >= 0, with e from GG(0, 1, p) of order p >= 1 and density f.

    It is ∫_0^∞ exp(-y) (x^p + y)^(1/p - 1) dy / p, even if both terms of the ratio underflow to 0.
    """
    if x < 1:
        return upper_tail(order, x) * exp(power(order, x)) * 2 * gamma(1 + 1 / order)
    with np.errstate(over="ignore"):  # the ratio then tends to 0
        shifted = np.float64(x) ** order + NODES
    return float((WEIGHTS * np.exp(-NODES)) @ shifted ** (1 / order - 1)) / order


def log_upper_tail(order: float, x: float) -> float:
    """Return ln Pr(e > x) for x >= 0 and e from GG(0, 1, p) of order p >= 1, also for large x."""
    return log(mills_ratio(order, x) / (2 * gamma(1 + 1 / order))) - float(x**order)


def log_tail_ratio(order: float, x: float, share: float) -> float:
    """Return ln(Pr(e > x - d) / Pr(e > x)) for d = share * x, e from GG(0, 1, p) of order p >= 1.

    x: > 0. share: in (0, 1].
    The logarithms of the two tails may agree in all digits. Therefore the result is the integral of
    the hazard rate from x - d to x.
    """
    rates = [1 / mills_ratio(order, point) for point in x * (1 - share * UNIT_NODES)]
    return float(x * share * (UNIT_WEIGHTS @ rates))
