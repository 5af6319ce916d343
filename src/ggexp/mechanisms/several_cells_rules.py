"""Calibration of noise for several cells that change at once; see `ggexp.mechanisms.several_cells`.

Each function takes the function of a rule that calibrates noise for one cell, (order, epsilon,
delta, sensitivity) -> noise, then order, epsilon, delta and the number of cells, and returns noise
for each cell. The table `ggexp.mechanisms.calibration.RULES` states which function a rule uses.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import exp, inf, log, nextafter, sqrt
from typing import Any

import numpy as np

from ggexp.mechanisms import several_cells
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.solver import least, log_ratio

#: (order, epsilon, delta, sensitivity) -> noise for one cell.
Calibrate = Callable[[Any, float, float, float], Noise]
#: (calibrate, order, epsilon, delta, cells) -> noise for each cell.
Jointly = Callable[[Calibrate, Any, float, float, int], Noise]

#: Scales are calibrated to an ε that is smaller by this share, because the δ of probabilistic DP
#: may jump where the loss is ε.
MARGIN = 1e-12
SHARES = 8  #: number of intervals of each search for the best share of ε
REFINEMENTS = 3  #: number of searches, each in the neighbourhood of the last one's best share


def by_share(calibrate: Calibrate, order: Any, epsilon: float, delta: float, cells: int) -> Noise:
    """Return noise with which each cell satisfies the guarantee with ε/k and δ/k.

    This basic composition is sufficient for every family of noise and every guarantee, and exact
    for ε-DP.
    """
    return calibrate(order, _share(epsilon, cells), _share(delta, cells), 1.0)


def by_norm(calibrate: Calibrate, order: Any, epsilon: float, delta: float, cells: int) -> Noise:
    """Return Gaussian noise for the l_2 sensitivity √k, which alone determines its loss."""
    norm = sqrt(cells)
    if Fraction(norm) ** 2 < cells:
        norm = nextafter(norm, inf)
    return calibrate(order, epsilon, delta, norm)


def corollary_7(
    calibrate: Calibrate, order: float, epsilon: float, delta: float, cells: int
) -> Noise:
    """Return noise for probabilistic DP by the paper's sufficient condition for several cells.

    At order 1 the bound on the loss is k/b. At order 2, Lemma 10 with Δ_2 = √k is sufficient too,
    and needs a smaller scale.
    """
    if order == 1:
        return by_share(calibrate, order, epsilon, delta, cells)
    sufficient = by_scale(several_cells.sufficient_delta_of)
    return sufficient(calibrate, order, epsilon, delta, cells)


def by_scale(exact: Callable[..., float]) -> Jointly:
    """Return a function for generalized Gaussian noise of the smallest sufficient scale.

    exact: (noise, epsilon, cells) -> the exact δ at ε, rounded up.
    """

    def jointly(
        calibrate: Calibrate, order: float, epsilon: float, delta: float, cells: int
    ) -> Noise:
        @cache
        def excess(log_scale: float) -> float:
            noise = GeneralizedGaussian(order, exp(log_scale))
            return log_ratio(exact(noise, epsilon=target, cells=cells), delta)

        target = epsilon * (1 - MARGIN)
        if order == 2:
            return by_norm(calibrate, order, epsilon, delta, cells)
        # basic composition needs a larger scale
        low, high = (log(calibrate(order, epsilon / k, delta / k, 1.0).scale) for k in (1, cells))
        while excess(low) <= 0:
            low -= 0.1
        return GeneralizedGaussian(order, exp(least(excess, low, high)))

    return jointly


def by_budget(exact: Callable[..., float]) -> Jointly:
    """Return a function for noise with two parameters, of the smallest standard deviation found.

    Candidates are calibrated for one cell, with an ε from ε/k to ε, and with the largest δ at which
    the cells jointly satisfy (ε, δ). The best ε is usually ε/k. exact: as for `by_scale`.
    """

    def jointly(
        calibrate: Calibrate, order: Any, epsilon: float, delta: float, cells: int
    ) -> Noise:
        def candidate(share: float) -> Noise | None:
            """Return the noise for the given share of ε, None if no δ of one cell is sufficient."""

            @cache
            def excess(log_odds: float) -> float:
                noise = calibrate(order, share * epsilon, exp(-log_odds), 1.0)
                return log_ratio(exact(noise, epsilon=epsilon, cells=cells), delta)

            low, high = -log(min(delta, 0.5)), -log(delta) + 25
            if excess(high) > 0:
                return None
            log_odds = low if excess(low) <= 0 else least(excess, low, high)
            return calibrate(order, share * epsilon, exp(-log_odds), 1.0)

        found: list[Noise] = []
        low, high = 1 / cells, 1.0
        for _ in range(REFINEMENTS):
            shares = np.linspace(low, high, SHARES + 1).tolist()
            noises = [noise for noise in map(candidate, shares) if noise is not None]
            found.append(min(noises, key=lambda noise: noise.sd))
            best = noises.index(found[-1])
            low, high = shares[max(best - 1, 0)], shares[min(best + 1, SHARES)]
        return min(found, key=lambda noise: noise.sd)

    return jointly


def _share(number: float, cells: int) -> float:
    """Return a number divided by the number of cells, rounded down."""
    share = number / cells
    return nextafter(share, 0) if Fraction(share) * cells > Fraction(number) else share
