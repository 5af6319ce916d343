"""Releases of a histogram with too many cells to list, most of which are empty.

Noisy counts up to a threshold become 0, so that few empty cells are released. The released empty
cells are drawn directly, from the distribution that they would have if noise were drawn for every
empty cell. docs/empty-cells.md proves the guarantee of each kind.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ggexp import checks
from ggexp.datasets.table import Table
from ggexp.mechanisms.noise import Noise
from ggexp.releases.release import Counts, Floats, Kind, Release
from ggexp.releases.simulate import noisy_counts, rescale

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Unlisted(Kind):
    """A kind of releases of histograms whose empty cells are not listed.

    adds_cells: whether empty cells are released if their noise exceeds the threshold.
    """

    adds_cells: ClassVar[bool] = False
    needs = ("sample_above",)

    @abstractmethod
    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return the number >= 0 that released counts exceed. It does not depend on the counts."""

    def simulate(
        self, counts: Counts, noise: Noise, rng: np.random.Generator, delta: float | None
    ) -> Release:
        """Return one release: the counts above the threshold, and 0 for all other cells.

        Time and memory are proportional to the number of non-empty and released cells.
        """
        n, empty = float(counts.sum()) if self.rescales else None, self.cells - counts.size
        threshold = self.threshold(noise, delta)
        (kept,) = noisy_counts(counts, noise, rng, times=1, total=n, threshold=threshold)
        places, values = self.release_empty(empty, noise, rng, total=n, threshold=threshold)
        if n is not None and not kept.any() and not values.any():
            share = n / self.cells
            return Release(np.full(counts.size, share), remaining=empty, remaining_count=share)
        released = rescale(np.concatenate([kept, values]), n)
        kept, values = released[: counts.size], released[counts.size :]
        return Release(kept, places, values, empty - places.size)

    def release_empty(
        self,
        cells: int,
        noise: Noise,
        rng: np.random.Generator,
        *,
        total: float | None,
        threshold: float,
    ) -> tuple[Counts, Floats]:
        """Return indices and counts of the released empty cells. cells: number of empty cells."""
        if not self.adds_cells:
            return np.empty(0, np.int64), np.empty(0)
        places = successes(cells, noise.upper_tail(threshold), rng)
        values = noise.sample_above(threshold, rng, places.size)
        return places, values if total is None else np.minimum(values, total)

    def training(self, table: Table, released: Release) -> "pd.DataFrame":
        """Return a row for each released cell, with its attributes and its released ``count``.

        If n is spread evenly over all cells, no row is returned.
        """
        import pandas as pd

        is_kept = (released.counts > 0) & (released.remaining_count == 0)
        kept = table.labels[is_kept].assign(count=released.counts[is_kept])
        added = table.at(table.empty(released.places), released.values).cells
        return pd.concat([part for part in (kept, added) if len(part)] or [kept], ignore_index=True)


@dataclass(frozen=True)
class Threshold(Unlisted):
    """Noise is added to all cells, and noisy counts up to a threshold become 0.

    expected_empty: the expected number of released cells if all cells are empty.
    """

    adds_cells = True
    expected_empty: float = 200.0

    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return the count that a cell's noisy count must exceed to be released, >= 0."""
        share = min(1 / 2, self.expected_empty / self.cells)  # the tail beyond 0 is 1/2
        return noise.upper_point(share)


@dataclass(frozen=True)
class Stability(Unlisted):
    """Noise is added to the non-empty cells, and noisy counts up to a threshold become 0.

    The threshold hides single records. Neighbours must be add-remove, so that at most one cell is
    empty in one table and not in the other.
    """

    uses_delta = True
    neighbours = ("add-remove",)

    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return 1 + t with Pr(noise > t) = δ, at least 0.

        A cell with a single record is released with probability δ. For Laplace noise of scale b, t
        is ln(1/(2δ)) b.
        """
        return max(0.0, 1 + noise.upper_point(checks.open_unit("delta", delta)))


def successes(trials: int, probability: float, rng: np.random.Generator) -> Counts:
    """Return the indices of the successful trials, ascending. Trials are counted from 0.

    The gaps between successes are geometric: rounded exponential numbers. Therefore the time is
    proportional to the number of successes. numpy's binomial loses digits for 10^13 trials.
    """
    if not probability:
        return np.empty(0, np.int64)
    rate = abs(np.log1p(-probability))
    parts, last = [np.empty(0, np.int64)], -1
    while last < trials - 1:
        expected = (trials - 1 - last) * probability
        draws = rng.standard_exponential(int(expected + 4 * np.sqrt(expected)) + 10)
        gaps = np.minimum(draws / rate, trials).astype(np.int64) + 1
        places = last + np.cumsum(gaps)
        parts.append(places[places < trials])
        last = int(places[-1])
    return np.concatenate(parts)
