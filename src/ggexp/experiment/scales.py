"""The table of the noise of a run, with its exact guarantee if one record is replaced."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from math import isfinite

import pandas as pd

from ggexp.mechanisms.guarantee import delta_of, epsilon_of, pdp_delta_of
from ggexp.mechanisms.sensitivity import CHANGED_CELLS
from ggexp.releases.point import NoisyPoint, PointParameters


def tabulate_scales(points: Iterable[PointParameters]) -> pd.DataFrame:
    """Return the noise of each (mechanism, ε, δ), in their order: the columns of ``scales.csv``.

    The table applies to all data sets, because all histograms have the same sensitivity.
    """
    rows = {}
    for noisy in map(NoisyPoint.from_parameters, points):
        point, noise = replace(noisy.point, dataset=""), noisy.noise
        if (point, noise) not in rows:
            known = {"scale": noise.numbers.get("scale"), "sd": noise.sd}
            rows[point, noise] = asdict(point) | known | _guarantee_of_replacement(noisy)
    return pd.DataFrame(rows.values()).drop(columns="dataset")


def _guarantee_of_replacement(noisy: NoisyPoint) -> dict[str, float | None]:
    """Return the columns on the guarantee if one record is replaced."""
    noise, epsilon, cells = noisy.noise, noisy.point.epsilon, CHANGED_CELLS["replace-one"]
    smallest = epsilon_of(noise, delta=noisy.point.delta, cells=cells)
    return {
        "replaced_epsilon": smallest if isfinite(smallest) else None,
        "replaced_delta": delta_of(noise, epsilon=epsilon, cells=cells),
        "replaced_pdp_delta": pdp_delta_of(noise, epsilon=epsilon, cells=cells),
    }
