"""Lower bounds of a privacy loss, from releases of two neighbouring histograms only.

A coin decides each time which of the two is released, and the values between thresholds are
counted. Every bound follows from Clopper-Pearson intervals of such counts. Therefore the true
privacy loss is below the bound with at most the stated probability of error, at any number of
releases. The caller must choose thresholds that do not depend on the releases: see `thresholds`.
"""

from collections.abc import Callable
from itertools import accumulate, chain, repeat, takewhile
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.noise import Noise

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
#: Releases of a histogram: (counts, stream, how many) -> a row of sanitized counts for each.
Release = Callable[[Counts, np.random.Generator, int], Floats]

AT_ONCE = 1 << 14  # the most releases in memory
RATIO, MIN_TAIL = 0.95, 1e-4  # the ratio of successive thresholds' tails, and the last tail


def thresholds(noise: Noise, count: int) -> Floats:
    """Return ascending values t >= 0, including 0, at which the releases of a cell are cut.

    noise: the stated noise. count: of the cell, in the histogram with one record less.

    They are count + 1/2 ± `Noise.cuts` of the noise, at tails of 1/2, 0.475, … down to 1e-4.
    """
    tails = list(
        takewhile(lambda tail: tail > MIN_TAIL, accumulate(chain([0.5], repeat(RATIO)), mul))
    )
    quantiles = noise.cuts(tails)
    cuts = count + 0.5 + np.concatenate([-quantiles, quantiles, [-count - 0.5]])
    return np.unique(np.maximum(cuts, 0))


def tally(
    release: Release,
    counts: Counts,
    cuts: Floats,
    *,
    releases: int,
    rng: np.random.Generator,
) -> Counts:
    """Return the numbers of releases between thresholds: 2 x (cuts + 1).

    release: releases a histogram. counts: of the smaller histogram, which is the first row of the
    result; the second row is for its neighbour with one record more in the first cell. The
    sanitized count of this cell is tallied. cuts: ascending; column k counts values in (cuts[k -
    1], cuts[k]]. releases: of each histogram, on average. A coin decides which one is released,
    twice as often.
    """
    counts = np.asarray(counts)
    more = int(rng.binomial(2 * releases, 0.5))
    found = np.zeros((2, len(cuts) + 1), np.int64)
    for record, number in enumerate((2 * releases - more, more)):
        histogram = counts.copy()
        histogram[0] += record
        for start in range(0, number, AT_ONCE):
            values = np.sort(release(histogram, rng, min(AT_ONCE, number - start))[:, 0])
            # faster than looking up values, which are many more than thresholds
            below = np.searchsorted(values, cuts, side="right")
            found[record] += np.diff(below, prepend=0, append=values.size)
    return found


