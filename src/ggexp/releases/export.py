"""The sanitized counts of all releases of a data set, for users with their own metrics."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind

MAX_COUNTS = 2**22  # largest number of counts in a group of rows; they take 32 MB


def list_releases(
    counts: NDArray[np.int64], kind: Kind, points: Sequence[NoisyPoint], *, seed: int, repeats: int
) -> Iterator[dict[str, Any]]:
    """Yield all releases of all grid points as groups of rows; each row is one release.

    kind: its releases must consist of exactly the cells with these original counts.
    A group has at most `MAX_COUNTS` counts, but at least one release.
    """
    size = max(1, MAX_COUNTS // len(counts))
    parts = [range(repeats)[first : first + size] for first in range(0, repeats, size)]
    groups = [(noisy, part) for noisy in points for part in parts]
    for noisy, group in log_progress(groups, "groups of releases"):
        released = [kind.release(counts, noisy, seed=seed, repeat=repeat) for repeat in group]
        columns = {"repeat": list(group), "counts": [release.counts for release in released]}
        yield {**noisy.point.columns(len(group)), **columns}
