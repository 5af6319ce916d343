"""Accuracies of the shared-kernel SVM against scikit-learn, and their independence of blocks."""

import gc
import logging
import weakref
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC

from ggexp.svm import classifier as module
from ggexp.svm import duals, warm_start, working_sets
from ggexp.svm.classifier import BLOCK, SharedKernelSVM, majority_accuracy
from ggexp.svm.kernel import rbf_kernel
from ggexp.svm.two_classes import PrecomputedKernel, library_svm, predicts_positive

pytestmark = pytest.mark.usefixtures("compiled_solver")

CELLS, RECORDS, COLUMNS = 240, 400, 5
REPEATS = BLOCK * 2 + 3


@cache
def problem() -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return points and labels of overlapping classes: training cells, then test records."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(CELLS + RECORDS, COLUMNS))
    points[:20, :] = points[20:40, :]  # the same attributes in both classes
    noisy = points[:, 0] + points[:, 1] ** 2 + rng.normal(size=len(points)) > 1
    labels = np.where(noisy, "rich", "poor")
    labels[:20], labels[20:40] = "rich", "poor"
    return points[:CELLS], labels[:CELLS], points[CELLS:], labels[CELLS:]


ORIGINAL = np.random.default_rng(4).integers(1, 4, CELLS).astype(float)


@cache
def classifier(threads: int = 1) -> SharedKernelSVM:
    """Return the tested classifier for that problem."""
    train, labels, test, test_labels = problem()
    return SharedKernelSVM(train, labels, ORIGINAL, test, test_labels, threads=threads)


def accuracy(weights: NDArray) -> float:
    """Return the accuracy of one repeat with these weights."""
    return float(classifier().accuracies(lambda _: weights, range(1))[0])


def weights_of(repeat: int) -> NDArray:
    """Return weights like sanitized counts: a third are 0, the others are not integers."""
    return np.clip(np.random.default_rng([2, repeat]).normal(0.7, 1.5, CELLS), 0, None)


def reference(weights: NDArray) -> float:
    """Return scikit-learn's accuracy with its own kernel, without the cells of weight 0."""
    train, labels, test, test_labels = problem()
    kept = weights > 0
    model = SVC(C=1, gamma=1 / COLUMNS, tol=1e-3)
    model.fit(train[kept], labels[kept], sample_weight=weights[kept])
    return float(model.score(test, test_labels))


def test_accuracies_are_scikit_learns() -> None:
    accuracies = all_accuracies()
    expected = [reference(weights_of(repeat)) for repeat in range(REPEATS)]
    assert accuracies.shape == (REPEATS,)
    np.testing.assert_allclose(accuracies, expected, atol=1.5 / RECORDS)
    assert np.mean(accuracies == expected) > 0.9
    assert np.std(accuracies) > 0


def test_a_weight_is_a_number_of_records() -> None:
    train, labels, test, test_labels = problem()
    counts = np.random.default_rng(3).integers(0, 5, CELLS)
    expanded = SVC(C=1, gamma=1 / COLUMNS).fit(train.repeat(counts, 0), labels.repeat(counts))
    assert accuracy(counts) == pytest.approx(expanded.score(test, test_labels), abs=0.003)


def test_original_accuracy() -> None:
    assert classifier().original_accuracy() == accuracy(ORIGINAL)
    assert classifier().original_accuracy() == pytest.approx(reference(ORIGINAL), abs=0.003)


