"""Starts of copies whose counts are large beside their noise, from the original's free cells.

Cells are free if they are strictly between their bounds. If counts are large, the original's free
cells stay free in nearly every copy, and the cells at a bound stay there. The optimum is then the
solution of linear equations. All copies share their matrix, so that it is inverted once. The few
cells that would pass a bound are held at it, and released if the optimum lies inside: an active
set.
"""

import numpy as np

from ggexp.svm.smo import Doubles

#: The share of the free cells that may pass a bound at first; for more, another start is as good.
PASSING = 0.25
#: The number of changes of the held cells after which the start is returned as it is.
ROUNDS = 8
#: The distance beyond a bound at which a cell counts as at the bound, relative to its range.
ROUNDING = 1e-9
#: Added to the kernel's diagonal, whose values are 1, because two free cells may have equal rows.
RIDGE = 1e-9


class FreeCells:
    """The equations of the original's free cells. kernel: among these, in double precision."""

    def __init__(self, kernel: Doubles) -> None:
        count = len(kernel)
        system = np.ones((count + 1, count + 1))
        system[:count, :count] = kernel
        system[range(count), range(count)] += RIDGE
        system[count, count] = 0  # the equation that beta sums to 0
        self._inverse = np.linalg.inv(system)

    def moved(
        self, beta: Doubles, gradient: Doubles, total: float, lower: Doubles, upper: Doubles
    ) -> Doubles | None:
        """Return a copy's beta of the free cells at their optimum, or None if it is far.

        beta, gradient: of the free cells, beta within its limits. total: the sum of all cells'
        beta; the sum of the result is smaller by it.
        """
        inverse, slack = self._inverse, ROUNDING * (1 + upper - lower)
        free = beta + (inverse @ np.append(gradient, -total))[:-1]
        moved, held, bound = free, np.zeros(len(free), dtype=bool), lower
        force = np.zeros(len(free))  # the force of a bound on the cell held at it
        for _ in range(ROUNDS):
            below, above = moved < lower - slack, moved > upper + slack
            outward = np.where(bound == lower, force < 0, force > 0)
            released = held & outward & (upper > lower)
            passing = below | above
            if not held.any() and np.count_nonzero(passing) > PASSING * len(free):
                return None
            if not (passing | released).any():
                break
            bound = np.where(below, lower, np.where(above, upper, bound))
            held = held & ~released | passing
            cells, force = np.flatnonzero(held), np.zeros(len(free))
            force[cells] = np.linalg.solve(inverse[np.ix_(cells, cells)], (bound - free)[cells])
            moved = np.where(held, bound, free + inverse[:-1, cells] @ force[cells])
        return _with_sum(np.clip(moved, lower, upper), beta.sum() - total, lower, upper)


def _with_sum(beta: Doubles, total: float, lower: Doubles, upper: Doubles) -> Doubles | None:
    """Return beta with this sum, changed in the cells farthest from their bounds, or None."""
    beta, missing = beta.copy(), total - beta.sum()
    order = np.argsort(-np.minimum(beta - lower, upper - beta), kind="stable")
    room = (upper - beta if missing > 0 else beta - lower)[order]
    taken = np.clip(abs(missing) - (np.cumsum(room) - room), 0, room)
    if taken.sum() < abs(missing) * (1 - ROUNDING):
        return None
    beta[order] += np.copysign(taken, missing)
    return beta
