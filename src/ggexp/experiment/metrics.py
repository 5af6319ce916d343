"""The metrics of the distance between a release and the original counts, and the errors of a run.

The errors of a run have a column for each metric in `METRICS`, and its summaries have a row.
Figures and claims refer to metrics by name.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.progress import log_progress
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import Kind, Release

#: Outside this range, d in `kl_dirichlet` loses digits, such as if a count of 10^12 becomes 0.
MIN_D, MAX_D = -0.999999, 1e9


#: Types of releases: with listed cells only, with unlisted cells, and synthetic records.
LISTED, UNLISTED, RECORDS = "listed", "unlisted", "records"


@dataclass(frozen=True)
class Metric:
    """A metric: its label and unit, and the function that measures a release.

    function: (original, sanitized) -> distance over the listed cells, finite for every release.
        None if the metric depends on more, or if several metrics share a function.
    combine: how distances over parts of the cells combine, "sum" or "largest". If they do not, the
        metric cannot measure releases with unlisted cells.
    measures: the types of releases that it can measure; by default, all that `combine` allows.
    """

    label: str
    unit: str
    function: Callable[[ArrayLike, ArrayLike], float] | None = None
    combine: Literal["sum", "largest"] | None = None
    measures: Collection[str] = ()

    @property
    def axis(self) -> str:
        """The text on the axis of a figure: label and unit."""
        return f"{self.label} ({self.unit})"

    def can_measure(self, releases: str) -> bool:
        """Return whether it can measure releases of a type: `LISTED`, `UNLISTED` or `RECORDS`."""
        if self.measures:
            return releases in self.measures
        return releases != UNLISTED or self.combine is not None

    def of(self, original: NDArray[np.int64], released: Release) -> float:
        """Return the distance between a release and the original counts, over all cells."""
        assert self.function is not None
        parts = [(self.function(original, released.counts), 1)]
        if released.values.size:
            empty = np.zeros(released.values.size)
            parts.append((self.function(empty, released.values), 1))
        if released.remaining:
            empty, remaining = np.zeros(1), np.array([released.remaining_count])
            parts.append((self.function(empty, remaining), released.remaining))
        if self.combine == "largest":
            return max(distance for distance, _ in parts)
        return sum(distance * cells for distance, cells in parts)


def l1(original: ArrayLike, sanitized: ArrayLike) -> float:
    """Return the l1 distance Σ |s* - s| over the cells, in records.

    The counts are of the same cells, and finite.
    Source: the paper, section 4.

    >>> import ggexp
    >>> ggexp.l1([12, 0, 30], [10.5, 1, 30])
    2.5
    """
    _check_shape(np.shape(sanitized), np.shape(original))
    distance = float(np.abs(np.subtract(sanitized, original)).sum())
    if not math.isfinite(distance):
        _check_finite(original, sanitized)
    return distance


def kl_dirichlet(
    original: ArrayLike, sanitized: ArrayLike, pseudo_count: float = 0.5
) -> tuple[float, float]:
    """Return KL(original ‖ sanitized) and KL(sanitized ‖ original), in nats.

    The counts are of the same cells, and none is below -a.

    pseudo_count: a, the Dirichlet prior: frequencies are f = (y + a) / Σ(y + a).

    With d = f2/f1 - 1, KL(f1 ‖ f2) = Σ f1 (d - ln(1 + d)) and KL(f2 ‖ f1) = Σ f1 ((1 + d) ln(1 + d)
    - d), because Σ f1 d = 0. Therefore one logarithm serves both, no term is negative, and the
    result keeps its digits even if the two sets of counts almost agree.

    Source: J. Hausser and K. Strimmer, R package entropy, ``KL.Dirichlet(y1, y2, a1 = a, a2 = a)``,
    which the paper used.

    >>> import ggexp
    >>> forward, reverse = ggexp.kl_dirichlet([12, 0, 30], [10.5, 1, 30])
    >>> round(forward, 4), round(reverse, 4)
    (0.0125, 0.0172)
    """
    # float, because an integer a would give integer arrays
    a = float(checks.positive("pseudo_count", pseudo_count))
    f1, f2 = np.add(original, a), np.add(sanitized, a)
    _check_shape(f2.shape, f1.shape)
    sum1, sum2 = f1.sum(), f2.sum()
    if not math.isfinite(sum1 + sum2):
        _check_finite(original, sanitized)
    f1 /= sum1
    f2 /= sum2
    f2 -= f1
    with np.errstate(over="ignore"):  # such values are replaced below
        f2 /= f1
    d = f2
    extreme = np.nonzero((d < MIN_D) | (d > MAX_D))
    d[extreme] = 0
    log = np.log1p(d)
    forward = d - log
    log *= d
    log -= forward  # (1 + d) ln(1 + d) - d
    forward *= f1
    log *= f1
    kl, kl_reverse = float(forward.sum()), float(log.sum())
    if extreme[0].size:  # d has lost its digits, but the difference of logarithms has not
        y1, y2 = np.add(original, a)[extreme], np.add(sanitized, a)[extreme]
        g1, g2 = y1 / sum1, y2 / sum2
        ratio = (np.log(y2) - np.log(sum2)) - (np.log(y1) - np.log(sum1))
        kl += float((g2 - g1 - g1 * ratio).sum())
        kl_reverse += float((g2 * ratio - (g2 - g1)).sum())
    if not (math.isfinite(kl) and math.isfinite(kl_reverse)):
        raise ValueError("original and sanitized must be counts >= 0 with finite sums")
    return kl, kl_reverse


METRICS = {
    "records": Metric("synthetic records", "records", measures=[RECORDS]),
    "l1": Metric("l₁ distance", "records", l1, "sum"),
    "kl": Metric("KL divergence", "nats", measures=[LISTED]),
    "kl_reverse": Metric("reverse KL divergence", "nats", measures=[LISTED]),
    "kept": Metric("retained cells", "cells", measures=[UNLISTED]),
    "kept_records": Metric("records of the retained cells", "records", measures=[UNLISTED]),
    "added": Metric("added cells", "cells", measures=[UNLISTED]),
    "one_way": Metric("one-way marginals", "total variation", measures=[RECORDS]),
    "two_way": Metric("two-way marginals", "total variation", measures=[RECORDS]),
}
#: The metrics that compare proportions, so that they do not see an error of the total.
DIVERGENCES = ("kl", "kl_reverse")
#: The metrics of the paper, which figures show by default.
SHOWN = ("l1", "kl")


def measure(
    original: NDArray[np.int64],
    released: Release,
    releases: str,
    point: GridPoint | None,
    **known: float,
) -> dict[str, float]:
    """Return the value of each metric that can measure the release, by name.

    releases: the type of the release. point: its grid point, or None if values may be undefined.
    known: values of metrics that are already computed, such as all without a function.
    Raises ValueError with the point and the metric if a computed value is not finite, because
    means over the other repeats would be wrong.
    """
    values = {}
    for name, metric in METRICS.items():
        if metric.can_measure(releases):
            values[name] = known[name] if name in known else metric.of(original, released)
            if point and name not in known and not math.isfinite(values[name]):
                raise ValueError(f"{point.path}: {name} must be finite, got {values[name]!r}")
    return values


def _check_shape(sanitized: tuple[int, ...], original: tuple[int, ...]) -> None:
    """Raise ValueError if the shape differs from that of the original counts."""
    if sanitized != original:
        raise ValueError(f"sanitized must have the shape of original, {original}, got {sanitized}")


def _check_finite(original: ArrayLike, sanitized: ArrayLike) -> None:
    """Raise ValueError for a count that is not finite; called if a result is not finite."""
    checks.all_finite("original", original)
    checks.all_finite("sanitized", sanitized)


def errors_of_release(
    original: NDArray[np.int64],
    released: Release,
    point: GridPoint | None,
    *,
    lists_cells: bool,
    pseudo_count: float,
) -> dict[str, float]:
    """Return the errors of a release, by metric, as `measure`.

    lists_cells: whether releases consist of exactly the cells of the original counts. Otherwise
        they may also have cells that are not listed because they are empty.
    pseudo_count: as in `kl_dirichlet`.
    """
    if lists_cells:
        kl, kl_reverse = kl_dirichlet(original, released.counts, pseudo_count)
        return measure(original, released, LISTED, point, kl=kl, kl_reverse=kl_reverse)
    # divergences would not be meaningful (docs/empty-cells.md)
    kept = (released.counts > 0) & (released.remaining_count == 0)
    known = {"kept": np.count_nonzero(kept), "kept_records": original[kept].sum()}
    return measure(original, released, UNLISTED, point, **known, added=released.values.size)


def measure_releases(
    counts: NDArray[np.int64],
    kind: Kind,
    points: Collection[NoisyPoint],
    *,
    seed: int,
    repeats: range,
    pseudo_count: float,
) -> dict[str, NDArray[Any]]:
    """Return the errors of some repeats of each grid point, as columns, point after point.

    repeats: their numbers, counted from 0. pseudo_count: as in `kl_dirichlet`.
    The columns are dataset, mechanism, epsilon, delta, repeat, and each of `METRICS` that can
    measure such releases. Only one release at a time is in memory.
    """
    errors, keys = [], []
    options: Any = {"lists_cells": kind.lists_cells, "pseudo_count": pseudo_count}
    for noisy in log_progress(points, "grid points"):
        keys.append(noisy.point.columns(len(repeats)))
        for repeat in repeats:
            released = kind.release(counts, noisy, seed=seed, repeat=repeat)
            errors.append(errors_of_release(counts, released, noisy.point, **options))
    return {
        **{name: np.concatenate([key[name] for key in keys]) for name in keys[0]},
        "repeat": np.tile(repeats, len(points)),
        **{name: np.array([each[name] for each in errors], np.float64) for name in errors[0]},
    }
