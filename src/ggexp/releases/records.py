"""Synthetic records: a release made into whole records, of which there are as many as it says."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Release
from ggexp.releases.sanitize import Listed, release
from ggexp.streams import stream

#: How many records each cell has, from its release, or its noisy count.
LARGEST_REMAINDER, MULTINOMIAL, COUNTS = METHODS = ("largest-remainder", "multinomial", "counts")


@dataclass(frozen=True)
class Records(Listed):
    """Synthetic records that are made of a release: how many each listed cell has.

    method: of `record_counts`.
    """

    method: str = LARGEST_REMAINDER

    def release(
        self, counts: NDArray[np.int64], noisy: NoisyPoint, *, seed: int, repeat: int
    ) -> Release:
        """Return the numbers of records of one repeat of a grid point."""
        return Release(record_counts(counts, noisy, self.method, seed=seed, repeat=repeat))


def record_counts(
    counts: NDArray[np.int64],
    noisy: NoisyPoint,
    method: str,
    *,
    seed: int,
    repeat: int,
) -> NDArray[np.int64]:
    """Return how many synthetic records each cell has in one repeat of a grid point.

    counts: original counts of the cells; n is their sum.
    method: "largest-remainder" and "multinomial" take the release (`ggexp.releases.sanitize`),
        so that there are n records; see the functions of these names. "counts" is one record for
        each count (CS208, section 5.2): the noisy count, 0 where it is negative, rounded to the
        nearest whole number. As nothing is rescaled, there may be more than n records, or fewer.
    seed, repeat: the noise is that of the release of this repeat; what is drawn on top of it has
        a stream of its own.
    All of them are post-processing of noisy counts, n being public.
    """
    if method == COUNTS:
        drawn = noisy.noise.sample(noisy.point.stream(seed, repeat), counts.size)
        return np.rint(np.maximum(counts + drawn, 0)).astype(np.int64)
    released = release(counts, noisy, seed=seed, repeat=repeat)
    total = int(counts.sum())
    if method == LARGEST_REMAINDER:
        return largest_remainder(released, total)
    if method == MULTINOMIAL:
        rng = stream(seed, f"multinomial records of {noisy.point.path}", repeat)
        return multinomial(released, total, rng)
    raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")


def largest_remainder(counts: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Return whole counts near to these that sum to the total, of all such those with the least l1.

    counts: numbers >= 0 of the cells that sum to the total.
    Each is rounded down, and the records that are then missing go to the cells that lost most, one
    each; of cells that lost the same, to the first.
    Raises ValueError for a count below 0 or not finite, or where they sum to something else.
    """
    _check_release(counts, total)
    whole = np.floor(counts).astype(np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - counts, kind="stable")[:missing]] += 1
    return whole


def multinomial(
    counts: NDArray[np.float64], total: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return how many of so many records fall into each cell, drawn with their shares.

    counts: numbers >= 0 of the cells that sum to the total. rng: a stream of its own.
    The mean is the counts, the variance of one of them is c (1 - c/n).
    Raises ValueError as `largest_remainder` does, TypeError for an rng that is no Generator.
    """
    checks.generator("rng", rng)
    _check_release(counts, total)
    if total == 0:
        return np.zeros(counts.size, dtype=np.int64)
    return rng.multinomial(total, counts / counts.sum())


def clamping_bias(count: int, noise: Noise, *, rounded: bool) -> float:
    """Return by how many records a count grows on average where noise is added and it is clamped.

    count: s >= 0, a whole number. noise: e, symmetrical about 0.
    rounded: whether the clamped count is then rounded, as the method "counts" does.

    Clamping adds E max(0, -s - e) = ∫_s^∞ Pr(e > x) dx, which is b/2 · exp(-s/b) of Laplace noise.
    Rounding s + e has the mean s by symmetry, and the rounded count is -k or less, k > 0, where
    e < -(s + k - ½): so rounded it is Σ_k Pr(e > s + k - ½).
    """
    checks.not_negative("count", count)
    if rounded:
        reach = noise.upper_point(1e-18)  # beyond it nothing adds up
        return sum(noise.upper_tail(x) for x in np.arange(count + 0.5, max(reach, count) + 1))
    from scipy.integrate import quad  # takes a while to load: not for the jobs that sample

    return float(quad(noise.upper_tail, count, np.inf, epsabs=0, epsrel=1e-10)[0])


def list_records(cells: pd.DataFrame, records: NDArray[np.int64]) -> pd.DataFrame:
    """Return a row for each synthetic record: its attributes, in the order of the cells.

    cells: a row for each cell, its attributes and ``count``, which is not among the results.
    records: how many each cell has.
    """
    attributes = cells.drop(columns="count")
    return attributes.iloc[np.repeat(np.arange(len(cells)), records)].reset_index(drop=True)


def _check_release(counts: Any, total: int) -> None:
    """Raise ValueError where counts are not >= 0, or do not sum to the total."""
    checks.all_finite("counts", counts)
    if (least := float(np.min(counts, initial=0))) < 0:
        raise ValueError(f"counts must be >= 0, got {least!r}")
    if not abs((found := float(np.sum(counts))) - total) <= 1e-9 * max(total, 1):
        raise ValueError(f"counts must sum to the total, {total}, got {found!r}")
