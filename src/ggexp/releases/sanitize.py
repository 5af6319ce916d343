"""Releases of a histogram: noise on every cell, then the paper's bounds and rescaling."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind, Release


@dataclass(frozen=True)
class Listed(Kind):
    """The paper's releases: of all listed cells, and of no others."""

    lists_cells = True

    def sanitize(
        self,
        counts: NDArray[np.int64],
        noise: Noise,
        rng: np.random.Generator,
        delta: float | None,
    ) -> Release:
        """Return one release of the counts, as the function `sanitize` makes it."""
        return Release(sanitize(counts, noise, rng))


class AllCells(Listed):
    """The same of a histogram of records that lists its empty cells, as a table of counts does."""

    lists_empty = True


def release(
    counts: NDArray[np.int64], noisy: NoisyPoint, *, seed: int, repeat: int
) -> NDArray[np.float64]:
    """Return the sanitized counts of one repeat of a grid point, the same whoever asks for them.

    counts: original counts of the cells.
    seed, repeat: they choose the random stream (`GridPoint.stream`); repeats count from 0.
    """
    return sanitize(counts, noisy.noise, noisy.point.stream(seed, repeat))


def sanitize(
    counts: NDArray[np.int64], noise: Noise, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return one release of the counts: non-negative, summing to n (paper, section 4).

    counts: original counts of the cells, non-negative integers; n is their sum, taken as public.
    noise: its distribution, centred at 0.
    rng: the repeat's own stream.

    Noise is added to each cell, results below 0 are set to 0 and above n to n, and all are rescaled
    to sum to n. A release that is 0 in every cell says nothing about the counts and cannot be
    rescaled: n is then spread evenly over the cells. Counts are not rounded.
    Raises ValueError for counts that are no vector, not finite or in all below 0, TypeError for an
    rng that is no Generator.
    """
    return sanitize_times(counts, noise, rng, times=1)[0]


def sanitize_times(
    counts: NDArray[np.int64],
    noise: Noise,
    rng: np.random.Generator,
    *,
    times: int,
    total: float | None = None,
) -> NDArray[np.float64]:
    """Return independent releases of the counts as `sanitize` makes them, times x cells.

    total: n, which neighbours must share, as it is taken as public; by default the counts' sum.
    """
    n = _total(counts) if total is None else total
    return rescale(noisy_counts(counts, noise, rng, times=times, total=n), n)


def noisy_counts(
    counts: NDArray[np.int64],
    noise: Noise,
    rng: np.random.Generator,
    *,
    times: int,
    total: float,
    threshold: float = 0.0,
) -> NDArray[np.float64]:
    """Return counts with noise, times x cells: 0 up to the threshold, at most the total.

    The threshold comes before the total, which may be smaller than it.
    """
    drawn = noise.sample(rng, times * np.size(counts)).reshape(times, np.size(counts))
    released = np.add(drawn, counts, order="F")  # the sums of many short rows are fast by columns
    if threshold > 0:
        released[released <= threshold] = 0
    np.clip(released, 0, total, out=released)
    return released


def rescale(released: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return counts >= 0 rescaled in place to sum to the total, each row of them apart.

    Where all are 0 the total is spread evenly.
    """
    kept = released.sum(axis=-1, keepdims=True)
    nothing = kept[..., 0] == 0
    kept[nothing] = 1
    released /= kept  # first, so that no quotient of a tiny sum overflows
    released *= total
    released[nothing] = total / released.shape[-1]
    return released


def _total(counts: NDArray[np.int64]) -> float:
    """Return the sum of counts; ValueError where they are no counts."""
    counts = np.asarray(counts)
    if counts.ndim != 1 or not counts.size:
        raise ValueError(f"counts must be a vector of one or more cells, got shape {counts.shape}")
    total = float(counts.sum())
    if not 0 <= total < math.inf:
        checks.all_finite("counts", counts)
        raise ValueError(f"counts must be non-negative, but sum to {total!r}")
    return total
