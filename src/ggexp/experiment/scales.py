"""The scales of the noise at every grid point."""

from collections.abc import Iterable

import pandas as pd

from ggexp.experiment.grid import NoisyPoint


def tabulate_scales(points: Iterable[NoisyPoint]) -> pd.DataFrame:
    """Return mechanism, order, calibration, epsilon, delta, scale b and sd of the noise.

    A row for each (mechanism, ε, δ) in their order, once for all data sets: the sensitivity
    of every histogram is the same.
    """
    rows = []
    for noisy in points:
        point, noise = noisy.point, noisy.noise
        rows.append(
            {
                "mechanism": point.mechanism,
                "order": point.order,
                "calibration": point.calibration,
                "epsilon": point.epsilon,
                "delta": point.delta,
                "scale": noise.numbers.get("scale"),
                "sd": noise.sd,
            }
        )
    return pd.DataFrame(rows).drop_duplicates(ignore_index=True)
