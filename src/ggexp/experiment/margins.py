"""The errors of releases in the one-way margins of a table, in records."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.table import Table
from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind, Release

#: The columns of the table of margins.
COLUMNS = ["mechanism", "epsilon", "delta", "margin", "total_error"]


def margin_errors(table: Table, released: Release) -> NDArray[np.float64]:
    """Return Σ |released - original| over the levels of each attribute, in records."""
    changes = released.counts - table.counts
    added = table.at(table.empty(released.places), released.values)
    errors = []
    for codes, added_codes, size in zip(table.codes, added.codes, table.shape, strict=True):
        # the counts that are spread evenly over unlisted cells
        spread = table.combinations / size - np.bincount(codes, minlength=size)
        margin = np.bincount(codes, changes, size) + np.bincount(added_codes, added.counts, size)
        errors.append(np.abs(margin + released.remaining_count * spread).sum())
    return np.array(errors)


def measure_margins(
    table: Table, kind: Kind, points: Sequence[NoisyPoint], *, seed: int, repeats: int
) -> pd.DataFrame:
    """Return the mean errors of one-way margins and of the sum of all counts at each grid point.

    The repeats are the first ones of `measure_releases`. table: of the listed cells; if they have
    no records, the result has no rows.
    """
    rows: list[tuple[Any, ...]] = []
    n = table.counts.sum()
    for noisy in log_progress(points if n else [], "grid points"):
        errors, totals = [], []
        for repeat in range(repeats):
            released = kind.release(table.counts, noisy, seed=seed, repeat=repeat)
            errors.append(margin_errors(table, released).mean())
            totals.append(abs(released.total - n))
        point = noisy.point
        key = point.mechanism, float(point.epsilon), point.delta
        rows.append((*key, np.mean(errors) / n, np.mean(totals) / n))
    return pd.DataFrame(rows, columns=COLUMNS)
