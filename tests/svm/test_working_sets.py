"""Difficult tables: none needs scikit-learn, and all solutions are about as accurate as its own.

The optimum of the free cells is checked by conditions that share no code with its computation.
"""

import logging
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC

from ggexp.svm import classifier, working_sets
from ggexp.svm.kernel import ProductKernel, exact_kernel
from ggexp.svm.working_sets import FreeCells, solve_copies, starts

pytestmark = pytest.mark.usefixtures("compiled_solver")

TOLERANCE = 1e-3
#: For each table: whether its classes overlap, and how its cells are weighted.
TABLES = {
    "overlapping": (True, lambda rng, cells: rng.integers(1, 4, cells)),
    "separated": (False, lambda rng, cells: rng.integers(1, 4, cells)),
    "heavy": (True, lambda rng, cells: rng.integers(100, 300, cells)),
    "heavy and separated": (False, lambda rng, cells: rng.integers(1000, 3000, cells)),
    "extreme": (True, lambda rng, cells: np.round(10 ** rng.uniform(0, 5, cells))),
    "one large cell": (True, lambda rng, cells: np.where(np.arange(cells) == 7, 10**5, 1)),
}


def table(name: str, levels: int = 8) -> tuple[NDArray, NDArray, NDArray]:
    """Return the points, signs and weights of a table of three factors, as dummies."""
    overlapping, weights_of = TABLES[name]
    rng = np.random.default_rng(sorted(TABLES).index(name))
    codes = np.array(list(product(range(levels), repeat=3)))
    score = (codes[:, 0] - levels / 2) + (codes[:, 1] - levels / 2) * (codes[:, 2] - levels / 2) / 2
    codes, score = np.vstack([codes, codes]), np.concatenate([score, score])
    signs = np.where(score + overlapping * rng.normal(0, 3, len(score)) > 0, 1.0, -1.0)
    points = np.hstack([np.eye(levels)[code] for code in codes.T])
    return points, signs, weights_of(rng, len(signs)).astype(float)


def decisions(points: NDArray, signs: NDArray, bounds: NDArray, tolerance: float) -> NDArray:
    """Return scikit-learn's decision values for the cells."""
    kept = bounds > 0
    model = SVC(C=1, gamma=1 / points.shape[1], tol=tolerance)
    model.fit(points[kept], signs[kept], sample_weight=bounds[kept])
    return model.decision_function(points)


@pytest.mark.parametrize("small", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TABLES)
def test_solutions_are_as_accurate_as_those_of_scikit_learn(
    name: str, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"MIN_CELLS": 300, "MIN_INNER_CELLS": 100, "MIN_CELLS_AT_BOUNDS": 40}
    for size, cells in sizes.items() if small else ():  # smaller than the set of all cells
        monkeypatch.setattr(working_sets, size, cells)
    points, signs, weights = table(name)
    rng = np.random.default_rng(9)
    bounds = np.clip(np.round(weights + rng.laplace(0, 2, (3, len(weights)))), 0, None)
    kernel = ProductKernel(points, points, 1 / points.shape[1])
    beta = starts(signs - 0.5, signs, bounds)
    intercepts, converged = solve_copies(kernel, signs, bounds, beta, TOLERANCE)
    assert converged.all()
    exact = exact_kernel(points, points, 1 / points.shape[1])
    errors = np.zeros((2, len(bounds), len(signs)))
    for k, copy in enumerate(bounds):
        lower, upper = np.minimum(signs, 0) * copy, np.maximum(signs, 0) * copy
        assert ((lower <= beta[k]) & (beta[k] <= upper)).all()
        assert beta[k].sum() == pytest.approx(0, abs=1e-9 * copy.sum())
        gradient = signs - exact @ beta[k]
        assert gradient[beta[k] < upper].max() - gradient[beta[k] > lower].min() < 1.101 * TOLERANCE
        loose, tight = (decisions(points, signs, copy, tolerance) for tolerance in (1e-3, 1e-5))
        ours = exact @ beta[k] + intercepts[k]
        errors[:, k] = ours - tight, loose - tight
        undecided = np.abs(tight) < 2 * TOLERANCE
        np.testing.assert_array_equal((ours > 0)[~undecided], (tight > 0)[~undecided])
    ours, loose = np.sqrt((errors**2).mean(axis=(1, 2)))
    assert ours <= max(1.25 * loose, TOLERANCE / 4)


