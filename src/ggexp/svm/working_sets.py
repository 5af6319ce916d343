"""Train SVMs without a kernel matrix in memory, on working sets selected in double precision.

A round selects for each copy the cells that violate optimality most and the cells between their
bounds, and solves on these cells only, with the kernel in single precision. The effect of the
change of beta on the gradients of all cells is then computed for all copies at once, in double
precision (`ProductKernel.sums`). Therefore the gradient that determines the selection and the
convergence is accurate for any sum of |beta|, and each round corrects the rounding of the previous
one. The problem of a round is solved by similar rounds on fewer cells, whose rows of the kernel fit
into the cache.

If counts are large compared with the noise, the original's free cells, those strictly between their
bounds, stay free in nearly every copy, and the cells at a bound stay there. The optimum is then the
solution of linear equations whose matrix all copies share, and a copy starts there (`FreeCells`).
"""

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.duals import (
    ALLOWED_VIOLATION,
    MAX_ITERATIONS,
    WarmStart,
    bordered_inverse,
    divide,
    limits,
    relative_alpha,
)
from ggexp.svm.kernel import ProductKernel, part_of, rbf_kernel, subtract
from ggexp.svm.smo import Doubles, Indices, Product, intercept, solve

#: The largest number of rounds over all cells, and of inner rounds within a round.
MAX_ROUNDS, MAX_INNER_ROUNDS = 60, 50
#: The number of cells in a round: an eighth of all cells, but within these limits.
MIN_CELLS, MAX_CELLS, DIVISOR = 3000, 8000, 8
#: The number of cells in an inner round: a quarter of those in the round, but at least the minimum.
MIN_INNER_CELLS, INNER_DIVISOR = 1000, 4
#: Rounds and inner rounds include all cells between their bounds, and at least this number of cells
#: at a bound, if they exist.
MIN_CELLS_AT_BOUNDS = 400
#: The violation among a round's cells after the round, and after an inner round, in units of the
#: violation before the round.
ROUND_REDUCTION, INNER_REDUCTION = 0.003, 0.1
#: The largest number of cells in the sample whose solution is the start for the training on the
#: original counts.
MAX_SAMPLE = 5000
#: The largest share of the free cells that may pass a bound at first. If more pass, another start
#: is as good.
MAX_PASSING_SHARE = 0.25
#: The number of changes of the set of held cells after which the current start is returned.
MAX_HELD_CHANGES = 8
#: The distance beyond a bound at which a cell still counts as at the bound, relative to its range.
ROUNDING = 1e-9
#: Added to the kernel's diagonal of ones, because two free cells may have equal rows.
RIDGE = 1e-9


