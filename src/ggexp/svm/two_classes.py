"""Support vector machines for two classes, trained on the same cells with different weights.

Repeats of an experiment differ only in the cells' weights. Therefore the kernel between cells, and
between test records and cells, is computed once for all repeats.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ggexp.svm.duals import Indices, WeightedDuals
from ggexp.svm.free_cells import FreeCells
from ggexp.svm.kernel import exact_kernel, middle_value, rbf_kernel
from ggexp.svm.product import ProductKernel
from ggexp.svm.smo import Doubles, Floats
from ggexp.svm.warm_start import WarmStart, limits, solve_warm_start
from ggexp.svm.working_sets import solve_copies, solve_sampled, starts
from ggexp.workload import MAX_FREE_CELLS, are_large

if TYPE_CHECKING:
    from sklearn.svm import SVC

#: The number of test records whose kernel in double precision is in memory at a time.
PREDICTED_RECORDS = 250

logger = logging.getLogger(__name__)


class TwoClassSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, between two classes of cells.

    points, test_points: cells x columns and records x columns.
    signs: +1 or -1 for each cell.
    original: the weights whose solution is the start for all repeats; some cells of either sign
        have a weight above 0.
    held: whether a kernel matrix is held (`classifier.holds_matrix`).
    shared: the attribute `shared` of another instance with equal arguments, which is then not
        recomputed: the kernel and the original's solution, as in `WarmStart`, and the kernel of the
        test records.
    """

    def __init__(
        self,
        points: Doubles,
        signs: Doubles,
        original: Doubles,
        test_points: Doubles,
        *,
        cost: float,
        tolerance: float,
        threads: int,
        held: bool,
        shared: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self._points, self._test_points, self._gamma = points, test_points, 1 / points.shape[1]
        self._cost, self._tolerance, self._held = cost, tolerance, held
        self.shared = shared or self._prepared(signs, original, threads)
        solution = WarmStart(**{name: self.shared[name] for name in WarmStart._fields})
        self._order, self._leading = solution.order, solution.leading
        self._signs, self._lacking = signs[self._order], solution.lacking
        self._share = solution.share
        self._large = are_large(cost * float(original.sum()), len(original))
        self._duals = WeightedDuals(solution, self._signs, tolerance, self._exact_kernel)
        self._test_kernel = self.shared["test_kernel"]
        self._lock = Lock()

    def _exact_kernel(self, cells: Indices, others: Indices) -> Doubles:
        """Return the kernel in double precision between cells, given by positions in `_order`."""
        points, order = self._points, self._order
        return exact_kernel(points[order[cells]], points[order[others]], self._gamma)

    @property
    def leading(self) -> int:
        """The number of leading cells, which one matrix product handles for a block of repeats."""
        return self._leading

    def _prepared(self, signs: Doubles, original: Doubles, threads: int) -> dict[str, NDArray[Any]]:
        """Return the arrays that all SVMs of these cells share."""
        points, test, gamma = self._points, self._test_points, self._gamma
        bounds = self._cost * original
        if not self._held:
            kernel = ProductKernel(points, points, gamma)
            solution = solve_sampled(kernel, points, signs, bounds, self._tolerance)
            return {"test_kernel": np.empty((0, 0), np.float32), **solution._asdict()}
        shift = middle_value(points, gamma)
        matrix = rbf_kernel(points, points, gamma, threads=threads, shift=shift)
        with threadpool_limits(1, "blas"):
            solution = solve_warm_start(matrix, signs, bounds, self._tolerance)
        ordered = points[solution.order]
        test_kernel = rbf_kernel(ordered, test, gamma, threads=threads, shift=shift)
        return {"test_kernel": test_kernel, **solution._asdict()}

    @cached_property
    def _products(self) -> tuple[ProductKernel, ProductKernel]:
        """The kernel between cells, and the kernel between cells and test records."""
        points = self._points[self._order]
        kernel = ProductKernel(points, points, self._gamma)
        return kernel, ProductKernel(points, self._test_points, self._gamma)

    def predicts_positive(self, weights: Doubles, repeats: Sequence[int]) -> NDArray[np.bool_]:
        """Return whether each test record is predicted to be positive: rows x records.

        weights: copies x cells; rows without a repeat are 0.
        repeats: the numbers of the repeats, for messages; repeat k has the row k % rows.

        If the weights leave one class empty, the other class is predicted everywhere. If a copy
        does not converge on the matrix in single precision (`WeightedDuals.solve`), or if there is
        no matrix, it is solved by working sets in double precision. If it does not converge there
        either, scikit-learn solves it.
        """
        bounds = self._cost * weights[:, self._order]
        rows = np.array([repeat % len(weights) for repeat in repeats])
        positive = np.zeros((len(weights), len(self._test_points)), dtype=bool)
        if self._held:
            beta, intercepts, converged = self._duals.solve(bounds)
            positive = self._decisions(beta) + intercepts[:, None] > 0
        else:
            with self._lock:
                beta = self._starts(bounds)
            converged = np.zeros(len(bounds), dtype=bool)
        if not converged.all():
            unsolved = np.flatnonzero(~converged)
            beta[converged], bounds[converged] = 0, 0
            with self._lock:
                kernel, test_kernel = self._products
            solution = solve_copies(kernel, self._signs, bounds, beta, self._tolerance)
            intercepts, converged = solution
            positive[unsolved] = (test_kernel.sums(beta) + intercepts[:, None] > 0)[unsolved]
        for row in rows:
            present = self._signs[weights[row, self._order] > 0]
            if present.size and present.min() == present.max():
                positive[row] = present[0] > 0
        for repeat, row in zip(repeats, rows, strict=True):
            if not converged[row]:
                start = time.monotonic()
                points = self._points[self._order]
                model = library_svm(points, self._signs, bounds[row], self._tolerance)
                # in double precision, because single precision may have prevented convergence
                positive[row] = predicts_positive(model, self._test_points)
                logger.warning(
                    "repeat %d: no convergence, trained by scikit-learn in %.1f s",
                    repeat,
                    time.monotonic() - start,
                )
        return positive

    @cached_property
    def _free(self) -> tuple[Indices, FreeCells] | None:
        """The original's free cells and their equations, if counts are large; otherwise None."""
        cells = np.flatnonzero((self._share > 0) & (self._share < 1))
        if not self._large or not 0 < len(cells) <= MAX_FREE_CELLS:
            return None
        return cells, FreeCells(self._exact_kernel(cells, cells))

    def _starts(self, bounds: Doubles) -> Doubles:
        """Return a feasible beta for each copy, from the original's solution."""
        beta = starts(self._lacking, self._signs, bounds)
        if self._free is None:
            return beta
        cells, free = self._free
        scaled = self._signs * self._share * bounds
        gradients = self._signs[cells] - self._products[0].sums(scaled)[:, cells]
        for k in np.flatnonzero(bounds.any(axis=1)).tolist():
            lower, upper = limits(self._signs[cells], bounds[k, cells])
            optimum = free.optimum(scaled[k, cells], gradients[k], scaled[k].sum(), lower, upper)
            if optimum is not None:
                beta[k], beta[k, cells] = scaled[k], optimum
        return beta

    def _decisions(self, beta: Doubles) -> Floats:
        """Return the decision values of the test records, without the intercepts.

        The leading cells are multiplied for all copies at once. The few other cells with beta != 0
        are multiplied for each copy separately, so that a copy's rounding does not depend on the
        other copies in its block.
        """
        single = beta.astype(np.float32)
        decisions: Floats = single[:, : self._leading] @ self._test_kernel[: self._leading]
        for k, row in enumerate(single[:, self._leading :]):
            if len(cells := np.flatnonzero(row)):
                decisions[k] += row[cells] @ self._test_kernel[self._leading + cells]
        return decisions


def library_svm(points: Doubles, signs: Doubles, bounds: Doubles, tolerance: float) -> "SVC":
    """Return scikit-learn's SVM for the cells whose bound C_i is not 0.

    signs: +1 or -1, both present among those cells. Cells with the bound 0 are left out, because
    scikit-learn's ``support_`` does not count them (its issue 27763).
    """
    from sklearn.svm import SVC  # takes 0.7 s to load and is rarely needed

    present = np.flatnonzero(bounds)
    model = SVC(kernel="rbf", gamma=1 / points.shape[1], C=1, tol=tolerance)
    return model.fit(points[present], signs[present], sample_weight=bounds[present])


def predicts_positive(model: "SVC", points: Doubles) -> NDArray[np.bool_]:
    """Return for each point whether the SVM of `library_svm` predicts the positive class.

    This multiplies matrices; libsvm would process each pair of a point and a support vector
    separately.
    """
    parts = np.array_split(points, -(-len(points) // PREDICTED_RECORDS))
    kernels = (exact_kernel(part, model.support_vectors_, model.gamma) for part in parts)
    sums = [kernel @ model.dual_coef_[0] for kernel in kernels]
    return np.asarray(np.concatenate(sums) + model.intercept_ > 0)
