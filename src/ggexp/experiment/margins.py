"""The errors of releases in one-way margins, and in the total."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.layout import Domain
from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind, Release

COLUMNS = ["mechanism", "epsilon", "delta", "margin", "total_error"]


class Margins:
    """The one-way margins of a histogram: for each attribute, the sums of counts at each level.

    cells: a row for each listed cell, with its attributes and ``count``. domain: their domain.
    """

    def __init__(self, cells: pd.DataFrame, domain: Domain) -> None:
        self._counts = cells["count"].to_numpy()
        self._domain = domain
        self._numbers = domain.numbers(cells)
        self._sizes = [len(values) for values in domain.values.values()]
        self._codes = self._levels(self._numbers)

    def errors(self, released: Release) -> NDArray[np.float64]:
        """Return Σ |released - original| over the levels of each attribute, in records."""
        changes = released.counts - self._counts
        added = self._domain.empty(released.places, self._numbers)
        return np.array(
            [
                np.abs(
                    np.bincount(codes, changes, size)
                    + np.bincount(added_codes, released.values, size)
                    # the counts that are spread evenly over unlisted cells
                    + released.remaining_count
                    * (self._domain.size / size - np.bincount(codes, minlength=size))
                ).sum()
                for codes, added_codes, size in zip(
                    self._codes, self._levels(added), self._sizes, strict=True
                )
            ]
        )

    def _levels(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], ...]:
        """Return, for each attribute, the index of the level of each of the numbered cells."""
        return np.unravel_index(numbers, self._sizes)


def measure_margins(
    cells: pd.DataFrame,
    kind: Kind,
    points: Sequence[NoisyPoint],
    domain: Domain,
    *,
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return mechanism, epsilon, delta, and the mean errors margin and total_error, over n.

    margin is the l1 error of a one-way margin, and total_error the absolute error of the sum of all
    counts. The means are over the attributes and over the repeats, which are the first repeats of
    `measure_releases`. The table has no rows if the histogram has no records.
    cells, domain: as for `Margins`. kind: the kind of the releases.
    """
    margins, counts = Margins(cells, domain), cells["count"].to_numpy()
    rows = []
    n = counts.sum()
    for noisy in log_progress(points if n else [], "grid points"):
        errors, totals = [], []
        for repeat in range(repeats):
            released = kind.release(counts, noisy, seed=seed, repeat=repeat)
            errors.append(margins.errors(released).mean())
            totals.append(abs(released.total - n))
        point = noisy.point
        key = point.mechanism, float(point.epsilon), point.delta
        rows.append((*key, np.mean(errors) / n, np.mean(totals) / n))
    return pd.DataFrame(rows, columns=COLUMNS)
