"""Predict the error of a release at ε = 1 before the run."""

from math import ceil, exp, log

import numpy as np
from numpy.typing import ArrayLike

#: Smallest number of noisy counts that are drawn for the prediction.
MIN_NOISY_COUNTS = 200_000


def relative_error(counts: ArrayLike, *, delta: float | None = None) -> float:
    """Return the mean l1 distance between counts and their releases with geometric noise, over n.

    counts: of all listed cells, whole numbers >= 0 with the sum n > 0.
    delta: the δ of a release by stability; None if all cells are listed and released.
    The releases are made as in a run at ε = 1: noise, and 0 for counts that are not above the
    threshold. The mean is over about `MIN_NOISY_COUNTS` noisy counts.
    """
    original = np.asarray(counts, dtype=np.float64)
    rng, success = np.random.default_rng(0), 1 - exp(-1)
    # Pr(K > t) = exp(-t - 1)/(1 + exp(-1)) <= δ
    threshold = 0 if delta is None else 1 + max(0, ceil(-1 - log(delta * (1 + exp(-1)))))
    shape = max(1, MIN_NOISY_COUNTS // original.size), original.size
    noise = rng.geometric(success, shape) - rng.geometric(success, shape)
    noisy = original + noise
    noisy[noisy <= threshold] = 0
    return float(np.abs(noisy - original).sum(axis=1).mean() / original.sum())
