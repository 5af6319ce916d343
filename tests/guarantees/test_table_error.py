"""Error bounds that hold for every table, and the ε that is needed for a given bound."""

from dataclasses import replace
from decimal import Decimal
from math import exp

import numpy as np
import pytest
from scipy.stats import binom

from ggexp.guarantees.table_error import (
    NEARLY_ZERO,
    epsilon_for_error,
    epsilon_for_tables,
    table_error,
)
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.releases.simulate import noisy_counts, rescale

RNG_SEED = 20261123
#: Shapes of tables with 64 cells. In the flat table, no count is clamped.
TABLES = {
    "sparse": np.repeat([0, 1, 2], [50, 10, 4]),
    "flat": np.full(64, 1000),
    "one large cell": np.repeat([0, 5000], [63, 1]),
}


def count_within(noise, counts, bound, times, rng):
    """Return the numbers of releases whose l1, largest and first errors are within a bound.

    counts: of one table, or of a table for each release.
    """
    cells = counts.shape[-1]
    drawn = noise.sample(rng, times * cells).reshape(times, cells)
    errors = np.abs(np.maximum(counts + drawn, 0) - counts)
    return [
        (each <= bound).sum() for each in (errors.sum(axis=1), errors.max(axis=1), errors[:, 0])
    ]


def check_coverage(noise, errors, bound, times, false_alarm):
    """Check that coverage is as stated for the flat table, and at least as stated for the others.

    Each of the nine comparisons fails with a probability of at most ``false_alarm``.
    """
    rng = np.random.default_rng(RNG_SEED)
    for shape, counts in TABLES.items():
        for number, error in zip(
            count_within(noise, counts, bound, times, rng), errors, strict=True
        ):
            covered = 1 - error.tail(bound)
            assert number >= binom.ppf(false_alarm / 2, times, covered)
            if shape == "flat":
                assert number <= binom.isf(false_alarm / 2, times, covered)


@pytest.mark.parametrize("delta", [None, 0.05])
def test_coverage(delta):
    """False alarms: 2 x 9 comparisons at 1e-6. A scale that is 10 % too small or large fails."""
    needed = epsilon_for_error(cells=64, l1=80, confidence=0.95, delta=delta)
    errors = table_error(needed.noise, 64)
    assert errors.l1.tail(80) == pytest.approx(0.05, abs=1e-5)
    check_coverage(needed.noise, errors, 80, 4000, 1e-6)
    field = "scale" if delta is None else "log_ratio"
    for factor in (0.9, 1.1):
        wrong_noise = replace(needed.noise, **{field: factor * getattr(needed.noise, field)})
        with pytest.raises(AssertionError):
            check_coverage(wrong_noise, errors, 80, 4000, 1e-6)


def test_the_largest_error():
    noise = Canonical(0.7, 0.02)
    largest = table_error(noise, 3).max_error
    p = noise.probabilities
    absolute = np.append(p[0], 2 * p[1:])
    cube = absolute[:, None, None] * absolute[:, None] * absolute
    size = np.maximum.reduce(np.indices(cube.shape))
    for t in range(p.size):
        assert largest.tail(t + 0.5) == pytest.approx(cube[size > t].sum(), abs=1e-15)
    assert largest.mean == pytest.approx((size * cube).sum(), rel=1e-12)
    tails = [largest.tail(t) for t in range(p.size)]
    for odds in (0.99, 0.5, 0.05):
        assert largest.upper_point(odds) == sum(tail > odds for tail in tails)
    assert table_error(Geometric(0.01), 5).max_error.upper_point(0.5) == 0
    with pytest.raises(ValueError, match=r"noise .*whole .*GeneralizedGaussian"):
        table_error(GeneralizedGaussian(1, 2), 64)


def test_coverage_of_rescaled_tables():
    """Coverage is at least the confidence, and the mean of the bound exceeds the mean errors.

    False alarms: 6 comparisons at 1e-6.
    """
    rng = np.random.default_rng(RNG_SEED)
    needed = epsilon_for_error(cells=64, l1=80, confidence=0.9, rescale=True)
    errors = table_error(needed.noise, 64, rescale=True)
    assert errors.l1.tail(80) == pytest.approx(0.1, abs=1e-5)
    assert errors.max_error.tail(40) == errors.l1.tail(80)
    assert errors.l1.upper_point(0.1) == 2 * errors.max_error.upper_point(0.1) == 80
    assert needed.expected == errors.l1.mean == 2 * errors.max_error.mean
    for counts in TABLES.values():
        noisy = noisy_counts(counts, needed.noise, rng, times=4000, total=counts.sum())
        error = np.abs(rescale(noisy, counts.sum()) - counts)
        assert (error.sum(axis=1) <= 80).sum() >= binom.ppf(1e-6, 4000, 0.9)
        assert (error.max(axis=1) <= 40).sum() >= binom.ppf(1e-6, 4000, 0.9)
        assert error.sum(axis=1).mean() < errors.l1.mean


