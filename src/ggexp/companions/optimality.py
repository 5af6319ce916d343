"""Certificates that no integer-valued noise costs less than discrete canonical noise.

Noise K, independent of the data, is added to a count that changes by 1 between neighbours, and the
release satisfies (ε, δ)-approximate DP. With r = e^ε, the tails T_k = Pr(K > k) satisfy

    (1 + r) T_0 >= 1 - δ    and    r T_(k+1) - T_k >= -δ    for k = 0, 1, …,

if K is symmetric, because of the events K <= 0 and K > k. Symmetric noise is sufficient, because
the mixture of any noise with its mirror image is symmetric, satisfies the same guarantee and has
the same |K|. A cost that is nondecreasing in |K| is Σ c_k T_k with c_k >= 0: it is 2 Σ T_k for
E|K|, and 2 Σ (2k+1) T_k for the variance. If multipliers y_k >= 0 of the inequalities satisfy
Σ y_k (left side of inequality k) <= Σ c_k T_k for all T >= 0, then the cost is at least
Σ y_k (right side of inequality k).
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

ZERO = Fraction(0)


class Certificate(NamedTuple):
    """The cost of some noise and a lower bound for all noise; both are equal for optimal noise."""

    cost: Fraction
    bound: Fraction


def canonical_tails(r: Fraction, delta: Fraction) -> list[Fraction]:
    """Return the tails T_0, T_1, … > 0 of discrete canonical noise.

    r: e^ε > 1.
    """
    tails = [(1 - delta) / (1 + r)]
    while (following := (tails[-1] - delta) / r) > 0:
        tails.append(following)
    return tails


def delta_of(tails: list[Fraction], r: Fraction) -> Fraction:
    """Return the δ at ε of symmetric noise with these tails: Σ max(0, p_k - r p_(k-1))."""
    positive = [tail - following for tail, following in zip(tails, [*tails[1:], ZERO], strict=True)]
    half = [1 - 2 * tails[0], *positive]
    p = [*half[:0:-1], *half]
    excesses = (mass - r * previous for previous, mass in pairwise([ZERO, *p]))
    return sum((max(ZERO, excess) for excess in excesses), ZERO)


def mean_absolute(k: int) -> int:
    """Return c_k for E|K|."""
    return 2


def variance(k: int) -> int:
    """Return c_k for the variance."""
    return 2 * (2 * k + 1)


def certify(r: Fraction, delta: Fraction, weight: Callable[[int], int]) -> Certificate:
    """Return the cost of the canonical noise and a lower bound on the cost of every noise.

    weight: returns c_k of the cost, `mean_absolute` or `variance`.
    Raises ValueError if the noise does not satisfy (ε, δ) with equality, or if a multiplier
    violates its inequality. Both would be errors in this module.
    """
    tails = canonical_tails(r, delta)
    if delta_of(tails, r) != delta:
        raise ValueError(f"the noise at r = {r} and delta = {delta} has a different delta")
    weights = [weight(k) for k in range(len(tails))]
    multiplier = ZERO
    y: list[Fraction] = []
    for k in reversed(range(len(tails))):
        multiplier = (weights[k] + multiplier) / (r if k else 1 + r)
        y.insert(0, multiplier)
    for k, (y_k, y_next) in enumerate(zip(y, [*y[1:], ZERO], strict=True)):
        if y_k < 0 or (r if k else 1 + r) * y_k - y_next > weights[k]:
            raise ValueError(
                f"multiplier {k} at r = {r} and delta = {delta} violates its inequality"
            )
    return Certificate(
        sum((c * t for c, t in zip(weights, tails, strict=True)), ZERO),
        y[0] * (1 - delta) - delta * sum(y[1:], ZERO),
    )
