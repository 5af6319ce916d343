"""Noisy argmax: the place of the largest of several noisy counts.

It is post-processing of the noisy counts and costs no additional privacy.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad

from ggexp import checks
from ggexp.mechanisms.noise import Noise

#: The largest number of noisy counts in memory.
POOL = 2**20


def choose(
    counts: ArrayLike, noise: Noise, rng: np.random.Generator, *, size: int
) -> NDArray[np.intp]:
    """Return the place of the largest noisy count in ``size`` independent draws of noise.

    counts: numbers on one axis.
    Raises ValueError for counts that are not finite, or if there are none.
    """
    values = _checked(counts)
    step = max(1, POOL // values.size)
    chosen = np.empty(size, dtype=np.intp)
    for start in range(0, size, step):
        rows = min(step, size - start)
        noisy = noise.sample(rng, rows * values.size).reshape(rows, values.size)
        noisy += values
        chosen[start : start + rows] = noisy.argmax(axis=1)
    return chosen


def wrong_probability(counts: ArrayLike, noise: Noise) -> float:
    """Return the probability that the largest noisy count is not that of a largest count.

    counts: numbers s on one axis. noise: its distribution, iid on each count.
    The density of the largest noisy count of the m largest counts is m f F^(m-1), with the density
    f and the distribution function F of the noise. The probability is the integral of this density
    times 1 - Π F(x + max s - s_j), with the product over the other counts. Adaptive quadrature
    between the kinks of the functions computes it to a relative error of 10^-8, however small it
    is. Raises ValueError for counts that are not finite, or if there are none.
    """
    levels, ties = np.unique(_checked(counts), return_counts=True)
    shifts, others, most = levels[-1] - levels[:-1], ties[:-1], int(ties[-1])
    distribution: Any = noise.scipy  # the stubs lack its pdf

    def integrand(x: float) -> float:
        with np.errstate(divide="ignore"):  # ln 0, if F is 0
            logs = np.log1p(-distribution.sf(x + shifts))
        density = most * distribution.pdf(x) * distribution.cdf(x) ** (most - 1)
        return float(-density * np.expm1((others * logs).sum()))

    reach = float(distribution.isf(1e-300))
    edges = sorted({-reach, *(-shift for shift in shifts if shift < reach), 0.0, reach})
    return sum(
        quad(integrand, low, high, epsabs=1e-300, epsrel=1e-8, limit=500)[0]
        for low, high in pairwise(edges)
    )


def _checked(counts: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"counts must be a vector of one or more, got shape {values.shape}")
    checks.all_finite("counts", values)
    return values
