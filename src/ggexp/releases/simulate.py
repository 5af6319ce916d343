"""Releases of a histogram by noise on every cell, as they are or rescaled as in the paper."""

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
    """Releases of exactly the listed cells, as in the paper."""

    lists_cells = True

    def simulate(
        self, counts: NDArray[np.int64], noise: Noise, rng: np.random.Generator, delta: float | None
    ) -> Release:
        """Return one release of the counts, as from `simulate` if it is rescaled."""
        total = _total(counts) if self.rescales else None
        return Release(rescale(noisy_counts(counts, noise, rng, times=1, total=total), total)[0])


class AllCells(Listed):
    """Releases of a histogram of records that lists its empty cells, like a table of counts."""

    lists_empty = True


def release(
    counts: NDArray[np.int64], noisy: NoisyPoint, *, seed: int, repeat: int
) -> NDArray[np.float64]:
    """Return the counts of one repeat of a grid point, sanitized as in the paper, reproducibly.

    counts: the original counts of the cells. repeat: counted from 0.

    >>> import numpy as np
    >>> from ggexp import GridPoint, Mechanism, NoisyPoint, release
    >>> point = GridPoint("own", "laplace", 1, "pure", 0.5, None)
    >>> noisy = NoisyPoint(point, Mechanism(1, "pure").noise(epsilon=0.5))
    >>> release(np.array([68, 20, 15, 5]), noisy, seed=1, repeat=0).round(2)
    array([68.81, 20.24, 14.09,  4.86])
    """
    return simulate(counts, noisy.noise, noisy.point.stream(seed, repeat))


def simulate(
    counts: NDArray[np.int64], noise: Noise, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return one release of the counts: non-negative numbers that sum to n.

    Noise is added to each count. Noisy counts below 0 become 0, noisy counts above n become n, and
    all are rescaled to sum to n. They are not rounded. If all are 0 before rescaling, n is spread
    evenly over the cells.

    counts: the original counts of the cells, non-negative integers. Their sum n is taken as public.
    noise: centred at 0.
    Source: the paper, section 4.

    >>> import numpy as np
    >>> from ggexp import Mechanism, simulate
    >>> noise = Mechanism(2, "adp-exact").noise(epsilon=0.5, delta=0.01)
    >>> simulate(np.array([68, 20, 15, 5]), noise, np.random.default_rng(1)).round(2)
    array([68.7 , 22.46, 15.95,  0.89])
    """
    total = _total(counts)
    return rescale(noisy_counts(counts, noise, rng, times=1, total=total), total)[0]


def noisy_counts(
    counts: NDArray[np.int64],
    noise: Noise,
    rng: np.random.Generator,
    *,
    times: int,
    total: float | None,
    threshold: float = 0.0,
) -> NDArray[np.float64]:
    """Return noisy counts between 0 and the total (None: no limit), of shape times x cells.

    Noisy counts up to the threshold, which may exceed the total, become 0 first.
    """
    drawn = noise.sample(rng, times * np.size(counts)).reshape(times, np.size(counts))
    released = np.add(drawn, counts, order="F")  # Fortran order makes sums of many short rows fast
    if threshold > 0:
        released[released <= threshold] = 0
    np.clip(released, 0, total, out=released)
    return released


def rescale(released: NDArray[np.float64], total: float | None) -> NDArray[np.float64]:
    """Return counts >= 0, each row rescaled in place to the total, spread evenly if all are 0.

    If the total is None, the counts stay as they are.
    """
    if total is None:
        return released
    sums = released.sum(axis=-1, keepdims=True)
    all_zero = sums[..., 0] == 0
    sums[all_zero] = 1
    released /= sums  # before the multiplication, so that a tiny sum causes no overflow
    released *= total
    released[all_zero] = total / released.shape[-1]
    return released


def _total(counts: NDArray[np.int64]) -> float:
    """Return the sum of a vector of counts; raise ValueError if it is not finite and >= 0."""
    counts = np.asarray(counts)
    if counts.ndim != 1 or not counts.size:
        raise ValueError(f"counts must be a vector of one or more cells, got shape {counts.shape}")
    total = float(counts.sum())
    if not 0 <= total < math.inf:
        checks.all_finite("counts", counts)
        raise ValueError(f"counts must be non-negative, but sum to {total!r}")
    return total
