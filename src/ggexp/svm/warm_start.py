"""Warm start: the original's solution, from which the solver starts for all noisy copies.

Cells are ordered by their distance from the original's margin, so that every subproblem of a copy
is a leading block of one kernel matrix, without copying it: first the cells near the margin, by
their distance; then the other support vectors; last the cells far on the right side of the margin,
whose value is 0 in nearly every copy.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.smo import Doubles, Floats, intercept, reorder, solve

#: Cells near the margin that the start of a copy may change.
NEAR = 2000
#: Cells near the margin that are solved before all cells; they are ordered by distance only.
MIDDLE = 6000
#: Iterations after which the solver gives up; the adult cells need less than a tenth, from 0.
MAX_ITERATIONS = 100_000
#: The least width of the band of cells near the margin, in units of the gradient.
MIN_BAND = 1e-3


class WarmStart(NamedTuple):
    """The original's solution and the kernel, in the order of the cells that follows from it."""

    #: Indices of the cells: the new cell k is the old cell order[k].
    order: NDArray[np.int64]
    #: float32, cells x cells, ordered, read-only.
    kernel: Floats
    #: The solution, and its cells' distance from their margin (the gradient minus the intercept).
    beta: Doubles
    lacking: Floats
    #: The share alpha_i / C_i of each cell; for weight 0, its value if the cell had a weight.
    share: Doubles
    #: `newton_response`, (NEAR + 1) x NEAR.
    response: Floats

    @property
    def near(self) -> int:
        """The number of cells that a start may change."""
        return self.response.shape[1]

    @property
    def middle(self) -> int:
        """The number of cells that are solved before all cells."""
        return min(MIDDLE, len(self.order))

    @property
    def leading(self) -> int:
        """The number of leading cells that include the middle ones and every share above 0."""
        return max(self.middle, 1 + int(np.flatnonzero(self.share).max(initial=-1)))


def shapes(cells: int, held: bool) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a solution with a number of cells.

    held: whether there is a kernel matrix.
    """
    near = min(NEAR, cells)
    of_cells = dict.fromkeys(WarmStart._fields, (cells,))
    matrices = ((cells, cells), (near + 1, near)) if held else ((0, 0), (0, 0))
    return of_cells | dict(zip(("kernel", "response"), matrices, strict=True))


def solve_warm_start(
    kernel: Floats, signs: Doubles, bounds: Doubles, tolerance: float
) -> WarmStart:
    """Return the solution on the original counts to the tolerance, and order the cells by it.

    kernel: float32, cells x cells, an RBF kernel's (symmetric, with a constant diagonal); it is
        reordered in place, so that the caller must not use it again.
    signs: float64, +1 or -1.
    bounds: float64, >= 0, the original cells' C_i.
    """
    lower, upper = limits(signs, bounds)
    beta, gradient = np.zeros(len(signs)), signs.astype(np.float32)
    constant = kernel.view()  # as in jobs that map it, so that the solver is compiled once
    constant.flags.writeable = False
    solve(constant, gradient, beta, lower, upper, np.float32(tolerance), MAX_ITERATIONS)
    lacking = gradient - np.float32(intercept(gradient, beta, lower, upper))
    share = (signs * lacking > 0).astype(np.float64)
    np.divide(np.abs(beta), bounds, out=share, where=bounds > 0)

    distance = np.abs(lacking)
    nearest = np.argsort(distance, kind="stable")
    group = np.where(share > 0, 2, 3)
    group[nearest[:MIDDLE]] = 1
    group[nearest[:NEAR]] = 0
    # stable within a group: neighbours of either class cancel in sums, which are then more exact
    order = np.argsort(group, kind="stable")
    reorder(kernel, order)
    band = max(float(distance[nearest[:NEAR]].max()), MIN_BAND)
    response = newton_response(kernel[:NEAR, :NEAR], 2 * band / bounds.mean())
    return WarmStart(order, constant, beta[order], lacking[order], share[order], response)


def limits(signs: Doubles, bounds: Doubles) -> tuple[Doubles, Doubles]:
    """Return the lower and the upper limits of beta."""
    return np.minimum(signs, 0) * bounds, np.maximum(signs, 0) * bounds


def divide(levels: NDArray[np.floating], lower: Doubles, upper: Doubles, total: float) -> Doubles:
    """Return beta that is upper above some level and lower below, and sums to the total if it can.

    The cell at the level takes the remainder.
    """
    order = np.argsort(levels, kind="stable")
    excess = upper.sum() - total - np.cumsum((upper - lower)[order])  # with the first k + 1 lowered
    k = min(int(np.searchsorted(-excess, 0)), len(order) - 1)
    beta = upper.copy()
    beta[order[: k + 1]] = lower[order[: k + 1]]
    last = order[k]
    beta[last] = np.clip(lower[last] - excess[k], lower[last], upper[last])
    return beta


def newton_response(kernel: Floats, softness: float) -> Floats:
    """Return the matrix that maps gradients to the Newton step of the cells near the margin.

    A near cell changes from 0 to its bound, or back, if the margin passes it. Smoothed over the
    band, beta changes by v = (g - r) / softness if f changes by g and the intercept by r. The
    copy's own change d of beta also contributes to g, so that g = -K (d + v), and beta sums to 0.
    Therefore (K + softness I) v + r = -K d and sum(v) = -sum(d), a system that all copies share.

    kernel: K among the near cells. The result times [-K d, -sum(d)] is softness v.
    """
    count = len(kernel)
    system = np.ones((count + 1, count + 1))
    system[:count, :count] = kernel
    system[range(count), range(count)] += softness
    system[count, count] = 0
    return (softness * np.linalg.inv(system)[:, :count]).astype(np.float32)
