"""The numbers of Figures F1 to F3: Laplace and Gaussian noise as in the paper's first version.

The text of the first version that we have does not contain its settings; these settings are ours.
"""

from math import gamma, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad

from ggexp.mechanisms import calibration
from ggexp.mechanisms.bounded import clamp, truncated_scale
from ggexp.mechanisms.distribution import GeneralizedGaussian

ORDERS = {"laplace": 1, "gaussian": 2}
EPSILONS = (0.5, 1.0, 2.0)  # of F2 and F3
DELTAS = (0.01, 0.05, 0.1, 0.25)
BOUNDS = (2.0, 5.0)  # of F3, on both sides of the statistic
BINS = 16
DRAWS = 100_000


class Example(NamedTuple):
    """A panel of F1: the number of statistics within [0, width], ε, and the value of each."""

    values: int
    epsilon: float
    width: float
    value: float


#: All statistics may change at once, each by at most 1.
EXAMPLES = {
    "a": Example(1, 1.0, 10.0, 5.0),
    "b": Example(1, 0.5, 20.0, 4.0),
    "c": Example(5, 1.0, 10.0, 5.0),
    "d": Example(5, 0.5, 20.0, 4.0),
}


def truncated_densities() -> pd.DataFrame:
    """Return the columns of Figure F1.

    They are panel, values, epsilon, width, value, mechanism, scale, x and density.
    density: the density of the noise x on one statistic, for the truncated GG mechanisms of
    orders 1 and 2 that satisfy ε-DP, with the scale of the paper's Definition 5.
    """
    frames = []
    for panel, example in EXAMPLES.items():
        x = np.linspace(-example.value, example.width - example.value, 401)
        for mechanism, order in ORDERS.items():
            b = truncated_scale(
                order=order,
                epsilon=example.epsilon,
                widths=[example.width] * example.values,
                sensitivities=[1.0] * example.values,
            )
            noise = GeneralizedGaussian(order, b)
            inside = noise.scipy.cdf(x[-1]) - noise.scipy.cdf(x[0])
            key = {"panel": panel, **example._asdict(), "mechanism": mechanism, "scale": b}
            frames.append(pd.DataFrame(key | {"x": x, "density": _density(noise, x) / inside}))
    return pd.concat(frames, ignore_index=True)


def densities() -> pd.DataFrame:
    """Return the columns of Figure F2: epsilon, mechanism, delta, sd, x, density.

    The noise is from the Laplace mechanism for ε-DP (delta is missing) and from the Gaussian
    mechanism for (ε, δ)-pDP. sd: the standard deviation of the noise.
    """
    frames = []
    for epsilon in EPSILONS:
        x = np.linspace(-5 / epsilon, 5 / epsilon, 401)
        for key, noise in _noises(epsilon):
            columns = {"sd": noise.sd, "x": x, "density": _density(noise, x)}
            frames.append(pd.DataFrame(key | columns))
    return pd.concat(frames, ignore_index=True)


def histograms(seed: int) -> pd.DataFrame:
    """Return the histograms of Figure F3, of noise bounded on both sides.

    The columns bound, epsilon, mechanism and delta state the noise of F2, with values outside
    ± bound set to the bound. sd, bounded_sd: the standard deviations before and after bounding.
    left, right: the edges of a bin, which are equal for values on a bound. probability: the
    probability of the bin. share: the share of `DRAWS` draws that are in it.
    """
    # a separate stream, independent of all other streams from the same seed
    rng, frames = np.random.default_rng([seed, *b"f3"]), []
    for bound in BOUNDS:
        edges = np.linspace(-bound, bound, BINS + 1)
        left, right = np.append(-bound, edges), np.append(edges, bound)
        for epsilon in EPSILONS:
            for key, noise in _noises(epsilon):
                drawn = clamp(noise.sample(rng, DRAWS), -bound, bound)
                inner = np.histogram(drawn[np.abs(drawn) < bound], edges)[0]
                counts = [np.sum(drawn == -bound), *inner, np.sum(drawn == bound)]
                tail = noise.scipy.sf(bound)
                columns = {
                    "sd": noise.sd,
                    "bounded_sd": _bounded_sd(noise, bound),
                    "left": left,
                    "right": right,
                    "probability": [tail, *np.diff(noise.scipy.cdf(edges)), tail],
                    "share": np.array(counts) / DRAWS,
                }
                frames.append(pd.DataFrame({"bound": bound} | key | columns))
    return pd.concat(frames, ignore_index=True)


def _noises(epsilon: float) -> list[tuple[dict[str, Any], GeneralizedGaussian]]:
    """Return Laplace noise for ε-DP and Gaussian noise for (ε, δ)-pDP, with their key columns."""
    noises = [({"mechanism": "laplace", "delta": np.nan}, GeneralizedGaussian(1, 1 / epsilon))]
    for delta in DELTAS:
        b = calibration.calibrate("pdp", order=2, epsilon=epsilon, delta=delta).scale
        noises.append(({"mechanism": "gaussian", "delta": delta}, GeneralizedGaussian(2, b)))
    return [({"epsilon": epsilon} | key, noise) for key, noise in noises]


def _density(noise: GeneralizedGaussian, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the density of the noise at each x."""
    p, b = noise.order, noise.scale
    return np.exp(-((np.abs(x) / b) ** p)) / (2 * b * gamma(1 + 1 / p))


def _bounded_sd(noise: GeneralizedGaussian, bound: float) -> float:
    """Return the sd of clamped noise: its square is ∫ 2x Pr(|e| > x) dx up to the bound."""
    tail = noise.scipy.sf
    return sqrt(quad(lambda x: 4 * x * tail(x), 0, bound)[0])
