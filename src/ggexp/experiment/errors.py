"""The errors of the releases of a grid point, one row for each repeat."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.experiment.metrics import LISTED, UNLISTED, kl_dirichlet, measure, measured, retained
from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind


def measure_releases(
    counts: NDArray[np.int64],
    kind: Kind,
    noisy: NoisyPoint,
    *,
    seed: int,
    repeats: int,
    pseudo_count: float,
) -> dict[str, Any]:
    """Return the errors of every repeat of a grid point, as columns of length ``repeats``.

    counts: the original counts of the listed cells. kind: the kind of the releases.
    pseudo_count: for the Kullback-Leibler divergence, as in `kl_dirichlet`.
    The columns are dataset, mechanism, epsilon, delta, repeat, and each of `METRICS` that can
    measure such releases. Only one release at a time is in memory.
    """
    releases = LISTED if kind.lists_cells else UNLISTED
    errors = {name: np.empty(repeats) for name in measured(releases)}
    for repeat in log_progress(range(repeats), "repeats"):
        released = kind.release(counts, noisy, seed=seed, repeat=repeat)
        if kind.lists_cells:
            forward, reverse = kl_dirichlet(counts, released.counts, pseudo_count)
            known = {"kl": forward, "kl_reverse": reverse}
        else:
            known = retained(counts, released)
        for name, value in measure(counts, released, releases, **known).items():
            errors[name][repeat] = value
    return {**noisy.point.columns(repeats), "repeat": np.arange(repeats), **errors}
