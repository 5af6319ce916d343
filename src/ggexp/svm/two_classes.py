"""Support vector machines for two classes, trained on the same cells with different weights.

Repeats of an experiment differ only in the cells' weights. Therefore the kernel between cells, and
between test records and cells, is computed once for all repeats. Three strategies train a block of
repeats; each is tried on the repeats on which those before it have not converged.
"""

import logging
import time
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ggexp.svm.duals import WarmStart, WeightedDuals, limits, solve_warm_start
from ggexp.svm.kernel import ProductKernel, exact_kernel, middle_value, rbf_kernel
from ggexp.svm.smo import Doubles, Floats, Indices
from ggexp.svm.working_sets import FreeCells, solve_copies, solve_sampled, starts
from ggexp.workload import MAX_FREE_CELLS, are_large

if TYPE_CHECKING:
    from sklearn.svm import SVC

#: The number of test records whose kernel in double precision is in memory at a time.
PREDICTED_RECORDS = 250

logger = logging.getLogger(__name__)

Booleans = NDArray[np.bool_]
#: What `Strategy.train` returns.
Trained = tuple[Doubles, Booleans, Booleans]


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


class Strategy(Protocol):
    """A way to train on a block of repeats, from the solution on the original counts."""

    def __init__(self, problem: Problem, start: WarmStart) -> None:
        """Cells are in the order of the start."""

    def train(self, bounds: Doubles, beta: Doubles | None, first: int) -> Trained:
        """Return for each repeat beta, the predictions, and whether it has converged.

        bounds: repeats x cells, C_i >= 0; all are 0 for a repeat that is not to be trained.
        beta: repeats x cells, feasible: where the strategy before this one ended.
        first: the number of the repeat in the first row, for messages.
        The predictions are repeats x records: whether a record is predicted to be positive.
        """


class PrecomputedKernel:
    """Train on the kernel matrix in single precision (`WeightedDuals`)."""

    def __init__(self, problem: Problem, start: WarmStart) -> None:
        self._duals = WeightedDuals(start, problem.signs, problem.tolerance, problem.kernel)
        self._leading, self._test_kernel = start.leading, start.test_kernel

    @staticmethod
    def prepare(problem: Problem, threads: int) -> WarmStart:
        """Return the arrays that all SVMs of these cells share."""
        points, gamma = problem.points, problem.gamma
        shift = middle_value(points, gamma)
        matrix = rbf_kernel(points, points, gamma, threads=threads, shift=shift)
        with threadpool_limits(1, "blas"):
            start = solve_warm_start(matrix, problem.signs, problem.bounds, problem.tolerance)
        ordered = points[start.order]
        test_kernel = rbf_kernel(ordered, problem.test_points, gamma, threads=threads, shift=shift)
        return start._replace(test_kernel=test_kernel)

    def train(self, bounds: Doubles, beta: Doubles | None, first: int) -> Trained:
        """Train from the original's solution."""
        beta, intercepts, converged = self._duals.solve(bounds)
        return beta, self._decisions(beta) + intercepts[:, None] > 0, converged

    def _decisions(self, beta: Doubles) -> Floats:
        """Return the decision values of the test records, without the intercepts.

        The leading cells are multiplied for all repeats at once. The few other cells with beta != 0
        are multiplied for each repeat separately, so that a repeat's rounding does not depend on
        the other repeats in its block.
        """
        single = beta.astype(np.float32)
        decisions: Floats = single[:, : self._leading] @ self._test_kernel[: self._leading]
        for k, row in enumerate(single[:, self._leading :]):
            if len(cells := np.flatnonzero(row)):
                decisions[k] += row[cells] @ self._test_kernel[self._leading + cells]
        return decisions


