"""The numbers of Figure S5: the privacy cost of many releases, and errors of many answers."""

from itertools import product
from math import sqrt

import numpy as np
import pandas as pd

from ggexp.companions import queries
from ggexp.guarantees import composition
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.progress import log_progress

EPSILON = 0.1  # of each release that is composed
DELTA = 1e-6  # of all releases together
RELEASES = tuple(int(k) for k in np.unique(np.geomspace(1, 1000, 46).round()))
DELTAS = (1e-6, 1e-3)  # of all answers together, at ε = 1
KS = (1, 2, 3, 4, 5, 7, 8, 10, 12, 20, 30, 50, 100, 200, 300, 500, 1000)
SIMULATED = (1, 3, 10, 30, 100, 300, 1000)  # values of k that are simulated
DRAWS = 4000  # for each simulated k
CROSSINGS = (("laplace", "gaussian"), ("laplace-exact", "gaussian-exact"))


def tabulate(seed: int) -> pd.DataFrame:
    """Return the columns of Figure S5: panel, kind, way, delta, k, value, se.

    panel "composition": the ε at δ = 1e-6 of k Laplace releases that each satisfy 0.1-DP, by each
    accountant. panel "queries": the expected largest error of k counts at ε = 1 and two δ, in
    records. kind "curve": computed. kind "simulated": the mean of `DRAWS` simulations, with its
    standard error. kind "crossing": the smallest k from which Gaussian noise has the smaller
    error.
    """
    rng = np.random.default_rng(seed)
    rows = [("composition", "curve", *row, np.nan) for row in _compositions()]
    for delta in DELTAS:
        for way, k in log_progress([*product(queries.WAYS, KS)], f"points at delta {delta}"):
            order, scale = queries.WAYS[way].order, queries.scale(way, epsilon=1, delta=delta, k=k)
            expected = queries.expected_largest(order=order, scale=scale, k=k)
            rows.append(("queries", "curve", way, delta, k, expected, np.nan))
            if k in SIMULATED:
                noise = GeneralizedGaussian(order, scale).sample(rng, DRAWS * k)
                largest = np.abs(noise).reshape(DRAWS, k).max(axis=1)
                se = largest.std(ddof=1) / sqrt(DRAWS)
                rows.append(("queries", "simulated", way, delta, k, largest.mean(), se))
        for ways in CROSSINGS:
            crossing = queries.crossing(*ways, epsilon=1, delta=delta)
            if crossing is not None:
                value = queries.largest_error(ways[1], epsilon=1, delta=delta, k=crossing)
                rows.append(("queries", "crossing", ways[1], delta, crossing, value, np.nan))
    columns = ["panel", "kind", "way", "delta", "k", "value", "se"]
    return pd.DataFrame(rows, columns=columns)


def _compositions() -> list[tuple[str, float, int, float]]:
    """Return accountant, δ, k and ε. Noise for ε-DP satisfies ε²/2-zCDP (Bun and Steinke 2016)."""
    rows = []
    noise = GeneralizedGaussian(1, 1 / EPSILON)
    for k in RELEASES:
        epsilons = {
            "basic": composition.basic_of([(EPSILON, 0, k)]).epsilon,
            "advanced": composition.advanced_of([(EPSILON, 0, k)], slack=DELTA).epsilon,
            "zcdp": composition.zcdp(rho=EPSILON**2 / 2, delta=DELTA, k=k),
            "exact": composition.Composition([(noise, k)]).sufficient_epsilon(delta=DELTA),
        }
        rows += [(way, DELTA, k, epsilon) for way, epsilon in epsilons.items()]
    return rows
