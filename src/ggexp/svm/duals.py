"""Solve many support vector machines that differ only in their cells' bounds.

Most cells of a noisy copy have the same state as in the original: at their bound or at 0. Only the
cells near the margin may change sides. Therefore a copy starts from the original's shares
alpha_i / C_i, and one Newton step sets the cells near the margin. The solver then runs on those
cells, whose kernel matrix fits into fast memory, next on more cells, and finally on all. For the
Adult cells this takes about 830, 930 and 55 iterations; on all cells alone it takes 6,500
iterations from 0, or 3,800 from the rescaled original.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.smo import Doubles, Floats, Indices, exact_gradient, intercept, limits, solve
from ggexp.svm.warm_start import MAX_ITERATIONS, WarmStart, read_only

#: The largest sum of beta, relative to the sum of bounds, that counts as 0.
ROUNDING = 1e-9
#: The largest sum of |beta|, in units of the tolerance over the machine precision, because rounding
#: in predictions grows with it. At 3.6 units (25,166 cells with 52,551 counts) the decision values
#: had errors of at most 1.4 times the tolerance, and at 27 units of 21 times.
MAX_SUM = 6.0
#: The largest violation of a converged solution, in units of the tolerance.
ALLOWED_VIOLATION = 1.1
#: The largest number of times that the gradient is recomputed if the violation is too large.
MAX_RENEWALS = 5
#: The violation of up to `MAX_FULLY_MEASURED` cells is measured with all of them. For more cells,
#: it is measured with the cells whose gradients are near the two extremes that determine it, and
#: with a sample of about `SAMPLE_SIZE` others.
MAX_FULLY_MEASURED, SAMPLE_SIZE = 2000, 100
#: The sum of |beta|, in units of the tolerance over the machine precision, above which the rounding
#: of the kernel matrix may change the violation by more than a tenth of the tolerance.
EXACT_KERNEL_SUM = 1.0
#: The number of rows of the exact kernel that are computed at a time.
EXACT_ROWS = 256
#: All cells are measured whose gradient is closer to an extreme that determines the violation than
#: this multiple of the largest error found.
SAFETY_FACTOR = 8


def divide(levels: NDArray[np.floating], lower: Doubles, upper: Doubles, total: float) -> Doubles:
    """Return beta with the sum `total`, if possible: upper above a threshold, and lower below it.

    The threshold is chosen to give this sum. The cell at the threshold takes the remainder.
    """
    order = np.argsort(levels, kind="stable")
    # excess[k] is the excess of the sum if the first k + 1 cells are at their lower limits
    excess = upper.sum() - total - np.cumsum((upper - lower)[order])
    k = min(int(np.searchsorted(-excess, 0)), len(order) - 1)
    beta = upper.copy()
    beta[order[: k + 1]] = lower[order[: k + 1]]
    last = order[k]
    beta[last] = np.clip(lower[last] - excess[k], lower[last], upper[last])
    return beta


class WeightedDuals:
    """The duals with one kernel matrix and the cells' signs, to be solved for many bounds C_i.

    start: the warm start, with the kernel and the order of the cells. signs: +1 or -1.
    tolerance: the largest remaining violation of optimality, libsvm's criterion. The solver
        measures it with its own gradient, which accumulates the rounding of every step.
    exact_kernel: returns the kernel between two groups of cells (indices), in double precision.
    """

    def __init__(
        self,
        start: WarmStart,
        signs: Doubles,
        tolerance: float,
        exact_kernel: Callable[[Indices, Indices], Doubles],
    ) -> None:
        self._exact_kernel = exact_kernel
        self.start, self._kernel, self._signs = start, read_only(start.kernel), signs
        self._tolerance = self._kernel.dtype.type(tolerance)
        self._allowed = ALLOWED_VIOLATION * tolerance
        self._near, self._middle, self._leading = start.near, start.middle, start.leading
        cells = np.arange(len(signs))
        self._fully_measured = len(cells) <= MAX_FULLY_MEASURED
        step = max(1, len(cells) // SAMPLE_SIZE)
        self._sample = cells[:0] if self._fully_measured else cells[::step]
        self._sample_kernel = self._kernel[self._sample].T.astype(np.float64)
        # kernel @ beta of the original, up to the intercept
        self._near_sums = signs[: self._near] - start.margin[: self._near]

    def solve(self, bounds: Doubles) -> tuple[Doubles, Doubles, NDArray[np.bool_]]:
        """Return each copy's beta (copies x cells), its intercept, and whether it converged.

        A copy has converged if the violation of optimality, with a gradient in double precision, is
        at most 1.1 times the tolerance. The violation is measured with all cells if there are up to
        2000, and otherwise with the cells that can decide it. The kernel of this gradient is exact
        for up to 2000 cells; for more cells it is exact if the rounding of the matrix could matter.
        A copy has not converged if its weights are too large for the precision of the kernel.

        bounds: copies x cells, >= 0. If the bounds of a copy leave fewer than two classes, its beta
            is 0 and its intercept is 0, because nothing determines the intercept.
        """
        lower, upper = limits(self._signs, bounds)
        gradients = np.empty(bounds.shape, dtype=self._kernel.dtype)
        near, middle = slice(self._near), slice(self._middle)
        beta = self._starts(bounds, lower, upper)
        # cells beyond the middle ones keep their start until all cells are solved
        for cells in (near, middle):
            gradients[:, cells] = self._signs[cells] - self._products(beta, cells)
            for k, gradient in enumerate(gradients):
                part = (array[k, cells] for array in (beta, lower, upper))
                self._optimize(gradient[cells], *part)
        beyond = slice(self._middle, None)
        gradients[:, beyond] = self._signs[beyond] - self._products(beta, beyond)

        intercepts = np.zeros(len(bounds))
        copies = [*zip(gradients, beta, lower, upper, strict=True)]
        converged = np.array([self._optimize(*copy) for copy in copies])
        # one product for all copies, because each would wait for the same rows of the kernel
        sampled = self._signs[self._sample] - beta @ self._sample_kernel
        for k, copy in enumerate(copies):
            if lower[k].any() and upper[k].any():
                converged[k] = converged[k] and self._converge(*copy, sampled[k])
                intercepts[k] = intercept(*copy)
        return beta, intercepts, converged

    def _products(self, beta: Doubles, cells: slice) -> Floats:
        """Return beta @ kernel for these columns; beta must be 0 beyond the leading cells."""
        leading = slice(self._leading)
        return beta[:, leading].astype(self._kernel.dtype) @ self._kernel[leading, cells]

    def _optimize(self, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles) -> bool:
        """Improve the first cells' beta and gradient in place; return whether they converged."""
        kernel, tolerance = self._kernel, self._tolerance
        return solve(kernel, gradient, beta, lower, upper, tolerance, MAX_ITERATIONS) >= 0

    def _converge(
        self, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles, sampled: Doubles
    ) -> bool:
        """Improve an optimized copy in place; return whether its violation is small enough.

        If only the rounded gradient satisfies the tolerance, the gradient is recomputed and the
        solver continues: first for the cells that decide, usually enough, and then for all cells.

        sampled: the gradient of the sampled cells in double precision, from the kernel matrix.
        """
        for renewals in range(1 + MAX_RENEWALS):
            if renewals > 0 and not self._optimize(gradient, beta, lower, upper):
                return False
            if not self._rounding(beta) <= MAX_SUM * self._tolerance:  # also if it is NaN
                return False
            if renewals > 0 or self._needs_exact_kernel(beta):
                sampled = self._exact(beta, self._sample)
            can_rise, can_fall = beta < upper, beta > lower
            cells, exact = self._measured(gradient, beta, can_rise, can_fall, sampled)
            violation = exact[can_rise[cells]].max() - exact[can_fall[cells]].min()
            if violation <= self._allowed:
                return True
            if renewals > 0:
                cells = np.arange(len(beta))
                exact = self._exact(beta, cells)
            gradient[cells] = exact
        return False

    def _measured(
        self,
        gradient: Floats,
        beta: Doubles,
        can_rise: NDArray[np.bool_],
        can_fall: NDArray[np.bool_],
        sampled: Doubles,
    ) -> tuple[Indices, Doubles]:
        """Return the cells that can decide the violation, and their gradient in double precision.

        If there are many cells, these are the sampled cells, whose gradient is given, and the cells
        whose rounded gradient is near the highest (of the cells that can rise) or the lowest (of
        the cells that can fall). The distance that counts as near is widened until an omitted cell
        could decide only if its error were several times the largest error found.
        """
        highest, lowest = gradient[can_rise].max(), gradient[can_fall].min()
        measured, exact = np.zeros(len(beta), dtype=bool), np.empty(len(beta))
        measured[self._sample], exact[self._sample] = True, sampled
        distance = np.inf if self._fully_measured else self._tolerance
        while True:
            nearby = can_rise & (gradient >= highest - distance)
            nearby |= can_fall & (gradient <= lowest + distance)
            further = np.flatnonzero(nearby & ~measured)
            exact[further] = self._exact(beta, further)
            measured |= nearby
            cells = np.flatnonzero(measured)
            error = np.abs(exact[cells] - gradient[cells]).max()
            if not distance < SAFETY_FACTOR * error:
                return cells, exact[cells]
            distance = 2 * SAFETY_FACTOR * error

    def _exact(self, beta: Doubles, cells: Indices) -> Doubles:
        """Return the gradient of these cells in double precision."""
        support = np.flatnonzero(beta)
        if self._needs_exact_kernel(beta):
            parts = np.array_split(cells, -(-len(cells) // EXACT_ROWS) or 1)
            sums = [self._exact_kernel(part, support) @ beta[support] for part in parts]
            return np.asarray(self._signs[cells] - np.concatenate(sums))
        stop = support[-1] + 1 if len(support) else 0
        return exact_gradient(self._kernel, self._signs, beta[:stop], cells)

    def _needs_exact_kernel(self, beta: Doubles) -> bool:
        """Return whether the kernel of the gradient must be exact: see `solve`."""
        largest = EXACT_KERNEL_SUM * self._tolerance
        return self._fully_measured or bool(self._rounding(beta) > largest)

    def _rounding(self, beta: Doubles) -> float:
        """Return the sum of |beta| times the machine precision of the kernel."""
        return float(np.finfo(self._kernel.dtype).eps * np.abs(beta).sum())

    def _starts(self, bounds: Doubles, lower: Doubles, upper: Doubles) -> Doubles:
        """Return a feasible beta near the optimum for each copy."""
        start, near = self.start, slice(self._near)
        beta = self._signs * start.relative_alpha * bounds
        right_side = np.empty((len(bounds), self._near + 1), dtype=self._kernel.dtype)
        right_side[:, :-1] = self._near_sums - self._products(beta, near)
        right_side[:, -1] = start.beta.sum() - beta.sum(axis=1)
        levels = start.margin[near] + right_side @ start.response
        for k, level in enumerate(levels):
            beta[k, near] = 0
            remaining = beta[k].sum()
            beta[k, near] = divide(level, lower[k, near], upper[k, near], -remaining)
            if abs(beta[k].sum()) > ROUNDING * bounds[k].sum():  # not balanced by the near cells
                beta[k] = _balanced(beta[k])
        return beta


def _balanced(beta: Doubles) -> Doubles:
    """Return beta after scaling down the class with the larger sum to the sum of the other."""
    positive, negative = beta.clip(min=0), -beta.clip(max=0)
    smaller_sum = min(positive.sum(), negative.sum())
    if smaller_sum == 0:
        return np.zeros_like(beta)
    return positive * (smaller_sum / positive.sum()) - negative * (smaller_sum / negative.sum())
