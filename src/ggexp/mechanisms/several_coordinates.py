"""The scale for (ε, δ)-probabilistic DP if several coordinates change at once (Corollary 7).

With noise e_k = b g_k on coordinate k, whose sensitivity is Δ_k, the paper's condition (Eqn 13) is

    Pr(Σ_k ((|g_k| + Δ_k/b)^p - |g_k|^p) > ε) <= δ,   g_k independent draws of GG(0, 1, p).

The sum decreases in b. Therefore each draw of g has one b at which the sum is ε, and the scale is
the 1 - δ quantile of these b, for every real p >= 1. The order statistics around the quantile bound
its Monte Carlo error. For order 2, the rule "pdp" with the sensitivity Δ_2 is tighter.
"""

from collections.abc import Sequence
from functools import reduce
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik

from ggexp import checks
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.ranges import Delta, Epsilon, Order, Scale, Sensitivity


class ScaleEstimate(NamedTuple):
    """A scale found by Monte Carlo, and the ends of its 95 % confidence interval.

    >>> import numpy as np
    >>> from ggexp import several_coordinates
    >>> scales = several_coordinates.draw_scales(3, [1, 1], 1, np.random.default_rng(1), 10_000)
    >>> round(several_coordinates.quantile(scales, 0.1).scale, 1)
    5.8
    """

    scale: Scale
    low: float
    high: float


def draw_scales(
    order: Order,
    sensitivities: Sequence[Sensitivity],
    epsilon: Epsilon,
    rng: np.random.Generator,
    draws: int,
) -> NDArray[np.float64]:
    """Return, for each draw of the noise, the scale b at which the sum of Corollary 7 is ε.

    sensitivities: Δ_{1,k} of each coordinate.

    Newton's method solves for h = 1/b, for all draws together. The sum is convex and increasing in
    h. Therefore h decreases to the root. The last step squares the relative error of at most 1e-7.

    >>> import numpy as np
    >>> from ggexp import several_coordinates
    >>> several_coordinates.draw_scales(2, [1, 1], 1, np.random.default_rng(1), draws=3).round(3)
    array([2.999, 3.09 , 2.066])
    """
    if not sensitivities:
        raise ValueError("sensitivities must contain at least one number, got none")
    steps = np.array([[checks.positive("sensitivities", value)] for value in sensitivities])
    checks.positive("epsilon", epsilon)
    if order == 1:  # the sum is Σ Δ_k/b for every draw; exact, because Pr(sum > ε) jumps at this b
        return np.full(draws, sum(sensitivities) / epsilon)
    noise = GeneralizedGaussian(order)
    g = np.abs(noise.sample(rng, steps.size * draws).reshape(steps.size, draws))
    target = (_power(g, order - 1) * g).sum(axis=0) + epsilon
    # above the root, because the sum exceeds (h Δ_p)^p
    h = np.full(draws, (epsilon / (steps**order).sum()) ** (1 / order))
    for _ in range(100):
        x = g + steps * h
        power = _power(x, order - 1)
        slope = (steps * power).sum(axis=0)
        change = ((power * x).sum(axis=0) - target) / (order * slope)
        h -= change
        if np.all(np.abs(change) <= 1e-7 * h):
            break
    return 1 / h


def _power(x: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    """Return x^exponent, for exponents 1, 2 and 3 by products, which take a tenth of the time."""
    return reduce(mul, [x] * int(exponent)) if exponent in (1, 2, 3) else x**exponent


def quantile(scales: NDArray[np.float64], delta: Delta) -> ScaleEstimate:
    """Return the 1 - δ quantile of independent scales, with its 95 % confidence interval.

    It is the scale of Corollary 7 if the scales are from `draw_scales`, at least about 4/δ of them
    and at least about 4/(1-δ).
    The number of draws below the quantile is binomial(n, 1 - δ). Therefore the order statistics at
    its 2.5 % and 97.5 % points enclose the quantile with 95 % confidence, whatever the distribution
    of the scales. Raises ValueError if there are too few draws for an interval.

    >>> import numpy as np
    >>> from ggexp import several_coordinates
    >>> several_coordinates.quantile(np.arange(1.0, 1001), 0.1)
    ScaleEstimate(scale=900.0, low=881.0, high=919.0)
    """
    n, share = scales.size, 1 - checks.open_unit("delta", delta)
    low, high = (int(np.ceil(bdtrik(point, n, share))) for point in (0.025, 0.975))
    if low < 1 or high >= n:
        raise ValueError(f"draws must be larger for delta {delta!r}, got {n!r}")
    middle = min(n - 1, int(np.ceil(n * share)))
    ranks = [low - 1, middle - 1, high]
    ordered = np.partition(scales, ranks)
    scale = checks.positive("scale", float(ordered[middle - 1]))
    return ScaleEstimate(scale, float(ordered[low - 1]), float(ordered[high]))
