"""The accuracy, on the test records, of support vector machines trained on releases."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.progress import reporter
from ggexp.releases.point import NoisyPoint
from ggexp.svm.classifier import SharedKernelSVM, design_matrices, most_chosen
from ggexp.svm.memory import predicted_records
from ggexp.svm.smo import Doubles
from ggexp.svm.two_classes import library_svm, predicts_positive

if TYPE_CHECKING:  # jobs that make no releases do not need them
    from ggexp.datasets.table import Table
    from ggexp.releases.release import Kind

TOLERANCE = 1e-3  # of the stopping criterion, as in the paper


class LibrarySVM:
    """The paper's classifier for releases with different cells, trained by scikit-learn.

    cells, test, target: as in `build_classifier`, with one set of test records.
    """

    def __init__(self, cells: pd.DataFrame, test: pd.DataFrame, target: str) -> None:
        self._cells, self._target = cells, target
        self._test, self._test_weights = distinct_records(test)

    def original_accuracy(self) -> float:
        """Return the share of test records predicted correctly after training on the original."""
        return self.accuracy(self._cells)

    def accuracies(
        self,
        cells_of: Callable[[int], pd.DataFrame],
        repeats: range,
        progress: Callable[[int, int], object],
    ) -> list[float]:
        """Return the accuracy, in [0, 1], for each of the repeats, as `SharedKernelSVM` does.

        cells_of: returns the cells of a repeat, with their attributes and ``count``.
        """
        accuracies: list[float] = []
        for repeat in repeats:
            accuracies.append(self.accuracy(cells_of(repeat)))
            progress(len(accuracies), len(repeats))
        return accuracies

    def accuracy(self, cells: pd.DataFrame) -> float:
        """Return the accuracy of an SVM trained on these cells.

        If all cells have the same class, this class is always predicted. If there are no cells, the
        first class in sorted order is always predicted.
        """
        test, target = self._test, self._target
        labels = cells[target].to_numpy()
        classes = np.unique(labels)
        if classes.size < 2:
            candidates = classes if classes.size else np.unique(test[target])
            return self._share(test[target] == candidates[0])
        weights = cells["count"].to_numpy(np.float64)
        points, test_points = _coded(cells, test, target, weights)
        votes = []
        for negative, positive in combinations(classes, 2):
            signs = 1.0 * (labels == positive) - (labels == negative)
            svm = library_svm(points, signs, np.abs(signs) * weights, TOLERANCE)
            votes.append(predicts_positive(svm, test_points))
        return self._share(test[target] == classes[most_chosen(classes.size, votes)])

    def _share(self, is_correct: pd.Series) -> float:
        """Return the share of test records that are predicted correctly."""
        return float(np.average(is_correct, weights=self._test_weights))


def build_classifier(
    cells: pd.DataFrame,
    test: pd.DataFrame | Sequence[pd.DataFrame],
    target: str,
    *,
    scaled_over: Doubles | None = None,
    threads: int = 1,
    shared: Mapping[str, Sequence[NDArray[Any]]] | None = None,
) -> SharedKernelSVM:
    """Return the paper's classifier of the target, for releases of exactly these cells.

    It is C-SVC with an RBF kernel, gamma = 1 / (number of columns of the points). All repeats share
    the kernel, and each is trained on weights of the cells.

    cells: with their attributes and ``count``. test: the attributes of each test record, or several
        sets of them: accuracies then have a column for each.
    scaled_over: the weights of the cells over which numeric attributes have mean 0 and variance 1;
        by default their counts.
    shared: the attribute `shared` of another classifier with equal arguments. If it is empty or
        None, it is computed.
    """
    counts = cells["count"].to_numpy()
    if isinstance(test, pd.DataFrame):
        records, weights = distinct_records(test)
    else:
        records = pd.concat(test, ignore_index=True)
        weights = np.repeat(np.eye(len(test)), [len(part) for part in test], axis=1)
    if shared:
        (points,), (test_points,) = shared["points"], shared["test_points"]
    else:
        over = counts if scaled_over is None else scaled_over
        points, test_points = _coded(cells, records, target, over)
    return SharedKernelSVM(
        points,
        cells[target],
        counts,
        test_points,
        records[target],
        test_weights=weights,
        tolerance=TOLERANCE,
        threads=threads,
        shared=shared or None,
    )


def classifier_of(
    cells: pd.DataFrame, test: pd.DataFrame, target: str, *, listed: bool, **options: Any
) -> SharedKernelSVM | LibrarySVM:
    """Return the classifier that is trained on releases.

    listed: whether every release has exactly these cells, so that all share a kernel.
    options: for `build_classifier`, if the cells are listed.
    """
    if listed:
        return build_classifier(cells, test, target, **options)
    return LibrarySVM(cells, test, target)


def measure_accuracies(
    classifier: SharedKernelSVM | LibrarySVM,
    table: "Table",
    points: Sequence[NoisyPoint],
    kinds: Sequence["Kind"],
    *,
    seed: int,
    repeats: range,
) -> pd.DataFrame:
    """Return the accuracy for consecutive repeats of each grid point and each kind of release.

    table: the listed cells.
    The columns are dataset, mechanism, epsilon, delta, repeat, accuracy (in [0, 1]). Kinds that
    make records have a column ``method`` before ``repeat``.
    """
    tables = []
    for noisy, kind in product(points, kinds):
        point = noisy.point

        def training(repeat: int, noisy: NoisyPoint = noisy, kind: "Kind" = kind) -> Any:
            released = kind.release(table.counts, noisy, seed=seed, repeat=repeat)
            return kind.training(table, released)

        progress = reporter(f"repeats of {point.path}")
        measured = pd.DataFrame({**point.columns(len(repeats)), "repeat": np.array(repeats)})
        measured["accuracy"] = classifier.accuracies(training, repeats, progress)
        if method := getattr(kind, "method", None):
            measured.insert([*measured].index("repeat"), "method", method)
        tables.append(measured)
    return pd.concat(tables, ignore_index=True)


def distinct_records(test: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.int64] | None]:
    """Return the distinct test records and the number of each, if they are at most half of all.

    Otherwise return the test records unchanged, and None.
    """
    counts = test.groupby([*test], sort=False, observed=True, dropna=False).size()
    if predicted_records(len(test), len(counts)) == len(test):
        return test, None
    return counts.index.to_frame(index=False), np.asarray(counts, np.int64)


def _coded(
    cells: pd.DataFrame, test: pd.DataFrame, target: str, over: Doubles
) -> tuple[Doubles, Doubles]:
    """Return the cells and the test records as points, scaled over these weights of the cells."""
    attributes = cells.drop(columns=[target, "count"])
    return design_matrices(attributes, over, test.drop(columns=target))
