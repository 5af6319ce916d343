"""Selection of one of several outcomes: the exponential mechanism, and noisy argmax.

The exponential mechanism releases r with Pr(r) ∝ exp(ε u(x, r) / (2 Δ_u)) and satisfies ε-DP. Its
largest privacy loss is below ε, and it is ε/2 if the normalizer does not depend on the data (paper,
Corollary 12). With the utility u = -‖s* - s‖_p^p on bounded statistics, it is the truncated GG
mechanism with b^p = 2 Δ_u / ε (section 2.7).
"""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.special import softmax

from ggexp import checks
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import Epsilon, Sensitivity

#: The largest number of noisy counts that are in memory at a time.
MAX_NOISY_COUNTS = 2**20


def probabilities(
    utilities: ArrayLike, *, epsilon: Epsilon, sensitivity: Sensitivity
) -> NDArray[np.float64]:
    """Return the probability of each outcome of a finite range, in the shape of the utilities.

    utilities: u(x, r) of each outcome r, along the last axis.
    sensitivity: Δ_u, the largest change of an outcome's utility between neighbours.
    Source: F. McSherry and K. Talwar, "Mechanism Design via Differential Privacy", FOCS 2007.

    >>> from ggexp import selection
    >>> selection.probabilities([3, 2, 0], epsilon=1, sensitivity=1).round(4)
    array([0.5465, 0.3315, 0.122 ])
    """
    return np.asarray(softmax(_exponents(utilities, epsilon, sensitivity), axis=-1))


def choose(
    utilities: ArrayLike,
    rng: np.random.Generator,
    *,
    epsilon: Epsilon,
    sensitivity: Sensitivity,
    size: int = 1,
) -> NDArray[np.intp]:
    """Return the indices of independent releases from a finite range.

    Gumbel noise is added to each exponent. The index of the largest sum has exactly the
    distribution of `probabilities`, and no normalizer can overflow. The arguments are those of
    `probabilities`, with the utilities on one axis.

    >>> import numpy as np
    >>> from ggexp import selection
    >>> rng = np.random.default_rng(1)
    >>> selection.choose([3, 2, 0], rng, epsilon=1, sensitivity=1, size=5)
    array([2, 1, 1, 0, 0])
    """
    exponents = _exponents(utilities, epsilon, sensitivity)
    return np.argmax(exponents + rng.gumbel(size=(size, exponents.size)), axis=1)


def _exponents(utilities: ArrayLike, epsilon: float, sensitivity: float) -> NDArray[np.float64]:
    """Return ε u / (2 Δ_u), after checking the arguments."""
    checks.positive("epsilon", epsilon)
    checks.positive("sensitivity", sensitivity)
    array = np.asarray(utilities, dtype=float)
    if array.ndim == 0 or array.shape[-1] == 0 or not np.isfinite(array).all():
        raise ValueError(f"utilities must be one or more finite numbers, got {utilities!r}")
    return array * (epsilon / (2 * sensitivity))


def noisy_argmax(
    counts: ArrayLike, noise: Noise, rng: np.random.Generator, *, size: int
) -> NDArray[np.intp]:
    """Return the index of the largest noisy count, for each of ``size`` independent draws.

    As post-processing, it has no additional privacy cost. counts: finite numbers on one axis.

    >>> import numpy as np
    >>> from ggexp import GeneralizedGaussian, selection
    >>> rng = np.random.default_rng(1)
    >>> selection.noisy_argmax([12, 30, 28], GeneralizedGaussian(2, 3), rng, size=4)
    array([1, 1, 1, 1])
    """
    values = _checked_counts(counts)
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

    >>> from ggexp import GeneralizedGaussian, selection
    >>> round(selection.wrong_probability([12, 30, 28], GeneralizedGaussian(2, 3)), 4)
    0.2525
    """
    levels, ties = np.unique(_checked_counts(counts), return_counts=True)
    shifts, lower_ties, largest_ties = levels[-1] - levels[:-1], ties[:-1], int(ties[-1])
    distribution = noise.scipy

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


def _checked_counts(counts: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1 or not values.size:
        raise ValueError(
            f"counts must be a vector of one or more numbers, got shape {values.shape}"
        )
    checks.all_finite("counts", values)
    return values
