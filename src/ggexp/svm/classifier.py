"""Accuracy of support vector machines trained on weighted cells, with shared kernel matrices.

Two classes need one SVM. For more classes there is one SVM for each pair of classes, and the class
that most of them choose is predicted, as in scikit-learn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, groupby, zip_longest
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from threadpoolctl import threadpool_limits

from ggexp.svm.memory import BLOCK, held_bytes, kernel_values
from ggexp.svm.smo import Doubles
from ggexp.svm.two_classes import Problem, TwoClassSVM
from ggexp.svm.warm_start import WarmStart


class SharedKernelSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, whose training cells change only in weight.

    The model is that of scikit-learn's ``SVC(C=1, gamma=1 / columns, tol=tolerance)``, fitted with
    the weights as ``sample_weight``: the weight of cell i is its bound C_i.

    train_points, test_points: float, cells x columns and records x columns.
    train_labels, test_labels: the class of each point. Cells whose class has no weight in the
        original are left out.
    original_weights: the cells' counts, whose solution is the start for all repeats.
    test_weights: the number of test records at each test point; None for one record at each. For
        several sets of test records, a row for each set.
    threads: Python threads that share the matrices; the results do not depend on their number.
    shared: the attribute `shared` of another classifier with equal arguments, so that the matrices
        are not recomputed; its arrays may be memory-mapped files.

    The attribute `shared` contains lists of arrays: the coded points and, for each pair of classes,
    the original's solution and the matrices; they are empty if the matrices do not fit into memory.
    Matrices take 4 bytes, or 8 for large counts (`ggexp.svm.memory.held_bytes`), for each pair of
    cells, and for each pair of a test record and a cell: 2 GB for Adult.

    Raises ValueError if fewer than two classes have a weight in the original.
    """

    def __init__(
        self,
        train_points: Doubles,
        train_labels: ArrayLike,
        original_weights: ArrayLike,
        test_points: Doubles,
        test_labels: ArrayLike,
        *,
        test_weights: ArrayLike | None = None,
        tolerance: float = 1e-3,
        threads: int = 1,
        shared: Mapping[str, Sequence[NDArray[Any]]] | None = None,
    ) -> None:
        labels, test = np.asarray(train_labels), np.asarray(test_labels)
        original = _checked(original_weights, "original")
        self._classes = np.unique(labels[original > 0])
        if len(self._classes) < 2:
            raise ValueError(
                "training cells must have at least 2 classes, and weights in them, got "
                f"{np.unique(labels).tolist()} and weights in {self._classes.tolist()}"
            )
        number = {label: position for position, label in enumerate(self._classes)}
        self._test_classes = np.array([number.get(label, -1) for label in test], np.int64)
        weights = np.ones(len(test)) if test_weights is None else test_weights
        self._test_weights = np.asarray(weights, np.float64)
        self._original, self._threads = original, threads
        pairs = list(combinations(self._classes, 2))
        self._pair_cells = [np.flatnonzero(np.isin(labels, pair)) for pair in pairs]
        sizes = [cells.size for cells in self._pair_cells]
        size = held_bytes(kernel_values(sizes, len(test)), float(original.sum()))
        problems = []
        for (_, positive), cells in zip(pairs, self._pair_cells, strict=True):
            signs = np.where(labels[cells] == positive, 1.0, -1.0)
            part = train_points[cells], signs, original[cells]
            problems.append(Problem(*part, test_points, tolerance))
        starts: list[WarmStart] = []
        if size and shared:
            fields = (shared[name] for name in WarmStart._fields)
            starts = [WarmStart(*arrays) for arrays in zip(*fields, strict=True)]
        elif size:
            kind = np.float64 if size == 8 else np.float32
            starts = [problem.warm_start(kind, threads) for problem in problems]
        self._svms = [TwoClassSVM(*pair) for pair in zip_longest(problems, starts)]
        self.shared = {"points": [train_points], "test_points": [test_points]} | {
            name: [getattr(start, name) for start in starts] or [np.empty(0)]
            for name in WarmStart._fields
        }

    def original_accuracy(self) -> float:
        """Return the accuracy, in [0, 1], after training on the original counts."""
        return float(self.accuracies(lambda _: self._original, range(1))[0])

    def accuracies(
        self,
        weights_of: Callable[[int], Doubles],
        repeats: Sequence[int],
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.float64]:
        """Return the accuracy, in [0, 1], of each repeat.

        If there are several sets of test records, the result has the shape repeats x sets.

        repeats: ascending numbers >= 0.
        weights_of: returns a repeat's weights, so that they need not all be in memory; it is called
            in threads.
        progress: called after every block with the numbers of finished repeats and of all repeats.

        The accuracy of a repeat depends only on its number and its weights, to the last bit, and
        not on the other requested repeats. A class whose weights are all 0 is never predicted. If
        only one class is left, the accuracy is the share of this class in the test records.

        Raises ValueError if a repeat's weights are all 0.
        """
        blocks = [[*block] for _, block in groupby(repeats, lambda repeat: repeat // BLOCK)]
        results: list[NDArray[np.float64]] = []
        # One BLAS thread each, because the rounding of BLAS depends on the number of its threads.
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(self._threads) as pool:
            for block in pool.map(lambda block: self._block_accuracies(weights_of, block), blocks):
                results.append(block)
                if progress is not None:
                    progress(sum(map(len, results)), len(repeats))
        return np.concatenate(results) if results else np.empty(0)

    def _block_accuracies(
        self, weights_of: Callable[[int], Doubles], repeats: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return the accuracies of repeats in the same block."""
        weights = np.zeros((BLOCK, len(self._original)))
        for repeat in repeats:
            weights[repeat % BLOCK] = _checked(weights_of(repeat), f"repeat {repeat}")
        first = repeats[0] - repeats[0] % BLOCK
        pairs = zip(self._svms, self._pair_cells, strict=True)
        are_second = (svm.predicts_positive(weights[:, cells], first) for svm, cells in pairs)
        chosen = most_chosen(len(self._classes), are_second)
        rows = [repeat % BLOCK for repeat in repeats]
        right = chosen[rows] == self._test_classes
        # sums of whole numbers, and therefore exact in any order
        return np.asarray(right @ self._test_weights.T / self._test_weights.sum(axis=-1))


def most_chosen(classes: int, chosen: Iterable[NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Return the class that most pairs choose, for each element; the first one in case of a tie.

    chosen: for each pair of classes, in the order of `combinations`, whether it chooses the second.

    If neither class of a pair has cells, the choice between them does not matter: both lose to
    every class with cells, so that some class with cells has more votes.
    """
    votes: list[Any] = [0] * classes
    for (first, second), is_second in zip(combinations(range(classes), 2), chosen, strict=True):
        votes[first] = votes[first] + ~is_second
        votes[second] = votes[second] + is_second
    return np.argmax(votes, axis=0)


def _checked(weights: ArrayLike, source: str) -> Doubles:
    """Return the weights as float64; raise ValueError if all are 0."""
    weights = np.asarray(weights, dtype=np.float64)
    if not weights.any():
        raise ValueError(f"{source}: all weights are 0, there is nothing to train on")
    return weights


def design_matrices(
    train: pd.DataFrame, counts: Doubles, test: pd.DataFrame
) -> tuple[Doubles, Doubles]:
    """Return the training points (cells x columns) and the test points (records x columns).

    The coding is that of R's `e1071::svm(target ~ ., data)`. It determines the distances between
    cells and, through the number of columns, the kernel's gamma.

    `train` has a row for each histogram cell, and `counts` contains the number of records in each;
    `test` has a row for each test record. Both frames have the same attributes, without the target:

    - a numeric attribute (bin midpoints) becomes one column, scaled to mean 0 and variance 1 over
      the training records: cells are weighted by their counts, and the divisor of the variance is
      n - 1. A constant attribute is only centred;
    - any other attribute is categorical: each of its levels in either frame becomes an unscaled
      dummy column. The first categorical attribute keeps all of its levels, and each later one
      drops its first level in sorted order, as in R's formulas without an intercept.

    Source: R's `model.matrix` and `e1071::svm` with `scale = TRUE`.
    """
    if train.columns.empty:
        raise ValueError("classifiers need at least one attribute besides the target")
    if not counts.sum() > 1:
        raise ValueError(f"the training counts must sum to more than 1, got {counts.sum()}")
    blocks: list[list[Doubles]] = []  # of the training and of the test points
    first_categorical = True
    for name in train.columns:
        columns = train[[name]], test[[name]]
        # as in R, logical values are categorical
        if is_numeric_dtype(train[name]) and not is_bool_dtype(train[name]):
            centre, spread = _weighted_moments(train[name].to_numpy(np.float64), counts)
            blocks.append([(part.to_numpy(np.float64) - centre) / spread for part in columns])
        else:
            levels = sorted({*train[name].unique(), *test[name].unique()})
            kept = np.array(levels if first_categorical else levels[1:], dtype=object)
            first_categorical = False
            blocks.append([(part.to_numpy(object) == kept).astype(np.float64) for part in columns])
    train_points, test_points = map(np.hstack, zip(*blocks, strict=True))
    return train_points, test_points


def _weighted_moments(values: Doubles, counts: Doubles) -> tuple[float, float]:
    """Return the mean over the records, and the standard deviation, 1 if it is 0."""
    n = counts.sum()
    with threadpool_limits(1, "blas"):  # the rounding of long sums depends on the number of threads
        mean = float(counts @ values / n)
        variance = float(counts @ (values - mean) ** 2 / (n - 1))
    constant = np.ptp(values[counts > 0]) == 0  # rounding would leave a variance just above 0
    return mean, 1.0 if constant else variance**0.5
