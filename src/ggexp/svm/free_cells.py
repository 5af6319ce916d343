"""Compute the starting points of copies with large counts from the original's free cells.

Cells are free if they are strictly between their bounds. If counts are large compared with the
noise, the original's free cells stay free in nearly every copy, and the cells at a bound stay
there. The optimum is then the solution of linear equations. All copies share the matrix of these
equations, which is therefore inverted only once. The few cells that would pass a bound are held at
the bound, and are released if their optimum is inside (an active-set method).
"""

import numpy as np

from ggexp.svm.smo import Doubles

#: The largest share of the free cells that may pass a bound at first. If more pass, another start
#: is as good.
MAX_PASSING_SHARE = 0.25
#: The number of changes of the set of held cells after which the current start is returned.
MAX_ROUNDS = 8
#: The distance beyond a bound at which a cell still counts as at the bound, relative to its range.
ROUNDING = 1e-9
#: Added to the kernel's diagonal of ones, because two free cells may have equal rows.
RIDGE = 1e-9


class FreeCells:
    """The equations of the original's free cells.

    kernel: the kernel between these cells, in double precision.
    """

    def __init__(self, kernel: Doubles) -> None:
        count = len(kernel)
        system = np.ones((count + 1, count + 1))
        system[:count, :count] = kernel
        system[range(count), range(count)] += RIDGE
        system[count, count] = 0  # the equation that beta sums to 0
        self._inverse = np.linalg.inv(system)

    def optimum(
        self, beta: Doubles, gradient: Doubles, total: float, lower: Doubles, upper: Doubles
    ) -> Doubles | None:
        """Return a copy's optimal beta of the free cells, or None if it is too far from `beta`.

        beta, gradient: of the free cells; beta is within its limits.
        total: the current sum of all cells' beta. The result sums to `beta.sum() - total`, so that
            the sum over all cells becomes 0.
        """
        inverse, slack = self._inverse, ROUNDING * (1 + upper - lower)
        unbounded = beta + (inverse @ np.append(gradient, -total))[:-1]
        solution, held, bound = unbounded, np.zeros(len(unbounded), dtype=bool), lower
        force = np.zeros(len(unbounded))  # the force of a bound on a cell that it holds
        for _ in range(MAX_ROUNDS):
            below, above = solution < lower - slack, solution > upper + slack
            outward = np.where(bound == lower, force < 0, force > 0)
            released = held & outward & (upper > lower)
            passing = below | above
            if not held.any() and np.count_nonzero(passing) > MAX_PASSING_SHARE * len(unbounded):
                return None
            if not (passing | released).any():
                break
            bound = np.where(below, lower, np.where(above, upper, bound))
            held = held & ~released | passing
            cells, force = np.flatnonzero(held), np.zeros(len(unbounded))
            force[cells] = np.linalg.solve(
                inverse[np.ix_(cells, cells)], (bound - unbounded)[cells]
            )
            solution = np.where(held, bound, unbounded + inverse[:-1, cells] @ force[cells])
        return _with_sum(np.clip(solution, lower, upper), beta.sum() - total, lower, upper)


def _with_sum(beta: Doubles, total: float, lower: Doubles, upper: Doubles) -> Doubles | None:
    """Return beta changed to this sum within its limits, or None if that is impossible.

    The cells farthest from their bounds are changed first.
    """
    beta, missing = beta.copy(), total - beta.sum()
    order = np.argsort(-np.minimum(beta - lower, upper - beta), kind="stable")
    room = (upper - beta if missing > 0 else beta - lower)[order]
    changes = np.clip(abs(missing) - (np.cumsum(room) - room), 0, room)
    if changes.sum() < abs(missing) * (1 - ROUNDING):
        return None
    beta[order] += np.copysign(changes, missing)
    return beta
