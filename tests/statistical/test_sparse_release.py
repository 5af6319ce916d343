"""The sparse release has the same distribution as the release that lists all cells.

The domain has 60 cells, of which 6 are not empty. A correct release fails one of the tests below
with probability at most 4e-5 over random seeds: each of the 21 p-values must exceed 2e-6, and must
be below it for a release with a different scale or number of cells. The seeds are fixed, therefore
a test that passes always passes.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, chi2, chisquare, ks_2samp, kstest

from ggexp import GeneralizedGaussian
from ggexp.releases.release import AS_PRINTED, Release
from ggexp.releases.unlisted import Threshold, successes

LEVEL = 2e-6
COUNTS, BINS, RELEASES = np.array([1, 2, 2, 3, 5, 9]), 60, 1500
KIND = Threshold(BINS, expected_empty=6)


@cache
def listed(order, scale):
    """Return releases with noise on each of the 60 cells, by definition: one row per release."""
    noise = GeneralizedGaussian(order, scale)
    counts = np.zeros(BINS)
    counts[: COUNTS.size] = COUNTS
    noisy = counts + noise.scipy.rvs((RELEASES, BINS), random_state=int(10 * order))
    noisy[noisy <= KIND.threshold(noise, None)] = 0
    noisy = np.minimum(noisy, COUNTS.sum())
    empty = ~noisy.any(axis=1)
    noisy[empty] = 1
    return noisy / noisy.sum(axis=1, keepdims=True) * COUNTS.sum()


def dense(released: Release, bins=BINS):
    cells = np.full(bins, released.remaining_count)
    cells[: COUNTS.size] = released.counts
    cells[COUNTS.size + released.places] = released.values
    return cells


@dataclass(frozen=True)
class FixedThreshold(Threshold):
    """Releases above a fixed threshold, whatever the noise."""

    fixed: float = 0.0

    def threshold(self, noise, delta):
        return self.fixed


def p_values(noise, cells=BINS, wrong=1.0):
    """Return the p-values of tests that compare two sets of releases, however they are made."""
    rng = np.random.default_rng(int(10 * noise.order) + 1)
    kind = FixedThreshold(cells, fixed=KIND.threshold(noise, None), total=AS_PRINTED)
    complete = listed(noise.order, noise.scale)
    sparse_noise = GeneralizedGaussian(noise.order, wrong * noise.scale)
    releases = [kind.simulate(COUNTS, sparse_noise, rng, None) for _ in range(RELEASES)]
    sparse = np.array([dense(released, cells) for released in releases])
    original = np.zeros(max(BINS, cells))
    original[: COUNTS.size] = COUNTS
    empty = slice(COUNTS.size, None)
    pairs = {
        "l1": [np.abs(x - original[: x.shape[1]]).sum(axis=1) for x in (complete, sparse)],
        "added": [np.count_nonzero(x[:, empty], axis=1) for x in (complete, sparse)],
        "kept": [np.count_nonzero(x[:, : COUNTS.size], axis=1) for x in (complete, sparse)],
        "values": [x[:, empty][x[:, empty] > 0] for x in (complete, sparse)],
        "largest": [x[:, empty].max(axis=1) for x in (complete, sparse)],
        "a cell of 3": [x[:, 3] for x in (complete, sparse)],
    }
    values = {name: ks_2samp(*pair).pvalue for name, pair in pairs.items()}
    places = np.count_nonzero(sparse[:, empty], axis=0)
    values["places"] = chisquare(places).pvalue
    return values


@pytest.mark.parametrize("order", [1, 2, 3])
def test_agrees_with_the_release_that_lists_all_cells(order):
    noise = GeneralizedGaussian(order, 1.5)
    values = p_values(noise)
    assert len(values) == 7
    assert min(values.values()) > LEVEL, values


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_another_scale_or_domain_is_detected(order):
    noise = GeneralizedGaussian(order, 1.5)
    for changes in ({"wrong": 1.3}, {"wrong": 1 / 1.3}, {"cells": 78}):
        values = p_values(noise, **changes)
        assert values["added"] < LEVEL
        assert values["l1"] < LEVEL


def test_successes_are_binomial_and_uniform_for_many_trials():
    """With 1.9e13 trials, for which the binomial numbers of a generator lose digits.

    The number of successes is tested by its mean and chi-squared dispersion, the places by their
    distribution.
    """
    trials, rng = 19_440_691_200_000, np.random.default_rng(8)
    for mean in (0.5, 200):
        samples = [successes(trials, mean / trials, rng) for _ in range(1000)]
        numbers = np.array([places.size for places in samples])
        # two-sided test: the sum of binomial numbers is binomial
        total = binom(1000 * trials, mean / trials)
        assert LEVEL < total.cdf(numbers.sum()) < 1 - LEVEL
        dispersion = ((numbers - mean) ** 2).sum() / mean
        assert LEVEL < chi2(1000).cdf(dispersion) < 1 - LEVEL
        places = np.concatenate(samples)
        assert kstest((places + rng.random(places.size)) / trials, "uniform").pvalue > LEVEL
        assert all(np.diff(sample).min(initial=1) > 0 for sample in samples)


def test_successes_of_few_trials():
    """All 32 outcomes of 5 trials have their probabilities."""
    rng, weights = np.random.default_rng(3), 2 ** np.arange(5)
    outcomes = [int(weights[successes(5, 0.3, rng)].sum()) for _ in range(10_000)]
    ones = np.array([bin(outcome).count("1") for outcome in range(32)])
    expected = 10_000 * 0.3**ones * 0.7 ** (5 - ones)
    assert chisquare(np.bincount(outcomes, minlength=32), expected).pvalue > LEVEL
