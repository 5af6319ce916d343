"""Solutions of many support vector machines that differ in their cells' bounds only.

Most cells of a noisy copy stay what they are in the original: at their bound or at 0. What changes
is on which side of the margin the cells near it lie. So a copy starts from the original's shares
alpha_i / C_i, with the cells near the margin set by one Newton step; the solver runs on those,
whose kernel matrix fits into fast memory, and then on all. On the adult cells that takes about 800
iterations on the small matrix and 1,000 on the large one, in place of 6,500 on the large one from 0
or 3,800 from the rescaled original.
"""

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.smo import Doubles, Floats, exact_gradient, intercept, solve

#: Cells near the margin that the start may change.
NEAR = 2000
#: Iterations after which a solution is given up; none of the adult cells' needs a tenth, from 0.
MAX_ITERATIONS = 100_000
#: The least width of the band of cells near the margin, in units of the gradient.
LEAST_BAND = 1e-3
#: The sum of beta, relative to the bounds', that counts as 0.
ROUNDING = 1e-9
#: The largest sum of |beta| that is left to single precision, in units of the tolerance over the
#: precision. Beyond it the kernel itself, and predictions, are rounded more coarsely than that.
LARGEST_SUM = 3.0
#: The largest violation of what is called converged, in units of the tolerance.
ALLOWED = 1.1
#: How often the gradient is computed anew where the violation is larger.
RENEWALS = 5
#: Cells of a machine that are all measured, and of a larger one the number that samples it.
MEASURED, SAMPLE = 2000, 100
#: How far from the ends cells are measured, in units of the largest error found among them.
SURE = 8


