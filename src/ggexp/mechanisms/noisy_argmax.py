"""Noisy argmax: the index of the largest of several noisy counts.

It is post-processing of the noisy counts. Therefore it has no additional privacy cost.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad

from ggexp import checks
from ggexp.mechanisms.noise import Noise

#: The largest number of noisy counts that are in memory at a time.
MAX_NOISY_COUNTS = 2**20


def choose(
    counts: ArrayLike, noise: Noise, rng: np.random.Generator, *, size: int
) -> NDArray[np.intp]:
    """Return the index of the largest noisy count, for each of ``size`` independent draws.

    counts: finite numbers on one axis.
    """
    values = _checked(counts)
    step = max(1, MAX_NOISY_COUNTS // values.size)
    chosen = np.empty(size, dtype=np.intp)
    for start in range(0, size, step):
        rows = min(step, size - start)
        noisy = noise.sample(rng, rows * values.size).reshape(rows, values.size)
        noisy += values
        chosen[start : start + rows] = noisy.argmax(axis=1)
    return chosen


def wrong_probability(counts: ArrayLike, noise: Noise) -> float:
    """Return the probability that the largest noisy count does not belong to a largest count.

    counts: numbers s on one axis. noise: the distribution of the independent noise on each count.
    Let f be the density and F the distribution function of the noise, and let m counts be equal to
    max s. The largest noise on these m counts has the density m f F^(m-1). The probability is the
    integral of this density times 1 - Π F(x + max s - s_j), with the product over the other counts.
    It is computed by adaptive quadrature between the kinks of these functions. The relative error
    is 10^-8, even if the probability is very small.
    """
    levels, ties = np.unique(_checked(counts), return_counts=True)
    shifts, lower_ties, largest_ties = levels[-1] - levels[:-1], ties[:-1], int(ties[-1])
    distribution: Any = noise.scipy  # the stubs lack its pdf

    def integrand(x: float) -> float:
        with np.errstate(divide="ignore"):  # F may be 0
            logs = np.log1p(-distribution.sf(x + shifts))
        density = largest_ties * distribution.pdf(x) * distribution.cdf(x) ** (largest_ties - 1)
        return float(-density * np.expm1((lower_ties * logs).sum()))

    limit = float(distribution.isf(1e-300))
    edges = sorted({-limit, *(-shift for shift in shifts if shift < limit), 0.0, limit})
    return sum(
        quad(integrand, low, high, epsabs=1e-300, epsrel=1e-8, limit=500)[0]
        for low, high in pairwise(edges)
    )


def _checked(counts: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1 or not values.size:
        raise ValueError(
            f"counts must be a vector of one or more numbers, got shape {values.shape}"
        )
    checks.all_finite("counts", values)
    return values
