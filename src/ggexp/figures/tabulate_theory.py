"""The numbers of the paper's Figures 1 to 5, each a table in long form."""

from math import gamma, sqrt

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from ggexp.mechanisms import sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.several_coordinates import draw_scales, quantile

GAUSSIAN_PDP, GAUSSIAN_ADP = Mechanism(2, "pdp"), Mechanism(2, "adp-classical")
ORDERS = (1, 2, 3, 4, 10)  # of the densities
COORDINATES = (1.0, 0.1, 0.05)  # Δ_{1,k} of Figure 2
DRAWS = 400_000  # for each scale of Figure 2
EPSILONS = (0.1, 1.0, 2.0)  # of Figures 4 and 5
DELTAS = (0.01, 0.05, 0.1, 0.2)
UNLIKELY = 1e-4  # tail probabilities below it are drawn in grey
POINTS = 201  # on a curve


def densities() -> pd.DataFrame:
    """Return the numbers of Figure 1: the densities of GG(0, b, p)."""
    x = np.linspace(-5, 5, 2 * POINTS - 1)
    frames = []
    for order in ORDERS:
        scales = {"scale": sqrt(2), "variance": 1 / GeneralizedGaussian(order).sd}
        for panel, b in scales.items():
            density = np.exp(-((np.abs(x) / b) ** order)) / (2 * b * gamma(1 + 1 / order))
            key = {"panel": panel, "order": order}
            frames.append(pd.DataFrame(key | {"x": x, "density": density}))
    return pd.concat(frames, ignore_index=True).sort_values("panel", kind="stable")


def corollary_7(seed: int) -> pd.DataFrame:
    """Return the numbers of Figure 2: the b of Corollary 7, for Δ_{1,k} = 1, 0.1 and 0.05.

    closed_form: Lemma 10 with Lemma 2's Δ_2, only for order 2.
    """
    delta_2 = sensitivity.of_coordinates(2, COORDINATES)
    rng, rows = np.random.default_rng(seed), []
    for order in (2, 3, 4):
        for epsilon in np.linspace(0.25, 2, 15):
            scales = draw_scales(order, COORDINATES, epsilon, rng, DRAWS)
            for delta in (0.01, 0.05, 0.1, 0.25):
                row: dict[str, float] = {"order": order, "epsilon": epsilon, "delta": delta}
                row |= quantile(scales, delta)._asdict()
                if order == 2:
                    noise = GAUSSIAN_PDP.noise(epsilon=epsilon, delta=delta, sensitivity=delta_2)
                    row["closed_form"] = noise.scale
                rows.append(row)
    return pd.DataFrame(rows)


def gaussian_bounds() -> pd.DataFrame:
    """Return the numbers of Figure 3: σ of Eqn (18) divided by σ of Eqn (19), at ε < 1.

    In the panel "epsilon" the ratio is a function of ε for several δ, in the panel "delta" of δ.
    """
    some_epsilons, some_deltas = (0.1, 0.3, 0.5, 0.7, 0.9), (0.01, 0.05, 0.1, 0.25, 0.45)
    epsilons = np.linspace(0.005, 0.995, POINTS - 2)
    deltas = np.linspace(0.0025, 0.4975, POINTS - 2)
    grid = [("epsilon", e, d) for d in some_deltas for e in epsilons]
    grid += [("delta", e, d) for e in some_epsilons for d in deltas]
    table = pd.DataFrame(grid, columns=["panel", "epsilon", "delta"])
    table["ratio"] = [
        GAUSSIAN_PDP.noise(epsilon=epsilon, delta=delta).scale
        / GAUSSIAN_ADP.noise(epsilon=epsilon, delta=delta).scale
        for epsilon, delta in zip(table["epsilon"], table["delta"], strict=True)
    ]
    return table


def tail_ratios() -> pd.DataFrame:
    """Return the numbers of Figure 4: tails of the Laplace and of the Gaussian mechanism."""
    frames = []
    for epsilon in EPSILONS:
        sigmas = {
            delta: GAUSSIAN_PDP.noise(epsilon=epsilon, delta=delta).scale / sqrt(2)  # Eqn (18)
            for delta in DELTAS
        }
        # 10 % beyond the point from which all curves are unlikely
        end = 1.1 * max(-np.log(UNLIKELY) / epsilon, -ndtri(UNLIKELY / 2) * max(sigmas.values()))
        t = np.linspace(0, end, 2 * POINTS - 1)
        for delta, sigma in sigmas.items():
            p1, p2 = np.exp(-epsilon * t), 2 * ndtr(-t / sigma)
            columns = {"epsilon": epsilon, "delta": delta, "t": t, "p1": p1, "p2": p2}
            columns |= {"ratio": p1 / p2, "unlikely": np.maximum(p1, p2) < UNLIKELY}
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def relative_costs() -> pd.DataFrame:
    """Return the numbers of Figure 5: ε2 of a Gaussian mechanism with the tail of Laplace noise."""
    frames = []
    for epsilon in EPSILONS:
        t = np.linspace(0, -1.3 * np.log(UNLIKELY) / epsilon, 2 * POINTS - 1)[1:]
        tail = np.exp(-epsilon * t)
        sigma = -t / ndtri(tail / 2)
        for delta in DELTAS:
            # Eqn (18) solved for ε
            epsilon_2 = 1 / (2 * sigma**2) - ndtri(delta / 2) / sigma
            columns = {"epsilon": epsilon, "delta": delta, "t": t, "tail": tail}
            columns |= {"epsilon_2": epsilon_2, "ratio": epsilon_2 / epsilon}
            frames.append(pd.DataFrame(columns | {"unlikely": tail < UNLIKELY}))
    return pd.concat(frames, ignore_index=True)
