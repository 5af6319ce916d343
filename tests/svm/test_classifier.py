"""Accuracies of the shared-kernel SVM against scikit-learn, and their independence of blocks."""

import gc
import logging
import weakref
from collections.abc import Callable
from functools import cache
from itertools import chain

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC

from ggexp.svm import duals, memory, warm_start
from ggexp.svm.classifier import BLOCK, SharedKernelSVM
from ggexp.svm.warm_start import WarmStart

pytestmark = pytest.mark.usefixtures("compiled_solver")

CELLS, RECORDS, COLUMNS = 240, 400, 5
REPEATS = BLOCK + 5
#: Two predictions near the boundary may differ by rounding: at most one of the records.
ONE_RECORD = 1.5 / RECORDS
Labelled = tuple[NDArray, NDArray, NDArray, NDArray]


@cache
def problem() -> Labelled:
    """Return points and labels of overlapping classes: training cells, then test records."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(CELLS + RECORDS, COLUMNS))
    points[:20, :] = points[20:40, :]  # the same attributes in both classes
    noisy = points[:, 0] + points[:, 1] ** 2 + rng.normal(size=len(points)) > 1
    labels = np.where(noisy, "rich", "poor")
    labels[:20], labels[20:40] = "rich", "poor"
    return points[:CELLS], labels[:CELLS], points[CELLS:], labels[CELLS:]


@cache
def four_classes() -> Labelled:
    train, _, test, _ = problem()
    rng = np.random.default_rng(6)
    names = np.array(["north", "east", "south", "west"])

    def labels(points: NDArray) -> NDArray:
        sides = points[:, :2] + rng.normal(0, 0.3, (len(points), 2)) > 0
        return names[sides @ [1, 2]]

    return train, labels(train), test, labels(test)


ORIGINAL = np.random.default_rng(4).integers(1, 4, CELLS).astype(float)


def build(labelled: Labelled, weights: NDArray = ORIGINAL, **options: object) -> SharedKernelSVM:
    train, labels, test, test_labels = labelled
    return SharedKernelSVM(train, labels, weights, test, test_labels, **options)


@cache
def classifier(threads: int = 1) -> SharedKernelSVM:
    return build(problem(), threads=threads)


@cache
def all_accuracies() -> NDArray:
    return classifier().accuracies(weights_of, range(REPEATS))


def accuracy(weights: NDArray) -> float:
    return float(classifier().accuracies(lambda _: weights, range(1))[0])


def weights_of(repeat: int) -> NDArray:
    """Return weights like sanitized counts: a third are 0, the others are not integers."""
    return np.clip(np.random.default_rng([2, repeat]).normal(0.7, 1.5, CELLS), 0, None)


def reference(weights: NDArray, labelled: Labelled | None = None) -> float:
    """Return scikit-learn's accuracy with its own kernel, without the cells of weight 0."""
    train, labels, test, test_labels = labelled or problem()
    kept = weights > 0
    model = SVC(C=1, gamma=1 / train.shape[1], tol=1e-3)
    model.fit(train[kept], labels[kept], sample_weight=weights[kept])
    return float(model.score(test, test_labels))


@cache
def known(repeat: int, labelled: Callable[[], Labelled] = problem) -> float:
    return reference(weights_of(repeat), labelled())


def test_accuracies_are_scikit_learns() -> None:
    repeats = range(0, REPEATS, 6)
    expected = [known(repeat) for repeat in repeats]
    np.testing.assert_allclose(all_accuracies()[repeats], expected, atol=ONE_RECORD)
    assert np.mean(all_accuracies()[repeats] == expected) > 0.9
    assert np.std(expected) > 0
    assert classifier().original_accuracy() == accuracy(ORIGINAL)
    assert accuracy(ORIGINAL) == pytest.approx(reference(ORIGINAL), abs=ONE_RECORD)


def test_a_class_without_weights_is_never_predicted() -> None:
    svm, (labels, test_labels) = build(four_classes()), four_classes()[1::2]
    for kept in (["north", "south", "west"], ["east", "west"], ["south"]):
        weights = np.where(np.isin(labels, kept), weights_of(0), 0)
        alone = np.mean(test_labels == kept[0])
        expected = reference(weights, four_classes()) if len(kept) > 1 else alone
        (value,) = svm.accuracies(lambda _, weights=weights: weights, range(1))
        assert value == pytest.approx(expected, abs=ONE_RECORD)


def test_releases_without_convergence_are_trained_by_scikit_learn(monkeypatch, caplog):
    monkeypatch.setattr(duals, "MAX_ITERATIONS", 2)
    with caplog.at_level(logging.WARNING):
        accuracies = classifier().accuracies(weights_of, range(2, 5))
    assert accuracies.tolist() == [known(k) for k in range(2, 5)]
    assert [record.args[0] for record in caplog.records] == [2, 3, 4]


def test_releases_of_more_counts_than_the_original_converge(caplog):
    """Noise that is cut off at 0 adds to the counts; here a release has 800 times as many."""
    many = [weights_of(repeat) * 4e5 / weights_of(repeat).sum() for repeat in range(4)]
    with caplog.at_level(logging.WARNING):
        accuracies = classifier().accuracies(many.__getitem__, range(4))
    np.testing.assert_allclose(accuracies, [reference(each) for each in many], atol=ONE_RECORD)
    assert not caplog.records  # the test above has some


