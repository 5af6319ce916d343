"""Noisy argmax: which count is the largest, read off counts with noise on each.

It is post-processing of the noisy counts, and so costs no more privacy than they do.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad

from ggexp import checks
from ggexp.mechanisms.distribution import GeneralizedGaussian

#: Draws that are held at once, times counts.
POOL = 2**20


def choose(
    counts: ArrayLike, noise: GeneralizedGaussian, rng: np.random.Generator, *, size: int
) -> NDArray[np.intp]:
    """Return the places of the largest noisy count in ``size`` independent draws of the noise.

    counts: numbers of one axis.
    Raises ValueError for counts that are not finite or none at all.
    """
    values = _checked(counts)
    step = max(1, POOL // values.size)
    chosen = []
    for start in range(0, size, step):
        rows = min(step, size - start)
        noisy = noise.sample(rng, rows * values.size).reshape(rows, values.size)
        noisy += values
        chosen.append(noisy.argmax(axis=1))
    return np.concatenate(chosen) if chosen else np.empty(0, dtype=np.intp)


def probability(counts: ArrayLike, noise: GeneralizedGaussian, places: Sequence[int]) -> float:
    """Return the probability that the largest noisy count is at one of these places.

    counts: numbers s of one axis. noise: its distribution, iid on each count.
    That of place m is ∫ f(x) Π_{j≠m} F(x + s_m - s_j) dx, with the density f and the distribution
    function F of the noise, by adaptive quadrature to 10^-10 between the places where f or an F
    has a kink. Of counts that are equal the probability is found once.
    Raises ValueError for counts that are not finite or none at all.
    """
    values = _checked(counts)
    distribution = noise.scipy
    cdf, pdf = distribution.cdf, distribution.pdf
    reach = float(distribution.isf(1e-16))  # f beyond it adds nothing
    levels, ties = np.unique(values, return_counts=True)
    total = 0.0
    for level, times in zip(*np.unique(values[list(places)], return_counts=True), strict=True):
        others = ties - (levels == level)
        shifts = level - levels

        def integrand(x: float, shifts: NDArray[np.float64] = shifts, others: NDArray[np.intp] = others) -> float:
            return float(pdf(x) * np.prod(cdf(x + shifts) ** others))

        kinks = sorted({-shift for shift in shifts if -reach < shift < reach})
        edges = [-reach, *kinks, reach]
        parts = [
            quad(integrand, low, high, epsabs=1e-12, epsrel=1e-10, limit=200)[0]
            for low, high in zip(edges, edges[1:], strict=False)
        ]
        total += float(times) * sum(parts)
    return total


def _checked(counts: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"counts must be a vector of one or more, got shape {values.shape}")
    checks.all_finite("counts", values)
    return values
