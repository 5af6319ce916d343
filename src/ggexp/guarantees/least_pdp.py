"""Certificates that truncated geometric noise is the least symmetric whole-number noise for pDP.

The noise K is added to a count that moves by 1 between neighbours, independently of the data, and
satisfies (ε, δ)-probabilistic DP. Let r = e^ε and p_k = Pr(K = k) = p_-k. The step from k - 1 to k,
k >= 1, is broken if p_k > r p_(k-1) or p_(k-1) > r p_k. The loss of a shift by 1 exceeds ε in
absolute value at k and at its mirror image 1 - k. Therefore K satisfies the guarantee if and only
if p_k + p_(k-1), summed over the broken steps, is at most δ.

Let N be the value before the first broken step, infinity if there is none. Truncated geometric
noise up to N is p_k ∝ r^-|k| for |k| <= N. Let N* be the least N for which it satisfies the
guarantee, p_N <= δ.

*If N >= N*,* |K| is stochastically at least as large as that of truncated geometric noise up to N*.
This holds given |K| <= N, because p_k <= r p_(k+1) for k < N, and all other values are larger.

*If N < N*,* p_N = x <= δ, so that p_k <= x r^(N-k) up to N. Each value beyond N that has a broken
step before it is at most δ - x, because the sum above contains x and this value. Therefore
p_k <= (δ - x) r^(k-N-1) beyond N. For each μ, a cost Σ c_|k| p_k is at least
μ - Σ max(0, μ - c_|k|) p_k, which is at least

    μ - δ max(Σ_(|k|<=N) max(0, μ - c_|k|) r^(N-|k|), Σ_(|k|>N) max(0, μ - c_|k|) r^(|k|-N-1)).

If some μ for each N < N* gives at least the cost of truncated geometric noise up to N*, that cost
is the least. This is the case at nearly all (ε, δ). It is not for δ just below a p_N, where
symmetric noise with two more modes costs less.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import count, pairwise

from ggexp.guarantees.optimality import Certificate

ZERO = Fraction(0)


def truncated_geometric(r: Fraction, delta: Fraction) -> list[Fraction]:
    """Return p_0, …, p_N* of the truncated geometric noise with the least cost.

    r: e^ε > 1. delta: δ in (0, 1).
    """
    sizes = [Fraction(1)]  # r^N, …, r, 1 and their sum over -N, …, N
    total = Fraction(1)
    while delta * total < 1:
        total = r * total + 2
        sizes.insert(0, r * sizes[0])
    return [size / total for size in sizes]


def delta_of(p: list[Fraction], r: Fraction) -> Fraction:
    """Return the pDP δ at ε of any whole-number noise, the larger one of both directions.

    p: the probabilities of successive values. All other values have probability 0.
    """
    steps = [*pairwise([ZERO, *p, ZERO])]
    broken = [(before, here) for before, here in steps if here > r * before or before > r * here]
    back, forth = zip(*broken, strict=True)
    return max(sum(back, ZERO), sum(forth, ZERO))


def certify(r: Fraction, delta: Fraction, weight: Callable[[int], int]) -> Certificate:
    """Return the cost of truncated geometric noise and a lower bound for symmetric noise.

    weight: of the cost, `ggexp.guarantees.optimality.mean_absolute` or `variance`.
    Raises ValueError if the noise does not satisfy (ε, δ), which would be an error of this module.
    """
    p = truncated_geometric(r, delta)
    if delta_of([*p[:0:-1], *p], r) > delta:
        raise ValueError(f"the noise at r = {r} and delta = {delta} has another delta")
    costs = [0]
    for k in range(1, len(p)):
        costs.append(costs[-1] + weight(k - 1) // 2)
    cost = 2 * sum((c * mass for c, mass in zip(costs, p, strict=True)), ZERO)
    others = [bound(r, delta, weight, end) for end in range(len(p) - 1)]
    return Certificate(cost, min([cost, *others]))


def bound(r: Fraction, delta: Fraction, weight: Callable[[int], int], end: int) -> Fraction:
    """Return the bound of the module's last case for N = end, at the μ that makes it the largest.

    It is concave in μ, and linear between the c_k and the μ at which both sums are equal.
    """
    best = ZERO
    low = 0  # c_k
    slopes, offsets = [ZERO, ZERO], [ZERO, ZERO]  # of the sums up to N and beyond, at μ from c_k on
    for k in count():
        beyond = k > end
        factor = (2 if k else 1) * r ** (k - end - 1 if beyond else end - k)
        slopes[beyond] += factor
        offsets[beyond] += factor * low
        high = low + weight(k) // 2
        at = [Fraction(high)]
        if slopes[0] != slopes[1]:
            at.append((offsets[0] - offsets[1]) / (slopes[0] - slopes[1]))
        sums = [
            (level, [s * level - t for s, t in zip(slopes, offsets, strict=True)])
            for level in at
            if low <= level <= high
        ]
        values = [level - delta * max(both) for level, both in sums]
        best = max(best, *values)
        if values[0] < best:
            return best
        low = high
    raise AssertionError("unreachable")
