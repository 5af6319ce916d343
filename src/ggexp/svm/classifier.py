"""Accuracy of support vector machines trained on weighted cells, all on one shared kernel matrix.

The repeats of the adult experiment differ in the cells' weights and in nothing else, so the kernel
between cells, and between test records and cells, is computed once for all of them.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from ggexp.svm.duals import Places, WeightedDuals
from ggexp.svm.kernel import exact_kernel, middle_value, rbf_kernel
from ggexp.svm.original import Original, solve_original
from ggexp.svm.smo import Doubles, Floats

if TYPE_CHECKING:
    from sklearn.svm import SVC

#: Repeats whose matrix products are one. BLAS rounds according to a product's shape, so repeat k
#: always has row k % BLOCK of a product of exactly this many rows.
BLOCK = 125

#: Test records whose kernel in double precision is held at a time.
PREDICTED_ROWS = 250

logger = logging.getLogger(__name__)


class SharedKernelSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, whose training cells change only in weight.

    The same model as scikit-learn's ``SVC(C=cost, gamma=1 / columns, tol=tolerance)`` fitted with
    ``sample_weight`` = the weights: cell i's bound is C_i = cost * weight_i.

    train_points, test_points: float, cells x columns and records x columns.
    train_labels, test_labels: the class of each; the cells must have exactly two classes.
    original_weights: the cells' counts, from whose solution those of all repeats start.
    threads: Python threads that share the matrices; the results do not depend on their number.
    shared: another such machine's, of the same arguments, so that its matrices are not made again;
        its arrays may be files that are mapped into memory for reading.

    Its own `shared` are the coded points, the matrices and the original's solution. They take 4
    bytes for each pair of cells and of test record and cell: 2 GB for adult.

    Raises ValueError where shapes disagree or the cells, or those of them that have a weight in the
    original, do not have two classes.
    """

    def __init__(
        self,
        train_points: Doubles,
        train_labels: ArrayLike,
        original_weights: ArrayLike,
        test_points: Doubles,
        test_labels: ArrayLike,
        *,
        cost: float = 1.0,
        tolerance: float = 1e-3,
        threads: int = 1,
        shared: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        labels, test = np.asarray(train_labels), np.asarray(test_labels)
        for what, points, of in (("train", train_points, labels), ("test", test_points, test)):
            if len(points) != len(of):
                raise ValueError(f"{what}: {len(points)} points, but {len(of)} labels")
        original = _checked(original_weights, labels.shape, "original")
        classes = np.unique(labels[original > 0])
        if len(classes) != 2 or len(np.unique(labels)) != 2:
            raise ValueError(
                "training cells must have exactly 2 classes, and weights in both, got "
                f"{np.unique(labels).tolist()} and weights in {classes.tolist()}"
            )
        signs = np.where(labels == classes[1], 1.0, -1.0)
        self._is_positive = test == classes[1]
        self._is_negative = test == classes[0]
        self._points, self._test_points, self._original = train_points, test_points, original
        self._cost, self._tolerance, self._threads = cost, tolerance, threads
        self.shared = self._prepared(signs) if shared is None else shared
        solution = Original(**{name: self.shared[name] for name in Original._fields})
        self._order, self._leading = solution.order, solution.leading
        self._signs = signs[self._order]
        self._duals = WeightedDuals(solution, self._signs, tolerance, self._exact_kernel)
        self._test_kernel = self.shared["test_kernel"]

    def _exact_kernel(self, cells: Places, others: Places) -> Doubles:
        """Return the kernel between cells, by their places in the order, in double precision."""
        points, order = self._points, self._order
        return exact_kernel(points[order[cells]], points[order[others]], 1 / points.shape[1])

    @property
    def leading(self) -> int:
        """The number of cells that are multiplied for all repeats of a block."""
        return self._leading

    def _prepared(self, signs: Doubles) -> dict[str, NDArray[Any]]:
        """Return what all machines of these cells share."""
        points, threads = self._points, self._threads
        gamma = 1 / points.shape[1]
        shift = middle_value(points, gamma)
        kernel = rbf_kernel(points, points, gamma, threads=threads, shift=shift)
        with threadpool_limits(1, "blas"):
            bounds = self._cost * self._original
            solution = solve_original(kernel, signs, bounds, self._tolerance)
        ordered, test = points[solution.order], self._test_points
        test_kernel = rbf_kernel(ordered, test, gamma, threads=threads, shift=shift)
        own = {"points": points, "test_points": test, "test_kernel": test_kernel}
        return {**own, **solution._asdict()}

    def original_accuracy(self) -> float:
        """Return the share of test records predicted rightly after training on the original."""
        return float(self.accuracies(lambda _: self._original, range(1))[0])

    def accuracies(
        self,
        weights_of: Callable[[int], Doubles],
        repeats: range,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.float64]:
        """Return the accuracy, in [0, 1], of each of these repeats (consecutive, from 0 or later).

        weights_of: gives a repeat's weights, so that they need not all be held; called in threads.
        progress: called with the repeats done and their number after every block.

        A repeat's accuracy depends on its number and its weights only, to the last bit, not on
        which other repeats are asked for. Weights that leave one class empty predict the other
        class everywhere, so the accuracy is its share of the test records. Where the solver does
        not converge (`WeightedDuals.solve`), scikit-learn trains and predicts, in double precision.

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
        self, weights_of: Callable[[int], Doubles], repeats: range
    ) -> NDArray[np.float64]:
        """Return the accuracies of repeats of one block."""
        bounds = np.zeros((BLOCK, len(self._signs)))
        for repeat in repeats:
            weights = _checked(weights_of(repeat), self._signs.shape, f"repeat {repeat}")
            bounds[repeat % BLOCK] = self._cost * weights[self._order]
        beta, intercepts, converged = self._duals.solve(bounds)
        for row in (repeat % BLOCK for repeat in repeats):
            present = np.unique(self._signs[bounds[row] > 0])
            if len(present) == 1:
                intercepts[row] = present[0]
        positive = self._decisions(beta) + intercepts[:, None] > 0
        for repeat in repeats:
            row = repeat % BLOCK
            if not converged[row]:
                logger.warning("repeat %d: no convergence, trained by scikit-learn", repeat)
                points = self._points[self._order]
                model = library_machine(points, self._signs, bounds[row], self._tolerance)
                # in double precision: single precision may be why there is no convergence
                positive[row] = predicts_positive(model, self._test_points)
        rows = [repeat % BLOCK for repeat in repeats]
        return np.where(positive[rows], self._is_positive, self._is_negative).mean(axis=1)

    def _decisions(self, beta: Doubles) -> Floats:
        """Return the decisions on the test records, without the intercepts.

        Of all cells the leading ones are multiplied at once, and what few others have beta != 0 for
        each copy alone, so that its rounding does not depend on the others of its block.
        """
        single = beta.astype(np.float32)
        decisions: Floats = single[:, : self._leading] @ self._test_kernel[: self._leading]
        for k, row in enumerate(single[:, self._leading :]):
            if len(others := np.flatnonzero(row)):
                decisions[k] += row[others] @ self._test_kernel[self._leading + others]
        return decisions


def library_machine(points: Doubles, signs: Doubles, bounds: Doubles, tolerance: float) -> "SVC":
    """Return scikit-learn's machine of the cells whose bound C_i is not 0.

    signs: +1 or -1, both present among those cells. The others are left out, as scikit-learn's
    ``support_`` does not count them (its issue 27763).
    """
    from sklearn.svm import SVC  # takes 0.7 s to load, and is rarely needed

    present = np.flatnonzero(bounds)
    model = SVC(kernel="rbf", gamma=1 / points.shape[1], C=1, tol=tolerance)
    return model.fit(points[present], signs[present], sample_weight=bounds[present])


def predicts_positive(model: "SVC", points: Doubles) -> NDArray[np.bool_]:
    """Return for each point whether the machine of `library_machine` predicts the positive class.

    By products of matrices: libsvm takes one pair of a point and a support vector after another.
    """
    parts = np.array_split(points, -(-len(points) // PREDICTED_ROWS))
    kernels = (exact_kernel(part, model.support_vectors_, model.gamma) for part in parts)
    sums = [kernel @ model.dual_coef_[0] for kernel in kernels]
    return np.asarray(np.concatenate(sums) + model.intercept_ > 0)


def majority_accuracy(weights: Doubles, train_labels: ArrayLike, test_labels: ArrayLike) -> float:
    """Return the share of test records in the class with the largest weight in training.

    Of classes with equal weight the first in sorted order counts.
    """
    classes, index = np.unique(np.asarray(train_labels), return_inverse=True)
    majority = classes[np.bincount(index, weights=weights).argmax()]
    return float(np.mean(np.asarray(test_labels) == majority))


def _checked(weights: ArrayLike, shape: tuple[int, ...], what: str) -> Doubles:
    """Return the weights as float64, or raise ValueError where they cannot be trained on."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != shape:
        raise ValueError(f"{what}: weights must have shape {shape}, got {weights.shape}")
    for allowed, range_ in ((np.isfinite(weights), "finite"), (weights >= 0, ">= 0")):
        if not allowed.all():
            cell = int(np.argmin(allowed))
            raise ValueError(
                f"{what}: weights must be {range_}, got {weights[cell]} in cell {cell}"
            )
    if not weights.any():
        raise ValueError(f"{what}: all weights are 0, there is nothing to train on")
    return weights
