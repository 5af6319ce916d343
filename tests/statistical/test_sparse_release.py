"""The sparse release has the distribution of the one that lists all cells.

On a domain of 60 cells, of which 6 are not empty. A right release fails one of the tests below with
probability at most 4e-5 over the seeds: each of the 21 p-values is held against 2e-6, and must be
below that for a release of another scale or of another number of cells. The seeds are fixed, so a
pass stays a pass.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, chi2, chisquare, ks_2samp, kstest

from ggexp import GeneralizedGaussian
from ggexp.releases.release import Release
from ggexp.releases.threshold import Threshold
from ggexp.releases.unlisted import successes

LEVEL = 2e-6
COUNTS, BINS, RELEASES = np.array([1, 2, 2, 3, 5, 9]), 60, 1500
KIND = Threshold(BINS, expected_empty=6)


@cache
def listed(order, scale):
    """Noise on each of the 60 cells, as the definition has it: a row for each release."""
    noise = GeneralizedGaussian(order, scale)
    counts = np.zeros(BINS)
    counts[: COUNTS.size] = COUNTS
    noisy = counts + noise.scipy.rvs((RELEASES, BINS), random_state=int(10 * order))
    noisy[noisy <= KIND.threshold(noise, None)] = 0
    noisy = np.minimum(noisy, COUNTS.sum())
    nothing = ~noisy.any(axis=1)
    noisy[nothing] = 1
    return noisy / noisy.sum(axis=1, keepdims=True) * COUNTS.sum()


def dense(released: Release, bins=BINS):
    cells = np.full(bins, released.remaining_count)
    cells[: COUNTS.size] = released.counts
    cells[COUNTS.size + released.places] = released.values
    return cells


@dataclass(frozen=True)
class Above(Threshold):
    """Releases above a threshold that is known, whatever the noise."""

    known: float = 0.0

    def threshold(self, noise, delta):
        return self.known


def p_values(noise, cells=BINS, wrong=1.0):
    """Of what tells two sets of releases apart, by tests that know nothing of how they are made."""
    rng = np.random.default_rng(int(10 * noise.order) + 1)
    kind = Above(cells, known=KIND.threshold(noise, None))
    one = listed(noise.order, noise.scale)
    other = GeneralizedGaussian(noise.order, wrong * noise.scale)
    made = [kind.sanitize(COUNTS, other, rng, None) for _ in range(RELEASES)]
    two = np.array([dense(released, cells) for released in made])
    original = np.zeros(max(BINS, cells))
    original[: COUNTS.size] = COUNTS
    empty = slice(COUNTS.size, None)
    pairs = {
        "l1": [np.abs(x - original[: x.shape[1]]).sum(axis=1) for x in (one, two)],
        "added": [np.count_nonzero(x[:, empty], axis=1) for x in (one, two)],
        "kept": [np.count_nonzero(x[:, : COUNTS.size], axis=1) for x in (one, two)],
        "values": [x[:, empty][x[:, empty] > 0] for x in (one, two)],
        "largest": [x[:, empty].max(axis=1) for x in (one, two)],
        "a cell of 3": [x[:, 3] for x in (one, two)],
    }
    found = {name: ks_2samp(*pair).pvalue for name, pair in pairs.items()}
    places = np.count_nonzero(two[:, empty], axis=0)
    found["places"] = chisquare(places).pvalue
    return found


@pytest.mark.parametrize("order", [1, 2, 3])
def test_it_is_the_release_that_lists_all_cells(order):
    noise = GeneralizedGaussian(order, 1.5)
    found = p_values(noise)
    assert len(found) == 7
    assert min(found.values()) > LEVEL, found


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_another_scale_or_domain_is_seen(order):
    noise = GeneralizedGaussian(order, 1.5)
    for changes in ({"wrong": 1.3}, {"wrong": 1 / 1.3}, {"cells": 78}):
        found = p_values(noise, **changes)
        assert found["added"] < LEVEL
        assert found["l1"] < LEVEL


def test_successes_are_binomial_and_uniform_where_a_generators_binomial_loses_digits():
    """Of 1.9e13 trials: their number by its chi-squared dispersion and mean, and their places."""
    trials, rng = 19_440_691_200_000, np.random.default_rng(8)
    for mean in (0.5, 200):
        found = [successes(trials, mean / trials, rng) for _ in range(1000)]
        numbers = np.array([places.size for places in found])
        # a sum of binomials is one: two-sided
        total = binom(1000 * trials, mean / trials)
        assert LEVEL < total.cdf(numbers.sum()) < 1 - LEVEL
        dispersion = ((numbers - mean) ** 2).sum() / mean
        assert LEVEL < chi2(1000).cdf(dispersion) < 1 - LEVEL
        places = np.concatenate(found)
        assert kstest((places + rng.random(places.size)) / trials, "uniform").pvalue > LEVEL
        assert all(np.diff(one).min(initial=1) > 0 for one in found)  # none twice


def test_successes_of_few_trials():
    """All 32 outcomes of 5 trials have their probabilities."""
    rng, weights = np.random.default_rng(3), 2 ** np.arange(5)
    outcomes = [int(weights[successes(5, 0.3, rng)].sum()) for _ in range(10_000)]
    ones = np.array([bin(outcome).count("1") for outcome in range(32)])
    expected = 10_000 * 0.3**ones * 0.7 ** (5 - ones)
    assert chisquare(np.bincount(outcomes, minlength=32), expected).pvalue > LEVEL
