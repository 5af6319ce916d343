"""Lower bounds on a privacy loss, computed only from releases of two neighbouring histograms.

A coin decides for each release which histogram is released, and the released values between
thresholds are counted. Every bound follows from Clopper-Pearson intervals of such counts. Therefore
the true privacy loss is below the bound with at most the stated probability of error, for any
number of releases. The caller must choose thresholds that do not depend on the releases: see
`thresholds`.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, repeat, takewhile
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
#: A function that releases a histogram: (counts, stream, number) -> a row of counts per release.
Release = Callable[[Counts, np.random.Generator, int], Floats]

MAX_RELEASES_IN_MEMORY = 1 << 14
TAIL_RATIO = 0.95  # the ratio of the tail probabilities of successive thresholds
MIN_TAIL = 1e-4  # a lower limit on the tail probabilities of thresholds


def thresholds(noise: Noise, count: int) -> Floats:
    """Return ascending thresholds t >= 0, including 0, for the released values of a cell.

    noise: the stated noise. count: the cell's count in the smaller of the two histograms.

    The thresholds are count + 1/2 ± `cuts` at the upper tail probabilities 1/2, 0.475, … down to
    1e-4.
    """
    tails = list(
        takewhile(lambda tail: tail > MIN_TAIL, accumulate(chain([0.5], repeat(TAIL_RATIO)), mul))
    )
    quantiles = cuts(noise, tails)
    edges = count + 0.5 + np.concatenate([-quantiles, quantiles, [-count - 0.5]])
    return np.unique(np.maximum(edges, 0))


def cuts(noise: Noise, tails: Sequence[float]) -> Floats:
    """Return the points at which noise has these upper tail probabilities.

    For truncated Laplace noise, unbounded noise has them there, or the point is the bound.
    """
    if isinstance(noise, TruncatedLaplace):
        return np.minimum(-noise.scale * np.log(2 * np.asarray(tails)), noise.bound)
    return np.array([noise.upper_point(tail) for tail in tails])


def first_cell(released: Floats) -> Floats:
    """Return the released counts of the first cell, from rows of released counts."""
    return released[:, 0]


def two_cells(released: Floats) -> Floats:
    """Return the difference of the released counts of the first two cells."""
    return released[:, 0] - released[:, 1]


def tally(
    release: Release,
    histograms: tuple[Counts, Counts],
    cuts: Floats,
    *,
    releases: int,
    rng: np.random.Generator,
    statistic: Callable[[Floats], Floats] = first_cell,
) -> Counts:
    """Return the number of releases between adjacent thresholds, of shape 2 x (cuts + 1).

    release: a function that releases a histogram. histograms: two neighbours, the second with the
    larger first count. releases: the mean number of releases of each histogram; a coin decides for
    each release which one is released. cuts: the ascending thresholds. statistic: a function of
    rows of released counts, one number for each row.
    The first row of the result is for the first histogram. Column k is the number of statistics in
    (cuts[k - 1], cuts[k]].
    """
    of_neighbour = int(rng.binomial(2 * releases, 0.5))
    tallied = np.zeros((2, len(cuts) + 1), np.int64)
    numbers = (2 * releases - of_neighbour, of_neighbour)
    for row, (histogram, number) in enumerate(zip(histograms, numbers, strict=True)):
        for start in range(0, number, MAX_RELEASES_IN_MEMORY):
            size = min(MAX_RELEASES_IN_MEMORY, number - start)
            values = np.sort(statistic(release(histogram, rng, size)))
            # faster than looking up each value, because there are far more values than thresholds
            below = np.searchsorted(values, cuts, side="right")
            tallied[row] += np.diff(below, prepend=0, append=values.size)
    return tallied


def clopper_pearson(successes: Counts, trials: Counts, error: float) -> tuple[Floats, Floats]:
    """Return lower and upper bounds on probabilities, each wrong with probability <= error."""
    from scipy.stats import beta

    failures = trials - successes
    low = beta.ppf(error, np.maximum(successes, 1), failures + 1)
    high = beta.isf(error, successes + 1, np.maximum(failures, 1))
    return np.where(successes > 0, low, 0.0), np.where(failures > 0, high, 1.0)


def bound(tallied: Counts, guarantee: Guarantee, *, delta: float | None, error: float) -> float:
    """Return a lower bound on the ε of a guarantee, at least 0.

    tallied: the result of `tally`. error: the largest probability that the bound is wrong. The
    functions for each guarantee have the same parameters.
    """
    if guarantee is Guarantee.PURE:
        return pure_bound(tallied, error=error)
    delta = checks.open_unit("delta", delta)
    if guarantee is Guarantee.PROBABILISTIC:
        return pdp_bound(tallied, delta=delta, error=error)
    return adp_bound(tallied, delta=delta, error=error)


def pure_bound(tallied: Counts, *, error: float) -> float:
    """Return a lower bound on the ε of ε-DP, at least 0.

    The events S are "above" and "not above" each threshold. ε-DP implies Pr(S) <= e^ε Pr'(S), where
    Pr and Pr' belong to the two histograms in either order. Consider all releases within S. Because
    a coin chose the histograms, the number of these releases from one histogram is binomial, with
    odds Pr(S) / Pr'(S). The intervals hold simultaneously, by Bonferroni's correction.
    """
    above = tallied[:, :0:-1].cumsum(axis=1)[:, ::-1]
    within = np.hstack([above, tallied.sum(axis=1, keepdims=True) - above])
    rising, falling = _ratios(within, error / (2 * within.shape[1]))
    return max(0.0, float(rising.max()), float(falling.max()))


def adp_bound(tallied: Counts, *, delta: float, error: float) -> float:
    """Return a lower bound on the ε of (ε, δ)-approximate DP, at least 0.

    For the same events, approximate DP implies Pr(S) <= e^ε Pr'(S) + δ, and therefore
    ε >= ln((Pr(S) - δ) / Pr'(S)). The intervals of both probabilities hold simultaneously, by
    Bonferroni's correction.
    """
    low, high = _tails(tallied, error / (4 * (tallied.shape[1] - 1)))
    events = [(low, high), (1 - high, 1 - low)]
    extremes = np.array([[event[0][p], event[1][1 - p]] for event in events for p in (0, 1)])
    with np.errstate(divide="ignore"):
        return float(
            np.log(np.maximum(extremes[:, 0] - delta, 0) / extremes[:, 1]).max(initial=0.0)
        )


def pdp_bound(tallied: Counts, *, delta: float, error: float) -> float:
    """Return a lower bound on the ε of (ε, δ)-probabilistic DP, Pr(|loss| > ε) <= δ, at least 0.

    Probabilistic DP limits the loss at each value, but the probabilities of events do not determine
    this loss. The bound assumes that the loss is nondecreasing in the value. This holds for GG
    noise of every order p >= 1 without clamping. If the two probabilities of an interval of bins
    have a ratio of at least e^r, the loss is at least r at all values above the interval. For
    values below an interval, the same holds with the opposite sign.
    """
    bins = tallied.shape[1]
    cuts = bins - 1
    widths = list(takewhile(lambda width: width < bins, accumulate(repeat(2), mul, initial=1)))
    start = np.concatenate([np.arange(bins - width + 1) for width in widths])
    stop = np.concatenate([np.arange(width, bins + 1) for width in widths])
    share = error / (2 * len(start) + 4 * cuts)
    low, high = _tails(tallied, share)
    summed = np.concatenate([[[0], [0]], tallied.cumsum(axis=1)], axis=1)
    rising, falling = _ratios(summed[:, stop] - summed[:, start], share)
    bound = 0.0
    has_above, has_below = stop < bins, start > 0
    for histogram in (0, 1):
        above = (rising[has_above], low[histogram, stop[has_above] - 1])
        below = (falling[has_below], 1 - high[histogram, start[has_below] - 1])
        levels = np.concatenate([above[0], below[0]])
        exceedance = _largest_tails(*above, levels) + _largest_tails(*below, levels)
        bound = max(bound, float(levels[exceedance > delta].max(initial=0.0)))
    return bound


def _tails(tallied: Counts, error: float) -> tuple[Floats, Floats]:
    """Return bounds on the probability of a value above each threshold, of shape 2 x cuts."""
    above = tallied[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return clopper_pearson(above, tallied.sum(axis=1, keepdims=True), error)


def _ratios(within: Counts, error: float) -> tuple[Floats, Floats]:
    """Return lower bounds on ln(Pr'(S) / Pr(S)) and its negative. within: 2 x events S."""
    low, high = clopper_pearson(within[1], within.sum(axis=0), error)
    with np.errstate(divide="ignore"):
        return np.log(low / (1 - low)), np.log((1 - high) / high)


def _largest_tails(ratios: Floats, tails: Floats, levels: Floats) -> Floats:
    """Return, for each level, the largest tail whose ratio is at least the level, or 0."""
    order = np.argsort(-ratios, kind="stable")
    largest = np.concatenate([[0.0], np.maximum.accumulate(tails[order])])
    result: Floats = largest[np.searchsorted(-ratios[order], -levels, side="right")]
    return result
