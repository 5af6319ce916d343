"""The numbers of the figures of a private mode: how often each mechanism finds the largest cell."""

from collections.abc import Mapping
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.grid import GridPoint, named_stream
from ggexp.mechanisms import exponential, noisy_argmax
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.sensitivity import Neighbours

DRAWS = 20_000
EXPONENTIAL, ONE_SIDED = "exponential", "exponential-one-sided"


def tabulate_mode(
    counts: NDArray[np.int64],
    scales: Mapping[GridPoint, float],
    *,
    seed: int,
    neighbours: Neighbours,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """Return how often the mode that is released is the true one, by mechanism, ε and δ.

    counts: original counts of the cells; a mode is a cell that has the largest of them.
    scales: grid point -> scale b of its noise, all of one data set.
    neighbours: which tables are neighbours, for the exponential mechanism.
    The columns are dataset, mechanism, epsilon, delta, draws, right (the share of the draws that
    are a mode), se (of that share, by the exact probability) and exact (the probability).

    The utility of a cell is its count, which one record moves by 1. The mechanisms are
    "exponential", the exponential mechanism (CS208, Definition 6.1); where neighbours have one
    record more or less "exponential-one-sided", with ε u in place of ε u / 2: all utilities move
    the same way there, and so does the normalizer, so that it is of ε-DP too; and, by its own
    name, the largest noisy count of each mechanism that adds noise.
    """
    is_mode = counts == counts.max()
    modes = np.flatnonzero(is_mode)
    (dataset,) = {point.dataset for point in scales}
    sensitivities = {EXPONENTIAL: 1.0}
    if neighbours == "add-remove":
        sensitivities[ONE_SIDED] = 0.5  # of which the mechanism takes twice
    rows = []

    def add(mechanism: str, epsilon: float, delta: float | None, right: float, exact: float) -> None:
        key = {"dataset": dataset, "mechanism": mechanism, "epsilon": epsilon, "delta": delta}
        se = sqrt(max(0.0, exact * (1 - exact)) / draws)
        rows.append({**key, "draws": draws, "right": right, "se": se, "exact": exact})

    for name, sensitivity in sensitivities.items():
        for epsilon in dict.fromkeys(point.epsilon for point in scales):
            exact = exponential.probabilities(counts, epsilon=epsilon, sensitivity=sensitivity)
            stream = named_stream(seed, f"mode of {dataset} by {name} at {float(epsilon)!r}")
            drawn = exponential.choose(
                counts, stream, epsilon=epsilon, sensitivity=sensitivity, size=draws
            )
            add(name, epsilon, None, is_mode[drawn].mean(), float(exact[modes].sum()))
    for point, scale in scales.items():
        noise = GeneralizedGaussian(point.order, scale)
        stream = named_stream(seed, f"mode by the largest noisy count of {point.path}")
        drawn = noisy_argmax.choose(counts, noise, stream, size=draws)
        probability = noisy_argmax.probability(counts, noise, modes)
        add(point.mechanism, point.epsilon, point.delta, is_mode[drawn].mean(), probability)
    return pd.DataFrame(rows)
