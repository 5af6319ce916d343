"""How far releases of a histogram of many cells are from it, over all of its cells."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.metrics import l1
from ggexp.experiment.sparse import Kind, Sparse, release_sparse
from ggexp.progress import log_remaining


def l1_of_all(counts: NDArray[np.int64], released: Sparse, bins: int) -> float:
    """Return Σ |s* - s| over all cells, in records: from 0 to 2n.

    counts: of the cells that are not empty. bins: all cells.
    """
    others = bins - counts.size - released.values.size
    return l1(counts, released.counts) + float(released.values.sum()) + released.elsewhere * others


def measure_sparse(
    counts: NDArray[np.int64],
    kind: Kind,
    noisy: NoisyPoint,
    *,
    seed: int,
    repeats: int,
) -> dict[str, Any]:
    """Return the errors of every repeat of a grid point, as columns of length ``repeats``.

    counts: of the cells that are not empty.
    The columns are dataset, mechanism, epsilon, delta, repeat, l1 (over all cells), kept (cells of
    the original that are released), kept_records (their records in the original), added (empty
    cells that are released). There is no KL divergence: see docs/empty-cells.md.
    """
    errors = np.empty((4, repeats))
    for repeat in log_remaining(range(repeats), "repeats"):
        released = release_sparse(counts, kind, noisy, seed=seed, repeat=repeat)
        kept = (released.counts > 0) & (released.elsewhere == 0)
        errors[:, repeat] = (
            l1_of_all(counts, released, kind.bins),
            np.count_nonzero(kept),
            counts[kept].sum(),
            released.values.size,
        )
    distance, kept_cells, records, added = errors
    return {
        **noisy.point.columns(repeats),
        "repeat": np.arange(repeats),
        "l1": distance,
        "kept": kept_cells,
        "kept_records": records,
        "added": added,
    }
