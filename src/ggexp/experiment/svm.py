"""Accuracy of support vector machines trained on weighted cells, all on one shared kernel matrix.

The repeats of the adult experiment differ in the cells' weights and in nothing else, so the kernel
between cells, and between test records and cells, is computed once for all of them.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

FloatArray = NDArray[np.floating[Any]]

#: Repeats whose predictions are one matrix product. BLAS rounds according to a product's shape, so
#: repeat k always has column k % BLOCK of a product of exactly this many columns.
BLOCK = 20
#: Megabytes. On a precomputed kernel a larger cache of libsvm is slower: it has nothing to save.
LIBSVM_CACHE = 50
#: Rows of the kernel matrices that are computed at a time, in double precision.
KERNEL_ROWS = 256


class SharedKernelSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, whose training cells change only in weight.

    The same model as scikit-learn's ``SVC(C=cost, gamma=1 / columns, tol=tolerance)`` fitted with
    ``sample_weight`` = the weights: cell i's bound is C_i = cost * weight_i.

    train_points, test_points: float, cells x columns and records x columns.
    train_labels, test_labels: the class of each; the cells must have exactly two classes.
    threads: Python threads that share the matrices; the results do not depend on their number.

    Raises ValueError where shapes disagree or the cells do not have two classes.
    """

    def __init__(
        self,
        train_points: FloatArray,
        train_labels: ArrayLike,
        test_points: FloatArray,
        test_labels: ArrayLike,
        *,
        cost: float = 1.0,
        tolerance: float = 1e-3,
        threads: int = 1,
    ) -> None:
        labels, test = np.asarray(train_labels), np.asarray(test_labels)
        classes = np.unique(labels)
        if len(classes) != 2:
            raise ValueError(f"training cells must have exactly 2 classes, got {classes.tolist()}")
        for what, points, of in (("train", train_points, labels), ("test", test_points, test)):
            if len(points) != len(of):
                raise ValueError(f"{what}: {len(points)} points, but {len(of)} labels")
        self._signs = np.where(labels == classes[1], 1.0, -1.0)
        self._is_positive = test == classes[1]
        self._is_negative = test == classes[0]
        self._cost, self._tolerance, self._threads = cost, tolerance, threads
        gamma = 1 / train_points.shape[1]
        self._kernel = rbf_kernel(train_points, train_points, gamma, np.float64, threads)
        self._test_kernel = rbf_kernel(test_points, train_points, gamma, np.float32, threads)

    def accuracy(self, weights: FloatArray) -> float:
        """Return the share of test records predicted rightly after training on these weights."""
        return float(self.accuracies(lambda _: weights, range(1))[0])

    def accuracies(
        self,
        weights_of: Callable[[int], FloatArray],
        repeats: range,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.float64]:
        """Return the accuracy, in [0, 1], of each of these repeats (consecutive, from 0 or later).

        weights_of: gives a repeat's weights, so that they need not all be held; called in threads.
        progress: called with the repeats done and their number after every block.

        A repeat's accuracy depends on its number and its weights only, to the last bit, not on
        which other repeats are asked for. Weights that leave one class empty predict the other
        class everywhere, so the accuracy is its share of the test records.

        Raises ValueError where a repeat's weights have the wrong shape, are not finite, are
        negative, or are all 0.
        """
        blocks = [
            range(max(start, repeats.start), min(start + BLOCK, repeats.stop))
            for start in range(repeats.start // BLOCK * BLOCK, repeats.stop, BLOCK)
        ]
        results: list[NDArray[np.float64]] = []
        # One BLAS thread each: its rounding depends on their number too.
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(self._threads) as pool:
            for block in pool.map(lambda block: self._block_accuracies(weights_of, block), blocks):
                results.append(block)
                if progress is not None:
                    progress(sum(map(len, results)), len(repeats))
        return np.concatenate(results) if results else np.empty(0)

    def _block_accuracies(
        self, weights_of: Callable[[int], FloatArray], repeats: range
    ) -> NDArray[np.float64]:
        """Return the accuracies of repeats of one block."""
        coefficients = np.zeros((BLOCK, len(self._signs)), dtype=np.float32)
        intercepts = np.zeros(BLOCK)
        for repeat in repeats:
            weights = self._checked(weights_of(repeat), repeat)
            coefficients[repeat % BLOCK], intercepts[repeat % BLOCK] = self._fit(weights)
        decisions = coefficients @ self._test_kernel.T
        columns = [repeat % BLOCK for repeat in repeats]
        above = decisions[columns] > -intercepts[columns, None]
        return np.where(above, self._is_positive, self._is_negative).mean(axis=1)

    def _checked(self, weights: FloatArray, repeat: int) -> FloatArray:
        weights = np.asarray(weights)
        if weights.shape != self._signs.shape:
            raise ValueError(
                f"repeat {repeat}: weights must have shape {self._signs.shape}, got {weights.shape}"
            )
        for allowed, what in ((np.isfinite(weights), "finite"), (weights >= 0, ">= 0")):
            if not allowed.all():
                cell = int(np.argmin(allowed))
                raise ValueError(
                    f"repeat {repeat}: weights must be {what}, got {weights[cell]} in cell {cell}"
                )
        if not weights.any():
            raise ValueError(f"repeat {repeat}: all weights are 0, there is nothing to train on")
        return weights

    def _fit(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """Return the coefficients y * alpha of the cells and the intercept."""
        present = np.unique(self._signs[weights > 0])
        if len(present) == 1:
            return np.zeros(len(self._signs)), float(present[0])
        return libsvm_solution(self._kernel, self._signs, self._cost * weights, self._tolerance)


def libsvm_solution(
    kernel: FloatArray, signs: FloatArray, bounds: FloatArray, tolerance: float
) -> tuple[FloatArray, float]:
    """Return scikit-learn's y * alpha of the cells, 0 <= alpha <= bounds, and its intercept.

    kernel: float64, cells x cells (any other type is copied); signs: +1 or -1, both present among
    the cells whose bound is not 0.
    """
    model = SVC(kernel="precomputed", C=1, tol=tolerance, cache_size=LIBSVM_CACHE)
    model.fit(kernel, signs, sample_weight=bounds)
    # libsvm leaves cells of weight 0 out, and scikit-learn's support_ counts without them (its
    # issue 27763), so that on such weights its own predictions from a precomputed kernel are wrong.
    coefficients = np.zeros(len(signs))
    coefficients[np.flatnonzero(bounds)[model.support_]] = model.dual_coef_[0]
    return coefficients, float(model.intercept_[0])


def majority_accuracy(
    weights: FloatArray, train_labels: ArrayLike, test_labels: ArrayLike
) -> float:
    """Return the share of test records in the class with the largest weight in training.

    Of classes with equal weight the first in sorted order counts.
    """
    classes, index = np.unique(np.asarray(train_labels), return_inverse=True)
    majority = classes[np.bincount(index, weights=weights).argmax()]
    return float(np.mean(np.asarray(test_labels) == majority))


def rbf_kernel(
    points: FloatArray, others: FloatArray, gamma: float, dtype: type[np.floating], threads: int
) -> FloatArray:
    """Return exp(-gamma * |x - z|^2) for x in points (rows) and z in others (columns).

    Distances are computed in double precision by blocks of rows, whatever the dtype of the result.
    """
    kernel = np.empty((len(points), len(others)), dtype=dtype)
    norms = np.einsum("ij,ij->i", points, points)
    other_norms = np.einsum("ij,ij->i", others, others)

    def fill(start: int) -> None:
        rows = slice(start, start + KERNEL_ROWS)
        distances = points[rows] @ others.T
        distances *= -2
        distances += norms[rows, None]
        distances += other_norms
        np.maximum(distances, 0, out=distances)  # rounding can leave it below 0
        distances *= -gamma
        block = kernel[rows]
        block[...] = distances
        np.exp(block, out=block)

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(0, len(points), KERNEL_ROWS)))
    return kernel