def solve_copies(
    kernel: ProductKernel, signs: Doubles, bounds: Doubles, beta: Doubles, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Improve each copy's beta (copies x cells) in place; return intercepts and convergence.

    bounds: copies x cells, >= 0. beta: feasible.
    A copy with fewer than two classes is unchanged, has the intercept 0, and counts as converged.
    """
    intercepts, converged = np.zeros(len(bounds)), np.ones(len(bounds), dtype=bool)
    for copy, copy_bounds in enumerate(bounds):
        present = signs[copy_bounds > 0]
        converged[copy] = not present.size or present.min() == present.max()
    size = int(np.clip(len(signs) // DIVISOR, MIN_CELLS, MAX_CELLS))
    unsolved = np.flatnonzero(~converged)
    gradients = signs - kernel.sums(beta) if unsolved.size else np.empty(bounds.shape)
    for _ in range(MAX_ROUNDS):
        change = np.zeros(beta.shape)
        for k in unsolved.tolist():
            cells = np.flatnonzero(bounds[k])
            state = gradients[k, cells], beta[k, cells], *limits(signs[cells], bounds[k, cells])
            violation, _ = _violation_and_middle(*state)
            if violation <= ALLOWED_VIOLATION * tolerance:
                converged[k], intercepts[k] = True, intercept(*state)
                continue
            chosen = _working_set(size, *state)
            cells, (gradient, part, lower, upper) = (
                cells[chosen],
                (array[chosen] for array in state),
            )
            target = max(tolerance, ROUND_REDUCTION * violation)
            _improve(kernel.among(cells), gradient, part, lower, upper, target)
            change[k, cells] = part - beta[k, cells]
            beta[k, cells] = part
        unsolved = unsolved[~converged[unsolved]]
        if not unsolved.size:
            break
        gradients -= kernel.sums(change)
    return intercepts, converged


def _improve(
    kernel: Product,
    gradient: Doubles,
    beta: Doubles,
    lower: Doubles,
    upper: Doubles,
    tolerance: float,
) -> None:
    """Improve these cells' beta in place until their violation is at most the tolerance."""
    violation, middle = _violation_and_middle(gradient, beta, lower, upper)
    single = (gradient - middle).astype(np.float32)
    for _ in range(MAX_INNER_ROUNDS):
        cells = _working_set(
            max(MIN_INNER_CELLS, len(beta) // INNER_DIVISOR), single, beta, lower, upper
        )
        parts = [array[cells] for array in (single, beta, lower, upper)]
        target = np.float32(max(0.9 * tolerance, INNER_REDUCTION * violation))
        solve(part_of(kernel, cells), *parts, target, MAX_ITERATIONS)
        change = parts[1] - beta[cells]
        moved = np.flatnonzero(change)
        subtract(single, kernel, cells[moved], change[moved])
        beta[cells] = parts[1]
        violation, _ = _violation_and_middle(single, beta, lower, upper)
        if violation <= tolerance or not moved.size:
            return


def _violation_and_middle(
    gradient: NDArray[np.floating], beta: Doubles, lower: Doubles, upper: Doubles
) -> tuple[float, float]:
    """Return the largest violation of optimality by a pair, and the midpoint of its gradients."""
    highest, lowest = gradient[beta < upper].max(), gradient[beta > lower].min()
    return float(highest - lowest), float(highest + lowest) / 2


def _working_set(
    size: int, gradient: NDArray[np.floating], beta: Doubles, lower: Doubles, upper: Doubles
) -> Indices:
    """Return the cells between their bounds, and the most violating cells at either bound."""
    can_rise, can_fall = beta < upper, beta > lower
    chosen = can_rise & can_fall
    half = max(size - int(np.count_nonzero(chosen)), MIN_CELLS_AT_BOUNDS) // 2
    for side, key in ((can_rise & ~can_fall, -gradient), (can_fall & ~can_rise, gradient)):
        cells = np.flatnonzero(side)
        if len(cells) > half:
            cells = cells[np.argpartition(key[cells], half)[:half]]
        chosen[cells] = True
    return np.flatnonzero(chosen)


def starts(margin: NDArray[np.floating], signs: Doubles, bounds: Doubles) -> Doubles:
    """Return a feasible beta for each copy: 0 or the bound, according to the original's margins."""
    lower, upper = limits(signs, bounds)
    return np.array([divide(margin, *ends, 0) for ends in zip(lower, upper, strict=True)])


def solve_sampled(
    kernel: ProductKernel, points: Doubles, signs: Doubles, bounds: Doubles, tolerance: float
) -> WarmStart:
    """Return the original's solution, started from the solution on a sample of its cells.

    The fields `kernel` and `response` of the result are empty.
    """
    sample = np.arange(0, len(points), -(-len(points) // MAX_SAMPLE))
    sample_points = points[sample]
    matrix = rbf_kernel(sample_points, sample_points, 1 / points.shape[1], threads=1)
    beta, gradient = np.zeros((1, len(points))), signs[sample].astype(np.float32)
    part, ends = beta[0, sample], limits(signs[sample], bounds[sample] * len(points) / len(sample))
    solve(matrix, gradient, part, *ends, np.float32(tolerance), MAX_ITERATIONS)
    beta[0, sample] = part
    margin = signs - kernel.sums(beta)[0]
    beta = starts(margin, signs, bounds[None])
    intercepts, _ = solve_copies(kernel, signs, bounds[None], beta, tolerance)
    margin = signs - kernel.sums(beta)[0] - intercepts[0]
    relative = relative_alpha(margin, signs, beta[0], bounds)
    order, empty = np.argsort(np.abs(margin), kind="stable"), np.empty((0, 0), np.float32)
    single = margin[order].astype(np.float32)
    return WarmStart(order, empty, beta[0, order], single, relative[order], empty, empty)


class FreeCells:
    """The equations of the original's free cells.

    kernel: the kernel between these cells, in double precision.
    """

    def __init__(self, kernel: Doubles) -> None:
        self._inverse = bordered_inverse(kernel, RIDGE)

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
        for _ in range(MAX_HELD_CHANGES):
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
            if held.all():  # their values need not have the right sum
                return None
            cells, force = np.flatnonzero(held), np.zeros(len(unbounded))
            force[cells] = np.linalg.solve(
                inverse[np.ix_(cells, cells)], (bound - unbounded)[cells]
            )
            solution = np.where(held, bound, unbounded + inverse[:-1, cells] @ force[cells])
        return _with_sum(np.clip(solution, lower, upper), beta.sum() - total, lower, upper)


def _with_sum(beta: Doubles, total: float, lower: Doubles, upper: Doubles) -> Doubles | None:
    """Return beta changed to this sum within its limits, or None if that is impossible."""
    # the cells farthest from their bounds are changed first
    beta, missing = beta.copy(), total - beta.sum()
    order = np.argsort(-np.minimum(beta - lower, upper - beta), kind="stable")
    room = (upper - beta if missing > 0 else beta - lower)[order]
    changes = np.clip(abs(missing) - (np.cumsum(room) - room), 0, room)
    if changes.sum() < abs(missing) * (1 - ROUNDING):
        return None
    beta[order] += np.copysign(changes, missing)
    return beta
