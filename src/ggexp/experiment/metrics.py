"""How far a release is from the original counts: the metrics, and their table `METRICS`.

The errors of a run have a column for each of them, summaries a row, and figures and claims know
them by their names.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ggexp import checks

#: Beyond these a cell's d is -1 or infinite, or soon will be: counts of 10^12, say, that become 0.
LEAST_D, LARGEST_D = -0.999999, 1e9


@dataclass(frozen=True)
class Metric:
    """A metric: what people read of it, and the function that measures a release.

    label, unit: as on the axis of a figure.
    function: (original, sanitized) -> how far they are apart; None for the two divergences, which
        have one function.
    """

    label: str
    unit: str
    function: Callable[[ArrayLike, ArrayLike], float] | None = None

    @property
    def axis(self) -> str:
        """What stands on the axis of a figure: label and unit."""
        return f"{self.label} ({self.unit})"


def l1(original: ArrayLike, sanitized: ArrayLike) -> float:
    """Return Σ |s* - s| over the cells, in records (paper, section 4).

    original, sanitized: counts of the same cells, arrays of one shape.
    Raises ValueError where shapes differ or a count is not finite.
    """
    checks.same_shape("sanitized", np.shape(sanitized), "original", np.shape(original))
    distance = float(np.abs(np.subtract(sanitized, original)).sum())
    if not math.isfinite(distance):
        _check_finite(original, sanitized)
    return distance


def kl_dirichlet(
    original: ArrayLike, sanitized: ArrayLike, pseudo_count: float = 0.5
) -> tuple[float, float]:
    """Return KL(original ‖ sanitized) and KL(sanitized ‖ original), in nats.

    original, sanitized: counts >= 0 of the same cells, arrays of one shape.
    pseudo_count: a > 0, the Dirichlet prior: frequencies are f = (y + a) / Σ(y + a).
    Raises ValueError where shapes differ, a count is not finite, or one is below -a.
    Source: R's ``entropy::KL.Dirichlet(y1, y2, a1 = a, a2 = a)``, which the paper used.

    With d = f2/f1 - 1, KL(f1 ‖ f2) = Σ f1 (d - ln(1 + d)) and KL(f2 ‖ f1) = Σ f1 ((1 + d) ln(1 + d)
    - d), as Σ f1 d = 0. So one logarithm serves both, no term is negative, and the result keeps
    its digits where the two sets of counts almost agree.
    """
    a = float(checks.positive("pseudo_count", pseudo_count))  # an integer 1 would keep integers
    f1, f2 = np.add(original, a), np.add(sanitized, a)
    checks.same_shape("sanitized", f2.shape, "original", f1.shape)
    sum1, sum2 = f1.sum(), f2.sum()
    if not math.isfinite(sum1 + sum2):
        _check_finite(original, sanitized)
    f1 /= sum1
    f2 /= sum2
    f2 -= f1
    with np.errstate(over="ignore"):  # see below
        f2 /= f1
    d = f2
    far = np.nonzero((d < LEAST_D) | (d > LARGEST_D))
    d[far] = 0
    log = np.log1p(d)
    forward = d - log
    log *= d
    log -= forward  # (1 + d) ln(1 + d) - d
    forward *= f1
    log *= f1
    there, back = float(forward.sum()), float(log.sum())
    if far[0].size:  # where d has lost its digits, the difference of the logarithms has not
        y1, y2 = np.add(original, a)[far], np.add(sanitized, a)[far]
        g1, g2 = y1 / sum1, y2 / sum2
        ratio = (np.log(y2) - np.log(sum2)) - (np.log(y1) - np.log(sum1))
        there += float((g2 - g1 - g1 * ratio).sum())
        back += float((g2 * ratio - (g2 - g1)).sum())
    if not (math.isfinite(there) and math.isfinite(back)):
        raise ValueError("original and sanitized must be counts >= 0, and their sums finite")
    return there, back


METRICS = {
    "l1": Metric("l₁ distance", "records", l1),
    "kl": Metric("KL divergence", "nats"),
    "kl_reverse": Metric("reverse KL divergence", "nats"),
}
#: Those of the paper: what figures show where a configuration names no others.
SHOWN = ("l1", "kl")


def measure(
    original: ArrayLike, sanitized: ArrayLike, *, pseudo_count: float, direction: str
) -> dict[str, float]:
    """Return each of `METRICS` by its name.

    original, sanitized, pseudo_count: as of `kl_dirichlet`.
    direction: "original-to-sanitized" or "sanitized-to-original", which divergence is called kl;
        the other is kl_reverse.
    """
    kl, reverse = kl_dirichlet(original, sanitized, pseudo_count)
    if direction == "sanitized-to-original":
        kl, reverse = reverse, kl
    divergences = {"kl": kl, "kl_reverse": reverse}
    return {
        name: metric.function(original, sanitized) if metric.function else divergences[name]
        for name, metric in METRICS.items()
    }


def _check_finite(original: ArrayLike, sanitized: ArrayLike) -> None:
    """Raise ValueError for a count that is not finite: looked for where a result is not."""
    checks.all_finite("original", original)
    checks.all_finite("sanitized", sanitized)
