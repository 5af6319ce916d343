"""From a release to the weights of the cells on which a classifier is trained."""

import numpy as np
from numpy.typing import NDArray

from ggexp.multiverse.tables import ROUNDED
from ggexp.releases.point import NoisyPoint
from ggexp.releases.records import draw_records
from ggexp.releases.sanitize import release, rescale

#: The alternatives of the choice ``training``; `weights` explains them.
WEIGHTED, ONE_ROW, DRAWN = "weighted", "one-row", "drawn"


def weights(
    counts: NDArray[np.int64],
    noisy: NoisyPoint | None,
    rounding: str,
    training: str,
    *,
    seed: int,
    repeat: int,
) -> NDArray[np.float64]:
    """Return the weights of the cells on which the classifier of a repeat is trained.

    counts: the original counts; n is their sum. noisy: the grid point, or None for a classifier
        that is trained on the original counts.
    training: "weighted": each cell is weighted by its released count. "one-row": there is one
        unweighted row for each cell with a positive released count. "drawn": n records are drawn
        from the release, and a cell is weighted by its number of records.
    seed, repeat: determine the release as in the paper's design. The n records are drawn from the
        stream of `ggexp.releases.records.record_counts`; without noise, from a separate stream.
    """
    released = counts.astype(np.float64)
    if noisy:
        released = ROUNDED[rounding](release(counts, noisy, seed=seed, repeat=repeat))
    if training == WEIGHTED:
        return released
    if training == ONE_ROW:
        return (released > 0).astype(np.float64)
    total, name = int(counts.sum()), noisy.point.path if noisy else "the original counts"
    drawn = draw_records(rescale(released, total), total, name, seed=seed, repeat=repeat)
    return drawn.astype(np.float64)
