"""Support vector machines between two classes, trained on many weights of the same cells.

Repeats of an experiment differ in the cells' weights and in nothing else, so the kernel between
cells, and between test records and cells, is computed once for all of them.
"""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ggexp.svm.duals import Places, WeightedDuals
from ggexp.svm.kernel import exact_kernel, middle_value, rbf_kernel
from ggexp.svm.original import Original, solve_original
from ggexp.svm.smo import Doubles, Floats

if TYPE_CHECKING:
    from sklearn.svm import SVC

#: Test records whose kernel in double precision is held at a time.
PREDICTED_ROWS = 250

logger = logging.getLogger(__name__)


class TwoClassSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, between two classes of cells.

    points, test_points: cells x columns and records x columns.
    signs: +1 or -1 of each cell.
    original: the weights from whose solution those of all repeats start; some of either sign are
        not 0.
    shared: the `shared` of another one of the same arguments, so that it is not made again: the
        kernel and the original's solution, as `Original` has them, and the test records' kernel.
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
        shared: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self._points, self._test_points = points, test_points
        self._cost, self._tolerance = cost, tolerance
        self.shared = shared or self._prepared(signs, original, threads)
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

    def _prepared(self, signs: Doubles, original: Doubles, threads: int) -> dict[str, NDArray[Any]]:
        """Return what all machines of these cells share."""
        points, gamma = self._points, 1 / self._points.shape[1]
        shift = middle_value(points, gamma)
        kernel = rbf_kernel(points, points, gamma, threads=threads, shift=shift)
        with threadpool_limits(1, "blas"):
            solution = solve_original(kernel, signs, self._cost * original, self._tolerance)
        ordered, test = points[solution.order], self._test_points
        test_kernel = rbf_kernel(ordered, test, gamma, threads=threads, shift=shift)
        return {"test_kernel": test_kernel, **solution._asdict()}

    def predicts_positive(self, weights: Doubles, repeats: range) -> NDArray[np.bool_]:
        """Return whether each test record is predicted to be positive: rows x records.

        weights: of the cells, a row for each copy; rows beyond those of the repeats are 0.
        repeats: their numbers, for messages; repeat k has the row k % rows.

        Weights that leave one class empty predict the other class everywhere. If the solver does
        not converge (`WeightedDuals.solve`), scikit-learn trains and predicts, in double precision.
        """
        bounds = self._cost * weights[:, self._order]
        beta, intercepts, converged = self._duals.solve(bounds)
        rows = [repeat % len(weights) for repeat in repeats]
        for row in rows:
            present = np.unique(self._signs[bounds[row] > 0])
            if len(present) == 1:
                intercepts[row] = present[0]
        positive = self._decisions(beta) + intercepts[:, None] > 0
        for repeat, row in zip(repeats, rows, strict=True):
            if not converged[row]:
                logger.warning("repeat %d: no convergence, trained by scikit-learn", repeat)
                points = self._points[self._order]
                model = library_machine(points, self._signs, bounds[row], self._tolerance)
                # in double precision: single precision may be why there is no convergence
                positive[row] = predicts_positive(model, self._test_points)
        return positive

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
