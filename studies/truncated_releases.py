"""Test whether truncated noise is also the smallest for many releases, for docs/best-order.md.

    python studies/truncated_releases.py

Ten releases together satisfy (ε, δ)-approximate DP. For some orders, searches for the scale and the
bound of truncated GG noise with the smallest standard deviation, by a numerical convolution of the
privacy loss. The results are accurate to about 0.1 %, because losses are rounded to the nearest
point of a grid, and because the search starts slightly above the scale that suffices without a
bound. Takes half a minute.
"""

from math import exp, expm1, log, log1p

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq, minimize_scalar
from truncated_orders import truncated_sd

from ggexp.figures.tabulate_best_order import noise
from ggexp.mechanisms.tails import inner

RELEASES = 10
ORDERS = (1, 1.5, 2)
POINTS = [(0.1, 0.01), (1, 1e-6), (1, 0.01), (5, 0.1)]
CELLS = 10_000  # intervals into which the range of the noise is divided
LOSSES = 2**12  # grid points of the loss, from 0 to the largest loss of one release


def joint_delta(order: float, scale: float, bound: float, k: int, epsilon: float) -> float:
    """Return the δ at ε of k releases with noise of density ∝ exp(-|x/b|^p) on [-A, A].

    The neighbour's noise is shifted by -1, therefore outcomes above A - 1 have an infinite loss.
    """
    edges = np.linspace(-bound, bound - 1, CELLS + 1)
    area = inner(order, edges / scale) / float(inner(order, bound / scale))
    masses = np.diff(area) / 2
    infinite = 1 - masses.sum()
    midpoints = (edges[1:] + edges[:-1]) / 2
    losses = (np.abs(midpoints + 1) ** order - np.abs(midpoints) ** order) / scale**order
    values, probabilities = k_fold(masses, losses, k)
    exceeds = values > epsilon
    finite = probabilities[exceeds] @ -np.expm1(epsilon - values[exceeds])
    return float(finite - expm1(k * log1p(-infinite)))


def k_fold(
    masses: NDArray[np.float64], losses: NDArray[np.float64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of the sum of k losses, and their probabilities."""
    step = np.abs(losses).max() / LOSSES
    single = np.bincount(np.rint(losses / step).astype(int) + LOSSES, masses, 2 * LOSSES + 1)
    size = next_fast_len(2 * LOSSES * k + 1, real=True)
    probabilities = irfft(rfft(single, size) ** k, size)[: 2 * LOSSES * k + 1]
    return (np.arange(probabilities.size) - LOSSES * k) * step, np.maximum(probabilities, 0)


def least(order: float, k: int, epsilon: float, delta: float) -> tuple[float, float, float]:
    """Return the smallest sd of the noise for k releases, with its scale and bound."""
    unbounded = noise(order, k, epsilon, delta).scale  # the scale of noise without a bound

    def bound_of(scale: float) -> float:
        def excess(log_bound: float) -> float:
            return joint_delta(order, scale, exp(log_bound), k, epsilon) - delta

        return exp(brentq(excess, log(1.001), log(60 * scale), xtol=1e-5))

    def sd(multiple: float) -> float:
        try:
            return truncated_sd(order, multiple * unbounded, bound_of(multiple * unbounded))
        except ValueError:  # no bound suffices
            return np.inf

    multiples = np.geomspace(1.0005, 3, 12)
    i = int(np.argmin([sd(multiple) for multiple in multiples]))
    bracket = multiples[max(i - 1, 0)], multiples[min(i + 1, len(multiples) - 1)]
    minimum = minimize_scalar(sd, bounds=bracket, method="bounded", options={"xatol": 1e-3})
    scale = minimum.x * unbounded
    return float(minimum.fun), scale, bound_of(scale)


if __name__ == "__main__":
    for point in POINTS:
        print(f"{point}: Gaussian without a bound {noise(2, RELEASES, *point).sd:.4f}")
        for order in ORDERS:
            sd, b, a = least(order, RELEASES, *point)
            print(f"  order {order:<4g} sd {sd:.4f}  b {b:.4g}  A {a:.4g}", flush=True)