def test_copies_without_convergence_are_logged_and_solved_by_scikit_learn(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(duals, "MAX_ITERATIONS", 2)
    monkeypatch.setattr(working_sets, "MAX_ROUNDS", 0)
    with caplog.at_level(logging.WARNING):
        accuracies = classifier().accuracies(weights_of, range(2, 5))
    np.testing.assert_array_equal(accuracies, [reference(weights_of(k)) for k in range(2, 5)])
    assert [record.args[0] for record in caplog.records] == [2, 3, 4]


def test_copies_without_convergence_in_single_precision_are_solved_in_double(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(duals, "MAX_ITERATIONS", 2)
    accuracies = classifier().accuracies(weights_of, range(2, 5))
    expected = [reference(weights_of(k)) for k in range(2, 5)]
    np.testing.assert_allclose(accuracies, expected, atol=1.5 / RECORDS)
    assert not caplog.records


@pytest.mark.parametrize("total", [1.5e8, 1.5e9])
@pytest.mark.parametrize("seed", range(3))
def test_weights_beyond_single_precision_are_predicted_in_double(seed: int, total: float) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (300 + 2000, 2)).astype(float)  # many cells at the same point
    labels = np.where(points.sum(axis=1) + rng.normal(0, 1.5, len(points)) > 4, "rich", "poor")
    weights = rng.integers(1, 10, 300).astype(float)
    train, test = (points[:300], labels[:300]), (points[300:], labels[300:])
    classifier = SharedKernelSVM(*train, weights, *test)
    weights *= total / weights.sum()
    model = SVC(C=1, gamma=1 / 2, tol=1e-3).fit(*train, sample_weight=weights)
    assert classifier.accuracies(lambda _: weights, range(1)) == [model.score(*test)]


@cache
def all_accuracies() -> NDArray:
    """Return the accuracies of all repeats, computed at once."""
    return classifier().accuracies(weights_of, range(REPEATS))


@pytest.mark.parametrize(("chunk", "threads"), [(7, 1), (BLOCK + 1, 1), (BLOCK, 3), (REPEATS, 3)])
def test_same_bits_for_every_chunking_and_number_of_threads(chunk: int, threads: int) -> None:
    parts = [
        classifier(threads).accuracies(weights_of, range(start, min(start + chunk, REPEATS)))
        for start in range(0, REPEATS, chunk)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), all_accuracies())


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("repeat", [0, 5, BLOCK - 1, BLOCK, REPEATS - 1])
def test_same_bits_of_a_repeat_alone(repeat: int, threads: int) -> None:
    alone = classifier(threads).accuracies(weights_of, range(repeat, repeat + 1))
    assert alone == all_accuracies()[repeat]


def test_gaps_between_repeats_change_no_bits() -> None:
    repeats = [1, 2, BLOCK - 1, BLOCK + 4, REPEATS - 1]
    chosen = classifier().accuracies(weights_of, repeats)
    np.testing.assert_array_equal(chosen, all_accuracies()[repeats])


def test_several_sets_of_test_records_have_their_own_accuracies() -> None:
    train, labels, test, test_labels = problem()
    first = np.arange(RECORDS) < 150
    sets = np.array([first, ~first, np.ones(RECORDS)])
    together = SharedKernelSVM(train, labels, ORIGINAL, test, test_labels, test_weights=sets)
    accuracies = together.accuracies(weights_of, range(20))
    for column, kept in zip(accuracies.T, sets > 0, strict=True):
        alone = SharedKernelSVM(train, labels, ORIGINAL, test[kept], test_labels[kept])
        np.testing.assert_array_equal(column, alone.accuracies(weights_of, range(20)))


