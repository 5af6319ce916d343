"""Releases of histograms that are not listed: settings, extremes, and errors by hand."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, ks_2samp, laplace

from ggexp import GeneralizedGaussian, Mechanism
from ggexp.datasets.domain import Domain
from ggexp.experiment.accuracy import LibrarySVM, build_classifier, measure_accuracy
from ggexp.experiment.errors import measure_releases
from ggexp.experiment.metrics import LISTED, METRICS, UNLISTED, Metric
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import Release
from ggexp.releases.stability import Stability
from ggexp.releases.threshold import Threshold
from ggexp.releases.unlisted import released_cells, successes

PAPER = 19_440_691_200_000
ORDERS = [1, 1.5, 2, 3]


def point(order=1, rule="pure", epsilon=2.0, delta=None, scale=0.5):
    grid_point = GridPoint("people", "noise", order, rule, epsilon, delta)
    return NoisyPoint(grid_point, GeneralizedGaussian(order, scale))


def measure(*arguments, **more):
    return measure_releases(*arguments, **more, pseudo_count=0.5)


def test_the_threshold_of_the_papers_domain():
    noise = GeneralizedGaussian(1, 1 / 2)
    assert Threshold(PAPER).threshold(noise, None) == pytest.approx(12.3, abs=0.005)
    # by scipy: of all cells, were they empty, 200 exceed it on average
    assert laplace(scale=1 / 2).sf(12.303462) * PAPER == pytest.approx(200, rel=1e-4)
    assert Threshold(PAPER, 50).threshold(noise, None) == pytest.approx(12.303462 + np.log(2))
    assert Threshold(300).threshold(noise, None) == 0  # half of them exceed 0


@pytest.mark.parametrize("order", ORDERS)
def test_thresholds_have_their_tails(order):
    noise = GeneralizedGaussian(order, 1.7)
    at = Threshold(PAPER).threshold(noise, None)
    assert noise.scipy.sf(at) == pytest.approx(200 / PAPER, rel=1e-9)
    for delta in (0.01, 0.25):
        at = Stability(PAPER).threshold(noise, delta)
        assert at == Stability(9).threshold(noise, delta)
        assert noise.scipy.sf(at - 1) == pytest.approx(delta, rel=1e-12)


def test_the_threshold_of_stability_of_laplace_noise():
    for epsilon, delta in ((0.5, 0.01), (2, 0.25)):
        at = Stability(9).threshold(GeneralizedGaussian(1, 1 / epsilon), delta)
        assert at == pytest.approx(1 + np.log(1 / (2 * delta)) / epsilon)


def test_stability_needs_a_delta():
    with pytest.raises(ValueError, match=r"delta.* between 0 and 1"):
        Stability(10).threshold(GeneralizedGaussian(1), None)


@pytest.mark.parametrize("order", ORDERS)
def test_a_release_of_the_papers_domain_takes_little(order):
    """Its memory follows 18,000 cells that are not empty, and 200 others, of 1.9e13."""
    counts = np.ones(18_000, np.int64)
    kind, noise = Threshold(PAPER), GeneralizedGaussian(order, 0.5)
    rng = np.random.default_rng(1)
    tracemalloc.start()
    released = kind.sanitize(counts, noise, rng, None)
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()
    assert 120 < released.places.size < 280  # 200 ± 5.6 standard deviations, false alarm 2e-8
    assert (np.diff(released.places) > 0).all()
    assert 0 <= released.places[0] < released.places[-1] < PAPER - 18_000
    assert released.counts.sum() + released.values.sum() == pytest.approx(18_000)


def test_a_repeat_is_the_same_whoever_asks_for_it():
    counts, kind = np.array([3, 9, 1]), Threshold(10_000)
    first, again, other = (
        kind.release(counts, point(), seed=1, repeat=repeat) for repeat in (0, 0, 1)
    )
    np.testing.assert_array_equal(np.concatenate(first[:3]), np.concatenate(again[:3]))
    assert not np.array_equal(first.values, other.values)


def test_where_nothing_is_released_n_is_spread_over_all_cells():
    counts, kind = np.array([1, 2]), Stability(1000)
    noise = GeneralizedGaussian(1, 0.1)
    released = kind.sanitize(counts, noise, np.random.default_rng(0), 1e-200)
    assert released.places.size == 0
    np.testing.assert_allclose(released.counts, 3 / 1000)
    assert released.elsewhere == 3 / 1000
    # 0.997 + 1.997 of the two cells, and 3/1000 in each of 998 others
    assert METRICS["l1"].of(counts, released) == pytest.approx(0.997 + 1.997 + 998 * 0.003)


def test_l1_by_hand():
    released = Release(np.array([0.0, 6.0]), np.array([4]), np.array([1.5]), 10**13)
    assert METRICS["l1"].of(np.array([2, 5]), released) == 2 + 1 + 1.5


def test_what_is_no_sum_over_cells_is_their_largest_or_unknown():
    largest = Metric("worst", "records", lambda y, s: float(np.abs(s - y).max()), "largest")
    released = Release(np.array([0.0, 6.0]), np.array([4]), np.array([2.5]), 10**13)
    assert largest.of(np.array([2, 5]), released) == 2.5
    evenly = Release(np.array([0.1, 0.1]), rest=18, elsewhere=0.1)
    assert largest.of(np.array([0, 2]), evenly) == 1.9
    unknown = Metric("worst", "records", lambda y, s: float(np.abs(s - y).max()))
    assert [largest.can_measure(UNLISTED), unknown.can_measure(UNLISTED)] == [True, False]
    assert unknown.can_measure(LISTED)


def test_errors_over_all_cells_agree_with_listing_them():
    counts, kind = np.array([4, 1, 7]), Threshold(40)
    table = measure(counts, kind, point(), seed=3, repeats=20)
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


def test_nothing_kept_is_nothing_kept():
    table = measure(np.array([1]), Stability(9), point(delta=1e-300, scale=1e-3), seed=1, repeats=3)
    assert list(table["kept"]) == list(table["added"]) == [0, 0, 0]


def test_where_the_threshold_exceeds_n_an_empty_cell_is_released_like_its_neighbour():
    """With five records in 1,000 cells: Pr(noise > threshold), or > threshold - 1 with a record.

    Their ratio is e^ε. A right release fails with probability 2e-6 over the seeds.
    """
    epsilon, counts, kind = 0.1, np.ones(5, np.int64), Threshold(1000)
    noise, rng = GeneralizedGaussian(1, 1 / epsilon), np.random.default_rng(15)
    at = kind.threshold(noise, None)
    assert at == pytest.approx(9.163, abs=0.001)
    assert at > counts.sum()
    empty, one = noise.scipy.sf([at, at - 1])
    assert one == pytest.approx(empty * np.exp(epsilon))
    releases = [kind.sanitize(counts, noise, rng, None) for _ in range(2000)]
    added = sum(released.places.size for released in releases)
    kept = sum(int(np.count_nonzero(released.counts)) for released in releases)
    assert binomtest(added, 2000 * 995, empty).pvalue > 1e-6
    assert binomtest(kept, 2000 * 5, one).pvalue > 1e-6


def test_stability_leaves_empty_cells_alone():
    counts, noise = np.array([0, 5, 0, 40]), GeneralizedGaussian(2, 3)
    kind, rng = Stability(4), np.random.default_rng(2)
    many = kind.sanitize_times(counts, noise, rng, times=2000, threshold=4, total=45)
    assert not many[:, [0, 2]].any()
    np.testing.assert_allclose(many.sum(axis=1), 45)
    assert 0 < np.count_nonzero(many[:, 1]) < 2000


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", [Threshold(6, 1), Stability(6)])
def test_many_releases_are_distributed_like_single_ones(order, kind):
    """Each cell by a Kolmogorov-Smirnov test at 1e-6: false alarm 5e-5 for all 48."""
    counts, noise, rng = (
        np.array([7, 0, 1, 0, 0, 2]),
        GeneralizedGaussian(order, 2),
        np.random.default_rng(int(10 * order)),
    )
    at = kind.threshold(noise, 0.1)
    many = kind.sanitize_times(counts, noise, rng, times=3000, threshold=at, total=10)
    single = np.zeros((3000, 6))
    held = np.flatnonzero(counts)
    for row in single:
        released = kind.sanitize(counts[held], noise, rng, 0.1)
        row[:] = released.elsewhere
        row[held] = released.counts
        row[np.array([1, 3, 4])[released.places]] = released.values
    for cell in range(6):
        assert ks_2samp(many[:, cell], single[:, cell]).pvalue > 1e-6


@pytest.mark.parametrize(("trials", "probability"), [(0, 0.5), (1, 0.5), (1, 1e-9), (10**15, 0)])
def test_few_trials_or_little_chance(trials, probability):
    with np.errstate(divide="ignore"):
        found = successes(trials, probability, np.random.default_rng(1))
    assert found.dtype == np.int64
    assert (found < trials).all()
    assert found.size <= (probability == 0.5)


@pytest.fixture
def people():
    """Two attributes: a number that tells the class well, and the class."""
    values = {"age": np.arange(0.5, 40), "rich": np.array(["no", "yes"], dtype=object)}
    domain = Domain(values)
    cells = domain.cells(np.arange(80))
    old, rich = cells["age"] > 20, cells["rich"] == "yes"
    cells = cells.assign(count=np.where(old == rich, 25, 1)).iloc[::2].reset_index(drop=True)
    cells = pd.concat([cells, domain.cells(np.arange(41, 80, 2)).assign(count=25)])
    test = pd.DataFrame({"age": [3.5, 5.5, 30.5, 35.5], "rich": ["no", "no", "yes", "yes"]})
    return cells.reset_index(drop=True), test, domain


def test_released_cells_have_their_attributes(people):
    cells, _, domain = people
    held = domain.numbers(cells)
    released = Release(
        np.where(np.arange(len(cells)) < 2, 3.5, 0), np.array([0, 5]), np.array([1.0, 2.0])
    )
    rows = released_cells(cells, held, domain, released)
    assert list(rows["count"]) == [3.5, 3.5, 1, 2]
    assert not {*domain.numbers(rows)[2:]} & {*held}
    evenly = Release(np.full(len(cells), 0.1), elsewhere=0.1)
    assert released_cells(cells, held, domain, evenly).empty


def test_accuracy(people):
    cells, test, domain = people
    svm = build_classifier(cells, test, "rich", listed=False)
    assert isinstance(svm, LibrarySVM)
    assert svm.original_accuracy() == 1
    assert svm.accuracy(cells[cells["rich"] == "yes"]) == 0.5
    first = LibrarySVM(cells, test[:3], "rich")
    assert first.accuracy(cells[:0]) == pytest.approx(2 / 3)  # "no" is first
    b = Mechanism(1, "pure").scale(epsilon=2)
    kind, at = Stability(domain.size), point(delta=0.05, scale=b)
    held, counts = domain.numbers(cells), cells["count"].to_numpy()

    def training(repeat):
        return released_cells(cells, held, domain, kind.release(counts, at, seed=1, repeat=repeat))

    table = measure_accuracy(svm, training, at.point, range(2, 5))
    assert list(table["repeat"]) == [2, 3, 4]
    assert table["accuracy"] == [1, 1, 1]


WHOLE = [Geometric(2.0), Canonical(0.5, 1e-6), DiscreteGeneralizedGaussian(2, 3.0)]


@pytest.mark.parametrize("noise", WHOLE, ids=str)
def test_whole_thresholds_are_the_smallest_numbers_with_their_tails(noise):
    at = Threshold(10**6).threshold(noise, None)
    assert at == int(at)
    assert noise.upper_tail(at) * 10**6 <= 200 < noise.upper_tail(at - 1) * 10**6
    for delta in (0.01, 0.2):
        at = Stability(9).threshold(noise, delta) - 1
        assert noise.upper_tail(at) <= delta < noise.upper_tail(at - 1)
    assert Threshold(300).threshold(noise, None) == 0


@pytest.mark.parametrize("noise", WHOLE, ids=str)
def test_whole_numbers_of_empty_cells(noise):
    """Their number is binomial, within 5 standard deviations; noise that ends gives none beyond."""
    cells, counts, rng = 10**6, np.full(1000, 40), np.random.default_rng(3)
    kind = Threshold(cells)
    at = kind.threshold(noise, None)
    expected = noise.upper_tail(at) * (cells - 1000)
    released = kind.sanitize(counts, noise, rng, None)
    assert abs(released.places.size - expected) <= 5 * np.sqrt(expected)
    assert successes(10**6, 0.0, rng).size == 0
    both = np.concatenate([released.counts, released.values])
    ratios = both / both[both > 0].min()
    assert (both[both > 0] >= 0).all()
    assert released.values.size == 0 or np.allclose(
        ratios * (at + 1), np.rint(ratios * (at + 1)), atol=1e-6
    )


def test_noise_that_never_exceeds_the_threshold_adds_no_cells():
    noise = Canonical(2, 0.25)  # on -1, 0, 1
    kind = Threshold(10**9)
    assert kind.threshold(noise, None) == noise.largest
    released = kind.sanitize(np.array([30, 40]), noise, np.random.default_rng(1), None)
    assert released.places.size == 0
