"""The RBF kernel as a product of two factors, and sums over it in double precision.

exp(-gamma |x - z|^2) is the product of the kernel on some columns and the kernel on the others. The
cells of a histogram have few different rows in either group of columns: F and R, often hundreds for
a hundred thousand cells. Therefore a sum over all n cells at each of them takes n (F + R) products
instead of n^2, and two small tables instead of the kernel matrix.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ggexp.svm.kernel import exact_kernel, rbf_kernel
from ggexp.svm.smo import Doubles, Floats, Product, compiled

Places = NDArray[np.int64]

#: Values at a time in the sums of a copy over the first factor's rows.
GRID = 1 << 17
#: Values of the first factor that are computed at a time.
MAX_VALUES = 1 << 22
#: The largest number of different rows of a group of columns whose kernel is held.
HELD_ROWS = 5000


class ProductKernel:
    """The RBF kernel between cells and other points, summed over the cells.

    points, others: float64, cells x columns and points x columns.
    """

    def __init__(self, points: Doubles, others: Doubles, gamma: float) -> None:
        rows = (points if others is points else np.vstack([points, others])) + 0.0  # no -0.0
        split = best_split(rows)
        self._gamma = gamma
        first, self._first = _distinct(rows[:, :split])
        second, rest = _distinct(rows[:, split:])
        self._rest = exact_kernel(rest, rest, gamma)
        self._rest_table = self._rest.astype(np.float32)
        self._first_table = None
        if len(self._first) <= HELD_ROWS:
            self._first_table = exact_kernel(self._first, self._first, gamma).astype(np.float32)
        self.cells = first[: len(points)], second[: len(points)]
        # Equal rows count once: cells by the first group, points by the second.
        pairs, self._cell = np.unique(self._numbered(*self.cells), return_inverse=True)
        self._order = np.argsort(self._cell, kind="stable")
        self._starts = np.searchsorted(self._cell[self._order], np.arange(len(pairs)))
        self._cell_first, self._cell_second = np.divmod(pairs, len(rest))
        last = slice(-len(others), None)
        pairs, self._point = np.unique(
            second[last] * len(self._first) + first[last], return_inverse=True
        )
        self._point_second, self._point_first = np.divmod(pairs, len(self._first))

    @property
    def rows(self) -> int:
        """The number of different rows in the two groups of columns, F + R."""
        return len(self._first) + len(self._rest)

    def _numbered(self, first: Places, second: Places) -> Places:
        return first * len(self._rest) + second

    def sums(self, beta: Doubles) -> Doubles:
        """Return beta @ kernel, copies x points, for beta of shape copies x cells.

        A copy's sums depend only on its own beta and on the number of copies, to the last bit.
        """
        copies, rest = len(beta), len(self._rest)
        beta = np.add.reduceat(beta[:, self._order], self._starts, axis=1)
        sums = np.zeros((copies, len(self._point_first)))
        ends = np.searchsorted(self._point_second, np.arange(rest + 1))
        width = min(512, max(1, GRID // rest), max(1, MAX_VALUES // len(self._first)))
        for start in range(0, len(self._first), width):
            low, high = np.searchsorted(self._cell_first, (start, start + width))
            if not beta[:, low:high].any():
                continue
            present, begins = np.unique(self._cell_first[low:high], return_index=True)
            parts = np.append(low + begins, high)
            inner = np.empty((rest, copies, len(present)))
            for k, (begin, end) in enumerate(pairwise(parts)):
                table = self._rest[self._cell_second[begin:end]]
                inner[:, :, k] = (beta[:, begin:end] @ table).T
            table = exact_kernel(self._first[present], self._first, self._gamma)
            for part, (begin, end) in zip(inner, pairwise(ends), strict=True):
                if begin < end:
                    sums[:, begin:end] += part @ table[:, self._point_first[begin:end]]
        return np.asarray(sums[:, self._point])

    def among(self, cells: Places) -> Product:
        """Return the kernel among these cells in single precision, in the form for `smo.solve`."""
        (first, first_rows), (second, second_rows) = (
            np.unique(places[cells], return_inverse=True) for places in self.cells
        )
        points, table = self._first[first], self._first_table
        if table is None:
            left = rbf_kernel(points, points, self._gamma, threads=1)[:, first_rows]
        else:
            left = _gathered(table, first, self.cells[0][cells])
        right = _gathered(self._rest_table, second, self.cells[1][cells])
        return left, right, first_rows, second_rows


def part_of(product: Product, cells: Places) -> Product:
    """Return the kernel among some of a product's cells."""
    left, right, first, second = product
    rows, first_rows = np.unique(first[cells], return_inverse=True)
    columns, second_rows = np.unique(second[cells], return_inverse=True)
    return _gathered(left, rows, cells), _gathered(right, columns, cells), first_rows, second_rows


def best_split(rows: Doubles) -> int:
    """Return the size of the first group of columns that gives both groups few different rows."""
    low, high = 0, rows.shape[1]
    while high - low > 1:  # more columns have more different rows
        middle = (low + high) // 2
        first, second = _numbers(rows, middle)
        low, high = (middle, high) if first < second else (low, middle)
    splits = {split: _numbers(rows, split) for split in (low, high)}
    held = {split: sum(of) for split, of in splits.items() if of[1] <= HELD_ROWS}
    held[rows.shape[1]] = 1 + len(_distinct(rows)[1])
    return min(held, key=held.__getitem__)


def _numbers(rows: Doubles, split: int) -> tuple[int, int]:
    """Return the numbers of different rows in the columns before the split and after it."""
    return len(_distinct(rows[:, :split])[1]), len(_distinct(rows[:, split:])[1])


def _distinct(rows: Doubles) -> tuple[Places, Doubles]:
    """Return each row's number among the different rows, in order of appearance, and these rows."""
    numbers: dict[bytes, int] = {}
    rows = np.ascontiguousarray(rows)
    number = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], np.int64)
    return number, rows[np.unique(number, return_index=True)[1]]


@compiled
def _gathered(table: Floats, rows: Places, columns: Places):  # type: ignore[no-untyped-def]
    """Return table[rows][:, columns]."""
    values = np.empty((rows.size, columns.size), np.float32)
    for i in range(rows.size):
        row = table[rows[i]]
        for j in range(columns.size):
            values[i, j] = row[columns[j]]
    return values


@compiled
def subtract(gradient, product, cells, change):  # type: ignore[no-untyped-def]
    """Subtract from the gradient the kernel's rows of these cells times their changes."""
    left, right, first, second = product
    for k in range(cells.size):
        one, other = left[first[cells[k]]], right[second[cells[k]]]
        step = np.float32(change[k])
        for j in range(gradient.size):
            gradient[j] -= step * one[j] * other[j]
