"""Releases of a histogram that has too many cells to list: most of them are empty.

Two kinds, by what is done with the empty cells. "threshold": noise is added to all cells, and
counts up to a threshold become 0, so that few of the empty ones show up. These are drawn without
the others, from the same distribution. "stability": noise is added to the cells that are not empty
alone, and the threshold hides which these are. docs/empty-cells.md proves what either guarantees.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.sanitize import noisy_counts, rescale
from ggexp.mechanisms.noise import Noise

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

THRESHOLD, STABILITY = "threshold", "stability"
EXPECTED_EMPTY = 200.0  # of all cells, if all were empty: how many are released


class Sparse(NamedTuple):
    """A release of a histogram, as the counts that are not 0, and one for all other cells.

    counts: of the cells that are not empty in the original, in their order; some are 0.
    places: which empty cells are released too, ascending, counted among the empty ones from 0.
    values: their counts.
    elsewhere: the count of every other empty cell: 0, but where all is 0 and n is spread evenly.
    """

    counts: Floats
    places: Counts
    values: Floats
    elsewhere: float


@dataclass(frozen=True)
class Kind:
    """How a histogram of many cells is released.

    name: `THRESHOLD` or `STABILITY`. bins: all of its cells, empty ones included.
    expected_empty: of `THRESHOLD`, how many empty cells are released on average if all are empty.
    """

    name: str
    bins: int
    expected_empty: float = EXPECTED_EMPTY

    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return the count that a cell's noisy count must exceed to be released, >= 0.

        It depends on the noise, the number of all cells and δ, and never on the counts.
        """
        if self.name == STABILITY:
            return stability_threshold(noise, checks.open_unit("delta", delta))
        share = min(1 / 2, self.expected_empty / self.bins)  # 1/2: at a threshold of 0
        return noise.upper_point(share)


def stability_threshold(noise: Noise, delta: float) -> float:
    """Return 1 + t with Pr(noise > t) = δ, at least 0.

    A record that is alone in its cell is released with probability δ. For Laplace noise t is
    ln(1/(2δ)) b.
    """
    return max(0.0, 1 + noise.upper_point(delta))


def release_sparse(
    counts: Counts, kind: Kind, noisy: NoisyPoint, *, seed: int, repeat: int
) -> Sparse:
    """Return one repeat's release of a grid point, the same whoever asks for it.

    counts: of the cells that are not empty. seed, repeat: of the stream.
    """
    noise, rng = noisy.noise, noisy.point.stream(seed, repeat)
    threshold = kind.threshold(noise, noisy.point.delta)
    return sanitize_sparse(counts, kind, noise, rng, threshold=threshold)


def sanitize_sparse(
    counts: Counts,
    kind: Kind,
    noise: Noise,
    rng: np.random.Generator,
    *,
    threshold: float,
) -> Sparse:
    """Return one release: counts above the threshold, at most n, rescaled to sum to n.

    Time and memory follow the cells that are not empty and those that are released.
    """
    n, empty = float(counts.sum()), kind.bins - counts.size
    (kept,) = noisy_counts(counts, noise, rng, times=1, total=n, threshold=threshold)
    places, values = np.empty(0, np.int64), np.empty(0)
    if kind.name == THRESHOLD:
        places, values = _released_of_empty(empty, noise, rng, total=n, threshold=threshold)
    if not kept.any() and not values.any():
        evenly = n / kind.bins
        return Sparse(np.full(counts.size, evenly), places[:0], values[:0], evenly)
    both = rescale(np.concatenate([kept, values]), n)
    return Sparse(both[: counts.size], places, both[counts.size :], 0.0)


def sparse_times(
    counts: Counts,
    kind: Kind,
    noise: Noise,
    rng: np.random.Generator,
    *,
    times: int,
    total: float,
    threshold: float,
) -> Floats:
    """Return independent releases as `sanitize_sparse` makes them, times x cells.

    counts: of all cells, empty ones included. total: n, which neighbours must share, as it is taken
    as public.
    """
    released, empty = np.zeros((times, counts.size), order="F"), counts == 0
    released[:, ~empty] = noisy_counts(
        counts[~empty], noise, rng, times=times, total=total, threshold=threshold
    )
    if kind.name == THRESHOLD:
        added = np.zeros(times * int(empty.sum()))
        places, values = _released_of_empty(
            added.size, noise, rng, total=total, threshold=threshold
        )
        added[places] = values
        released[:, empty] = added.reshape(times, -1)
    return rescale(released, total)


def _released_of_empty(
    cells: int,
    noise: Noise,
    rng: np.random.Generator,
    *,
    total: float,
    threshold: float,
) -> tuple[Counts, Floats]:
    """Return which of so many empty cells have noise above the threshold, and their counts."""
    places = successes(cells, noise.upper_tail(threshold), rng)
    return places, np.minimum(noise.sample_above(threshold, rng, places.size), total)


def successes(trials: int, probability: float, rng: np.random.Generator) -> Counts:
    """Return which of the trials 0, 1, … succeed, each with that probability, ascending.

    Their number is Binomial and they lie uniformly without repetition. Drawn are the gaps between
    them, geometric by way of an exponential: a generator's own binomial loses digits where there
    are 10^13 trials, and this takes no more time than there are successes.
    """
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
