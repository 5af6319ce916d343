"""Noise in balls of the l_p norm, which satisfies ε-DP for several statistics together.

Its density is proportional to exp(-ε ‖x‖_p / Δ_p). The statistics of neighbours differ by at most
Δ_p in this norm. Therefore, by the triangle inequality, the densities differ by a factor of at most
e^ε, for every p. By contrast, GG noise of order p > 1 on unbounded support does not satisfy ε-DP,
because its loss grows with the noise (paper, Claim 4). Order 1 is independent Laplace noise.
"""

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.ranges import Epsilon, Order, Sensitivity


def sample(
    rng: np.random.Generator,
    size: int,
    *,
    coordinates: int,
    order: Order,
    epsilon: Epsilon,
    sensitivity: Sensitivity = 1.0,
) -> NDArray[np.float64]:
    """Return independent exact draws of the noise, an array of shape (size, coordinates).

    sensitivity: the l_p sensitivity Δ_p of the statistics together, in their units.

    A draw x is R g / ‖g‖_p. Here g consists of independent draws of GG(0, 1, p), one for each of r
    coordinates, and R has the distribution Gamma(r, Δ_p/ε). The density of g depends only on its
    norm. Therefore the direction of g is independent of its norm and has the distribution of the
    direction of x. The norm of x has the density of R, because the surface of a ball grows like
    ‖x‖_p^(r-1).

    Source: M. Hardt and K. Talwar, "On the Geometry of Differential Privacy", STOC 2010: the K-norm
    mechanism, with the l_p ball as K.

    >>> import numpy as np
    >>> from ggexp import lp_ball
    >>> rng = np.random.default_rng(1)
    >>> lp_ball.sample(rng, 2, coordinates=3, order=2, epsilon=1).round(3)
    array([[ 0.684,  1.627,  0.654],
           [-2.615,  1.817,  0.896]])
    """
    checks.generator("rng", rng)
    r = checks.count("coordinates", coordinates)
    scale = checks.positive("sensitivity", sensitivity) / checks.positive("epsilon", epsilon)
    g = GeneralizedGaussian(order).sample(rng, size * r).reshape(size, r)
    largest = np.abs(g).max(axis=1, keepdims=True)
    g /= largest  # because high powers may underflow
    norm = (np.abs(g) ** order).sum(axis=1, keepdims=True) ** (1 / order)
    return g / norm * (scale * rng.standard_gamma(r, (size, 1)))


def release(
    values: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    order: Order,
    epsilon: Epsilon,
    sensitivity: Sensitivity = 1.0,
) -> NDArray[np.float64]:
    """Return the values with added noise, which satisfies ε-DP for all values together.

    sensitivity: as in `sample`.

    >>> import numpy as np
    >>> from ggexp import lp_ball
    >>> values, rng = np.array([12.0, 0, 30]), np.random.default_rng(1)
    >>> lp_ball.release(values, rng, order=2, epsilon=1, sensitivity=2**0.5).round(1)
    array([12.5,  1.3, 30.5])
    """
    checks.all_finite("values", values)
    noise = sample(
        rng, 1, coordinates=np.size(values), order=order, epsilon=epsilon, sensitivity=sensitivity
    )
    return np.asarray(values) + noise.reshape(np.shape(values))
