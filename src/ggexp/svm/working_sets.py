"""Train SVMs without a kernel matrix in memory, on working sets selected in double precision.

A round selects for each copy the cells that violate optimality most and the cells between their
bounds, and solves on these cells only, with the kernel in single precision. The effect of the
change of beta on the gradients of all cells is then computed for all copies at once, in double
precision (`ProductKernel.sums`). Therefore the gradient that determines the selection and the
convergence is accurate for any sum of |beta|, and each round corrects the rounding of the previous
one. The problem of a round is solved by similar rounds on fewer cells, whose rows of the kernel fit
into the cache.
"""

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.kernel import rbf_kernel
from ggexp.svm.product import Indices, ProductKernel, part_of, subtract
from ggexp.svm.smo import Doubles, Product, intercept, solve
from ggexp.svm.warm_start import MAX_ITERATIONS, WarmStart, divide, limits

#: The largest violation of a converged solution, in units of the tolerance.
ALLOWED_VIOLATION = 1.1
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
    """Return the cells between their bounds, and the most violating cells at either bound.

    size: the number of cells, unless `MIN_CELLS_AT_BOUNDS` requires more.
    """
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
    relative_alpha = (signs * margin > 0).astype(np.float64)
    np.divide(np.abs(beta[0]), bounds, out=relative_alpha, where=bounds > 0)
    order, empty = np.argsort(np.abs(margin), kind="stable"), np.empty((0, 0), np.float32)
    single = margin[order].astype(np.float32)
    return WarmStart(order, empty, beta[0, order], single, relative_alpha[order], empty)