class WorkingSets:
    """Train in double precision, without a kernel matrix (`ggexp.svm.working_sets`)."""

    def __init__(self, problem: Problem, start: WarmStart) -> None:
        self._problem, self._start, self._lock = problem, start, Lock()

    @staticmethod
    def prepare(problem: Problem, threads: int) -> WarmStart:
        """Return the arrays that all SVMs of these cells share."""
        kernel = ProductKernel(problem.points, problem.points, problem.gamma)
        arguments = problem.points, problem.signs, problem.bounds, problem.tolerance
        return solve_sampled(kernel, *arguments)

    @cached_property
    def _kernels(self) -> tuple[ProductKernel, ProductKernel]:
        """The kernel between cells, and the kernel between cells and test records."""
        points, test_points = self._problem.points, self._problem.test_points
        kernel = ProductKernel(points, points, self._problem.gamma)
        return kernel, ProductKernel(points, test_points, self._problem.gamma)

    @cached_property
    def _free(self) -> tuple[Indices, FreeCells] | None:
        """The original's free cells and their equations, if counts are large; otherwise None."""
        alpha, bounds = self._start.relative_alpha, self._problem.bounds
        cells = np.flatnonzero((alpha > 0) & (alpha < 1))
        large = are_large(float(bounds.sum()), len(bounds))
        if not large or not 0 < len(cells) <= MAX_FREE_CELLS:
            return None
        return cells, FreeCells(self._problem.kernel(cells, cells))

    def train(self, bounds: Doubles, beta: Doubles | None, first: int) -> Trained:
        """Train from beta, which is changed in place, or else from the original's solution."""
        with self._lock:  # so that only one thread computes the kernels and the equations
            kernel, test_kernel = self._kernels
            beta = self._starts(bounds) if beta is None else beta
        signs, tolerance = self._problem.signs, self._problem.tolerance
        intercepts, converged = solve_copies(kernel, signs, bounds, beta, tolerance)
        return beta, test_kernel.sums(beta) + intercepts[:, None] > 0, converged

    def _starts(self, bounds: Doubles) -> Doubles:
        """Return a feasible beta for each repeat, from the original's solution."""
        signs = self._problem.signs
        beta = starts(self._start.margin, signs, bounds)
        if self._free is None:
            return beta
        cells, free = self._free
        scaled = signs * self._start.relative_alpha * bounds
        gradients = signs[cells] - self._kernels[0].sums(scaled)[:, cells]
        for k in np.flatnonzero(bounds.any(axis=1)).tolist():
            lower, upper = limits(signs[cells], bounds[k, cells])
            optimum = free.optimum(scaled[k, cells], gradients[k], scaled[k].sum(), lower, upper)
            if optimum is not None:
                beta[k], beta[k, cells] = scaled[k], optimum
        return beta


class Library:
    """Train one repeat after the other by scikit-learn, with a warning for each."""

    def __init__(self, problem: Problem, _: WarmStart) -> None:
        self._problem = problem

    def train(self, bounds: Doubles, beta: Doubles | None, first: int) -> Trained:
        """Train from the beginning."""
        problem = self._problem
        positive = np.zeros((len(bounds), len(problem.test_points)), dtype=bool)
        for row in np.flatnonzero(bounds.any(axis=1)).tolist():
            start = time.monotonic()
            model = library_svm(problem.points, problem.signs, bounds[row], problem.tolerance)
            # in double precision, because single precision may have prevented convergence
            positive[row] = predicts_positive(model, problem.test_points)
            message = "repeat %d: no convergence, trained by scikit-learn in %.1f s"
            logger.warning(message, first + row, time.monotonic() - start)
        return np.zeros_like(bounds), positive, np.ones(len(bounds), dtype=bool)


class TwoClassSVM:
    """C-SVC with an RBF kernel, gamma = 1 / columns, between two classes of cells.

    precomputed: whether there is a kernel matrix (`classifier.precomputes_kernel`).
    start: the attribute `start` of another instance with equal arguments; None to compute it.
    """

    def __init__(
        self, problem: Problem, *, threads: int, precomputed: bool, start: WarmStart | None = None
    ) -> None:
        first = PrecomputedKernel if precomputed else WorkingSets
        self.start = start = start or first.prepare(problem, threads)
        ordered = {
            name: getattr(problem, name)[start.order] for name in ("points", "signs", "bounds")
        }
        self._problem = problem = replace(problem, **ordered)
        kinds: list[type[Strategy]] = [PrecomputedKernel, WorkingSets, Library]
        self._strategies = [kind(problem, start) for kind in kinds[kinds.index(first) :]]

    def predicts_positive(self, bounds: Doubles, first: int) -> Booleans:
        """Return whether each test record is predicted to be positive: repeats x records.

        bounds: repeats x cells; rows without a repeat are 0. first: as in `Strategy.train`.

        If the bounds leave one class empty, the other class is predicted everywhere.
        """
        bounds, signs, beta = bounds[:, self.start.order], self._problem.signs, None
        has_positive = bounds[:, signs > 0].any(axis=1)
        has_negative = bounds[:, signs < 0].any(axis=1)
        positive = np.zeros((len(bounds), len(self._problem.test_points)), dtype=bool)
        positive[has_positive & ~has_negative] = True
        unsolved = has_positive & has_negative
        for strategy in self._strategies:
            if not unsolved.any():
                break
            bounds[~unsolved] = 0
            beta, predicted, converged = strategy.train(bounds, beta, first)
            positive[unsolved] = predicted[unsolved]
            unsolved &= ~converged
            beta[~unsolved] = 0
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

    This multiplies matrices; libsvm would process each pair of a point and a support vector
    separately.
    """
    parts = np.array_split(points, -(-len(points) // PREDICTED_RECORDS))
    kernels = (exact_kernel(part, model.support_vectors_, model.gamma) for part in parts)
    sums = [kernel @ model.dual_coef_[0] for kernel in kernels]
    return np.asarray(np.concatenate(sums) + model.intercept_ > 0)
