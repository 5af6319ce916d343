"""The errors of a grid point's releases: sanitize, measure, one row a repeat."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.metrics import kl_dirichlet, l1
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
    pseudo_count: Dirichlet pseudo-count of the Kullback-Leibler divergence.
    direction: "original-to-sanitized" or "sanitized-to-original", which of them is called kl; the
        other is kl_reverse.
    bound: of the noise, of a mechanism whose noise has one.
    The columns are dataset, mechanism, epsilon, delta, repeat, l1, kl, kl_reverse. One release is
    held at a time, so memory does not grow with the repeats.
    """
    errors = np.empty((3, repeats))
    for repeat in log_remaining(range(repeats), "repeats"):
        sanitized = release(counts, point, scale, seed=seed, repeat=repeat, bound=bound)
        errors[0, repeat] = l1(counts, sanitized)
        errors[1:, repeat] = kl_dirichlet(counts, sanitized, pseudo_count)
    distance, forward, reverse = errors
    if direction == "sanitized-to-original":
        forward, reverse = reverse, forward
    return {
        **point.columns(repeats),
        "repeat": np.arange(repeats),
        "l1": distance,
        "kl": forward,
        "kl_reverse": reverse,
    }
