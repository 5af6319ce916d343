"""The errors of a grid point's releases: sanitize, measure, one row a repeat."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.metrics import METRICS, measure
from ggexp.experiment.remaining import log_remaining
from ggexp.experiment.sanitize import release


def measure_errors(
    counts: NDArray[np.int64],
    point: GridPoint,
    scale: float,
    *,
    seed: int,
    repeats: int,
    pseudo_count: float,
    direction: str,
    bound: float | None = None,
) -> dict[str, Any]:
    """Return the errors of every repeat of a grid point, as columns of length ``repeats``.

    counts: original counts of the cells.
    scale: b of the noise at this grid point.
    pseudo_count, direction: of the Kullback-Leibler divergence, see `measure`.
    bound: of the noise, of a mechanism whose noise has one.
    The columns are dataset, mechanism, epsilon, delta, repeat, and each of `METRICS`. One release
    is held at a time, so memory does not grow with the repeats.
    """
    errors = {name: np.empty(repeats) for name in METRICS}
    for repeat in log_remaining(range(repeats), "repeats"):
        sanitized = release(counts, point, scale, seed=seed, repeat=repeat, bound=bound)
        found = measure(counts, sanitized, pseudo_count=pseudo_count, direction=direction)
        for name, value in found.items():
            errors[name][repeat] = value
    return {**point.columns(repeats), "repeat": np.arange(repeats), **errors}