def clopper_pearson(successes: Counts, trials: Counts, error: float) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of probabilities, each wrong with at most this error."""
    from scipy.stats import beta

    failures = trials - successes
    low = beta.ppf(error, np.maximum(successes, 1), failures + 1)
    high = beta.isf(error, successes + 1, np.maximum(failures, 1))
    return np.where(successes > 0, low, 0.0), np.where(failures > 0, high, 1.0)


def bound(found: Counts, guarantee: Guarantee, *, delta: float | None, error: float) -> float:
    """Return a lower bound of the ε of a guarantee, 0 if there is none.

    found: the result of `tally`. delta: δ, if the guarantee has one. error: the largest probability
    that the bound is wrong.
    """
    if guarantee is Guarantee.PURE:
        return pure_bound(found, error=error)
    delta = checks.open_unit("delta", delta)
    if guarantee is Guarantee.PROBABILISTIC:
        return pdp_bound(found, delta=delta, error=error)
    return adp_bound(found, delta=delta, error=error)


def pure_bound(found: Counts, *, error: float) -> float:
    """Return a lower bound of the ε of ε-DP, 0 if there is none.

    found, error: as in `bound`.

    The events S are "above" and "not above" each threshold. ε-DP implies Pr(S) <= e^ε Pr'(S), with
    either histogram in the place of Pr. Because a coin chose the histogram, the number of its
    releases within S is binomial given the number of all releases within S, and its odds are the
    ratio of the probabilities. The intervals hold simultaneously, by Bonferroni's correction.
    """
    above = found[:, :0:-1].cumsum(axis=1)[:, ::-1]
    within = np.hstack([above, found.sum(axis=1, keepdims=True) - above])
    rising, falling = _ratios(within, error / (2 * within.shape[1]))
    return max(0.0, float(rising.max()), float(falling.max()))


def adp_bound(found: Counts, *, delta: float, error: float) -> float:
    """Return a lower bound of the ε of (ε, δ)-approximate DP, 0 if there is none.

    found, error: as in `bound`. delta: δ in (0, 1).

    For the same events, approximate DP implies Pr(S) <= e^ε Pr'(S) + δ, and therefore
    ε >= ln((Pr(S) - δ) / Pr'(S)). The intervals of both probabilities hold simultaneously, by
    Bonferroni's correction.
    """
    low, high = _tails(found, error / (4 * (found.shape[1] - 1)))
    events = [(low, high), (1 - high, 1 - low)]
    least = np.array([[event[0][p], event[1][1 - p]] for event in events for p in (0, 1)])
    with np.errstate(divide="ignore"):
        return float(np.log(np.maximum(least[:, 0] - delta, 0) / least[:, 1]).max(initial=0.0))


def pdp_bound(found: Counts, *, delta: float, error: float) -> float:
    """Return a lower bound of the ε of (ε, δ)-probabilistic DP, 0 if there is none.

    found, error: as in `bound`. delta: δ in (0, 1), of Pr(|loss| > ε) <= δ.

    Probabilistic DP concerns the loss at each value, which events do not show. The bound uses that
    the loss does not decrease in the value, which holds for GG noise of every order p >= 1 that is
    not clamped. If the probabilities of an interval of bins have a ratio of at least e^r, the loss
    is at least r at all values above it; and likewise below.
    """
    bins = found.shape[1]
    cuts = bins - 1
    widths = list(takewhile(lambda width: width < bins, accumulate(repeat(2), mul, initial=1)))
    start = np.concatenate([np.arange(bins - width + 1) for width in widths])
    stop = np.concatenate([np.arange(width, bins + 1) for width in widths])
    share = error / (2 * len(start) + 4 * cuts)
    low, high = _tails(found, share)
    summed = np.concatenate([[[0], [0]], found.cumsum(axis=1)], axis=1)
    rising, falling = _ratios(summed[:, stop] - summed[:, start], share)
    bound = 0.0
    has_above, has_below = stop < bins, start > 0
    for histogram in (0, 1):
        above = (rising[has_above], low[histogram, stop[has_above] - 1])
        below = (falling[has_below], 1 - high[histogram, start[has_below] - 1])
        levels = np.concatenate([above[0], below[0]])
        lost = _largest(*above, levels) + _largest(*below, levels)
        bound = max(bound, float(levels[lost > delta].max(initial=0.0)))
    return bound


def _tails(found: Counts, error: float) -> tuple[Floats, Floats]:
    """Return bounds of the probability of a value above each threshold, 2 x cuts."""
    above = found[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return clopper_pearson(above, found.sum(axis=1, keepdims=True), error)


def _ratios(within: Counts, error: float) -> tuple[Floats, Floats]:
    """Return lower bounds of ln(Pr'(S) / Pr(S)) and ln(Pr(S) / Pr'(S)), Pr' for the neighbour.

    within: releases of either histogram in each event S, 2 x events.
    """
    low, high = clopper_pearson(within[1], within.sum(axis=0), error)
    with np.errstate(divide="ignore"):
        return np.log(low / (1 - low)), np.log((1 - high) / high)


def _largest(ratios: Floats, tails: Floats, levels: Floats) -> Floats:
    """Return for each level the largest of the tails whose ratio is at least the level, or 0."""
    order = np.argsort(-ratios, kind="stable")
    largest = np.concatenate([[0.0], np.maximum.accumulate(tails[order])])
    result: Floats = largest[np.searchsorted(-ratios[order], -levels, side="right")]
    return result
