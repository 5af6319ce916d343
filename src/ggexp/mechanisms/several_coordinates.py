"""The scale of (ε, δ)-probabilistic DP where several coordinates change at once (Corollary 7).

With noise e_k = b g_k on coordinate k, whose sensitivity is Δ_k, the paper's condition (Eqn 13) is

    Pr(Σ_k ((|g_k| + Δ_k/b)^p - |g_k|^p) > ε) <= δ,   g_k independent of GG(0, 1, p).

The sum falls as b grows, so each draw of g has one b at which it is ε, and the wanted scale is the
1 - δ quantile of those: no grid of scales is searched, and the quantile's order statistics bound
its Monte Carlo error. It holds for every real p >= 1. For order 2 the rule "pdp" with the
sensitivity Δ_2 is in closed form and tighter, because normal noise looks the same from all sides.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik

from ggexp import checks
from ggexp.mechanisms.distribution import GeneralizedGaussian


class ScaleEstimate(NamedTuple):
    """A scale found by Monte Carlo, and its interval of 95 % confidence."""

    scale: float
    low: float
    high: float


def pdp_scale(
    *,
    order: float,
    sensitivities: Sequence[float],
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    draws: int = 400_000,
) -> ScaleEstimate:
    """Return the scale b of (ε, δ)-pDP by Corollary 7, with its Monte Carlo error.

    order: p >= 1. sensitivities: Δ_{1,k} > 0 of each coordinate. epsilon: ε > 0. delta: in (0, 1).
    draws: draws of the noise, at least about 4/δ and 4/(1-δ).
    Raises ValueError naming the argument, its value and what is allowed.
    """
    estimate = quantile(draw_scales(order, sensitivities, epsilon, rng, draws), delta)
    checks.positive("scale", estimate.scale)
    return estimate


def draw_scales(
    order: float,
    sensitivities: Sequence[float],
    epsilon: float,
    rng: np.random.Generator,
    draws: int,
) -> NDArray[np.float64]:
    """Return, for each draw of the noise, the scale b at which the sum of Corollary 7 is ε.

    Newton's method in h = 1/b from the right, for all draws together: the sum is convex in h and
    rises, so it comes down to the root and never below. Its last step squares the relative error,
    of at most 1e-7.
    """
    if not sensitivities:
        raise ValueError("sensitivities must hold at least one number, got none")
    steps = np.array([checks.positive("sensitivities", value) for value in sensitivities])
    checks.positive("epsilon", epsilon)
    if order == 1:  # whatever the draw, and to the last bit: there the loss jumps
        return np.full(draws, sum(sensitivities) / epsilon)
    noise = GeneralizedGaussian(order)
    g = np.abs(noise.sample(rng, steps.size * draws).reshape(steps.size, draws))
    start = (g**order).sum(axis=0) + epsilon
    # the sum exceeds (h Δ_p)^p
    h = np.full(draws, (epsilon / (steps**order).sum()) ** (1 / order))
    for _ in range(100):
        reached, slope = np.zeros(draws), np.zeros(draws)
        for values, step in zip(g, steps, strict=True):
            x = values + step * h
            power = x ** (order - 1)
            slope += step * power
            power *= x
            reached += power
        change = (reached - start) / (order * slope)
        h -= change
        if np.all(np.abs(change) <= 1e-7 * h):
            break
    return 1 / h


def quantile(scales: NDArray[np.float64], delta: float) -> ScaleEstimate:
    """Return the 1 - δ quantile of independent scales, and the order statistics around it.

    The number of draws below the quantile is binomial(n, 1 - δ), so the order statistics at its 2.5
    and 97.5 % points enclose it with 95 % confidence, whatever the distribution of the scales.
    Raises ValueError where there are too few draws for an interval.
    """
    n, share = scales.size, 1 - checks.open_unit("delta", delta)
    low, high = (int(np.ceil(bdtrik(point, n, share))) for point in (0.025, 0.975))
    if low < 1 or high >= n:
        raise ValueError(f"draws must be more for delta {delta!r}, got {n!r}")
    middle = min(n - 1, int(np.ceil(n * share)))
    ranks = [low - 1, middle - 1, high]
    ordered = np.partition(scales, ranks)
    return ScaleEstimate(float(ordered[middle - 1]), float(ordered[low - 1]), float(ordered[high]))
