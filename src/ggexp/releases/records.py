"""Synthetic records, whose number in each cell follows from a release or a noisy count."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Release
from ggexp.releases.simulate import Listed, release
from ggexp.streams import stream

if TYPE_CHECKING:
    import pandas as pd

#: The methods of `Records`.
LARGEST_REMAINDER, MULTINOMIAL, COUNTS = METHODS = ("largest-remainder", "multinomial", "counts")


@dataclass(frozen=True)
class Records(Listed):
    """Releases as synthetic records: the number of records in each listed cell.

    method: one of `METHODS`. "largest-remainder" and "multinomial" turn the release
        (`ggexp.releases.simulate`) into n records, the sum of the original counts. "counts"
        sets negative noisy counts to 0 and rounds them to the nearest whole number (CS208, section
        5.2), without rescaling.
    The noise is that of the release. All methods are post-processing, because n is public.
    """

    method: str = LARGEST_REMAINDER

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")

    def release(
        self, counts: NDArray[np.int64], noisy: NoisyPoint, *, seed: int, repeat: int
    ) -> Release:
        """Return the numbers of records of one repeat of a grid point."""
        if self.method == COUNTS:
            noise = noisy.noise.sample(noisy.point.stream(seed, repeat), counts.size)
            return Release(np.rint(np.maximum(counts + noise, 0)).astype(np.int64))
        released = release(counts, noisy, seed=seed, repeat=repeat)
        total = int(counts.sum())
        if self.method == LARGEST_REMAINDER:
            return Release(largest_remainder(released, total))
        path = noisy.point.path
        return Release(draw_records(released, total, path, seed=seed, repeat=repeat))


def draw_records(
    released: NDArray[np.float64], total: int, name: str, *, seed: int, repeat: int
) -> NDArray[np.int64]:
    """Return multinomial counts of ``total`` records, with the cells' shares as probabilities.

    released: as for `largest_remainder`. name: of the release, which has its own stream.
    A cell with count c has the mean c and the variance c (1 - c/n), n being the total.
    """
    if total == 0:
        return np.zeros(released.size, dtype=np.int64)
    rng = stream(seed, f"multinomial records of {name}", repeat)
    return rng.multinomial(total, released / released.sum())


def largest_remainder(counts: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Return the whole counts with this total that have the smallest l1 distance to the counts.

    counts: one number >= 0 per cell, with the sum ``total``. All are rounded down. The missing
    records go to the cells with the largest remainders, one each; the first of equal ones.
    """
    whole = np.floor(counts).astype(np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - counts, kind="stable")[:missing]] += 1
    return whole


def clamping_bias(count: int, noise: Noise, *, rounded: bool) -> float:
    """Return the mean increase of a count if noise is added and the noisy count is clamped at 0.

    The increase is in records. count: s >= 0, a whole number. noise: e, symmetric about 0.
    rounded: whether the clamped count is then rounded.

    Without rounding, it is E max(0, -s - e) = ∫_s^∞ Pr(e > x) dx, or b/2 · exp(-s/b) for Laplace
    noise. With rounding, it is Σ_k Pr(e > s + k - ½) over k > 0, because the rounded s + e has the
    mean s by symmetry, and is at most -k if e < -(s + k - ½).
    """
    checks.not_negative("count", count)
    if rounded:
        last = noise.upper_point(1e-18)  # larger values do not change the sum
        return sum(noise.upper_tail(x) for x in np.arange(count + 0.5, max(last, count) + 1))
    from scipy.integrate import quad  # loaded only here, because jobs that sample do not need it

    return float(quad(noise.upper_tail, count, np.inf, epsabs=0, epsrel=1e-10)[0])


def list_records(cells: "pd.DataFrame", records: NDArray[np.int64]) -> "pd.DataFrame":
    """Return the attributes of each synthetic record, one row each, in the order of the cells.

    cells: a row for each cell, with its ``count``. records: the number of records of each cell.
    """
    attributes = cells.drop(columns="count")
    return attributes.iloc[np.repeat(np.arange(len(cells)), records)].reset_index(drop=True)