class WeightedDuals:
    """The duals of one kernel matrix and the cells' signs, solved for many bounds C_i.

    kernel: float32, cells x cells, an RBF kernel's (symmetric, its diagonal 1); it is not copied.
    signs: float64, +1 or -1.
    bounds: float64, >= 0, the original cells' C_i: the solution from which all others start.
    tolerance: the largest violation of optimality left, libsvm's criterion. The solver measures it
        with its own gradient, of single precision, in which the rounding of every step adds up.
    """

    def __init__(self, kernel: Floats, signs: Doubles, bounds: Doubles, tolerance: float) -> None:
        self._kernel, self._signs, self._tolerance = kernel, signs, np.float32(tolerance)
        self._allowed = ALLOWED * tolerance
        lower, upper = _limits(signs, bounds)
        self._beta = np.zeros(len(signs))
        gradient = signs.astype(np.float32)
        solve(kernel, gradient, self._beta, lower, upper, self._tolerance, MAX_ITERATIONS)
        lacking = gradient - intercept(gradient, self._beta, lower, upper)
        # What a cell of weight 0 would be with a weight tells where it lies.
        self._share = (signs * lacking > 0).astype(np.float64)
        np.divide(np.abs(self._beta), bounds, out=self._share, where=bounds > 0)

        distance = np.abs(lacking)
        self._near = np.sort(np.argsort(distance, kind="stable")[:NEAR])
        self._near_lacking = lacking[self._near].astype(np.float64)
        self._near_rows = kernel[self._near]
        self._near_kernel = np.ascontiguousarray(self._near_rows[:, self._near])
        band = max(float(distance[self._near].max()), LEAST_BAND)
        self._softness = 2 * band / bounds.mean()
        self._response = self._newton_response()

    def solve(self, bounds: Doubles) -> tuple[Doubles, Doubles, NDArray[np.bool_]]:
        """Return each copy's beta (copies x cells), its intercept, and whether it converged.

        Converged means that the violation of optimality, with a gradient of double precision on
        this kernel, is at most 1.1 times the tolerance: of up to 2000 cells all are measured, of
        more those that can decide. Weights so large that single precision could not tell the
        tolerance count as no convergence.

        bounds: copies x cells, >= 0. A copy whose bounds leave less than two classes has beta = 0
        and, as nothing determines it, the intercept 0.
        """
        signs, near = self._signs.astype(np.float32), self._near
        lower, upper = _limits(self._signs, bounds)
        beta = self._starts(bounds, lower, upper)
        gradients = signs[near] - beta.astype(np.float32) @ self._near_rows.T
        for k, gradient in enumerate(gradients):
            part = beta[k, near]
            self._optimize(self._near_kernel, gradient, part, lower[k, near], upper[k, near])
            beta[k, near] = part
        gradients = signs - beta.astype(np.float32) @ self._kernel
        intercepts = np.zeros(len(bounds))
        converged = np.ones(len(bounds), dtype=bool)
        for k, gradient in enumerate(gradients):
            if lower[k].any() and upper[k].any():
                converged[k] = self._converge(gradient, beta[k], lower[k], upper[k])
                intercepts[k] = intercept(gradient, beta[k], lower[k], upper[k])
        return beta, intercepts, converged

    def _optimize(
        self, kernel: Floats, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles
    ) -> bool:
        """Improve beta and its gradient in place; return whether they reached the tolerance."""
        return solve(kernel, gradient, beta, lower, upper, self._tolerance, MAX_ITERATIONS) >= 0

    def _converge(self, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles) -> bool:
        """Improve beta and its gradient in place; return whether the violation is as allowed.

        Where only the rounded gradient is, it is computed anew and the solver continues.
        """
        for _ in range(1 + RENEWALS):
            if not self._optimize(self._kernel, gradient, beta, lower, upper):
                return False
            precision = np.finfo(np.float32).eps * np.abs(beta).sum()
            if not precision <= LARGEST_SUM * self._tolerance:  # nor where it is not a number
                return False
            if self._violation(gradient, beta, lower, upper) <= self._allowed:
                return True
            gradient[:] = exact_gradient(self._kernel, self._signs, beta, np.arange(len(beta)))
        return False

    def _violation(self, gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles) -> float:
        """Return the largest violation of optimality by a gradient of double precision.

        Of many cells those are measured whose rounded gradient is near the ends that decide, and a
        sample of all others. A cell left out could only decide if its error were several times
        the largest one found; "near" widens until that is so.
        """
        can_rise, can_fall = beta < upper, beta > lower
        highest, lowest = gradient[can_rise].max(), gradient[can_fall].min()
        measured = np.zeros(len(beta), dtype=bool)
        measured[:: max(1, len(beta) // SAMPLE)] = True
        near = self._tolerance if len(beta) > MEASURED else np.inf
        while True:
            measured |= can_rise & (gradient >= highest - near)
            measured |= can_fall & (gradient <= lowest + near)
            cells = np.flatnonzero(measured)
            exact = exact_gradient(self._kernel, self._signs, beta, cells)
            error = np.abs(exact - gradient[cells]).max()
            if not near < SURE * error:
                return float(exact[can_rise[cells]].max() - exact[can_fall[cells]].min())
            near = 2 * SURE * error

    def _newton_response(self) -> Floats:
        """Return the matrix that gives the Newton step of the cells near the margin.

        A near cell changes from 0 to its bound, or back, as the margin passes it. Smoothed over the
        band, beta changes by v = (g - r) / softness where f changes by g and the intercept by r.
        As g is also what the copy's own change d of beta brings, g = -K (d + v), and beta sums to
        0, (K + softness I) v + r = -K d and sum(v) = -sum(d): a system that all copies share.
        """
        count = len(self._near)
        system = np.ones((count + 1, count + 1))
        system[:count, :count] = self._near_kernel
        system[range(count), range(count)] += self._softness
        system[count, count] = 0
        return np.linalg.inv(system)[:, :count].astype(np.float32)

    def _starts(self, bounds: Doubles, lower: Doubles, upper: Doubles) -> Doubles:
        """Return a feasible beta near the optimum for each copy."""
        near = self._near
        beta = self._signs * self._share * bounds
        change = (beta - self._beta).astype(np.float32)
        right = np.empty((len(bounds), len(near) + 1), dtype=np.float32)
        right[:, :-1] = -(change @ self._near_rows.T)
        right[:, -1] = -change.sum(axis=1)
        levels = self._near_lacking + self._softness * (right @ self._response)
        for k, level in enumerate(levels):
            beta[k, near] = 0
            rest = beta[k].sum()
            beta[k, near] = _divide(level, lower[k, near], upper[k, near], -rest)
            if abs(beta[k].sum()) > ROUNDING * bounds[k].sum():  # more than the near cells can give
                beta[k] = _balanced(beta[k])
        return beta


def _limits(signs: Doubles, bounds: Doubles) -> tuple[Doubles, Doubles]:
    """Return the lower and the upper limits of beta."""
    return np.minimum(signs, 0) * bounds, np.maximum(signs, 0) * bounds


def _divide(levels: Doubles, lower: Doubles, upper: Doubles, total: float) -> Doubles:
    """Return beta that is upper above some level and lower below, and sums to the total if it can.

    The cell where the level is reached takes what is missing.
    """
    order = np.argsort(levels, kind="stable")
    excess = upper.sum() - total - np.cumsum((upper - lower)[order])  # with the first k + 1 lowered
    k = min(int(np.searchsorted(-excess, 0)), len(order) - 1)
    beta = upper.copy()
    beta[order[: k + 1]] = lower[order[: k + 1]]
    last = order[k]
    beta[last] = np.clip(lower[last] - excess[k], lower[last], upper[last])
    return beta


def _balanced(beta: Doubles) -> Doubles:
    """Return beta with the class of the larger sum scaled down to the other's."""
    positive, negative = beta.clip(min=0), -beta.clip(max=0)
    least = min(positive.sum(), negative.sum())
    if least == 0:
        return np.zeros_like(beta)
    return positive * (least / positive.sum()) - negative * (least / negative.sum())
