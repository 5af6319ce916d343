"""The errors of a grid point's releases: sanitize, measure, one row a repeat."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.metrics import METRICS, measure
from ggexp.experiment.sanitize import release
from ggexp.progress import log_remaining


def measure_errors(
    counts: NDArray[np.int64],
    noisy: NoisyPoint,
    *,
    seed: int,
    repeats: int,
    pseudo_count: float,
    direction: str,
) -> dict[str, Any]:
    """Return the errors of every repeat of a grid point, as columns of length ``repeats``.

    counts: original counts of the cells.
    pseudo_count, direction: of the Kullback-Leibler divergence, see `measure`.
    The columns are dataset, mechanism, epsilon, delta, repeat, and each of `METRICS`. One release
    is held at a time, so memory does not grow with the repeats.
    """
    errors = {name: np.empty(repeats) for name in METRICS}
    for repeat in log_remaining(range(repeats), "repeats"):
        sanitized = release(counts, noisy, seed=seed, repeat=repeat)
        found = measure(counts, sanitized, pseudo_count=pseudo_count, direction=direction)
        for name, value in found.items():
            errors[name][repeat] = value
    return {**noisy.point.columns(repeats), "repeat": np.arange(repeats), **errors}
