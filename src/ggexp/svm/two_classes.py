"""Support vector machines for two classes, trained on the same cells with different weights.

Repeats of an experiment differ only in the cells' weights. Therefore the kernel between cells, and
between test records and cells, is computed once for all repeats if it fits into memory. Repeats
that do not converge with it, and all repeats without it, are trained by scikit-learn, one by one.
"""

import logging
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ggexp.svm.duals import WeightedDuals
from ggexp.svm.kernel import exact_kernel, middle_value, rbf_kernel
from ggexp.svm.smo import Doubles, Indices, Precision
from ggexp.svm.warm_start import WarmStart, solve_warm_start

if TYPE_CHECKING:
    from sklearn.svm import SVC

#: The number of test records whose kernel in double precision is in memory at a time.
PREDICTED_RECORDS = 250

logger = logging.getLogger(__name__)

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Problem:
    """Cells of two classes, and test records.

    points, test_points: cells x columns and records x columns. signs: +1 or -1 for each cell.
    bounds: the cells' C_i on the original counts; some cells of either sign have one above 0.
    """

    points: Doubles
    signs: Doubles
    bounds: Doubles
    test_points: Doubles
    tolerance: float

    @property
    def gamma(self) -> float:
        """The parameter of the RBF kernel."""
        return 1 / self.points.shape[1]

    def kernel(self, cells: Indices, others: Indices) -> Doubles:
        """Return the kernel between cells, given by their indices, in double precision."""
        return exact_kernel(self.points[cells], self.points[others], self.gamma)

    def ordered(self, order: Indices) -> "Problem":
        """Return the same problem with the cells in another order."""
        ordered = {name: getattr(self, name)[order] for name in ("points", "signs", "bounds")}
        return replace(self, **ordered)

    def warm_start(self, kind: Precision, threads: int) -> WarmStart:
        """Return what all SVMs of these cells share. kind: the precision of the kernels."""
        points, gamma = self.points, self.gamma
        shift = middle_value(points, gamma)
        kernel_of = partial(rbf_kernel, gamma=gamma, kind=kind, threads=threads, shift=shift)
        with threadpool_limits(1, "blas"):
            kernel = kernel_of(points, points)
            solved = solve_warm_start(kernel, self.signs, self.bounds, self.tolerance)
        return solved._replace(test_kernel=kernel_of(points[solved.order], self.test_points))


class TwoClassSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, between two classes of cells.

    start: from `Problem.warm_start`; None if the kernel matrix does not fit into memory.
    """

    def __init__(self, problem: Problem, start: WarmStart | None) -> None:
        self._order = np.arange(len(problem.signs)) if start is None else start.order
        self._problem = ordered = problem.ordered(self._order)
        self._duals = start and WeightedDuals(
            start, ordered.signs, ordered.tolerance, ordered.kernel
        )

    def predicts_positive(self, bounds: Doubles, first: int) -> Booleans:
        """Return whether each test record is predicted to be positive: repeats x records.

        bounds: repeats x cells; rows without a repeat are 0. first: repeat of row 0, for messages.

        If the bounds leave one class empty, the other class is predicted everywhere.
        """
        bounds, signs = bounds[:, self._order], self._problem.signs
        has_positive = bounds[:, signs > 0].any(axis=1)
        has_negative = bounds[:, signs < 0].any(axis=1)
        positive = np.zeros((len(bounds), len(self._problem.test_points)), dtype=bool)
        positive[has_positive & ~has_negative] = True
        unsolved = has_positive & has_negative
        if self._duals and unsolved.any():
            bounds[~unsolved] = 0
            beta, intercepts, converged = self._duals.solve(bounds)
            decisions = self._duals.start.decisions(beta) + intercepts[:, None]
            positive[unsolved] = decisions[unsolved] > 0
            unsolved &= ~converged
        for row in np.flatnonzero(unsolved).tolist():
            positive[row] = self._by_library(bounds[row], first + row)
        return positive

    def _by_library(self, bounds: Doubles, repeat: int) -> Booleans:
        """Return the predictions of scikit-learn's SVM, in double precision, with a message."""
        problem, start = self._problem, time.monotonic()
        model = library_svm(problem.points, problem.signs, bounds, problem.tolerance)
        positive = predicts_positive(model, problem.test_points)
        reason = "no convergence" if self._duals else "no kernel matrix"
        message = "repeat %d: %s, trained by scikit-learn in %.1f s"
        logger.warning(message, repeat, reason, time.monotonic() - start)
        return positive


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

    This multiplies matrices; libsvm would process each pair of point and support vector alone.
    """
    parts = np.array_split(points, -(-len(points) // PREDICTED_RECORDS))
    kernels = (exact_kernel(part, model.support_vectors_, model.gamma) for part in parts)
    sums = [kernel @ model.dual_coef_[0] for kernel in kernels]
    return np.asarray(np.concatenate(sums) + model.intercept_ > 0)