@pytest.mark.parametrize(("seed", "total"), [(0, 1.5e8), (1, 1.5e9)])
def test_weights_beyond_single_precision_are_predicted_in_double(seed: int, total: float) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (300 + 2000, 2)).astype(float)  # many cells at the same point
    labels = np.where(points.sum(axis=1) + rng.normal(0, 1.5, len(points)) > 4, "rich", "poor")
    weights = rng.integers(1, 10, 300).astype(float)
    labelled = points[:300], labels[:300], points[300:], labels[300:]
    svm = build(labelled, weights)
    weights *= total / weights.sum()
    assert svm.accuracies(lambda _: weights, range(1)) == [reference(weights, labelled)]


@pytest.mark.parametrize(("chunk", "threads"), [(7, 1), (BLOCK + 1, 3)])
def test_same_bits_for_every_chunking_and_number_of_threads(chunk: int, threads: int) -> None:
    parts = [
        classifier(threads).accuracies(weights_of, range(start, min(start + chunk, REPEATS)))
        for start in range(0, REPEATS, chunk)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), all_accuracies())
    for repeats in ([0], [5], [BLOCK], [1, 2, BLOCK - 1, BLOCK + 4, REPEATS - 1]):
        chosen = classifier(threads).accuracies(weights_of, repeats)
        np.testing.assert_array_equal(chosen, all_accuracies()[repeats])


def test_several_sets_of_test_records_have_their_own_accuracies() -> None:
    train, labels, test, test_labels = problem()
    first = np.arange(RECORDS) < 150
    sets = np.array([first, ~first, np.ones(RECORDS)])
    accuracies = build(problem(), test_weights=sets).accuracies(weights_of, range(20))
    for column, kept in zip(accuracies.T, sets > 0, strict=True):
        alone = build((train, labels, test[kept], test_labels[kept]))
        np.testing.assert_array_equal(column, alone.accuracies(weights_of, range(20)))


@pytest.mark.parametrize(("near", "middle"), [(1, 1), (5, 20)])
def test_same_bits_if_cells_beyond_the_leading_ones_matter(near, middle, monkeypatch):
    """The skipped cells do not depend on the requested repeats."""
    monkeypatch.setattr(warm_start, "NEAR_CELLS", near)
    monkeypatch.setattr(warm_start, "MIDDLE_CELLS", middle)
    svm = build(problem())
    cells_beyond: list[int] = []

    def watched(start: WarmStart, beta: NDArray) -> NDArray:
        cells_beyond.extend(np.count_nonzero(beta[:, start.leading :], axis=1))
        return decisions(start, beta)

    decisions = WarmStart.decisions
    monkeypatch.setattr(WarmStart, "decisions", watched)
    together = svm.accuracies(weights_of, range(BLOCK + 9))
    assert max(cells_beyond) > 0
    np.testing.assert_allclose(together[:9], [known(k) for k in range(9)], atol=ONE_RECORD)
    for repeat in (0, BLOCK - 1, BLOCK + 8):
        assert svm.accuracies(weights_of, [repeat]) == together[repeat]


@pytest.mark.parametrize("largest", [0, memory.MAX_MATRICES])
@pytest.mark.parametrize("labelled", [problem, four_classes])
def test_shared_arrays_give_the_same_bits_and_are_freed(labelled, largest, monkeypatch):
    """A reference cycle would keep 2.7 GB for Adult. Without matrices, the arrays are empty."""
    monkeypatch.setattr(memory, "MAX_MATRICES", largest)
    train, labels, test, test_labels = labelled()
    svm = build(labelled())
    accuracies = svm.accuracies(weights_of, range(20))
    expected = [known(k, labelled) for k in range(20)]
    np.testing.assert_allclose(accuracies, expected, atol=ONE_RECORD if largest else 0)
    written = chain(*(part for name, part in svm.shared.items() if "points" not in name))
    assert {array.size > 0 for array in written} == {largest > 0}
    copies = {name: [array.copy() for array in part] for name, part in svm.shared.items()}
    for array in chain(*copies.values()):
        array.flags.writeable = False
    points = copies["points"][0], labels, copies["test_points"][0], test_labels
    other = build(points, shared=copies)
    np.testing.assert_array_equal(other.accuracies(weights_of, range(20)), accuracies)
    arrays = [weakref.ref(array) for array in chain(*svm.shared.values()) if array is not train]
    gc.disable()
    try:
        del svm, array
        assert not [array for array in arrays if array() is not None and array() is not test]
    finally:
        gc.enable()


def test_progress_is_reported_after_every_block() -> None:
    reports: list[tuple[int, int]] = []
    classifier().accuracies(weights_of, range(REPEATS), lambda *done: reports.append(done))
    assert reports == [(done, REPEATS) for done in (BLOCK, REPEATS)]
    assert classifier().accuracies(weights_of, range(0)).shape == (0,)


def test_bad_weights_are_named() -> None:
    train, labels, test, test_labels = problem()
    with pytest.raises(ValueError, match="repeat 4: all weights are 0"):
        classifier().accuracies(lambda _: np.zeros(CELLS), range(4, 5))
    with pytest.raises(ValueError, match=r"at least 2 classes.* \['a'\]"):
        build((train, np.full(CELLS, "a"), test, test_labels))
    with pytest.raises(ValueError, match=r"weights in \['poor'\]"):
        build(problem(), ORIGINAL * (labels == "poor"))
