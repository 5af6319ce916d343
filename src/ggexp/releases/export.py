"""The releases of a data set themselves, for whoever scores them by a measure of their own."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.progress import log_remaining
from ggexp.releases.point import NoisyPoint
from ggexp.releases.sanitize import release

VALUES = 2**22  # counts in a group of rows: 32 MB


def list_releases(
    counts: NDArray[np.int64],
    points: Sequence[NoisyPoint],
    *,
    seed: int,
    repeats: int,
) -> Iterator[dict[str, Any]]:
    """Yield every release of every grid point, as columns of groups of rows: a row is a release.

    counts: original counts of the cells.
    The columns are dataset, mechanism, epsilon, delta, repeat, and counts, which in each row is an
    array of the cells' sanitized counts. A group has `VALUES` of these at most, but a release at
    least, so memory grows with neither the repeats nor the grid points.
    """
    size = max(1, VALUES // len(counts))
    groups = [
        (noisy, range(first, min(first + size, repeats)))
        for noisy in points
        for first in range(0, repeats, size)
    ]
    for noisy, group in log_remaining(groups, "groups of releases"):
        yield {
            **noisy.point.columns(len(group)),
            "repeat": list(group),
            "counts": [release(counts, noisy, seed=seed, repeat=repeat) for repeat in group],
        }
