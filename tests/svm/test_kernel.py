"""The RBF kernel, and sums over it as a product of two factors, against the kernel itself."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from ggexp.svm import kernel as module
from ggexp.svm.kernel import ProductKernel, exact_kernel, part_of, rbf_kernel

pytestmark = pytest.mark.usefixtures("compiled_solver")

GAMMA = 0.3


def grid() -> NDArray:
    """Return some cells of a grid of four attributes, a few of them twice."""
    rng = np.random.default_rng(1)
    cells = np.array(list(product(range(5), range(4), range(3), range(3))), float)
    return cells[rng.integers(0, len(cells), 150)]


def scattered() -> NDArray:
    """Return cells that share no values."""
    return np.random.default_rng(2).normal(size=(150, 4))


@pytest.mark.parametrize("make", [grid, scattered])
def test_kernels_are_the_rbf_kernel(make: Callable[[], NDArray]) -> None:
    points = make()
    distances = ((points[:100, None] - points[None]) ** 2).sum(axis=-1)
    expected = np.exp(-GAMMA * distances)
    single = rbf_kernel(points[:100], points, GAMMA, threads=2)
    np.testing.assert_allclose(single, expected, rtol=1e-5)
    np.testing.assert_allclose(exact_kernel(points[:100], points, GAMMA), expected, rtol=1e-12)


@pytest.mark.parametrize("make", [grid, scattered])
@pytest.mark.parametrize(
    ("inner", "table", "held"), [(1 << 17, 1 << 22, 5000), (20, 300, 10)], ids=["large", "small"]
)
def test_sums_and_parts_are_those_of_the_kernel(
    make: Callable[[], NDArray], inner: int, table: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_INNER_VALUES", inner)
    monkeypatch.setattr(module, "MAX_TABLE_VALUES", table)
    monkeypatch.setattr(module, "MAX_HELD_ROWS", held)
    points = make()
    beta = np.random.default_rng(3).normal(size=(7, 100))
    beta[3:, :60] = 0
    kernel = ProductKernel(points[:100], points, GAMMA)
    expected = beta @ exact_kernel(points[:100], points, GAMMA)
    np.testing.assert_allclose(kernel.sums(beta), expected, atol=1e-12)
    alone = np.zeros_like(beta)
    alone[4] = beta[4]
    np.testing.assert_array_equal(kernel.sums(alone)[4], kernel.sums(beta)[4])
    cells, positions = np.array([3, 17, 4, 90, 149, 60]), np.array([1, 4, 5])
    among = ProductKernel(points, points, GAMMA).among(cells)
    for part, chosen in ((among, cells), (part_of(among, positions), cells[positions])):
        left, right, first, second = part
        expected = exact_kernel(points[chosen], points[chosen], GAMMA)
        np.testing.assert_allclose(left[first] * right[second], expected, rtol=1e-6)
