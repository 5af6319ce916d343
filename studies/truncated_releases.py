"""Whether truncated noise keeps its lead over many releases: for docs/best-order.md.

    python studies/truncated_releases.py

The scale and the bound of truncated GG noise together, for ten releases that have (ε, δ) together:
the least standard deviation for some orders, by a numerical convolution of the privacy loss. Rough:
losses lie on a grid, to the nearest point, and scales begin a little above those that need no
bound, so that it is right to some 0.1 %. It takes half a minute.
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
CELLS = 10_000  # of the noise
LOSSES = 2**12  # points of the grid, from 0 to the largest loss of one release


def together(order: float, scale: float, bound: float, k: int, epsilon: float) -> float:
    """Return the δ at ε of k releases with noise of density ∝ exp(-|x/b|^p) on [-A, A].

    The neighbour's noise is 1 less. What lies above A - 1 it never has: an infinite loss.
    """
    edges = np.linspace(-bound, bound - 1, CELLS + 1)
    area = inner(order, edges / scale) / float(inner(order, bound / scale))
    masses = np.diff(area) / 2
    infinite = 1 - masses.sum()
    middle = (edges[1:] + edges[:-1]) / 2
    losses = (np.abs(middle + 1) ** order - np.abs(middle) ** order) / scale**order
    values, chances = k_fold(masses, losses, k)
    beyond = values > epsilon
    finite = chances[beyond] @ -np.expm1(epsilon - values[beyond])
    return float(finite - expm1(k * log1p(-infinite)))


def k_fold(
    masses: NDArray[np.float64], losses: NDArray[np.float64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of the sum of k losses, and their probabilities."""
    step = np.abs(losses).max() / LOSSES
    one = np.bincount(np.rint(losses / step).astype(int) + LOSSES, masses, 2 * LOSSES + 1)
    size = next_fast_len(2 * LOSSES * k + 1, real=True)
    chances = irfft(rfft(one, size) ** k, size)[: 2 * LOSSES * k + 1]
    return (np.arange(chances.size) - LOSSES * k) * step, np.maximum(chances, 0)


def least(order: float, k: int, epsilon: float, delta: float) -> tuple[float, float, float]:
    """Return the least sd of k releases of (ε, δ) together, and its scale and bound."""
    largest = noise(order, k, epsilon, delta).scale  # without a bound

    def bound_of(scale: float) -> float:
        def excess(log_bound: float) -> float:
            return together(order, scale, exp(log_bound), k, epsilon) - delta

        return exp(brentq(excess, log(1.001), log(60 * scale), xtol=1e-5))

    def sd(share: float) -> float:
        try:
            return truncated_sd(order, share * largest, bound_of(share * largest))
        except ValueError:  # no bound does
            return np.inf

    shares = np.geomspace(1.0005, 3, 12)
    i = int(np.argmin([sd(share) for share in shares]))
    ends = shares[max(i - 1, 0)], shares[min(i + 1, len(shares) - 1)]
    found = minimize_scalar(sd, bounds=ends, method="bounded", options={"xatol": 1e-3})
    scale = found.x * largest
    return float(found.fun), scale, bound_of(scale)


if __name__ == "__main__":
    for point in POINTS:
        print(f"{point}: Gaussian without a bound {noise(2, RELEASES, *point).sd:.4f}")
        for one in ORDERS:
            sd, b, a = least(one, RELEASES, *point)
            print(f"  order {one:<4g} sd {sd:.4f}  b {b:.4g}  A {a:.4g}", flush=True)
