"""The exponential mechanism (McSherry and Talwar 2007), over a finite range and with GG utility.

It releases r with Pr(r) ∝ exp(ε u(x, r) / (2 Δ_u)) and is of ε-DP; the actual cost is below ε,
and ε/2 where the normalizer does not depend on the data (paper, Corollary 12).

With the utility u = -‖s* - s‖_p^p on bounded statistics it is a truncated GG distribution with
b^p = 2 Δ_u / ε, which differs from the paper's Definition 5 in the scale alone (section 2.7).
"""

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ggexp import checks
from ggexp.bounded import Truncated, check_coordinates, truncated_scale


def probabilities(
    utilities: ArrayLike, *, epsilon: float, sensitivity: float
) -> NDArray[np.float64]:
    """Return the probability of each outcome of a finite range, along the last axis.

    utilities: u(x, r) of each outcome r. epsilon: ε > 0. sensitivity: Δ_u > 0, by how much one
    record can move the utility of any outcome.
    """
    return np.asarray(softmax(_exponents(utilities, epsilon, sensitivity), axis=-1))


def choose(
    utilities: ArrayLike,
    rng: np.random.Generator,
    *,
    epsilon: float,
    sensitivity: float,
    size: int = 1,
) -> NDArray[np.intp]:
    """Return the indices of ``size`` independent releases from a finite range.

    The largest of the exponents, each with its own Gumbel noise, has exactly `probabilities`, with
    no normalizer that may overflow. Arguments are those of `probabilities`, utilities of one axis.
    """
    exponents = _exponents(utilities, epsilon, sensitivity)
    return np.argmax(exponents + rng.gumbel(size=(size, exponents.size)), axis=1)


def gg_scale(*, order: float, epsilon: float, utility_sensitivity: float) -> float:
    """Return the scale b = (2 Δ_u / ε)^(1/p) of the mechanism with GG utility (paper, Eqn 15)."""
    checks.at_least_one("order", order)
    checks.positive("utility_sensitivity", utility_sensitivity)
    return float((2 * utility_sensitivity / checks.positive("epsilon", epsilon)) ** (1 / order))


def utility_sensitivity(
    order: float, widths: Sequence[float], sensitivities: Sequence[float]
) -> float:
    """Return Δ_u of the GG utility, Σ_k w_k^p - (w_k - Δ_{1,k})^p: exact for one coordinate.

    order: p >= 1. widths: w_k = c_k1 - c_k0 of the coordinates that can change together.
    sensitivities: their Δ_{1,k}, at most the widths.

    As |s* - s| <= w, the utility of a coordinate changes most at a bound. It is at most what
    `lemma_9` and Definition 5 use in its place.
    """
    pairs = check_coordinates(order, widths, sensitivities)
    return float(sum(width**order - (width - step) ** order for width, step in pairs))


def lemma_9(
    order: int, bounds: Sequence[tuple[float, float]], sensitivities: Sequence[float]
) -> float:
    """Return the paper's upper bound of Δ_u of the GG utility (Lemma 9), for a whole order p >= 1.

    bounds: (c_k0, c_k1) of the coordinates that can change together. sensitivities: their Δ_{1,k}.
    The Δ_{1,k}^(j) of part c, the sensitivity of s_k^j, are taken from the bounds.
    """
    if order != int(order):
        raise ValueError(f"order must be a whole number >= 1 for Lemma 9, got {order!r}")
    widths = [checks.width(low, high) for low, high in bounds]
    pairs = check_coordinates(order, widths, sensitivities)
    if order == 1:
        return float(sum(sensitivities))
    if order == 2:
        return float(2 * sum(width * step for width, step in pairs))
    return float(
        sum(
            comb(int(order), j)
            * max(abs(low), abs(high)) ** (order - j)
            * _power_sensitivity(j, low, high, step)
            for (low, high), step in zip(bounds, sensitivities, strict=True)
            for j in range(1, int(order) + 1)
        )
    )


def bounded_gg(
    *, order: float, epsilon: float, low: float, high: float, sensitivity: float
) -> Truncated:
    """Return the truncated GG mechanism of ε-DP for one statistic within [low, high].

    order: p >= 1. epsilon: ε > 0. sensitivity: Δ_1 of the statistic, at most high - low.
    Its scale is the smaller of Definition 5's and the exponential mechanism's, as the paper
    advises (section 2.7).
    """
    widths, steps = [checks.width(low, high)], [sensitivity]
    exponential = gg_scale(
        order=order,
        epsilon=epsilon,
        utility_sensitivity=utility_sensitivity(order, widths, steps),
    )
    truncated = truncated_scale(order=order, epsilon=epsilon, widths=widths, sensitivities=steps)
    return Truncated(order, min(exponential, truncated), low, high)


def _exponents(utilities: ArrayLike, epsilon: float, sensitivity: float) -> NDArray[np.float64]:
    """Return ε u / (2 Δ_u) of checked arguments."""
    checks.positive("epsilon", epsilon)
    checks.positive("sensitivity", sensitivity)
    array = np.asarray(utilities, dtype=float)
    if array.ndim == 0 or array.shape[-1] == 0 or not np.isfinite(array).all():
        raise ValueError(f"utilities must be finite numbers, at least one, got {utilities!r}")
    return array * (epsilon / (2 * sensitivity))


def _power_sensitivity(j: int, low: float, high: float, step: float) -> float:
    """Return the largest |s^j - t^j| for s and t within the bounds and at most a step apart."""
    if j % 2:
        return max(high**j - (high - step) ** j, (low + step) ** j - low**j)
    largest = max(abs(low), abs(high))
    return largest**j - max(largest - step, 0) ** j
