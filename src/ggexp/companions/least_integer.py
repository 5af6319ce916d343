"""Certificates of least integer-valued noise for approximate and for probabilistic DP.

They prove that no noise costs less than discrete canonical noise (approximate DP), and that no
symmetric noise beats truncated geometric noise (probabilistic DP). Noise K, independent of the
data, is added to a count that changes by 1 between neighbours. Let r = e^ε.

If the release satisfies (ε, δ)-approximate DP, the tails T_k = Pr(K > k) satisfy

    (1 + r) T_0 >= 1 - δ    and    r T_(k+1) - T_k >= -δ    for k = 0, 1, …,

if K is symmetric, because of the events K <= 0 and K > k. Symmetric noise is sufficient, because
the mixture of any noise with its mirror image is symmetric, satisfies the same guarantee and has
the same |K|. A cost that is nondecreasing in |K| is Σ c_k T_k with c_k >= 0: it is 2 Σ T_k for
E|K|, and 2 Σ (2k+1) T_k for the variance. If multipliers y_k >= 0 of the inequalities satisfy
Σ y_k (left side of inequality k) <= Σ c_k T_k for all T >= 0, then the cost is at least
Σ y_k (right side of inequality k).

For (ε, δ)-probabilistic DP, let p_k = Pr(K = k) = p_-k. For k >= 1, the step from k - 1 to k is
called broken if p_k > r p_(k-1) or p_(k-1) > r p_k. The privacy loss of a shift by 1 then exceeds ε
in absolute value at k and at its mirror image 1 - k. Therefore K satisfies the guarantee if and
only if p_k + p_(k-1), summed over the broken steps, is at most δ.

Let N be the value before the first broken step, or infinity if no step is broken. Truncated
geometric noise up to N has p_k ∝ r^-|k| for |k| <= N. Let N* be the smallest N for which it
satisfies the guarantee, that is, p_N <= δ.

*If N >= N*,* |K| is stochastically at least as large as for truncated geometric noise up to N*.
Conditional on |K| <= N, this follows from p_k <= r p_(k+1) for k < N. All other values of |K| are
larger.

*If N < N*,* let x = p_N <= δ. Then p_k <= x r^(N-k) for k <= N. If the step before a value k > N is
broken, then p_k <= δ - x, because the sum above contains x and p_k. Therefore
p_k <= (δ - x) r^(k-N-1) for all k > N. For each μ, a cost Σ c_|k| p_k is at least
μ - Σ max(0, μ - c_|k|) p_k, which is at least

    μ - δ max(Σ_(|k|<=N) max(0, μ - c_|k|) r^(N-|k|), Σ_(|k|>N) max(0, μ - c_|k|) r^(|k|-N-1)).

If for each N < N* some μ makes this bound at least the cost of truncated geometric noise up to N*,
no symmetric noise costs less. This is the case at nearly all (ε, δ), but not if δ is slightly
smaller than the p_N of truncated geometric noise up to some N. Then symmetric noise with two more
modes costs less.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, count, pairwise
from math import exp, inf, sqrt
from typing import NamedTuple

import numpy as np

from ggexp.mechanisms.budget import Budget

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


def adp_delta(tails: list[Fraction], r: Fraction) -> Fraction:
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


def certify_adp(r: Fraction, delta: Fraction, weight: Callable[[int], int]) -> Certificate:
    """Return the cost of the canonical noise and a lower bound on the cost of every noise.

    weight: returns c_k of the cost, `mean_absolute` or `variance`.
    Raises ValueError if the noise does not satisfy (ε, δ) with equality, or if a multiplier
    violates its inequality. Both would be errors in this module.
    """
    tails = canonical_tails(r, delta)
    if adp_delta(tails, r) != delta:
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


def truncated_geometric(r: Fraction, delta: Fraction) -> list[Fraction]:
    """Return p_0, …, p_N* of the truncated geometric noise with the smallest cost.

    r: e^ε > 1.
    """
    sizes = [Fraction(1)]  # r^N, …, r, 1; total is their sum over -N, …, N
    total = Fraction(1)
    while delta * total < 1:
        total = r * total + 2
        sizes.insert(0, r * sizes[0])
    return [size / total for size in sizes]


def pdp_delta(p: list[Fraction], r: Fraction) -> Fraction:
    """Return the δ of pDP at ε for any integer-valued noise, the larger of the shifts 1 and -1.

    p: the probabilities of successive values. All other values have probability 0.
    """
    steps = [*pairwise([ZERO, *p, ZERO])]
    broken = [
        (previous, current)
        for previous, current in steps
        if current > r * previous or previous > r * current
    ]
    previous_masses, current_masses = zip(*broken, strict=True)
    return max(sum(previous_masses, ZERO), sum(current_masses, ZERO))


def certify_pdp(r: Fraction, delta: Fraction, weight: Callable[[int], int]) -> Certificate:
    """Return the cost of truncated geometric noise and a lower bound for symmetric noise.

    weight: the weights of the cost, `mean_absolute` or `variance`.
    Raises ValueError if the noise does not satisfy (ε, δ), which would be an error in this module.
    """
    p = truncated_geometric(r, delta)
    if pdp_delta([*p[:0:-1], *p], r) > delta:
        raise ValueError(f"the noise at r = {r} and delta = {delta} has a larger delta")
    costs = [0]
    for k in range(1, len(p)):
        costs.append(costs[-1] + weight(k - 1) // 2)
    cost = 2 * sum((c * mass for c, mass in zip(costs, p, strict=True)), ZERO)
    bounds = [bound(r, delta, weight, end) for end in range(len(p) - 1)]
    return Certificate(cost, min([cost, *bounds]))


def bound(r: Fraction, delta: Fraction, weight: Callable[[int], int], end: int) -> Fraction:
    """Return the bound of the case N < N* for N = end, maximized over μ.

    The bound is concave in μ. It is piecewise linear; its breakpoints are the c_k and the μ at
    which the two sums are equal.
    """
    best = ZERO
    low = 0  # c_k
    slopes, offsets = [ZERO, ZERO], [ZERO, ZERO]  # the two sums as functions of μ >= c_k
    for k in count():
        is_beyond = k > end
        factor = (2 if k else 1) * r ** (k - end - 1 if is_beyond else end - k)
        slopes[is_beyond] += factor
        offsets[is_beyond] += factor * low
        high = low + weight(k) // 2
        levels = [Fraction(high)]
        if slopes[0] != slopes[1]:
            levels.append((offsets[0] - offsets[1]) / (slopes[0] - slopes[1]))
        sums = [
            (level, [s * level - t for s, t in zip(slopes, offsets, strict=True)])
            for level in levels
            if low <= level <= high
        ]
        values = [level - delta * max(pair) for level, pair in sums]
        best = max(best, *values)
        if values[0] < best:
            return best
        low = high
    raise AssertionError("unreachable")


def with_broken_steps(budget: Budget, values: int = 20) -> float:
    """Return the least standard deviation of symmetric noise with one or two broken steps.

    values: the noise is below this value. For given broken
    steps, the least variance is that of a linear program with the variables p_0, p_1, ….
    """
    from scipy.optimize import linprog

    squares = 2.0 * np.arange(values) ** 2
    total = np.where(np.arange(values) == 0, 1.0, 2.0)
    identity = np.eye(values + 1)[:, :values]  # the last row is for a probability of 0
    least, growth = inf, exp(budget.epsilon)
    for number in (1, 2):
        for broken in combinations(range(1, values + 1), number):
            mass = sum(identity[k - 1] + identity[k] for k in broken)
            kept = [k for k in range(1, values + 1) if k not in broken]
            after, before = identity[kept], identity[[k - 1 for k in kept]]
            ratios = [after - growth * before, before - growth * after]
            rows = np.vstack([mass, *ratios])
            limits = np.append(budget.delta, np.zeros(len(rows) - 1))
            result = linprog(squares, rows, limits, total[None], [1.0])
            if result.fun is not None:  # None if no noise has these broken steps
                least = min(least, float(result.fun))
    return sqrt(least)
