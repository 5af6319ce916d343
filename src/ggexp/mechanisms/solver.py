"""Searches for the scale, the ε or the δ of noise, and the error of a scale.

The scale is 1/h at the u = t/b at which a probability of the noise is δ
(`ggexp.mechanisms.privacy_loss`). Close to order 1, its last bits may determine δ.
"""

from collections.abc import Callable
from math import log

#: Largest relative error of a scale, divided by the order p.
SCALE_ERROR = 2e-13
#: Largest relative excess of the exact δ of a scale over the requested δ. In arithmetic of 40 or
#: more digits, the largest measured excess is 5e-11, for ε from 1e-300 to 1e300, δ from 1e-300 to
#: 1 - 1e-9, and orders up to 1000.
DELTA_ERROR = 1e-9
#: The largest number of steps of `checked`, each twice as long as the one before.
MAX_STEPS = 64
#: The largest number of steps of `root`; 1100 bisections find any root.
MAX_TRIALS = 2500


def root(
    function: Callable[[float], float], low: float, high: float, xtol: float, rtol: float = 1e-15
) -> float:
    """Return the root of a function that has opposite signs at low and high, by Brent's method.

    Its error is below xtol + rtol |root|.
    Raises ValueError if the signs are the same, or if a value is NaN.
    """
    from scipy.optimize import brentq  # takes 0.2 to 0.4 s to load; sampling does not need it

    return float(brentq(function, low, high, xtol=xtol, rtol=rtol, maxiter=MAX_TRIALS))


def solve(function: Callable[[float], float], delta: float, low: float, high: float) -> float:
    """Return the u in (low, high) at which a decreasing function is δ, by root search on ln δ.

    Its value at u exceeds δ by a relative error of at most `DELTA_ERROR`.
    """

    def excess(u: float) -> float:
        return log_ratio(function(u), delta)

    u = root(excess, low, high, xtol=1e-320)
    return checked(lambda u: excess(u) <= DELTA_ERROR, u, max(1e-15 * abs(u), 1e-320))


def log_ratio(exact: float, delta: float) -> float:
    """Return ln(exact/δ), finite also if the exact δ is 0."""
    return log(max(exact, 5e-324)) - log(delta)


def checked(suffices: Callable[[float], bool], x: float, step: float) -> float:
    """Return the first of x, x + step, x + 3 step, x + 7 step, … that suffices.

    A search ends with this check of its result, of which the last bits are uncertain.
    Raises ArithmeticError if none suffices.
    """
    for _ in range(MAX_STEPS):
        if suffices(x):
            return x
        x, step = x + step, 2 * step
    raise ArithmeticError(f"no number up to {x!r} suffices")


def least(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return the smallest x at which a decreasing function is at most 0, rounded up.

    The function is positive at low, and at most 0 at high up to rounding.
    """
    high = checked(lambda x: excess(x) <= 0, high, 1e-9)
    x = root(excess, low, high, xtol=1e-13, rtol=1e-14)
    return checked(lambda x: excess(x) <= 0, x, 1e-14)


def smallest(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest number above low that is enough, by bisection to adjacent numbers.

    The number low is not enough, high is, and all numbers above the smallest are.
    """
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return checked(is_enough, high, high - low)


def raised(scale: float, order: float, slope: float, delta: float) -> float:
    """Return the scale, raised by its error if the error may change δ by more than `DELTA_ERROR` δ.

    slope: an upper bound on |dδ / d ln b|; δ decreases as the scale increases.
    """
    error = SCALE_ERROR * order
    return scale * (1 + error) if slope * error > DELTA_ERROR * delta else scale
