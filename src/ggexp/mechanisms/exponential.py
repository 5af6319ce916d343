"""The exponential mechanism (McSherry and Talwar 2007), over a finite range and with GG utility.

It releases r with Pr(r) ∝ exp(ε u(x, r) / (2 Δ_u)) and satisfies ε-DP; the actual cost is below ε,
and ε/2 where the normalizer does not depend on the data (paper, Corollary 12).

With the utility u = -‖s* - s‖_p^p on bounded statistics it is a truncated GG distribution with
b^p = 2 Δ_u / ε, which differs from the paper's Definition 5 in the scale alone (section 2.7).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ggexp import checks


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


def _exponents(utilities: ArrayLike, epsilon: float, sensitivity: float) -> NDArray[np.float64]:
    """Return ε u / (2 Δ_u) of checked arguments."""
    checks.positive("epsilon", epsilon)
    checks.positive("sensitivity", sensitivity)
    array = np.asarray(utilities, dtype=float)
    if array.ndim == 0 or array.shape[-1] == 0 or not np.isfinite(array).all():
        raise ValueError(f"utilities must be finite numbers, at least one, got {utilities!r}")
    return array * (epsilon / (2 * sensitivity))
