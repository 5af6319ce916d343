"""Probabilistic DP of an unbounded release that is bounded afterwards.

Clamping merges outcomes, and redrawing divides densities by the probability of a value within the
bounds. Therefore either may violate probabilistic DP (docs/bounding.md).
"""

from math import inf, log

from ggexp import checks
from ggexp.mechanisms.privacy_loss import where_loss_is
from ggexp.mechanisms.tails import between, log_upper_tail, upper_tail
from ggexp.ranges import Epsilon, Order, Scale


def clamped_pdp_delta(*, order: Order, scale: Scale, epsilon: Epsilon, count: float) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise that is clamped at 0.

    It is the δ of probabilistic DP for the given count s; the neighbour's count is s + 1.
    Let |t + 1|^p - |t|^p = ε b^p. Then the loss is above ε for noise below -t, and below -ε for
    noise above t + 1. All noise below -s becomes a single outcome, which has a single loss.

    >>> from ggexp import calibration, post_hoc
    >>> b = calibration.calibrate("pdp-exact", order=2, epsilon=0.5, delta=0.01).scale
    >>> round(post_hoc.clamped_pdp_delta(order=2, scale=b, epsilon=0.5, count=12), 5)
    0.01384
    """
    h = 1 / checks.positive("scale", scale)
    distance = checks.not_negative("count", count) * h  # from 0 to the count, in units of b
    u = where_loss_is(checks.positive("epsilon", epsilon), checks.at_least_one("order", order), h)
    merged_loss = log_upper_tail(order, distance) - log_upper_tail(order, distance + h)
    merged = upper_tail(order, distance) if merged_loss > epsilon else 0.0
    return between(order, u, distance) + merged + upper_tail(order, u + h)


def redrawn_pdp_delta(
    *, order: Order, scale: Scale, epsilon: Epsilon, count: float, bound: float
) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise, redrawn until within [0, bound].

    It is the larger of the probabilities under the count s and its neighbour s + 1.

    bound: the upper bound of both counts, at least s + 1.

    Redrawing divides the density of the count s by Z(s), the probability of a value within the
    bounds. With h = 1/b and u = (s - x)/b, the loss of the outcome x is |u + h|^p - |u|^p +
    ln(Z(s + 1) / Z(s)). It does not decrease in u. Therefore it exceeds ε if u is above one
    threshold, and is below -ε if u is below another one.

    >>> from ggexp import calibration, post_hoc
    >>> b = calibration.calibrate("pdp-exact", order=2, epsilon=0.5, delta=0.01).scale
    >>> round(post_hoc.redrawn_pdp_delta(order=2, scale=b, epsilon=0.5, count=12, bound=100), 5)
    0.00602
    """
    checks.at_least_one("order", order)
    checks.positive("epsilon", epsilon)
    h = 1 / checks.positive("scale", scale)
    high = checks.not_negative("count", count) * h
    if not count + 1 <= bound < inf:
        raise ValueError(f"bound must be finite and at least count + 1, got {bound!r}")
    low = high - bound * h
    # Z(s) and Z(s + 1): under s, u has the distribution GG(0, 1, p); under s + 1, u + h has it
    normalizers = [between(order, low + shift, high + shift) for shift in (0, h)]
    log_factor = log(normalizers[1] / normalizers[0])
    above = max(low, _where_loss_is(epsilon - log_factor, order, h))
    below = min(high, _where_loss_is(-epsilon - log_factor, order, h))
    exceedances = (
        between(order, above + shift, high + shift) + between(order, low + shift, below + shift)
        for shift in (0, h)
    )
    return max(excess / z for excess, z in zip(exceedances, normalizers, strict=True))


def _where_loss_is(loss: float, order: float, h: float) -> float:
    """Return the u with |u + h|^p - |u|^p = loss, for a loss of either sign."""
    # the loss is an odd function of u + h/2
    if loss == 0:
        return -h / 2
    return where_loss_is(loss, order, h) if loss > 0 else -h - where_loss_is(-loss, order, h)
