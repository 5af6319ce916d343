"""The optimum of the free cells, checked by conditions that share no code with its computation."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ggexp.svm.free_cells import FreeCells

CELLS = 60


def problem(seed: int, noise: float) -> tuple[NDArray, ...]:
    """Return a kernel, an optimal beta, the signs for which it is optimal, and its limits.

    The limits reach from 0 to 1.5 times beta, times random factors.
    """
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(CELLS, 3))
    kernel = 0.9 * np.exp(-((points[:, None] - points) ** 2).sum(axis=2)) + 0.1 * np.eye(CELLS)
    beta = rng.normal(0, 10, CELLS)
    beta -= beta.mean()
    signs = kernel @ beta + 0.3  # so that all gradients are equal
    bounds = 1.5 * beta * np.exp(noise * rng.normal(size=CELLS))
    return kernel, beta, signs, np.minimum(bounds, 0), np.maximum(bounds, 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_the_result_is_optimal(seed: int, noise: float) -> None:
    kernel, beta, signs, lower, upper = problem(seed, noise)
    start = np.clip(beta * 0.9, lower, upper)
    solution = FreeCells(kernel).optimum(start, signs - kernel @ start, start.sum(), lower, upper)
    assert solution is not None
    assert ((lower <= solution) & (solution <= upper)).all()
    assert solution.sum() == pytest.approx(0, abs=1e-6)
    gradient = signs - kernel @ solution
    assert gradient[solution < upper].max() - gradient[solution > lower].min() < 1e-5
    assert ((solution == lower) | (solution == upper)).any() == (noise == 0.3)


def test_there_is_no_result_for_a_distant_copy() -> None:
    kernel, beta, signs, lower, upper = problem(0, 0)
    lower, upper = lower / 20, upper / 20
    start = np.clip(beta, lower, upper)
    assert FreeCells(kernel).optimum(start, signs - kernel @ start, 0, lower, upper) is None
