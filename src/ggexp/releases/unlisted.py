"""Releases of a histogram that has too many cells to list: most of them are empty.

Noisy counts up to a threshold become 0, so that few of the empty cells show up. These are drawn
without the others, from the same distribution. docs/empty-cells.md proves what each kind
guarantees.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ggexp.datasets.domain import Domain
from ggexp.datasets.layout import Layout
from ggexp.mechanisms.noise import Noise
from ggexp.releases.release import Counts, Floats, Kind, Release
from ggexp.releases.sanitize import noisy_counts, rescale


@dataclass(frozen=True)
class Unlisted(Kind):
    """A kind of releases of a histogram whose empty cells are not listed, and all others are.

    adds_cells: whether empty cells are released too, where their noise exceeds the threshold.
    """

    adds_cells: ClassVar[bool] = False
    needs = ("upper_tail", "upper_point", "sample_above")

    @abstractmethod
    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return the count that a cell's noisy count must exceed to be released, >= 0.

        It depends on the noise, the number of all cells and δ, and never on the counts.
        """

    def sanitize(
        self, counts: Counts, noise: Noise, rng: np.random.Generator, delta: float | None
    ) -> Release:
        """Return one release: counts above the threshold, at most n, rescaled to sum to n.

        counts: of the cells that are not empty. Time and memory follow these and those that are
            released.
        """
        n, empty = float(counts.sum()), self.cells - counts.size
        threshold = self.threshold(noise, delta)
        (kept,) = noisy_counts(counts, noise, rng, times=1, total=n, threshold=threshold)
        places, values = self._of_empty(empty, noise, rng, total=n, threshold=threshold)
        if not kept.any() and not values.any():
            evenly = n / self.cells
            return Release(np.full(counts.size, evenly), rest=empty, elsewhere=evenly)
        both = rescale(np.concatenate([kept, values]), n)
        return Release(both[: counts.size], places, both[counts.size :], empty - places.size)

    def sanitize_times(
        self,
        counts: Counts,
        noise: Noise,
        rng: np.random.Generator,
        *,
        times: int,
        total: float,
        threshold: float,
    ) -> Floats:
        """Return independent releases as `sanitize` makes them, times x cells.

        counts: of all cells, empty ones included. total: n, which neighbours must share, as it is
        taken as public.
        """
        released, empty = np.zeros((times, counts.size), order="F"), counts == 0
        released[:, ~empty] = noisy_counts(
            counts[~empty], noise, rng, times=times, total=total, threshold=threshold
        )
        added = np.zeros(times * int(empty.sum()))
        places, values = self._of_empty(added.size, noise, rng, total=total, threshold=threshold)
        added[places] = values
        released[:, empty] = added.reshape(times, -1)
        return rescale(released, total)

    def _of_empty(
        self,
        cells: int,
        noise: Noise,
        rng: np.random.Generator,
        *,
        total: float,
        threshold: float,
    ) -> tuple[Counts, Floats]:
        """Return which of so many empty cells are released, and their counts."""
        if not self.adds_cells:
            return np.empty(0, np.int64), np.empty(0)
        places = successes(cells, noise.upper_tail(threshold), rng)
        return places, np.minimum(noise.sample_above(threshold, rng, places.size), total)

    def training(
        self, cells: pd.DataFrame, test: pd.DataFrame, records: Mapping[str, Any], key: str
    ) -> Callable[[Release], pd.DataFrame]:
        """Return a function from a release to a row for each of its cells: see `released_cells`."""
        domain = Domain.of(Layout.from_config(records, key), cells, test)
        held = domain.numbers(cells)
        return lambda released: released_cells(cells, held, domain, released)


def released_cells(
    cells: pd.DataFrame, held: Counts, domain: Domain, released: Release
) -> pd.DataFrame:
    """Return a row for each cell that is released: its attributes and its released ``count``.

    cells: those that are not empty in the original. held: their numbers in the domain. Where n is
    spread evenly no cell is told from another, and no row is left.
    """
    kept = (released.counts > 0) & (released.elsewhere == 0)
    true = cells[kept].assign(count=released.counts[kept])
    added = domain.cells(domain.empty(released.places, held)).assign(count=released.values)
    return pd.concat([part for part in (true, added) if len(part)] or [true], ignore_index=True)


def successes(trials: int, probability: float, rng: np.random.Generator) -> Counts:
    """Return which of the trials 0, 1, … succeed, each with that probability, ascending.

    Their number is Binomial and they lie uniformly without repetition. Drawn are the gaps between
    them, geometric by way of an exponential: a generator's own binomial loses digits where there
    are 10^13 trials, and this takes no more time than there are successes.
    """
    if not probability:
        return np.empty(0, np.int64)
    rate = abs(np.log1p(-probability))
    found, last = [np.empty(0, np.int64)], -1
    while last < trials - 1:
        expected = (trials - 1 - last) * probability
        draws = rng.standard_exponential(int(expected + 4 * np.sqrt(expected)) + 10)
        gaps = np.minimum(draws / rate, trials).astype(np.int64) + 1
        places = last + np.cumsum(gaps)
        found.append(places[places < trials])
        last = int(places[-1])
    return np.concatenate(found)
