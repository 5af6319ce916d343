"""The solution on the original counts, from which all copies start, and the matrices they share.

Cells are ordered so that the cells of every subproblem of a copy form a leading block of the kernel
matrix, which need not be copied. First come the cells nearest to the original's margin, in two
groups by distance; then the other support vectors; last the cells far on the correct side of the
margin, whose beta is 0 in nearly every copy, and which are left out of the products.
"""

from typing import NamedTuple

import numpy as np

from ggexp.svm.smo import Doubles, Floats, Indices, intercept, limits, solve

#: The number of cells near the margin whose beta may change when the start of a copy is computed.
NEAR_CELLS = 2000
#: The number of cells nearest to the margin on which the solver runs before it runs on all cells.
MIDDLE_CELLS = 6000
#: The number of iterations after which the solver gives up; starting from 0, the Adult cells need
#: less than a tenth of this number.
MAX_ITERATIONS = 100_000
#: The smallest width of the band of cells near the margin, in units of the gradient.
MIN_BAND = 1e-3
#: The smallest softness (`newton_response`), so that the rounding of 1 + softness does not make the
#: kernel of cells at the same point singular.
MIN_SOFTNESS = 1e-9
#: The number of rows or columns of the kernel that are reordered at a time.
BLOCK = 128


class WarmStart(NamedTuple):
    """The original's solution, from which the solver starts for all copies, and the kernels.

    order: indices of the cells: the cell at the new position k is the original cell order[k].
    kernel: float32 or float64, cells x cells, in the new order.
    beta, margin: the solution, and the cells' signed distances from their margins (the gradient
        minus the intercept).
    relative_alpha: alpha_i / C_i; for a bound of 0, the value that a positive bound would have.
    response: as returned by `newton_response`, (NEAR_CELLS + 1) x NEAR_CELLS.
    test_kernel: cells x test records, in the new order.
    """

    order: Indices
    kernel: Floats
    beta: Doubles
    margin: Floats
    relative_alpha: Doubles
    response: Floats
    test_kernel: Floats

    @property
    def near(self) -> int:
        """The number of cells that a start may change."""
        return self.response.shape[1]

    @property
    def middle(self) -> int:
        """The number of cells that are solved before all cells."""
        return min(MIDDLE_CELLS, len(self.order))

    @property
    def leading(self) -> int:
        """The size of the leading block with the middle cells and all with alpha above 0."""
        return max(self.middle, 1 + int(np.flatnonzero(self.relative_alpha).max(initial=-1)))

    def decisions(self, beta: Doubles) -> Floats:
        """Return the decision values of the test records for each copy, without the intercepts.

        The leading cells are multiplied for all copies at once. The few other cells with beta != 0
        are multiplied for each copy alone, so that its rounding does not depend on other copies.
        """
        single, leading = beta.astype(self.test_kernel.dtype), self.leading
        decisions: Floats = single[:, :leading] @ self.test_kernel[:leading]
        for k, row in enumerate(single[:, leading:]):
            if len(cells := np.flatnonzero(row)):
                decisions[k] += row[cells] @ self.test_kernel[leading + cells]
        return decisions


def solve_warm_start(
    kernel: Floats, signs: Doubles, bounds: Doubles, tolerance: float
) -> WarmStart:
    """Return the solution on the original counts, without the kernel of test records.

    kernel: cells x cells, of an RBF kernel (symmetric, with a constant diagonal); it is
        reordered in place, so that the caller must not use it again.
    signs: +1 or -1. bounds: the original C_i >= 0. tolerance: the largest violation of optimality.
    """
    lower, upper = limits(signs, bounds)
    beta, gradient = np.zeros(len(signs)), signs.astype(kernel.dtype)
    limit = kernel.dtype.type(tolerance)
    solve(read_only(kernel), gradient, beta, lower, upper, limit, MAX_ITERATIONS)
    margin = gradient - kernel.dtype.type(intercept(gradient, beta, lower, upper))
    relative = (signs * margin > 0).astype(np.float64)
    np.divide(np.abs(beta), bounds, out=relative, where=bounds > 0)

    distance = np.abs(margin)
    nearest = np.argsort(distance, kind="stable")
    group = np.where(relative > 0, 2, 3)
    group[nearest[:MIDDLE_CELLS]] = 1
    group[nearest[:NEAR_CELLS]] = 0
    # stable within a group: adjacent cells of different classes cancel in sums, which are then more
    # exact
    order = np.argsort(group, kind="stable")
    reorder(kernel, order)
    band = max(float(distance[nearest[:NEAR_CELLS]].max()), MIN_BAND)
    softness = max(2 * band / bounds.mean(), MIN_SOFTNESS)
    response = newton_response(kernel[:NEAR_CELLS, :NEAR_CELLS], softness)
    empty = np.empty((0, 0), kernel.dtype)
    ordered = beta[order], margin[order], relative[order]
    return WarmStart(order, kernel, *ordered, response, empty)


def reorder(matrix: Floats, order: Indices) -> None:
    """Replace the square matrix by `matrix[order][:, order]` in place, with little memory."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(order), BLOCK)]
    for block in blocks:
        matrix[block] = matrix[block].take(order, axis=1)
    for block in blocks:
        matrix[:, block] = matrix[order, block]


def read_only(kernel: Floats) -> Floats:
    """Return a view like the files that jobs map, so that the solver is compiled once."""
    view = kernel.view()
    view.flags.writeable = False
    return view


def newton_response(kernel: Floats, softness: float) -> Floats:
    """Return the matrix that maps gradients to the Newton step of the cells near the margin.

    A cell near the margin changes from 0 to its bound, or back, if the margin passes it. Smoothed
    over the band, beta changes by v = (g - r) / softness if f changes by g and the intercept by r.
    The copy's own change d of beta also contributes to g: g = -K (d + v). Because beta sums to 0, v
    and r solve (K + softness I) v + r = -K d and sum(v) = -sum(d), a system that all copies share.

    kernel: K between the cells near the margin. The result times [-K d, -sum(d)] is softness * v.
    """
    system = np.ones((len(kernel) + 1, len(kernel) + 1))  # the last row: beta sums to 0
    system[:-1, :-1] = kernel
    system[range(len(kernel)), range(len(kernel))] += softness
    system[-1, -1] = 0
    return (softness * np.linalg.inv(system)[:, :-1]).astype(kernel.dtype)
