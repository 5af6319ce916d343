"""The numbers of the figures of a private mode: how often each mechanism finds the largest cell."""

from collections.abc import Iterable
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.mechanisms import selection
from ggexp.mechanisms.sensitivity import Neighbours
from ggexp.releases.point import GridPoint, NoisyPoint, PointParameters
from ggexp.streams import stream

DRAWS = 20_000
EXPONENTIAL, ONE_SIDED = "exponential", "exponential-one-sided"


def mode(
    histogram: pd.DataFrame, points: Iterable[PointParameters], seed: int, neighbours: Neighbours
) -> pd.DataFrame:
    """Return how often a released mode, a cell with the largest count, is a true one.

    The utility u of a cell is its count, which one record changes by 1. The mechanism "exponential"
    is the exponential mechanism (CS208, Definition 6.1). For add-remove neighbours there is also
    "exponential-one-sided", with ε u instead of ε u / 2: then all utilities and the normalizer
    change in the same direction, so that it satisfies ε-DP too. Each mechanism that adds noise
    releases the cell with the largest noisy count, under its own name.
    wrong: accurate even if it is negligible compared with 1.
    """
    counts = histogram["count"].to_numpy()
    is_mode = counts == counts.max()
    all_noisy = list(map(NoisyPoint.from_parameters, points))
    (dataset,) = {noisy.point.dataset for noisy in all_noisy}
    sensitivities = {EXPONENTIAL: 1.0}
    if neighbours == "add-remove":
        sensitivities[ONE_SIDED] = 0.5  # because the mechanism divides ε u by twice this
    rows = []

    def add_row(mechanism: str, point: GridPoint, chosen: NDArray[np.intp], wrong: float) -> None:
        key = {"dataset": dataset, "mechanism": mechanism, "epsilon": point.epsilon}
        key["delta"] = point.delta if mechanism == point.mechanism else None
        shares = {"right": is_mode[chosen].mean(), "exact": 1 - wrong, "wrong": wrong}
        rows.append(key | {"draws": DRAWS} | shares | {"se": sqrt(wrong * (1 - wrong) / DRAWS)})

    for name, sensitivity in sensitivities.items():
        for epsilon, point in {noisy.point.epsilon: noisy.point for noisy in all_noisy}.items():
            settings = {"epsilon": epsilon, "sensitivity": sensitivity}
            exact = selection.probabilities(counts, **settings)
            rng = stream(seed, f"mode of {dataset} by {name} at {float(epsilon)!r}", 0)
            chosen = selection.choose(counts, rng, **settings, size=DRAWS)
            add_row(name, point, chosen, float(exact[~is_mode].sum()))
    for noisy in all_noisy:
        point, noise = noisy.point, noisy.noise
        rng = stream(seed, f"mode by the largest noisy count of {point.path}", 0)
        chosen = selection.noisy_argmax(counts, noise, rng, size=DRAWS)
        add_row(point.mechanism, point, chosen, selection.wrong_probability(counts, noise))
    return pd.DataFrame(rows)
