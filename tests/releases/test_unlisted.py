"""Releases of histograms with unlisted cells: settings, extremes, and errors by hand."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ggexp import GeneralizedGaussian
from ggexp.companions.audited import simulate_unlisted
from ggexp.datasets.table import Table
from ggexp.experiment.metrics import measure_releases
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import Release
from ggexp.releases.unlisted import Stability, Threshold, successes

PAPER = 19_440_691_200_000
ORDERS = [1, 3]


def point(order=1, rule="pure", epsilon=2.0, delta=None, scale=0.5):
    grid_point = GridPoint("people", "noise", order, rule, epsilon, delta)
    return NoisyPoint(grid_point, GeneralizedGaussian(order, scale))


@pytest.mark.parametrize("order", ORDERS)
def test_thresholds_have_their_tails(order):
    noise = GeneralizedGaussian(order, 1.7)
    threshold = Threshold(PAPER).threshold(noise, None)
    assert noise.scipy.sf(threshold) == pytest.approx(200 / PAPER, rel=1e-9)
    for delta in (0.01, 0.25):
        threshold = Stability(PAPER).threshold(noise, delta)
        assert threshold == Stability(9).threshold(noise, delta)
        assert noise.scipy.sf(threshold - 1) == pytest.approx(delta, rel=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_a_release_of_the_papers_domain_takes_little(order):
    """Memory is proportional to 18,000 non-empty cells and 200 other cells, not to 1.9e13 cells."""
    counts = np.ones(18_000, np.int64)
    kind, noise = Threshold(PAPER, total="public"), GeneralizedGaussian(order, 0.5)
    rng = np.random.default_rng(1)
    tracemalloc.start()
    released = kind.simulate(counts, noise, rng, None)
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()
    assert 120 < released.places.size < 280  # 200 ± 5.6 standard deviations, false alarm 2e-8
    assert (np.diff(released.places) > 0).all()
    assert 0 <= released.places[0] < released.places[-1] < PAPER - 18_000
    assert released.counts.sum() + released.values.sum() == pytest.approx(18_000)


def test_errors_over_all_cells_agree_with_listing_them():
    counts, kind = np.array([4, 1, 7]), Threshold(40)
    options = {"seed": 3, "repeats": range(20), "pseudo_count": 0.5}
    table = measure_releases(counts, kind, [point()], **options)
    for repeat in range(20):
        released = kind.release(counts, point(), seed=3, repeat=repeat)
        all_cells, original = np.zeros(40), np.zeros(40)
        all_cells[:3], original[:3] = released.counts, counts
        all_cells[3 + released.places] = released.values
        assert table["l1"][repeat] == pytest.approx(np.abs(all_cells - original).sum())
        assert table["kept"][repeat] == np.count_nonzero(all_cells[:3])
        assert table["kept_records"][repeat] == counts[all_cells[:3] > 0].sum()
        assert table["added"][repeat] == np.count_nonzero(all_cells[3:])
    assert list(table["repeat"]) == list(range(20))
    # no cells are kept if n is spread evenly
    kind = Stability(9, total="public")
    never_kept = point(delta=1e-300, scale=1e-3)
    table = measure_releases(np.array([1]), kind, [never_kept], **options)
    assert list(table["kept"]) == list(table["added"]) == [0] * 20


def test_stability_releases_no_empty_cells():
    counts, noise = np.array([0, 5, 0, 40]), GeneralizedGaussian(2, 3)
    kind, rng = Stability(4), np.random.default_rng(2)
    released = simulate_unlisted(kind, counts, noise, rng, times=2000, threshold=4, total=45)
    assert not released[:, [0, 2]].any()
    np.testing.assert_allclose(released.sum(axis=1), 45)
    assert 0 < np.count_nonzero(released[:, 1]) < 2000


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", [Threshold(6, 1, total="public"), Stability(6, total="public")])
def test_several_releases_are_distributed_like_single_releases(order, kind):
    """A Kolmogorov-Smirnov test of each cell at level 1e-6; 24 tests have 2e-5 false alarms."""
    counts, noise = np.array([7, 0, 1, 0, 0, 2]), GeneralizedGaussian(order, 2)
    rng = np.random.default_rng(int(10 * order))
    threshold = kind.threshold(noise, 0.1)
    several = simulate_unlisted(kind, counts, noise, rng, times=3000, threshold=threshold, total=10)
    single = np.zeros((3000, 6))
    held = np.flatnonzero(counts)
    for row in single:
        released = kind.simulate(counts[held], noise, rng, 0.1)
        row[:] = released.remaining_count
        row[held] = released.counts
        row[np.array([1, 3, 4])[released.places]] = released.values
    for cell in range(6):
        assert ks_2samp(several[:, cell], single[:, cell]).pvalue > 1e-6


@pytest.mark.parametrize("trials", [1, 2, 5])
def test_likely_trials_all_succeed(trials):
    indices = successes(trials, 1 - 1e-12, np.random.default_rng(1))
    assert indices.tolist() == [*range(trials)]


def test_released_cells_have_their_attributes():
    factors = {"age": np.arange(0.5, 40), "rich": ["no", "yes"]}
    held = np.r_[0:40:2, 41:80:2]
    table = Table(factors, np.unravel_index(held, (40, 2)), np.full(40, 25))
    released = Release(np.where(np.arange(40) < 2, 3.5, 0), np.array([0, 5]), np.array([1.0, 2.0]))
    kind = Threshold(80)
    rows = kind.training(table, released)
    assert list(rows["count"]) == [3.5, 3.5, 1, 2]
    added = map(tuple, rows[[*factors]].iloc[2:].to_numpy(object))
    assert not {*added} & {*map(tuple, table.labels.to_numpy(object))}
    evenly = Release(np.full(40, 0.1), remaining_count=0.1)
    assert kind.training(table, evenly).empty


@pytest.mark.parametrize(
    "noise", [Geometric(2.0), Canonical(0.5, 1e-6), DiscreteGeneralizedGaussian(2, 3.0)], ids=str
)
def test_empty_cells_with_integer_valued_noise(noise):
    """The number of released empty cells is binomial, within 5 standard deviations.

    It is 0 if the noise cannot exceed the threshold. Released counts are whole numbers above it,
    without an upper bound.
    """
    cells, counts, rng = 10**6, np.full(1000, 40), np.random.default_rng(3)
    kind = Threshold(cells)
    threshold = kind.threshold(noise, None)
    expected = noise.upper_tail(threshold) * (cells - 1000)
    released = kind.simulate(counts, noise, rng, None)
    assert abs(released.places.size - expected) <= 5 * np.sqrt(expected)
    assert successes(10**6, 0.0, rng).size == 0
    values = np.concatenate([released.counts, released.values])
    assert (values == np.rint(values)).all()
    assert (values[values > 0] > threshold).all()
    assert np.allclose(released.counts.mean(), 40, atol=5 * noise.sd / np.sqrt(1000))
