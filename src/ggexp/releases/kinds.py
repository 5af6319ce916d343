"""The kinds of releases, by their names in ``release: {kind: …}`` of a data set."""

import numpy as np
from numpy.typing import NDArray

from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.release import Kind
from ggexp.releases.simulate import AllCells, Listed
from ggexp.releases.unlisted import Stability, Threshold

NON_EMPTY, ALL, THRESHOLD, STABILITY = "non-empty", "all", "threshold", "stability"
#: The kinds by name; docs/extending.md explains how to add one.
KINDS: dict[str, type[Kind]] = {
    NON_EMPTY: Listed,
    ALL: AllCells,
    THRESHOLD: Threshold,
    STABILITY: Stability,
}
#: Number of noisy counts that are drawn to predict an error, and the largest number of releases.
NOISY_COUNTS, MAX_RELEASES = 200_000, 2000


def relative_error(counts: NDArray[np.int64], kind: Kind, *, delta: float | None = None) -> float:
    """Return the mean l1 distance, over n, between listed counts and releases with geometric noise.

    The mean is over about `NOISY_COUNTS` noisy counts. kind, delta: of the releases.
    """
    noise = Mechanism(None, "pure-integer").noise(epsilon=1)
    rng, errors = np.random.default_rng(0), []
    for _ in range(min(MAX_RELEASES, max(1, NOISY_COUNTS // counts.size))):
        released = kind.simulate(counts, noise, rng, delta)
        unlisted = released.total - released.counts.sum()
        errors.append(np.abs(released.counts - counts).sum() + unlisted)
    return float(np.mean(errors) / counts.sum())
