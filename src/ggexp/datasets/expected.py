"""The error that a run will have at ε = 1, before it is run."""

from math import ceil, exp, log

import numpy as np
from numpy.typing import ArrayLike

#: Noisy counts that are drawn to know it, at least.
DRAWS = 200_000


def relative_error(counts: ArrayLike, *, delta: float | None = None) -> float:
    """Return the mean l1 distance of releases with geometric noise at ε = 1, over n.

    counts: of all listed cells, whole numbers >= 0 with the sum n > 0. delta: of a release by
        stability; None if all listed cells are released.
    The releases are made as those of a run: noise, 0 and n as bounds, rescaling to n. The mean is
    one of about `DRAWS` noisy counts.
    """
    original = np.asarray(counts, dtype=np.float64)
    rng = np.random.default_rng(0)
    n, success = original.sum(), 1 - exp(-1)
    # Pr(K > t) = exp(-t - 1)/(1 + exp(-1)) <= δ
    hidden = 0 if delta is None else 1 + max(0, ceil(-1 - log(delta * (1 + exp(-1)))))
    shape = max(1, DRAWS // original.size), original.size
    noise = rng.geometric(success, shape) - rng.geometric(success, shape)
    noisy = original + noise
    noisy[noisy <= hidden] = 0
    released = np.minimum(noisy, n)
    kept = released.sum(axis=1, keepdims=True)
    released *= np.divide(n, kept, out=np.zeros_like(kept), where=kept > 0)
    distances = np.abs(released - original).sum(axis=1)
    # where all is 0, n is spread evenly: over many more cells if not all are listed
    evenly = np.abs(original - n / original.size).sum() if delta is None else 2 * n
    distances[kept[:, 0] == 0] = evenly
    return float(distances.mean() / n)
