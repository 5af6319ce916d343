"""Predict the error of a release at ε = 1 before the run."""

import numpy as np
from numpy.typing import NDArray

from ggexp.experiment.metrics import l1
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.release import Kind

#: Number of noisy counts that are drawn for the prediction, and the largest number of releases.
NOISY_COUNTS, MAX_RELEASES = 200_000, 2000


def relative_error(counts: NDArray[np.int64], kind: Kind, *, delta: float | None = None) -> float:
    """Return the mean l1 distance between counts and their releases with geometric noise, over n.

    counts: of all listed cells, with the sum n > 0. kind: the kind of the releases.
    delta: the δ of the releases, if they have one.
    The mean is over about `NOISY_COUNTS` noisy counts.
    """
    noise = Mechanism(None, "pure-integer").noise(epsilon=1)
    rng = np.random.default_rng(0)
    releases = min(MAX_RELEASES, max(1, NOISY_COUNTS // counts.size))
    errors = []
    for _ in range(releases):
        released = kind.sanitize(counts, noise, rng, delta)
        unlisted = released.total - released.counts.sum()
        errors.append(l1(counts, released.counts) + unlisted)
    return float(np.mean(errors) / counts.sum())
