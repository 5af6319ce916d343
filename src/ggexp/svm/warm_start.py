"""Warm start: the original's solution, from which the solver starts for all noisy copies.

Cells are ordered so that the cells of every subproblem of a copy form a leading block of the kernel
matrix, which need not be copied. First come the cells nearest to the original's margin, in two
groups by distance; then the other support vectors; last the cells far on the correct side of the
margin, whose beta is 0 in nearly every copy.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.smo import Doubles, Floats, intercept, reorder, solve

#: The number of cells near the margin whose beta may change when the start of a copy is computed.
NEAR_CELLS = 2000
#: The number of cells nearest to the margin on which the solver runs before it runs on all cells.
MIDDLE_CELLS = 6000
#: The number of iterations after which the solver gives up; starting from 0, the Adult cells need
#: less than a tenth of this number.
MAX_ITERATIONS = 100_000
#: The smallest width of the band of cells near the margin, in units of the gradient.
MIN_BAND = 1e-3


class WarmStart(NamedTuple):
    """The original's solution and the kernel, with the cells in the order that follows from it."""

    #: Indices of the cells: the cell at the new position k is the original cell order[k].
    order: NDArray[np.int64]
    #: float32, cells x cells, in the new order, read-only.
    kernel: Floats
    #: The solution, and the cells' signed distances from their margins (the gradient minus the
    #: intercept).
    beta: Doubles
    margin: Floats
    #: alpha_i / C_i of each cell; for a bound of 0, the value that a positive bound would have.
    relative_alpha: Doubles
    #: As returned by `newton_response`, (NEAR_CELLS + 1) x NEAR_CELLS.
    response: Floats

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


def shapes(cells: int, precomputed: bool) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a solution for this number of cells.

    precomputed: whether there is a kernel matrix.
    """
    near = min(NEAR_CELLS, cells)
    vectors = dict.fromkeys(WarmStart._fields, (cells,))
    matrices = ((cells, cells), (near + 1, near)) if precomputed else ((0, 0), (0, 0))
    return vectors | dict(zip(("kernel", "response"), matrices, strict=True))


def solve_warm_start(
    kernel: Floats, signs: Doubles, bounds: Doubles, tolerance: float
) -> WarmStart:
    """Return the solution on the original counts, with the cells in the order that follows from it.

    kernel: float32, cells x cells, of an RBF kernel (symmetric, with a constant diagonal); it is
        reordered in place, so that the caller must not use it again.
    signs: float64, +1 or -1.
    bounds: float64, >= 0, the original cells' C_i.
    tolerance: the largest violation of optimality.
    """
    lower, upper = limits(signs, bounds)
    beta, gradient = np.zeros(len(signs)), signs.astype(np.float32)
    read_only = kernel.view()  # like the files that jobs map, so that the solver is compiled once
    read_only.flags.writeable = False
    solve(read_only, gradient, beta, lower, upper, np.float32(tolerance), MAX_ITERATIONS)
    margin = gradient - np.float32(intercept(gradient, beta, lower, upper))
    relative_alpha = (signs * margin > 0).astype(np.float64)
    np.divide(np.abs(beta), bounds, out=relative_alpha, where=bounds > 0)

    distance = np.abs(margin)
    nearest = np.argsort(distance, kind="stable")
    group = np.where(relative_alpha > 0, 2, 3)
    group[nearest[:MIDDLE_CELLS]] = 1
    group[nearest[:NEAR_CELLS]] = 0
    # stable within a group: adjacent cells of different classes cancel in sums, which are then more
    # exact
    order = np.argsort(group, kind="stable")
    reorder(kernel, order)
    band = max(float(distance[nearest[:NEAR_CELLS]].max()), MIN_BAND)
    response = newton_response(kernel[:NEAR_CELLS, :NEAR_CELLS], 2 * band / bounds.mean())
    return WarmStart(order, read_only, beta[order], margin[order], relative_alpha[order], response)


def limits(signs: Doubles, bounds: Doubles) -> tuple[Doubles, Doubles]:
    """Return the lower and upper limits of beta."""
    return np.minimum(signs, 0) * bounds, np.maximum(signs, 0) * bounds


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


def newton_response(kernel: Floats, softness: float) -> Floats:
    """Return the matrix that maps gradients to the Newton step of the cells near the margin.

    A cell near the margin changes from 0 to its bound, or back, if the margin passes it. Smoothed
    over the band, beta changes by v = (g - r) / softness if f changes by g and the intercept by r.
    The copy's own change d of beta also contributes to g: g = -K (d + v). Because beta sums to 0, v
    and r solve (K + softness I) v + r = -K d and sum(v) = -sum(d), a system that all copies share.

    kernel: K between the cells near the margin. The product of the result with [-K d, -sum(d)] is
    softness * v.
    """
    count = len(kernel)
    system = np.ones((count + 1, count + 1))
    system[:count, :count] = kernel
    system[range(count), range(count)] += softness
    system[count, count] = 0
    return (softness * np.linalg.inv(system)[:, :count]).astype(np.float32)