@pytest.mark.parametrize(("near", "middle"), [(1, 1), (5, 20), (100, 100)])
def test_same_bits_if_cells_beyond_the_leading_ones_matter(
    near: int, middle: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The skipped cells do not depend on the requested repeats."""
    monkeypatch.setattr(warm_start, "NEAR_CELLS", near)
    monkeypatch.setattr(warm_start, "MIDDLE_CELLS", middle)
    train, labels, test, test_labels = problem()
    svm = SharedKernelSVM(train, labels, ORIGINAL, test, test_labels)
    cells_beyond: list[int] = []

    def watched(strategy: PrecomputedKernel, beta: NDArray) -> NDArray:
        cells_beyond.extend(np.count_nonzero(beta[:, strategy._leading :], axis=1))
        return decisions(strategy, beta)

    decisions = PrecomputedKernel._decisions
    monkeypatch.setattr(PrecomputedKernel, "_decisions", watched)
    together = svm.accuracies(weights_of, range(BLOCK + 9))
    assert np.mean(np.array(cells_beyond) > 0) > 0
    np.testing.assert_allclose(
        together[:9], [reference(weights_of(k)) for k in range(9)], atol=1.5 / RECORDS
    )
    for repeat in (0, 5, BLOCK - 1, BLOCK, BLOCK + 8):
        alone = svm.accuracies(weights_of, range(repeat, repeat + 1))
        np.testing.assert_array_equal(alone, together[repeat : repeat + 1])


def test_a_classifier_of_shared_arrays_gives_the_same_bits() -> None:
    _, labels, _, test_labels = problem()
    shared = {name: array.copy() for name, array in classifier().shared.items()}
    for array in shared.values():
        array.flags.writeable = False
    points = (shared["points"], labels, ORIGINAL, shared["test_points"], test_labels)
    other = SharedKernelSVM(*points, shared=shared)
    expected = classifier().accuracies(weights_of, range(20))
    np.testing.assert_array_equal(other.accuracies(weights_of, range(20)), expected)
    assert other.original_accuracy() == classifier().original_accuracy()


@pytest.mark.parametrize("largest_sum", [0, 25_000])
def test_matrices_are_freed_without_a_garbage_collection(
    largest_sum: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reference cycle would keep 2.7 GB for Adult."""
    monkeypatch.setattr(module, "MAX_BOUND_SUM", largest_sum)
    train, labels, test, test_labels = problem()
    svm = SharedKernelSVM(train, labels, ORIGINAL, test, test_labels)
    svm.accuracies(weights_of, range(2))
    arrays = [weakref.ref(array) for array in svm.shared.values() if array is not train]
    assert (svm.shared["kernel"].size > 0) == (largest_sum > 0)
    gc.disable()
    try:
        del svm
        assert not [array for array in arrays if array() is not None and array() is not test]
    finally:
        gc.enable()


def test_progress_is_reported_after_every_block() -> None:
    reports: list[tuple[int, int]] = []
    classifier().accuracies(weights_of, range(REPEATS), lambda *done: reports.append(done))
    assert reports == [
        (BLOCK, REPEATS),
        (2 * BLOCK, REPEATS),
        (REPEATS, REPEATS),
    ]
    assert classifier().accuracies(weights_of, range(0)).shape == (0,)


@pytest.mark.parametrize("kept", ["poor", "rich"])
def test_if_one_class_is_empty_the_other_is_predicted_everywhere(kept: str) -> None:
    _, labels, _, test_labels = problem()
    weights = np.where(labels == kept, 1.5, 0)
    assert accuracy(weights) == np.mean(test_labels == kept)


def test_all_weight_on_one_cell_predicts_its_class() -> None:
    _, labels, _, test_labels = problem()
    weights = np.zeros(CELLS)
    weights[50] = 20009.0
    assert accuracy(weights) == np.mean(test_labels == labels[50])


@pytest.mark.parametrize(
    ("cell", "value", "message"),
    [
        (3, np.nan, "repeat 4: weights must be finite, got nan in cell 3"),
        (3, np.inf, "repeat 4: weights must be finite, got inf in cell 3"),
        (3, -0.5, "repeat 4: weights must be >= 0, got -0.5 in cell 3"),
        (slice(None), 0, "repeat 4: all weights are 0"),
    ],
)
def test_bad_weights_are_named(cell: int | slice, value: float, message: str) -> None:
    weights = np.ones(CELLS)
    weights[cell] = value
    with pytest.raises(ValueError, match=message):
        classifier().accuracies(lambda _: weights, range(4, 5))


def test_wrong_shapes_are_named() -> None:
    train, labels, test, test_labels = problem()
    with pytest.raises(ValueError, match=r"weights must have shape \(240,\), got \(3,\)"):
        accuracy(np.ones(3))
    with pytest.raises(ValueError, match=r"original: weights must have shape \(240,\), got \(9,\)"):
        SharedKernelSVM(train, labels, np.ones(9), test, test_labels)
    with pytest.raises(ValueError, match="train: 239 points, but 240 labels"):
        SharedKernelSVM(train[1:], labels, ORIGINAL, test, test_labels)
    with pytest.raises(ValueError, match=r"at least 2 classes.* \['a'\]"):
        SharedKernelSVM(train, np.full(CELLS, "a"), ORIGINAL, test, test_labels)
    with pytest.raises(ValueError, match=r"weights in \['poor'\]"):
        SharedKernelSVM(train, labels, ORIGINAL * (labels == "poor"), test, test_labels)


@cache
def four_classes() -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return the points of `problem` with four classes."""
    train, _, test, _ = problem()
    rng = np.random.default_rng(6)
    names = np.array(["north", "east", "south", "west"])

    def labels(points: NDArray) -> NDArray:
        sides = points[:, :2] + rng.normal(0, 0.3, (len(points), 2)) > 0
        return names[sides @ [1, 2]]

    return train, labels(train), test, labels(test)


def library_predictions(weights: NDArray) -> NDArray:
    """Return scikit-learn's predictions of four classes."""
    train, labels, test, _ = four_classes()
    kept = weights > 0
    model = SVC(C=1, gamma=1 / COLUMNS, tol=1e-3)
    return model.fit(train[kept], labels[kept], sample_weight=weights[kept]).predict(test)


def test_several_classes_are_predicted_as_by_scikit_learn() -> None:
    train, labels, test, test_labels = four_classes()
    classifier = SharedKernelSVM(train, labels, ORIGINAL, test, test_labels)
    accuracies = classifier.accuracies(weights_of, range(30))
    expected = [
        np.mean(library_predictions(weights_of(repeat)) == test_labels) for repeat in range(30)
    ]
    np.testing.assert_allclose(accuracies, expected, atol=1.5 / RECORDS)
    assert np.mean(accuracies == expected) > 0.8
    shared = {name: array.copy() for name, array in classifier.shared.items()}
    again = SharedKernelSVM(train, labels, ORIGINAL, test, test_labels, shared=shared)
    np.testing.assert_array_equal(again.accuracies(weights_of, range(30)), accuracies)


@pytest.mark.parametrize("kept", [["north", "south", "west"], ["east", "west"], ["south"]])
def test_a_class_without_weights_is_never_predicted(kept: list[str]) -> None:
    train, labels, test, test_labels = four_classes()
    classifier = SharedKernelSVM(train, labels, ORIGINAL, test, test_labels)
    weights = np.where(np.isin(labels, kept), weights_of(0), 0)
    expected = library_predictions(weights) if len(kept) > 1 else kept[0]
    accuracy = classifier.accuracies(lambda _: weights, range(1))[0]
    assert accuracy == pytest.approx(np.mean(expected == test_labels), abs=1.5 / RECORDS)


def test_matrix_products_and_libsvm_predict_the_same() -> None:
    train, labels, test, _ = problem()
    model = library_svm(train, np.where(labels == "rich", 1.0, -1.0), weights_of(0), 1e-3)
    predicted = predicts_positive(model, test)
    assert predicted.tolist() == (model.predict(test) > 0).tolist()
    assert 0 < predicted.sum() < len(test)


def test_majority_is_by_weight() -> None:
    labels, test = ["a", "b", "a"], ["b", "b", "b", "a"]
    assert majority_accuracy(np.array([1.0, 3.0, 1.0]), labels, test) == 0.75
    assert majority_accuracy(np.array([2.0, 3.0, 2.0]), labels, test) == 0.25


def test_kernel_is_the_rbf_kernel() -> None:
    train, _, test, _ = problem()
    distances = ((test[:, None] - train[None]) ** 2).sum(axis=-1)
    kernel = rbf_kernel(test, train, 0.2, threads=2)
    np.testing.assert_allclose(kernel, np.exp(-0.2 * distances), rtol=1e-5)
    np.testing.assert_allclose(np.diag(rbf_kernel(train, train, 0.2, threads=1)), 1, atol=1e-6)
