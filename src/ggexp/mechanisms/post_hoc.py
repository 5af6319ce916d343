"""What becomes of probabilistic DP where an unbounded release is bounded afterwards.

Clamping merges outcomes, redrawing divides densities by the probability of being within bounds, and
(ε, δ)-probabilistic DP is a bound on outcomes: each may or may not keep it (docs/bounding.md).
Approximate DP survives clamping, as any post-processing.
"""

from math import inf, log

from ggexp import checks
from ggexp.mechanisms.privacy_loss import where_loss_is
from ggexp.mechanisms.tails import between, log_upper_tail, upper_tail


def clamped_pdp_delta(*, order: float, scale: float, epsilon: float, count: float) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise, clamped at 0, against one more.

    order: p > 1. scale: b > 0. epsilon: ε > 0. count: >= 0, in records.

    With t where the loss is ε, it exceeds ε where the noise is below -t, and -ε where it is above
    t + 1. All of the noise below -count becomes one outcome, with one loss: (ε, δ)-probabilistic DP
    may not survive that (docs/bounding.md).
    Raises ValueError naming the argument, its value and what is allowed.
    """
    h = 1 / checks.positive("scale", scale)
    low = checks.not_negative("count", count) * h
    u = where_loss_is(checks.positive("epsilon", epsilon), checks.at_least_one("order", order), h)
    merged_loss = log_upper_tail(order, low) - log_upper_tail(order, low + h)
    merged = upper_tail(order, low) if merged_loss > epsilon else 0.0
    return between(order, u, low) + merged + upper_tail(order, u + h)


def redrawn_pdp_delta(
    *, order: float, scale: float, epsilon: float, count: float, bound: float
) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise, redrawn until within [0, bound].

    order: p > 1. scale: b > 0. epsilon: ε > 0. count: s >= 0, in records, against s + 1: the larger
    of the probabilities under either. bound: of both, at least s + 1.

    Redrawing divides a density by the probability Z of being inside. At u = (s - x)/b, with
    h = 1/b, the loss of the outcome x is |u + h|^p - |u|^p + ln(Z(s + 1) / Z(s)), which does not
    fall as u rises: it exceeds ε from one point on, and -ε up to another.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.at_least_one("order", order)
    checks.positive("epsilon", epsilon)
    h = 1 / checks.positive("scale", scale)
    high = checks.not_negative("count", count) * h
    if not count + 1 <= bound < inf:
        raise ValueError(f"bound must be finite and at least count + 1, got {bound!r}")
    low = high - bound * h
    # of u under s, and of u + h under s + 1, which has the same law
    insides = [between(order, low + shift, high + shift) for shift in (0, h)]
    factor = log(insides[1] / insides[0])
    above = max(low, _where_loss_is(epsilon - factor, order, h))
    below = min(high, _where_loss_is(-epsilon - factor, order, h))
    beyond = (
        between(order, above + shift, high + shift) + between(order, low + shift, below + shift)
        for shift in (0, h)
    )
    return max(outside / inside for outside, inside in zip(beyond, insides, strict=True))


def _where_loss_is(loss: float, order: float, h: float) -> float:
    """Return the u with |u + h|^p - |u|^p = loss, of either sign: it is odd around -h/2."""
    if loss == 0:
        return -h / 2
    return where_loss_is(loss, order, h) if loss > 0 else -h - where_loss_is(-loss, order, h)
