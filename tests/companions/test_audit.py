"""Lower bounds on a privacy loss: they approach the exact loss, and are as reliable as stated."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from ggexp import GeneralizedGaussian
from ggexp.companions import audit
from ggexp.mechanisms.tails import upper_tail


def test_clopper_pearson():
    successes, trials = np.array([0, 1, 37, 999, 1000]), np.array([1000] * 5)
    for error in (0.025, 1e-7):
        low, high = audit.clopper_pearson(successes, trials, error)
        for k, *bounds in zip(successes, low, high, strict=True):
            exact = binomtest(int(k), 1000).proportion_ci(1 - 2 * error, method="exact")
            assert bounds == pytest.approx([exact.low, exact.high], rel=1e-6)


def expected(order, scale, releases):
    """The mean result of a tally, for noise on a count of 100 or 101 without rescaling."""
    noise = GeneralizedGaussian(order, scale)
    cuts = audit.thresholds(noise, 100)
    above = np.array([[upper_tail(order, (t - c) / scale) for t in cuts] for c in (100, 101)])
    bins = -np.diff(above, axis=1, prepend=1, append=0)
    return np.round(releases * bins).astype(np.int64)


@pytest.mark.parametrize(
    ("order", "scale", "delta"), [(1, 2, 0.05), (1.5, 1.5, 0.1), (2, 3, 0.01), (3, 2, 0.05)]
)
def test_with_very_many_releases_bounds_reach_the_exact_loss(order, scale, delta):
    tallied = expected(order, scale, 10**10)
    exact = GeneralizedGaussian(order, scale).epsilon(delta=delta)
    bound = audit.adp_bound(tallied, delta=delta, error=0.001)
    assert 0.97 * exact < bound < exact
    bound = audit.pdp_bound(tallied, delta=delta, error=0.001)
    exact = pdp_epsilon(order, scale, delta)
    assert 0.85 * exact < bound < exact


def pdp_epsilon(order, scale, delta):
    """The ε with Pr(|loss| > ε) = δ, from the absolute losses on a fine grid of noise."""
    h = 1 / scale
    u = np.linspace(-60, 60, 400_001)
    mass = GeneralizedGaussian(order, 1).scipy.pdf(u) * (u[1] - u[0])
    loss = np.abs(np.abs(u + h) ** order - np.abs(u) ** order)
    by_loss = np.argsort(-loss, kind="stable")
    return loss[by_loss][np.searchsorted(mass[by_loss].cumsum(), delta)]


@pytest.mark.parametrize("bound", [audit.adp_bound, audit.pdp_bound])
def test_a_bound_is_wrong_no_more_often_than_stated(bound):
    """Of 100 audits of Gaussian noise with error 1/2, at most about half exceed the exact ε.

    The false alarm probability is 1e-6. Bonferroni's correction makes wrong bounds much rarer.
    """
    scale, delta, releases = 1.5, 0.1, 2000
    shares = expected(2, scale, 10**12) / 10**12
    shares /= shares.sum(axis=1, keepdims=True)
    adp = GeneralizedGaussian(2, scale).epsilon(delta=delta)
    exact = adp if bound is audit.adp_bound else pdp_epsilon(2, scale, delta)
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(100):
        larger = rng.binomial(2 * releases, 0.5)
        sizes = (2 * releases - larger, larger)
        tallied = np.array([rng.multinomial(n, p) for n, p in zip(sizes, shares, strict=True)])
        wrong += bound(tallied, delta=delta, error=0.5) > exact
    assert wrong < binom.isf(1e-6, 100, 0.5)


def test_each_value_is_counted_once_and_a_threshold_belongs_to_the_bin_below():
    """By the definition: column k counts the values in (cuts[k - 1], cuts[k]]."""
    values, cuts = np.random.default_rng(2).integers(0, 9, (2, 40_000)), np.array([0.0, 2, 2.5, 7])
    tallied = audit.tally(
        lambda counts, rng, times: np.stack([np.zeros(times), values[counts[0], :times]], axis=1),
        (np.array([0]), np.array([1])),
        cuts,
        releases=1000,
        rng=np.random.default_rng(4),
        statistic=lambda released: released[:, 1],
    )
    for row, stored in zip(tallied, values, strict=True):
        drawn = stored[: row.sum()]
        edges = zip([-np.inf, *cuts], [*cuts, np.inf], strict=True)
        assert list(row) == [((low < drawn) & (drawn <= high)).sum() for low, high in edges]
