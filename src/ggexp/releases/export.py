"""The releases of a data set themselves, for whoever scores them by a measure of their own."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind

MAX_COUNTS = 2**22  # in a group of rows: 32 MB


def list_releases(
    counts: NDArray[np.int64],
    kind: Kind,
    points: Sequence[NoisyPoint],
    *,
    seed: int,
    repeats: int,
) -> Iterator[dict[str, Any]]:
    """Yield every release of every grid point, as columns of groups of rows: a row is a release.

    counts: original counts of the cells. kind: of releases that have these cells and no others.
    The columns are dataset, mechanism, epsilon, delta, repeat, and counts, which in each row is an
    array of the cells' sanitized counts. A group has at most `MAX_COUNTS` of these, but at least
    one release, so memory grows with neither the repeats nor the grid points.
    """
    size = max(1, MAX_COUNTS // len(counts))
    groups = [
        (noisy, range(first, min(first + size, repeats)))
        for noisy in points
        for first in range(0, repeats, size)
    ]
    for noisy, group in log_progress(groups, "groups of releases"):
        yield {
            **noisy.point.columns(len(group)),
            "repeat": list(group),
            "counts": [
                kind.release(counts, noisy, seed=seed, repeat=repeat).counts for repeat in group
            ],
        }
