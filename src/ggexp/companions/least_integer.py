"""Certificates that truncated geometric noise has the least variance for probabilistic DP.

They prove that no symmetric integer-valued noise has a smaller variance. Noise K, independent of
the data, is added to a count that changes by 1 between neighbours. Let r = e^ε.

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
p_k <= (δ - x) r^(k-N-1) for all k > N. For each μ, the variance Σ k² p_k is at least
μ - Σ max(0, μ - k²) p_k, which is at least

    μ - δ max(Σ_(|k|<=N) max(0, μ - k²) r^(N-|k|), Σ_(|k|>N) max(0, μ - k²) r^(|k|-N-1)).

If for each N < N* some μ makes this bound at least the variance of truncated geometric noise up to
N*, no symmetric noise has a smaller one. This is the case at nearly all (ε, δ), but not if δ is
slightly smaller than the p_N of truncated geometric noise up to some N. Then symmetric noise with
two more modes has a smaller variance.
"""

from fractions import Fraction
from itertools import combinations, count, pairwise
from math import exp, inf, sqrt
from typing import NamedTuple

import numpy as np

from ggexp.mechanisms.budget import Budget

ZERO = Fraction(0)


class Certificate(NamedTuple):
    """The variance of truncated geometric noise, and a lower bound for all symmetric noise."""

    variance: Fraction
    bound: Fraction


def truncated_geometric(r: Fraction, delta: Fraction) -> list[Fraction]:
    """Return p_0, …, p_N* of the truncated geometric noise up to N*. r: e^ε > 1."""
    sizes = [Fraction(1)]  # r^N, …, r, 1; total is their sum over -N, …, N
    total = Fraction(1)
    while delta * total < 1:
        total = r * total + 2
        sizes.insert(0, r * sizes[0])
    return [size / total for size in sizes]


def pdp_delta(p: list[Fraction], r: Fraction) -> Fraction:
    """Return the δ of pDP at ε for symmetric noise with p_0, p_1, … > 0: the sum over steps."""
    steps = pairwise([*p, ZERO])
    return sum((a + b for a, b in steps if b > r * a or a > r * b), ZERO)


def certify_pdp(r: Fraction, delta: Fraction) -> Certificate:
    """Return the variance of truncated geometric noise and a lower bound for symmetric noise.

    Raises ValueError if the noise does not satisfy (ε, δ), which would be an error in this module.
    """
    p = truncated_geometric(r, delta)
    if pdp_delta(p, r) > delta:
        raise ValueError(f"the noise at r = {r} and delta = {delta} has a larger delta")
    variance = 2 * sum((k**2 * mass for k, mass in enumerate(p)), ZERO)
    bounds = [bound(r, delta, end) for end in range(len(p) - 1)]
    return Certificate(variance, min([variance, *bounds]))


def bound(r: Fraction, delta: Fraction, end: int) -> Fraction:
    """Return the bound of the case N < N* for N = end, maximized over μ.

    The bound is concave in μ. It is piecewise linear; its breakpoints are the k² and the μ at which
    the two sums are equal.
    """
    best = ZERO
    slopes, offsets = [ZERO, ZERO], [ZERO, ZERO]  # the two sums as functions of μ >= k²
    for k in count():
        low, high = k**2, (k + 1) ** 2
        is_beyond = k > end
        factor = (2 if k else 1) * r ** (k - end - 1 if is_beyond else end - k)
        slopes[is_beyond] += factor
        offsets[is_beyond] += factor * low
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
