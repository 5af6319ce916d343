"""Noise for pure ε-DP of several statistics together, in balls of the l_p norm.

Its density is proportional to exp(-ε ‖x‖_p / Δ_p). Two neighbours' statistics differ by at most Δ_p
in that norm, so by the triangle inequality their densities differ by the factor e^ε at most. On
unbounded support GG noise of order p > 1 has no pure guarantee, as its loss grows with the noise
(paper, Claim 4); this has one for every p. Order 1 is independent Laplace noise.

Source: Hardt and Talwar (2010), the K-norm mechanism, with the ball of the l_p norm for K.
"""

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.distribution import GeneralizedGaussian


def sample(
    rng: np.random.Generator,
    size: int,
    *,
    coordinates: int,
    order: float,
    epsilon: float,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return ``size`` independent exact draws of the noise, an array of (size, coordinates).

    coordinates: r, how many statistics. order: p >= 1. epsilon: ε > 0. sensitivity: Δ_p > 0, the
    l_p sensitivity of the statistics together, in their units.
    A draw is R g / ‖g‖_p, with g of r independent GG(0, 1, p) and R of Gamma(r, Δ_p/ε): the density
    of g depends on its norm alone, so its direction is independent of its norm and is that of x;
    and the norm of x has the density of R, as the surface of a ball grows like ‖x‖_p^(r-1).
    Raises ValueError naming the argument, its value and what is allowed, TypeError for an rng that
    is no Generator.
    """
    checks.generator("rng", rng)
    r = checks.count("coordinates", coordinates)
    width = checks.positive("sensitivity", sensitivity) / checks.positive("epsilon", epsilon)
    g = GeneralizedGaussian(order).sample(rng, size * r).reshape(size, r)
    largest = np.abs(g).max(axis=1, keepdims=True)
    g /= largest  # a high power of it may underflow
    norm = (np.abs(g) ** order).sum(axis=1, keepdims=True) ** (1 / order)
    return g / norm * (width * rng.standard_gamma(r, (size, 1)))


def release(
    values: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    order: float,
    epsilon: float,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return the values with noise for ε-DP for all of them together, same shape.

    Arguments are those of `sample`. Raises ValueError for a value that is not finite.
    """
    checks.all_finite("values", values)
    noise = sample(
        rng,
        1,
        coordinates=np.size(values),
        order=order,
        epsilon=epsilon,
        sensitivity=sensitivity,
    )
    return np.asarray(values) + noise.reshape(np.shape(values))
