"""Sums over the RBF kernel as a product of two factors, against the kernel itself."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from ggexp.svm import product as module
from ggexp.svm.kernel import exact_kernel
from ggexp.svm.product import ProductKernel, best_split, part_of

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
@pytest.mark.parametrize(("inner_values", "table_values"), [(1 << 17, 1 << 22), (20, 300)])
def test_sums_are_the_kernels(
    make: object, inner_values: int, table_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_INNER_VALUES", inner_values)
    monkeypatch.setattr(module, "MAX_TABLE_VALUES", table_values)
    points = make()
    beta = np.random.default_rng(3).normal(size=(7, 100))
    beta[3:, :60] = 0
    kernel = ProductKernel(points[:100], points, GAMMA)
    expected = beta @ exact_kernel(points[:100], points, GAMMA)
    np.testing.assert_allclose(kernel.sums(beta), expected, atol=1e-12)
    alone = np.zeros_like(beta)
    alone[4] = beta[4]
    np.testing.assert_array_equal(kernel.sums(alone)[4], kernel.sums(beta)[4])


@pytest.mark.parametrize("make", [grid, scattered])
@pytest.mark.parametrize("held", [5000, 10])
def test_the_kernel_between_cells(make: object, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HELD_ROWS", held)
    points, cells = make(), np.array([3, 17, 4, 90, 149, 60])
    positions = np.array([1, 4, 5])
    among = ProductKernel(points, points, GAMMA).among(cells)
    for part, chosen in ((among, cells), (part_of(among, positions), cells[positions])):
        left, right, first, second = part
        expected = exact_kernel(points[chosen], points[chosen], GAMMA)
        np.testing.assert_allclose(left[first] * right[second], expected, rtol=1e-6)


def test_a_grid_has_few_rows() -> None:
    cells = np.array(list(product(range(10), range(6), range(15), range(4))), float)
    assert best_split(cells) == 2
    assert ProductKernel(cells, cells, GAMMA).rows == 120
    assert ProductKernel(scattered(), scattered(), GAMMA).rows == 151
