"""The numbers of the figures of a private mode: how often each mechanism finds the largest cell."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.mechanisms import exponential, noisy_argmax
from ggexp.mechanisms.sensitivity import Neighbours
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.streams import stream

DRAWS = 20_000
EXPONENTIAL, ONE_SIDED = "exponential", "exponential-one-sided"


def tabulate(
    histogram: pd.DataFrame, points: Iterable[Mapping[str, Any]], seed: int, neighbours: Neighbours
) -> pd.DataFrame:
    """Return the numbers of a figure of a private mode: see `tabulate_mode`.

    histogram: the cells of a data set, with their ``count``. points: parameters of its grid points.
    """
    noisy = list(map(NoisyPoint.from_parameters, points))
    return tabulate_mode(histogram["count"].to_numpy(), noisy, seed=seed, neighbours=neighbours)


def tabulate_mode(
    counts: NDArray[np.int64],
    points: Sequence[NoisyPoint],
    *,
    seed: int,
    neighbours: Neighbours,
    draws: int = DRAWS,
) -> pd.DataFrame:
    """Return how often the mode that is released is the true one, by mechanism, ε and δ.

    counts: original counts of the cells; a mode is a cell that has the largest of them.
    points: all of one data set.
    neighbours: which tables are neighbours, for the exponential mechanism.
    The columns are dataset, mechanism, epsilon, delta, draws, right (the share of the draws that
    are a mode), exact (the probability that it is), wrong (the probability that it is not, also
    where that is too small to be seen beside 1) and se (of right, by the exact probability).

    The utility of a cell is its count, which one record moves by 1. The mechanisms are
    "exponential", the exponential mechanism (CS208, Definition 6.1); where neighbours have one
    record more or less "exponential-one-sided", with ε u in place of ε u / 2: all utilities move
    the same way there, and so does the normalizer, so that it satisfies ε-DP too; and, by its own
    name, the largest noisy count of each mechanism that adds noise.
    """
    is_mode = counts == counts.max()
    (dataset,) = {noisy.point.dataset for noisy in points}
    sensitivities = {EXPONENTIAL: 1.0}
    if neighbours == "add-remove":
        sensitivities[ONE_SIDED] = 0.5  # of which the mechanism takes twice
    rows = []

    def add(mechanism: str, at: GridPoint, drawn: NDArray[np.intp], wrong: float) -> None:
        delta = at.delta if mechanism == at.mechanism else None
        rows.append(
            {
                **{
                    "dataset": dataset,
                    "mechanism": mechanism,
                    "epsilon": at.epsilon,
                    "delta": delta,
                },
                **{"draws": draws, "right": is_mode[drawn].mean(), "exact": 1 - wrong},
                **{"wrong": wrong, "se": sqrt(wrong * (1 - wrong) / draws)},
            }
        )

    for name, sensitivity in sensitivities.items():
        for epsilon, point in {noisy.point.epsilon: noisy.point for noisy in points}.items():
            exact = exponential.probabilities(counts, epsilon=epsilon, sensitivity=sensitivity)
            rng = stream(seed, f"mode of {dataset} by {name} at {float(epsilon)!r}", 0)
            drawn = exponential.choose(
                counts, rng, epsilon=epsilon, sensitivity=sensitivity, size=draws
            )
            add(name, point, drawn, float(exact[~is_mode].sum()))
    for noisy in points:
        point, noise = noisy.point, noisy.noise
        rng = stream(seed, f"mode by the largest noisy count of {point.path}", 0)
        drawn = noisy_argmax.choose(counts, noise, rng, size=draws)
        add(point.mechanism, point, drawn, noisy_argmax.wrong_probability(counts, noise))
    return pd.DataFrame(rows)
