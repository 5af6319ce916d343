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


def sample(
    rng: np.random.Generator,
    size: int,
    *,
    coordinates: int,
    order: float,
    epsilon: float,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return independent exact draws of the noise.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of the noise.
    size : int
        The number of draws.
    coordinates : int
        r >= 1, the number of statistics.
    order : float
        p >= 1.
    epsilon : float
        ε > 0.
    sensitivity : float, optional
        Δ_p > 0, the l_p sensitivity of the statistics together, in their units.

    Returns
    -------
    ndarray
        Draws of shape (size, coordinates).

    Raises
    ------
    ValueError
        If an argument is outside its range.
    TypeError
        If ``rng`` is not a Generator.

    Notes
    -----
    A draw x is R g / ‖g‖_p, where g consists of r independent draws of GG(0, 1, p), and R has the
    distribution Gamma(r, Δ_p/ε). The density of g depends only on its norm. Therefore the direction
    of g is independent of its norm and has the distribution of the direction of x. The norm of x
    has the density of R, because the surface of a ball grows like ‖x‖_p^(r-1).

    References
    ----------
    M. Hardt and K. Talwar, "On the Geometry of Differential Privacy", STOC 2010: the K-norm
    mechanism, with the l_p ball as K.

    Examples
    --------
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
    order: float,
    epsilon: float,
    sensitivity: float = 1.0,
) -> NDArray[np.float64]:
    """Return the values with added noise, which satisfies ε-DP for all values together.

    Parameters
    ----------
    values : ndarray
        Finite numbers of any shape.
    rng : numpy.random.Generator
        The source of the noise.
    order : float
        p >= 1.
    epsilon : float
        ε > 0.
    sensitivity : float, optional
        Δ_p > 0, the l_p sensitivity of the values together, in their units.

    Returns
    -------
    ndarray
        Noisy values, in the shape of the values.

    Raises
    ------
    ValueError
        If a value is not finite or an argument is outside its range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    M. Hardt and K. Talwar, "On the Geometry of Differential Privacy", STOC 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from ggexp import lp_ball
    >>> values, rng = np.array([12.0, 0, 30]), np.random.default_rng(1)
    >>> lp_ball.release(values, rng, order=2, epsilon=1, sensitivity=2**0.5).round(1)
    array([12.5,  1.3, 30.5])
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
