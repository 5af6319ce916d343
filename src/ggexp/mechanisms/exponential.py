"""The exponential mechanism over a finite range.

It releases r with Pr(r) ∝ exp(ε u(x, r) / (2 Δ_u)) and satisfies ε-DP. Its largest privacy loss is
below ε, and it is ε/2 if the normalizer does not depend on the data (paper, Corollary 12).

With the utility u = -‖s* - s‖_p^p on bounded statistics, the release has a truncated GG
distribution with b^p = 2 Δ_u / ε. It differs from the paper's Definition 5 only in the scale
(section 2.7).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ggexp import checks
from ggexp.ranges import Epsilon, Sensitivity


def probabilities(
    utilities: ArrayLike, *, epsilon: Epsilon, sensitivity: Sensitivity
) -> NDArray[np.float64]:
    """Return the probability of each outcome of a finite range, in the shape of the utilities.

    utilities: u(x, r) of each outcome r, along the last axis.
    sensitivity: Δ_u, the largest change of an outcome's utility between neighbours.
    Source: F. McSherry and K. Talwar, "Mechanism Design via Differential Privacy", FOCS 2007.

    >>> from ggexp import exponential
    >>> exponential.probabilities([3, 2, 0], epsilon=1, sensitivity=1).round(4)
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
    >>> from ggexp import exponential
    >>> rng = np.random.default_rng(1)
    >>> exponential.choose([3, 2, 0], rng, epsilon=1, sensitivity=1, size=5)
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
