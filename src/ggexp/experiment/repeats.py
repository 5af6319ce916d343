"""The repeats of a grid point: sanitize, measure, one row each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.distribution import GeneralizedGaussian
from ggexp.experiment.grid import GridPoint
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.experiment.sanitize import sanitize


def score_repeats(
    counts: NDArray[np.int64],
    point: GridPoint,
    scale: float,
    *,
    seed: int,
    repeats: int,
    pseudo_count: float,
    direction: str,
) -> dict[str, Any]:
    """Return the results of every repeat of a grid point, as columns of length ``repeats``.

    counts: original counts of the cells.
    scale: b of the noise at this grid point.
    pseudo_count: Dirichlet pseudo-count of the Kullback-Leibler divergence.
    direction: "original-to-sanitized" or "sanitized-to-original", which of them is called kl; the
        other is kl_reverse.
    The columns are dataset, mechanism, epsilon, delta, repeat, l1, kl, kl_reverse. One release is
    held at a time, so memory does not grow with the repeats.
    """
    noise = GeneralizedGaussian(point.order, scale)
    errors = np.empty((3, repeats))
    for repeat in range(repeats):
        sanitized = sanitize(counts, noise, point.stream(seed, repeat))
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
