"""The RBF kernel between cells and points: as a matrix, and as a product of two factors.

exp(-gamma |x - z|^2) is the product of the kernel on some columns and the kernel on the other
columns. The cells of a histogram have few distinct rows in each group of columns, F in the first
and R in the second; often only hundreds for a hundred thousand cells. Therefore the kernel sums
over all n cells, at every cell, need n (F + R) multiplications instead of n^2, and two small tables
instead of the kernel matrix.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from threadpoolctl import threadpool_limits

from ggexp.svm.smo import Doubles, Floats, Indices, Product, compiled

#: The number of rows of a kernel matrix that are computed at a time.
KERNEL_ROWS = 128
#: The largest number of intermediate sums per copy (rows of the second group x rows of the first)
#: that are held at a time.
MAX_INNER_VALUES = 1 << 17
#: The largest number of values of the first factor that are computed at a time.
MAX_TABLE_VALUES = 1 << 22
#: The largest number of distinct rows of a group of columns whose kernel is held.
MAX_HELD_ROWS = 5000


def rbf_kernel(
    points: Doubles, others: Doubles, gamma: float, *, threads: int, shift: float = 0
) -> Floats:
    """Return exp(-gamma |x - z|^2) - shift, float32, for x in points (rows), z in others (columns).

    The shift does not change an SVM, because its beta sums to 0. The shift `middle_value` makes
    the values smaller, and therefore sums more exact.

    The kernel is computed in place and in single precision. The relative error is about 1e-7,
    multiplied by gamma |x|^2 if that exceeds 1, which happens for values many standard deviations
    from the mean.
    """
    kernel = np.empty((len(points), len(others)), dtype=np.float32)
    # The exponent is one product: 2 gamma x.z - gamma |x|^2 - gamma |z|^2.
    left = np.column_stack(
        [2 * gamma * points, -gamma * (points**2).sum(axis=1), np.ones(len(points))]
    ).astype(np.float32)
    right = np.column_stack(
        [others, np.ones(len(others)), -gamma * (others**2).sum(axis=1)]
    ).astype(np.float32)

    def fill(start: int) -> None:
        block = kernel[start : start + KERNEL_ROWS]
        np.matmul(left[start : start + KERNEL_ROWS], right.T, out=block)
        np.minimum(block, 0, out=block)  # rounding can make it positive
        np.exp(block, out=block)
        np.subtract(block, np.float32(shift), out=block)

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(0, len(points), KERNEL_ROWS)))
    return kernel


def exact_kernel(points: Doubles, others: Doubles, gamma: float) -> Doubles:
    """Return exp(-gamma |x - z|^2) in double precision, for x in points and z in others."""
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2 * points @ others.T, 0)))


def middle_value(points: Doubles, gamma: float) -> float:
    """Return the kernel at the mean squared distance between two points."""
    return float(np.exp(-2 * gamma * points.var(axis=0).sum()))


class ProductKernel:
    """The RBF kernel between cells and other points, and sums of it over the cells.

    points, others: float64, cells x columns and points x columns.
    """

    def __init__(self, points: Doubles, others: Doubles, gamma: float) -> None:
        rows = (points if others is points else np.vstack([points, others])) + 0.0  # no -0.0
        split = best_split(rows)
        self._gamma = gamma
        first, self._first_rows = _distinct(rows[:, :split])
        second, second_rows = _distinct(rows[:, split:])
        self._second_kernel = exact_kernel(second_rows, second_rows, gamma)
        self._second_table = self._second_kernel.astype(np.float32)
        self._first_table = None
        if len(self._first_rows) <= MAX_HELD_ROWS:
            first_kernel = exact_kernel(self._first_rows, self._first_rows, gamma)
            self._first_table = first_kernel.astype(np.float32)
        self.cells = first[: len(points)], second[: len(points)]
        # equal rows are merged; cells are sorted by the first group, points by the second
        numbers = self.cells[0] * len(second_rows) + self.cells[1]
        pairs, cell = np.unique(numbers, return_inverse=True)
        self._order = np.argsort(cell, kind="stable")
        self._starts = np.searchsorted(cell[self._order], np.arange(len(pairs)))
        self._cell_first, self._cell_second = np.divmod(pairs, len(second_rows))
        last = slice(-len(others), None)
        pairs, self._point = np.unique(
            second[last] * len(self._first_rows) + first[last], return_inverse=True
        )
        self._point_second, self._point_first = np.divmod(pairs, len(self._first_rows))

    @property
    def rows(self) -> int:
        """The number of distinct rows in the two groups of columns, F + R."""
        return len(self._first_rows) + len(self._second_kernel)

    def sums(self, beta: Doubles) -> Doubles:
        """Return beta @ kernel, copies x points, for beta of shape copies x cells.

        A copy's sums depend only on its own beta and on the number of copies, to the last bit.
        """
        copies, second_rows = len(beta), len(self._second_kernel)
        beta = np.add.reduceat(beta[:, self._order], self._starts, axis=1)
        sums = np.zeros((copies, len(self._point_first)))
        ends = np.searchsorted(self._point_second, np.arange(second_rows + 1))
        width = min(
            512,
            max(1, MAX_INNER_VALUES // second_rows),
            max(1, MAX_TABLE_VALUES // len(self._first_rows)),
        )
        for start in range(0, len(self._first_rows), width):
            lower, upper = np.searchsorted(self._cell_first, (start, start + width))
            if not beta[:, lower:upper].any():
                continue
            present, begins = np.unique(self._cell_first[lower:upper], return_index=True)
            parts = np.append(lower + begins, upper)
            inner = np.empty((second_rows, copies, len(present)))
            for k, (begin, end) in enumerate(pairwise(parts)):
                table = self._second_kernel[self._cell_second[begin:end]]
                inner[:, :, k] = (beta[:, begin:end] @ table).T
            table = exact_kernel(self._first_rows[present], self._first_rows, self._gamma)
            for part, (begin, end) in zip(inner, pairwise(ends), strict=True):
                if begin < end:
                    sums[:, begin:end] += part @ table[:, self._point_first[begin:end]]
        return np.asarray(sums[:, self._point])

    def among(self, cells: Indices) -> Product:
        """Return the kernel between these cells in single precision, as input of `smo.solve`."""
        (first, first_rows), (second, second_rows) = (
            np.unique(rows[cells], return_inverse=True) for rows in self.cells
        )
        points, table = self._first_rows[first], self._first_table
        if table is None:
            left = rbf_kernel(points, points, self._gamma, threads=1)[:, first_rows]
        else:
            left = _gathered(table, first, self.cells[0][cells])
        right = _gathered(self._second_table, second, self.cells[1][cells])
        return left, right, first_rows, second_rows


def part_of(product: Product, cells: Indices) -> Product:
    """Return the kernel between some of the cells of a product."""
    left, right, first, second = product
    rows, first_rows = np.unique(first[cells], return_inverse=True)
    columns, second_rows = np.unique(second[cells], return_inverse=True)
    return _gathered(left, rows, cells), _gathered(right, columns, cells), first_rows, second_rows


def best_split(rows: Doubles) -> int:
    """Return the size of the first group of columns, so that both groups have few distinct rows."""
    lower, upper = 0, rows.shape[1]
    while upper - lower > 1:  # more columns have more distinct rows
        middle = (lower + upper) // 2
        first, second = _row_counts(rows, middle)
        lower, upper = (middle, upper) if first < second else (lower, middle)
    splits = {split: _row_counts(rows, split) for split in (lower, upper)}
    total_rows = {
        split: sum(counts) for split, counts in splits.items() if counts[1] <= MAX_HELD_ROWS
    }
    total_rows[rows.shape[1]] = 1 + len(_distinct(rows)[1])
    return min(total_rows, key=total_rows.__getitem__)


def _row_counts(rows: Doubles, split: int) -> tuple[int, int]:
    """Return the numbers of distinct rows in the columns before the split and after it."""
    return len(_distinct(rows[:, :split])[1]), len(_distinct(rows[:, split:])[1])


def _distinct(rows: Doubles) -> tuple[Indices, Doubles]:
    """Return each row's index among the distinct rows, and these in order of first appearance."""
    numbers: dict[bytes, int] = {}
    rows = np.ascontiguousarray(rows)
    number = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], np.int64)
    return number, rows[np.unique(number, return_index=True)[1]]


@compiled
def _gathered(table: Floats, rows: Indices, columns: Indices):  # type: ignore[no-untyped-def]
    """Return table[rows][:, columns]."""
    values = np.empty((rows.size, columns.size), np.float32)
    for i in range(rows.size):
        row = table[rows[i]]
        for j in range(columns.size):
            values[i, j] = row[columns[j]]
    return values


@compiled
def subtract(gradient, product, cells, change):  # type: ignore[no-untyped-def]
    """Subtract the kernel's rows of these cells, times the changes of beta, from the gradient."""
    left, right, first, second = product
    for k in range(cells.size):
        left_row, right_row = left[first[cells[k]]], right[second[cells[k]]]
        step = np.float32(change[k])
        for j in range(gradient.size):
            gradient[j] -= step * left_row[j] * right_row[j]
