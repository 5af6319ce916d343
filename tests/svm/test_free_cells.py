"""The optimum of the free cells, checked by conditions that share no line with how it is found."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ggexp.svm.free_cells import FreeCells

CELLS = 60


def problem(seed: int, noise: float) -> tuple[NDArray, ...]:
    """Return a kernel, its optimal beta, the signs of that, and limits moved by noise.

    Before that, they are half as far from 0 again as beta is.
    """
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(CELLS, 3))
    kernel = 0.9 * np.exp(-((points[:, None] - points) ** 2).sum(axis=2)) + 0.1 * np.eye(CELLS)
    beta = rng.normal(0, 10, CELLS)
    beta -= beta.mean()
    signs = kernel @ beta + 0.3  # so all gradients are equal
    far = 1.5 * beta * np.exp(noise * rng.normal(size=CELLS))
    return kernel, beta, signs, np.minimum(far, 0), np.maximum(far, 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_it_is_the_optimum(seed: int, noise: float) -> None:
    kernel, beta, signs, lower, upper = problem(seed, noise)
    start = np.clip(beta * 0.9, lower, upper)
    moved = FreeCells(kernel).moved(start, signs - kernel @ start, start.sum(), lower, upper)
    assert moved is not None
    assert ((lower <= moved) & (moved <= upper)).all()
    assert moved.sum() == pytest.approx(0, abs=1e-6)
    gradient = signs - kernel @ moved
    assert gradient[moved < upper].max() - gradient[moved > lower].min() < 1e-5
    assert ((moved == lower) | (moved == upper)).any() == (noise == 0.3)


def test_a_copy_that_is_far_has_no_such_start() -> None:
    kernel, beta, signs, lower, upper = problem(0, 0)
    lower, upper = lower / 20, upper / 20
    start = np.clip(beta, lower, upper)
    assert FreeCells(kernel).moved(start, signs - kernel @ start, 0, lower, upper) is None
