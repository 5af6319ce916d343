"""Solutions of many support vector machines that differ in their cells' bounds only.

Most cells of a noisy copy have the same state as in the original: at their bound or at 0. The cells
near the margin may change sides. Therefore a copy starts from the original's shares alpha_i / C_i,
and one Newton step sets the cells near the margin. The solver runs on those cells, whose kernel
matrix fits into fast memory, then on more, then on all. For the adult cells this takes about 830,
930 and 55 iterations, compared with 6,500 on all cells from 0 or 3,800 from the rescaled original.
Cells far on the right side of the margin start at 0 and are left out of the products.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.smo import Doubles, Floats, exact_gradient, intercept, solve
from ggexp.svm.warm_start import MAX_ITERATIONS, WarmStart, divide, limits

Places = NDArray[np.int64]

#: The sum of beta, relative to the sum of bounds, that counts as 0.
ROUNDING = 1e-9
#: The largest sum of |beta| in single precision, in units of the tolerance over the precision. For
#: larger sums the rounding of the kernel itself, and of predictions, exceeds the tolerance.
MAX_SUM = 3.0
#: The largest violation of a converged solution, in units of the tolerance.
ALLOWED = 1.1
#: How often the gradient is computed again if the violation is larger.
RENEWALS = 5
#: All cells are measured up to the first number; of more cells a sample of the second size.
MEASURED, SAMPLE = 2000, 100
#: From this sum of |beta| on, in units of the tolerance over the precision, the rounding of the
#: kernel matrix changes the violation by a tenth of the tolerance.
ROUNDED = 1.0
#: Rows of the exact kernel that are computed at a time.
EXACT_ROWS = 256
#: The distance from the ends up to which cells are measured, in units of the largest error found.
SURE = 8


class WeightedDuals:
    """The duals of one kernel matrix and the cells' signs, solved for many bounds C_i.

    start: the warm start, with the kernel and the cells' order.
    signs: float64, +1 or -1, in that order.
    tolerance: the largest remaining violation of optimality, libsvm's criterion. The solver
    measures it
        with its own gradient in single precision, which accumulates the rounding of every step.
    exact_kernel: returns the kernel in double precision between cells and others, by their places
    in
        that order. Without it the values of the matrix count as exact.
    """

    def __init__(
        self,
        start: WarmStart,
        signs: Doubles,
        tolerance: float,
        exact_kernel: Callable[[Places, Places], Doubles] | None = None,
    ) -> None:
        self._exact_kernel = exact_kernel
        self._warm_start, self._kernel, self._signs = start, start.kernel, signs
        self._tolerance, self._allowed = np.float32(tolerance), ALLOWED * tolerance
        self._near, self._middle, self._leading = start.near, start.middle, start.leading
        # kernel @ beta of the original, up to the intercept
        self._near_sums = signs[: self._near] - start.lacking[: self._near]

    def solve(self, bounds: Doubles) -> tuple[Doubles, Doubles, NDArray[np.bool_]]:
        """Return each copy's beta (copies x cells), its intercept, and whether it converged.

        A copy has converged if the violation of optimality, with a gradient in double precision, is
        at most 1.1 times the tolerance. All of up to 2000 cells are measured, and of more cells
        those that can decide. The kernel of this gradient is the exact one for up to 2000 cells,
        and for more if the rounding of the matrix could matter. Weights too large for the tolerance
        in single precision count as no convergence.

        bounds: copies x cells, >= 0. A copy whose bounds leave fewer than two classes has beta = 0
        and the intercept 0, because nothing determines it.
        """
        lower, upper = limits(self._signs, bounds)
        gradients = np.empty(bounds.shape, dtype=np.float32)
        near, middle = slice(self._near), slice(self._middle)
        beta = self._starts(bounds, lower, upper)
        # cells beyond the middle ones keep their start until all cells are solved
        for cells in (near, middle):
            gradients[:, cells] = self._signs[cells] - self._products(beta, cells)
            for k, gradient in enumerate(gradients):
                part = (array[k, cells] for array in (beta, lower, upper))
                self._optimize(gradient[cells], *part)
        rest = slice(self._middle, None)
        gradients[:, rest] = self._signs[rest] - self._products(beta, rest)

        intercepts = np.zeros(len(bounds))
        converged = np.ones(len(bounds), dtype=bool)
        for k, gradient in enumerate(gradients):
            if lower[k].any() and upper[k].any():
                converged[k] = self._converge(gradient, beta[k], lower[k], upper[k])
                intercepts[k] = intercept(gradient, beta[k], lower[k], upper[k])
        return beta, intercepts, converged

    def _products(self, beta: Doubles, cells: slice) -> Floats:
        """Return beta @ kernel for these columns; beta must be 0 beyond the leading cells."""
        leading = slice(self._leading)
        return beta[:, leading].astype(np.float32) @ self._kernel[leading, cells]

    def _optimize(self, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles) -> bool:
        """Improve the first cells' beta and gradient in place; return whether they converged."""
        kernel, tolerance = self._kernel, self._tolerance
        return solve(kernel, gradient, beta, lower, upper, tolerance, MAX_ITERATIONS) >= 0

    def _converge(self, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles) -> bool:
        """Improve beta and its gradient in place; return whether the violation is as allowed.

        If only the rounded gradient satisfies the tolerance, the gradient is computed again and the
        solver continues: at first for the cells that decide, which is usually enough, then for all.
        """
        for renewals in range(1 + RENEWALS):
            if not self._optimize(gradient, beta, lower, upper):
                return False
            precision = np.finfo(np.float32).eps * np.abs(beta).sum()
            if not precision <= MAX_SUM * self._tolerance:  # also if it is not a number
                return False
            can_rise, can_fall = beta < upper, beta > lower
            cells, exact = self._measured(gradient, beta, can_rise, can_fall)
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
    ) -> tuple[Places, Doubles]:
        """Return the cells that can decide the violation, and their gradient in double precision.

        If there are many cells, the cells whose rounded gradient is near the deciding ends are
        measured, and a sample of all others. An omitted cell could decide only if its error were
        several times the largest error found; "near" is widened until this holds.
        """
        highest, lowest = gradient[can_rise].max(), gradient[can_fall].min()
        measured = np.zeros(len(beta), dtype=bool)
        measured[:: max(1, len(beta) // SAMPLE)] = True
        near = self._tolerance if len(beta) > MEASURED else np.inf
        while True:
            measured |= can_rise & (gradient >= highest - near)
            measured |= can_fall & (gradient <= lowest + near)
            cells = np.flatnonzero(measured)
            exact = self._exact(beta, cells)
            error = np.abs(exact - gradient[cells]).max()
            if not near < SURE * error:
                return cells, exact
            near = 2 * SURE * error

    def _exact(self, beta: Doubles, cells: Places) -> Doubles:
        """Return the gradient of these cells in double precision."""
        support = np.flatnonzero(beta)
        rounding = np.finfo(np.float32).eps * np.abs(beta).sum()
        if self._exact_kernel and (len(beta) <= MEASURED or rounding > ROUNDED * self._tolerance):
            parts = np.array_split(cells, -(-len(cells) // EXACT_ROWS) or 1)
            sums = [self._exact_kernel(part, support) @ beta[support] for part in parts]
            return np.asarray(self._signs[cells] - np.concatenate(sums))
        last = support[-1] + 1 if len(support) else 0
        return exact_gradient(self._kernel, self._signs, beta[:last], cells)

    def _starts(self, bounds: Doubles, lower: Doubles, upper: Doubles) -> Doubles:
        """Return a feasible beta near the optimum for each copy."""
        start, near = self._warm_start, slice(self._near)
        beta = self._signs * start.share * bounds
        right = np.empty((len(bounds), self._near + 1), dtype=np.float32)
        right[:, :-1] = self._near_sums - self._products(beta, near)
        right[:, -1] = start.beta.sum() - beta.sum(axis=1)
        levels = start.lacking[near] + right @ start.response
        for k, level in enumerate(levels):
            beta[k, near] = 0
            rest = beta[k].sum()
            beta[k, near] = divide(level, lower[k, near], upper[k, near], -rest)
            if abs(beta[k].sum()) > ROUNDING * bounds[k].sum():  # beyond the near cells
                beta[k] = _balanced(beta[k])
        return beta


def _balanced(beta: Doubles) -> Doubles:
    """Return beta with the class of the larger sum scaled down to the other's."""
    positive, negative = beta.clip(min=0), -beta.clip(max=0)
    least = min(positive.sum(), negative.sum())
    if least == 0:
        return np.zeros_like(beta)
    return positive * (least / positive.sum()) - negative * (least / negative.sum())
