"""The RBF kernel in single and in double precision."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from ggexp.svm.kernel import exact_kernel, rbf_kernel

pytestmark = pytest.mark.usefixtures("compiled_solver")

GAMMA = 0.3


def grid() -> NDArray:
    rng = np.random.default_rng(1)
    cells = np.array(list(product(range(5), range(4), range(3), range(3))), float)
    return cells[rng.integers(0, len(cells), 150)]


def scattered() -> NDArray:
    return np.random.default_rng(2).normal(size=(150, 4))


@pytest.mark.parametrize("make", [grid, scattered])
def test_kernels_are_the_rbf_kernel(make: Callable[[], NDArray]) -> None:
    points = make()
    distances = ((points[:100, None] - points[None]) ** 2).sum(axis=-1)
    expected = np.exp(-GAMMA * distances)
    out = np.empty((100, len(points)), np.float32)
    single = rbf_kernel(points[:100], points, GAMMA, threads=2, shift=0, out=out)
    np.testing.assert_allclose(single, expected, rtol=1e-5)
    np.testing.assert_allclose(exact_kernel(points[:100], points, GAMMA), expected, rtol=1e-12)