@pytest.mark.parametrize(
    ("cells", "delta", "name", "bound"),
    [
        (1, None, "max_error", 3),
        (64, 0.05, "max_error", 3),
        (64, 0.05, "count_error", 3),
        (64, 1e-4, "l1", 0.3 * 64),
        (10**4, 1e-4, "l1", 2 * 10**4),
    ],
)
def test_epsilon_is_the_smallest_with_six_digits(cells, delta, name, bound):
    needed = epsilon_for_error(cells=cells, confidence=0.9, delta=delta, **{name: bound})
    unit = Decimal(1).scaleb(Decimal(needed.epsilon).adjusted() - 5)
    mechanism = Mechanism(None, needed.calibration)
    for epsilon, is_enough in (
        (needed.epsilon, True),
        (float(Decimal(repr(needed.epsilon)) - unit), False),
    ):
        errors = table_error(mechanism.noise(epsilon=epsilon, delta=delta), cells)
        error = getattr(errors, name)
        assert (error.tail(bound) + 1e-9 <= 1 - 0.9) == is_enough
        if is_enough:
            assert needed.expected == error.mean


@pytest.mark.parametrize("tables", [1, 3])
@pytest.mark.parametrize("bound", [1, 5, 10])
def test_the_epsilon_for_one_count(bound, tables):
    """Geometric noise exceeds t with probability 2 e^(-ε(t+1))/(1 + e^(-ε)), in each table."""
    needed = epsilon_for_tables(tables=[64] * tables, confidence=0.95, count_error=bound).epsilon
    for epsilon, is_enough in ((needed / tables, True), (0.99999 * needed / tables, False)):
        exceeds = 2 * exp(-epsilon * (bound + 1)) / (1 + exp(-epsilon))
        assert (exceeds <= 0.05) == is_enough


def test_every_epsilon_suffices_for_noise_within_a_bound():
    """At δ = 0.25 the noise never exceeds 2, and E|K| is at most 1, at every ε."""
    for bound in ({"max_error": 2}, {"l1": 90}):
        needed = epsilon_for_error(cells=64, confidence=0.95, delta=0.25, **bound)
        assert (needed.epsilon, needed.advantage) == (0, 0.25)
        assert needed.noise == Canonical(NEARLY_ZERO, 0.25)
        assert needed.noise.mean_absolute == pytest.approx(1)
    assert epsilon_for_error(cells=64, confidence=0.95, delta=0.25, max_error=1.9).epsilon > 0
    assert epsilon_for_error(cells=64, confidence=0.95, delta=0.25, l1=60).epsilon > 0


def test_bad_arguments_are_named():
    good = {"cells": 64, "l1": 80, "confidence": 0.95}
    for bad, message in (
        ({"cells": 10**9}, "cells .*at most 100,000,000, got 1000000000"),
        ({"l1": -1}, "l1.* >= 0, got -1"),
        ({"l1": 1e9}, "l1 .*smaller, got 1000000000.0"),
        ({"max_error": 3}, "l1, max_error.*'max_error': 3"),
        ({"confidence": 1 - 1e-7}, "confidence .*at most 0.999999"),
        ({"calibration": "pdp-exact-integer", "order": 2}, "calibration .* pure-integer, .*'pdp-"),
    ):
        with pytest.raises(ValueError, match=message):
            epsilon_for_error(**good | bad)


@pytest.mark.parametrize(
    ("cells", "bound", "delta"),
    [
        ([32, 45, 120], {"l1": 300}, None),
        pytest.param([9] * 20, {"max_error": 20}, 1e-6, marks=pytest.mark.slow),
    ],
)
def test_the_epsilon_of_several_tables(cells, bound, delta):
    """Draws show the confidence, which is exact; the false-alarm probability is 1e-6.

    Noise of a scale that is larger by 5 % is rejected.
    """
    needed = epsilon_for_tables(tables=cells, confidence=0.95, delta=delta, **bound)
    ((name, limit),) = bound.items()
    rng, times = np.random.default_rng(RNG_SEED), 5_000
    noise = needed.noise
    within = {}
    for factor in (1.0, 1.05):
        wider = replace(noise, scale=noise.scale * factor)
        fits = np.ones(times, bool)
        for number in cells:
            drawn = np.abs(wider.sample(rng, times * number).reshape(times, number))
            fits &= (drawn.sum(axis=1) if name == "l1" else drawn.max(axis=1)) <= limit
        within[factor] = fits.sum()
    low, high = binom.ppf([5e-7, 1 - 5e-7], times, 0.95)
    assert low <= within[1.0] <= high
    assert within[1.05] < low
    if delta is None:
        assert needed.epsilon == pytest.approx(len(cells) / noise.scale, rel=1e-5)
    else:
        published = Mechanism(noise.order, "adp-exact-integer")
        calibrated = published.noise(epsilon=needed.epsilon, delta=delta, cells=len(cells))
        assert calibrated.scale <= noise.scale * (1 + 1e-5)
