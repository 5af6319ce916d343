"""Thousands of releases of small tables, with a kernel matrix and without, against libsvm.

Small tables are degenerate: points repeat, classes are empty, and often every beta is at a bound,
so that the optimum allows a range of intercepts. A prediction counts if it is the same for all of
them.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from ggexp.svm.classifier import SharedKernelSVM, design_matrices
from ggexp.svm.duals import WeightedDuals
from ggexp.svm.kernel import exact_kernel
from ggexp.svm.memory import BLOCK
from ggexp.svm.two_classes import Problem, TwoClassSVM, library_svm

pytestmark = pytest.mark.usefixtures("compiled_solver")

TOLERANCE = 1e-3
#: The counts of a table, from the score of each cell, which is correlated with its class.
COUNTS = {
    "few": lambda rng, score: rng.poisson(np.exp(score / 2)),
    "many": lambda rng, score: rng.poisson(20 * np.exp(score)),
    "ties": lambda rng, score: np.full(len(score), rng.integers(1, 20)),
    "separated": lambda rng, score: rng.poisson(30, len(score)) * (score > 0),
    "one large cell": lambda rng, score: np.where(np.arange(len(score)) == 1, 5000, 2),
    "almost one class": lambda rng, score: np.where(np.arange(len(score)) % 2, 40, score > 2),
    "very different": lambda rng, score: np.round(10 ** rng.uniform(0, 4.5, len(score))),
}
#: Releases of a table of 18 cells on which every dual variable reaches a bound that was between its
#: bounds on the original counts: equations of those between them have no solution.
ORIGINAL = "0 17 0 16 0 18 1 19 8 2 4 3 2 6 10 0 11 1"
AT_BOUNDS = [
    ("xy", "0 23 3 28 6 20 1 11 7 15 0 16 0 10 3 0 9 0"),
    ("yx", "3 18 11 24 0 24 3 33 2 0 4 0 3 4 15 8 0 39"),
    ("yx", "0 34 0 15 0 17 0 16 7 0 0 0 0 6 6 23 3 2"),
]


def table(kind: str, seed: int) -> tuple[Problem, NDArray]:
    """Return a table of two or three factors as a problem, and a block of its releases."""
    rng = np.random.default_rng([sorted(COUNTS).index(kind), seed])
    factors = {}
    for name in "abc"[: rng.integers(2, 4)]:
        values = np.sort(rng.choice(40, rng.integers(2, 5), replace=False)).tolist()
        factors[name] = [*map(float if rng.random() < 0.5 else str, values)]
    cells = pd.DataFrame(product(*factors.values(), (-1.0, 1.0)), columns=[*factors, "class"])
    signs = cells.pop("class").to_numpy()
    codes = cells.apply(lambda column: pd.factorize(column)[0]).sum(axis=1)
    score = signs * (codes - codes.mean() + rng.normal(0, 0.5, len(cells)))
    counts = COUNTS[kind](rng, score.to_numpy()).astype(float)
    for sign in (-1, 1):  # some cells of either class have a count
        counts[np.flatnonzero(signs == sign)[:2]] += 1
    noise = rng.laplace(0, rng.choice([1, 8], (BLOCK, 1)), (BLOCK, len(cells)))
    points, grid = design_matrices(cells, counts, cells[::2])
    return Problem(points, signs, counts, grid, TOLERANCE), np.round(counts + noise).clip(0)


def determined(problem: Problem, bounds: NDArray) -> NDArray:
    """Return the sign of each prediction by scikit-learn, and 0 if an optimum leaves it open."""
    model = library_svm(problem.points, problem.signs, bounds, 1e-7)
    beta = np.zeros(len(bounds))
    beta[np.flatnonzero(bounds)[model.support_]] = model.dual_coef_[0]
    lower, upper = np.minimum(problem.signs, 0) * bounds, np.maximum(problem.signs, 0) * bounds
    gradient = problem.signs - exact_kernel(problem.points, problem.points, problem.gamma) @ beta
    slack = 1e-6 * bounds
    intercepts = gradient[beta < upper - slack].max(), gradient[beta > lower + slack].min()
    sums = exact_kernel(problem.test_points, problem.points, problem.gamma) @ beta
    lowest, highest = sums + min(intercepts) - 3 * TOLERANCE, sums + max(intercepts) + 3 * TOLERANCE
    return 1 * (lowest > 0) - 1 * (highest < 0)


@pytest.mark.parametrize(("factors", "release"), AT_BOUNDS)
def test_a_release_with_every_dual_variable_at_a_bound(factors: str, release: str) -> None:
    levels = {"x": (11.9, 13.25, 14.35), "y": (0.69, 1.0, 1.45)}
    rows = product(*map(levels.__getitem__, factors), (-1.0, 1.0))
    cells = pd.DataFrame(rows, columns=[*factors, "class"])
    cells, signs = cells[["x", "y"]], cells["class"].to_numpy()
    counts, released = (np.array(text.split(), float) for text in (ORIGINAL, release))
    points, grid = design_matrices(cells, counts, cells[::2])
    expected = determined(Problem(points, signs, counts, grid, TOLERANCE), released)
    labels = expected[expected != 0]
    assert {*labels} == {-1, 1}
    svm = SharedKernelSVM(points, signs, counts, grid[expected != 0], labels)
    assert svm.accuracies(lambda _: released, range(1)) == [1]


@pytest.mark.parametrize(
    ("seed", "precision", "kind"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] * (i % 18 > 0))
        for i, case in enumerate(product(range(4), (np.float32, np.float64), COUNTS))
    ],
)
def test_predictions_are_scikit_learns(kind: str, precision: type, seed: int) -> None:
    problem, releases = table(kind, seed)
    start = problem.warm_start(precision, threads=1)
    present = np.array([releases[:, problem.signs == sign].any(axis=1) for sign in (-1, 1)])
    both = present.all(axis=0)
    bounds = np.where(both[:, None], releases, 0)[:, start.order]
    ordered = problem.ordered(start.order)
    duals = WeightedDuals(start, ordered.signs, TOLERANCE, ordered.kernel)
    beta, intercepts, converged = duals.solve(bounds)
    alone = start.decisions(beta) + intercepts[:, None] > 0
    by_library, together = (
        TwoClassSVM(problem, arrays).predicts_positive(releases, 0) for arrays in (None, start)
    )
    all_open = 0
    for k in range(BLOCK):
        if both[k]:
            expected = determined(problem, releases[k])
        else:
            expected = np.full(len(problem.test_points), present[1, k] - 1.0 * present[0, k])
        all_open += not expected.any()
        for positive in (by_library[k], together[k], *alone[[k] if both[k] & converged[k] else []]):
            np.testing.assert_array_equal(positive[expected != 0], expected[expected != 0] > 0)
    assert all_open < BLOCK / 2
    assert converged.mean() > 0.9 or (kind == "very different" and precision is np.float32)
