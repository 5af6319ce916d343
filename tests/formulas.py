"""Formulas of other texts with which several tests compare the library."""

from math import exp, expm1, inf, sqrt

import mpmath
import numpy as np
from mpmath import mpf
from scipy.special import log_ndtr, ndtri
from scipy.stats import gennorm

#: Order, ε, δ -> the scale of Corollary 7 for the Δ_{1,k} of Figure 2, by quadrature.
COROLLARY_7 = (
    (2, 0.5, 0.05, 6.2206),
    (2, 1, 0.25, 2.2498),
    (3, 1, 0.01, 6.7380),
    (4, 2, 0.05, 3.5171),
)


def lemma_10(epsilon, delta):
    """Return the σ of normal noise with (ε, δ)-pDP by the paper's Lemma 10."""
    z = ndtri(delta / 2)
    return (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon)


def gaussian_delta(sigma, epsilon):
    """Return δ by Theorem 8 of Balle and Wang (2018), with logarithms of the normal CDF."""
    a = log_ndtr(1 / (2 * sigma) - epsilon * sigma)
    b = epsilon + log_ndtr(-1 / (2 * sigma) - epsilon * sigma)
    return -exp(a) * expm1(b - a)


def printed_epsilon(advantage, inside, within=1, radius=1):
    """Return ε by Eqn 1 of Laud and Pankova as printed; a discrete value has within = radius = 1.

    It has 40 digits, and is infinite if the advantage and the prior add up to 1 or more.
    """
    with mpmath.workdps(40):
        p, q, delta = (mpf(x) for x in (inside, within, advantage))
        if delta + p >= 1:
            return inf
        return float(-mpmath.log(p / (q - p) * (1 / (delta + p) - 1)) / radius)


def density(noise, x):
    """Return the density at x of GG noise, or of truncated Laplace noise, from scipy's gennorm."""
    bound = getattr(noise, "bound", np.inf)
    inside = 1 - 2 * gennorm.sf(bound, noise.order, scale=noise.scale)
    outside = np.abs(x) > bound
    return np.where(outside, 0, gennorm.pdf(x, noise.order, scale=noise.scale) / inside)
