"""The noise of a run, and the table of this noise with its guarantee if one record is replaced."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from math import isfinite

import pandas as pd

from ggexp.mechanisms.guarantee import delta_of, epsilon_of, pdp_delta_of
from ggexp.mechanisms.sensitivity import CHANGED_CELLS
from ggexp.releases.point import NoisyPoint, PointParameters
from ggexp.words import in_ten_digits


def distinct_noise(points: Iterable[PointParameters]) -> list[NoisyPoint]:
    """Return the noise of each (mechanism, ε, δ), in their order, for all data sets.

    It does not depend on the data set, because all histograms have the same sensitivity. ε and δ
    are as in the tables of results.
    """
    noises: dict[NoisyPoint, None] = {}
    for noisy in map(NoisyPoint.from_parameters, points):
        epsilon, delta = in_ten_digits(noisy.point.epsilon), noisy.point.delta
        delta = None if delta is None else in_ten_digits(delta)
        point = replace(noisy.point, dataset="", epsilon=epsilon, delta=delta)
        noises[replace(noisy, point=point)] = None
    return [*noises]


def tabulate_scales(noises: Iterable[NoisyPoint]) -> pd.DataFrame:
    """Return the columns of ``scales.csv``, from `distinct_noise`."""
    rows = []
    for noisy in noises:
        point, noise, cells = noisy.point, noisy.noise, CHANGED_CELLS["replace-one"]
        smallest = epsilon_of(noise, delta=point.delta, cells=cells)
        known = {"scale": noise.numbers.get("scale"), "sd": noise.sd}
        known["replaced_epsilon"] = smallest if isfinite(smallest) else None
        known["replaced_delta"] = delta_of(noise, epsilon=point.epsilon, cells=cells)
        known["replaced_pdp_delta"] = pdp_delta_of(noise, epsilon=point.epsilon, cells=cells)
        rows.append(asdict(point) | known)
    return pd.DataFrame(rows).drop(columns="dataset")