@pytest.mark.parametrize(
    ("name", "small_table"), [*((name, 0) for name in TABLES), ("separated", 4000), ("heavy", 4000)]
)
def test_no_difficult_table_needs_scikit_learn(
    name: str, small_table: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(classifier, "SMALL_TABLE", small_table)
    points, signs, weights = table(name)
    train, test = np.arange(0, len(points), 2), np.arange(1, len(points), 2)
    svm = classifier.SharedKernelSVM(
        points[train], signs[train], weights[train], points[test], signs[test]
    )

    def release(repeat: int) -> NDArray:
        noise = np.random.default_rng([3, repeat]).laplace(0, 2, len(train))
        return np.clip(np.round(weights[train] + noise), 0, None)

    accuracies = svm.accuracies(release, range(4))
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    for repeat, accuracy in enumerate(accuracies):
        kept = np.flatnonzero(release(repeat))
        model = SVC(C=1, gamma=1 / points.shape[1], tol=1e-5)
        model.fit(points[train][kept], signs[train][kept], sample_weight=release(repeat)[kept])
        expected = model.decision_function(points[test])
        undecided = np.count_nonzero(np.abs(expected) < 2 * TOLERANCE)
        right = np.mean((expected > 0) == (signs[test] > 0))
        assert accuracy == pytest.approx(right, abs=(undecided + 0.5) / len(test))
    alone = svm.accuracies(release, range(2, 3))
    np.testing.assert_array_equal(alone, accuracies[2:3])


def test_too_few_rounds_are_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_sets, "MAX_ROUNDS", 1)
    points, signs, weights = table("overlapping")
    kernel = ProductKernel(points, points, 1 / points.shape[1])
    beta = starts(signs, signs, weights[None])
    assert not solve_copies(kernel, signs, weights[None], beta, TOLERANCE)[1].any()


@pytest.mark.parametrize(("seed", "noise"), [(0, 0.0), (1, 0.1), (2, 0.3), (3, 0.3)])
def test_the_optimum_of_the_free_cells(seed: int, noise: float) -> None:
    """The limits reach from 0 to 1.5 times an optimal beta, times random factors."""
    rng = np.random.default_rng(seed)
    points, cells = rng.normal(size=(60, 3)), 60
    kernel = 0.9 * np.exp(-((points[:, None] - points) ** 2).sum(axis=2)) + 0.1 * np.eye(cells)
    beta = rng.normal(0, 10, cells)
    beta -= beta.mean()
    signs = kernel @ beta + 0.3  # so that all gradients are equal
    bounds = 1.5 * beta * np.exp(noise * rng.normal(size=cells))
    lower, upper = np.minimum(bounds, 0), np.maximum(bounds, 0)
    free = FreeCells(kernel)
    start = np.clip(beta * 0.9, lower, upper)
    solution = free.optimum(start, signs - kernel @ start, start.sum(), lower, upper)
    assert solution is not None
    assert ((lower <= solution) & (solution <= upper)).all()
    assert solution.sum() == pytest.approx(0, abs=1e-6)
    gradient = signs - kernel @ solution
    assert gradient[solution < upper].max() - gradient[solution > lower].min() < 1e-5
    assert ((solution == lower) | (solution == upper)).any() == (noise == 0.3)
    # there is no result for a distant copy
    lower, upper = lower / 20, upper / 20
    start = np.clip(beta, lower, upper)
    assert free.optimum(start, signs - kernel @ start, 0, lower, upper) is None
