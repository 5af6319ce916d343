"""How far a release is from the original counts: l1 distance and Kullback-Leibler divergence."""

import numpy as np
from numpy.typing import ArrayLike

from ggexp import checks

#: Beyond these a cell's d is -1 or infinite, or soon will be: counts of 10^12, say, that become 0.
LEAST_D, LARGEST_D = -0.999999, 1e9


def l1(original: ArrayLike, sanitized: ArrayLike) -> float:
    """Return Σ |s* - s| over the cells, in records (paper, section 4)."""
    return float(np.abs(np.subtract(sanitized, original)).sum())


def kl_dirichlet(
    original: ArrayLike, sanitized: ArrayLike, pseudo_count: float = 0.5
) -> tuple[float, float]:
    """Return KL(original ‖ sanitized) and KL(sanitized ‖ original), in nats.

    original, sanitized: counts >= 0 of the same cells, arrays of one shape.
    pseudo_count: a > 0, the Dirichlet prior: frequencies are f = (y + a) / Σ(y + a).
    Source: R's ``entropy::KL.Dirichlet(y1, y2, a1 = a, a2 = a)``, which the paper used.

    With d = f2/f1 - 1, KL(f1 ‖ f2) = Σ f1 (d - ln(1 + d)) and KL(f2 ‖ f1) = Σ f1 ((1 + d) ln(1 + d)
    - d), as Σ f1 d = 0. So one logarithm serves both, no term is negative, and the result keeps
    its digits where the two sets of counts almost agree.
    """
    a = float(checks.positive("pseudo_count", pseudo_count))  # an integer 1 would keep integers
    f1 = np.add(original, a)
    sum1 = f1.sum()
    f1 /= sum1
    f2 = np.add(sanitized, a)
    sum2 = f2.sum()
    f2 /= sum2
    f2 -= f1
    with np.errstate(over="ignore"):  # see below
        f2 /= f1
    d = f2
    far = np.flatnonzero((d < LEAST_D) | (d > LARGEST_D))
    d[far] = 0
    log = np.log1p(d)
    forward = d - log
    log *= d
    log -= forward  # (1 + d) ln(1 + d) - d
    forward *= f1
    log *= f1
    there, back = float(forward.sum()), float(log.sum())
    if far.size:  # where d has lost its digits, the difference of the logarithms has not
        y1, y2 = np.add(original, a)[far], np.add(sanitized, a)[far]
        g1, g2 = y1 / sum1, y2 / sum2
        ratio = (np.log(y2) - np.log(sum2)) - (np.log(y1) - np.log(sum1))
        there += float((g2 - g1 - g1 * ratio).sum())
        back += float((g2 * ratio - (g2 - g1)).sum())
    return there, back
