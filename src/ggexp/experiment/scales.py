"""The scales of the noise at every grid point."""

from collections.abc import Mapping

import pandas as pd

from ggexp.experiment.grid import GridPoint
from ggexp.mechanisms.distribution import noise


def tabulate_scales(
    scales: Mapping[GridPoint, float], bounds: Mapping[GridPoint, float | None] | None = None
) -> pd.DataFrame:
    """Return mechanism, order, calibration, epsilon, delta, scale b and sd of the noise.

    A row for each (mechanism, ε, δ) in their order, once for all data sets: the sensitivity
    of every histogram is the same. bounds: of the noise of those that have one.
    """
    rows = []
    for point, scale in scales.items():
        rows.append(
            {
                "mechanism": point.mechanism,
                "order": point.order,
                "calibration": point.calibration,
                "epsilon": point.epsilon,
                "delta": point.delta,
                "scale": scale,
                "sd": noise(point.order, scale, (bounds or {}).get(point)).sd,
            }
        )
    return pd.DataFrame(rows).drop_duplicates(ignore_index=True)
