"""A compiled solver of the dual of one support vector machine on a given kernel matrix.

Notation: y_i = +1 or -1; alpha_i in [0, C_i] are the dual's unknowns; beta_i = y_i alpha_i, so that
lower_i = min(y_i, 0) C_i <= beta_i <= max(y_i, 0) C_i = upper_i and sum(beta) = 0. The gradient is
f = y - K beta; f_i minus the intercept is the distance of cell i from its margin. At the optimum no
pair has f_i > f_j with beta_i below its upper bound and beta_j above its lower bound.

The speed is limited by memory: each iteration reads two rows of K. Therefore the loops are written
to vectorize. They use single precision, and penalties for bounds instead of branches. One loop both
updates f and finds its next maximum, whose index is then found within one stretch of cells.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]

#: The kernel between some cells as a product: two tables, whose columns are the cells, and each
#: cell's row number in both. For cells i and j it is left[first[i], j] * right[second[i], j].
Product = tuple[Floats, Floats, Indices, Indices]

#: Numbers of cells in a stretch, for a matrix and for a product. The maximum of each stretch is
#: recorded. Stretches are short enough to be searched again, and long enough to vectorize.
STRETCH, PRODUCT_STRETCH = 512, 128
#: The number of cells in a piece of a stretch, and the share of the stretch's maximum from which on
#: the cells of a piece are searched one by one. The share is below 1 because vectorized division
#: may round differently from scalar division.
PIECE, NEAR_MAXIMUM = 16, np.float32(1 - 1e-5)
#: Penalty that excludes a cell; not minus infinity, because fast arithmetic assumes finite numbers.
EXCLUDED = np.float32(-1e30)
ZERO = np.float32(0)
#: libsvm's smallest curvature, for pairs of cells at the same point.
MIN_CURVATURE = np.float32(1e-12)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, compiled at its first call; cached on disk if a folder is writable."""
    compiler: Callable[..., Any] = partial(njit, fastmath=True, nogil=True, error_model="numpy")
    try:
        return compiler(cache=True)(function)
    except RuntimeError:  # neither the package's nor the user's cache folder is writable
        return compiler()(function)


@intrinsic
def _larger(typing_context, a, b):  # type: ignore[no-untyped-def]
    """Return the larger of two float32 by LLVM's maxnum; numba's own max does not vectorize."""

    def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(ir.FloatType(), [ir.FloatType()] * 2)
        maxnum = cgutils.get_or_insert_function(builder.module, kind, "llvm.maxnum.f32")
        return builder.call(maxnum, arguments, fastmath=("fast",))

    return types.float32(types.float32, types.float32), generate


@compiled
def _highest(gradient, can_rise):  # type: ignore[no-untyped-def]
    """Return the largest gradient among cells that can rise (beta below the upper bound)."""
    highest = EXCLUDED
    for k in range(gradient.size):
        highest = _larger(highest, gradient[k] + can_rise[k])
    return highest


@compiled
def _best_gain(gradient, can_fall, row, highest, diagonal):  # type: ignore[no-untyped-def]
    """Return the largest gain of a pair, and minus the lowest gradient, of cells that can fall."""
    best, lowest = ZERO, EXCLUDED
    for k in range(gradient.size):
        fall = can_fall[k] - gradient[k]
        lowest = _larger(lowest, fall)
        violation = _larger(highest + fall, ZERO)
        difference = diagonal - row[k]
        curvature = _larger(difference + difference, MIN_CURVATURE)
        best = _larger(best, violation * violation / curvature)
    return best, lowest


@compiled
def _move(gradient, can_rise, row_i, row_j, step):  # type: ignore[no-untyped-def]
    """Update the gradient for a step of the pair; return its maximum over cells that can rise."""
    highest = EXCLUDED
    for k in range(gradient.size):
        moved = gradient[k] - step * (row_i[k] - row_j[k])
        gradient[k] = moved
        highest = _larger(highest, moved + can_rise[k])
    return highest


def _row(kernel, cell, buffer):  # type: ignore[no-untyped-def]
    """Return a row of the kernel. The row of a product is computed in the buffer."""


@overload(_row)
def _row_of(kernel, cell, buffer):  # type: ignore[no-untyped-def]
    if isinstance(kernel, types.Array):
        return lambda kernel, cell, buffer: kernel[cell]

    def computed(kernel, cell, buffer):  # type: ignore[no-untyped-def]
        left, right, first, second = kernel
        left_row, right_row = left[first[cell]], right[second[cell]]
        for k in range(buffer.size):
            buffer[k] = left_row[k] * right_row[k]
        return buffer

    return computed


def _stretch(kernel):  # type: ignore[no-untyped-def]
    """Return the number of cells in a stretch."""


@overload(_stretch)
def _stretch_of(kernel):  # type: ignore[no-untyped-def]
    if isinstance(kernel, types.Array):
        return lambda kernel: STRETCH
    return lambda kernel: PRODUCT_STRETCH


@compiled
def solve(  # type: ignore[no-untyped-def]
    kernel, gradient, beta, lower, upper, tolerance, max_iterations
):
    """Optimize beta and its gradient in place; return the iterations, or -1 if there are too many.

    Sequential minimal optimization with libsvm's second-order selection of the pair (Fan, Chen and
    Lin 2005) and its stopping rule: the largest violation of optimality by a pair is at most the
    tolerance.

    kernel: float32, symmetric, with a constant diagonal: a `Product`, or a matrix whose first rows
        and columns are those of the cells.
    gradient: float32, y - kernel @ beta of the cells at the start.
    beta, lower, upper: float64, of the cells; beta must be within the bounds and sum to 0, and
        remains so.
    """
    stretch = _stretch(kernel)
    cells, buffers = gradient.size, np.empty((2, gradient.size), np.float32)
    diagonal = _row(kernel, 0, buffers[0])[0]
    stretches = (cells + stretch - 1) // stretch
    can_rise, can_fall = np.empty(cells, np.float32), np.empty(cells, np.float32)
    for k in range(cells):
        can_rise[k] = ZERO if beta[k] < upper[k] else EXCLUDED
        can_fall[k] = ZERO if beta[k] > lower[k] else EXCLUDED
    highest, gain, lowest = np.empty((3, stretches), np.float32)
    for s in range(stretches):
        part = slice(s * stretch, (s + 1) * stretch)
        highest[s] = _highest(gradient[part], can_rise[part])

    for iteration in range(max_iterations):
        start = np.argmax(highest) * stretch
        part = slice(start, start + stretch)
        i = start + np.argmax(gradient[part] + can_rise[part])
        top, row_i = gradient[i] + can_rise[i], _row(kernel, i, buffers[0])
        for s in range(stretches):
            part = slice(s * stretch, (s + 1) * stretch)
            gain[s], lowest[s] = _best_gain(
                gradient[part], can_fall[part], row_i[part], top, diagonal
            )
        if top + np.max(lowest) <= tolerance:
            return iteration
        start = np.argmax(gain) * stretch
        j, best, threshold = start, ZERO, NEAR_MAXIMUM * np.max(gain)
        for first in range(start, min(start + stretch, cells), PIECE):
            part = slice(first, first + PIECE)
            pair_gain, _ = _best_gain(gradient[part], can_fall[part], row_i[part], top, diagonal)
            for k in range(first, min(first + PIECE, cells) if pair_gain >= threshold else first):
                cell = slice(k, k + 1)
                pair_gain, _ = _best_gain(
                    gradient[cell], can_fall[cell], row_i[cell], top, diagonal
                )
                if pair_gain > best:
                    j, best = k, pair_gain

        row_j = _row(kernel, j, buffers[1])
        difference = diagonal - row_i[j]
        curvature = _larger(difference + difference, MIN_CURVATURE)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = min(np.float64((gradient[i] - gradient[j]) / curvature), room_i, room_j)
        beta[i] = upper[i] if step == room_i else beta[i] + step
        beta[j] = lower[j] if step == room_j else beta[j] - step
        for k in (i, j):
            can_rise[k] = ZERO if beta[k] < upper[k] else EXCLUDED
            can_fall[k] = ZERO if beta[k] > lower[k] else EXCLUDED
        for s in range(stretches):
            part = slice(s * stretch, (s + 1) * stretch)
            highest[s] = _move(
                gradient[part], can_rise[part], row_i[part], row_j[part], np.float32(step)
            )
    return -1


def intercept(gradient: Floats, beta: Doubles, lower: Doubles, upper: Doubles) -> float:
    """Return libsvm's intercept: the mean gradient of the cells strictly between their bounds.

    If there are no such cells, it is the midpoint of the range that the other cells allow.
    """
    free = (lower < beta) & (beta < upper)
    if free.any():
        return float(gradient[free].mean(dtype=np.float64))
    highest = gradient[beta < upper].max()
    lowest = gradient[beta > lower].min()
    return (float(highest) + float(lowest)) / 2


@compiled
def exact_gradient(kernel, signs, beta, cells):  # type: ignore[no-untyped-def]
    """Return y - kernel @ beta for these cells (indices), float64, summed in double precision."""
    gradient = np.empty(cells.size)
    for k in range(cells.size):
        row, total = kernel[cells[k]], 0.0
        for j in range(beta.size):
            total += row[j] * beta[j]
        gradient[k] = signs[cells[k]] - total
    return gradient


@compiled
def reorder(matrix, order):  # type: ignore[no-untyped-def]
    """Replace the square matrix by `matrix[order][:, order]` in place."""
    # loops over numbers, because numba needs 2 s more to compile assignments of whole rows
    size = len(order)
    row = np.empty(size, matrix.dtype)
    for i in range(size):
        for j in range(size):
            row[j] = matrix[i, order[j]]
        for j in range(size):
            matrix[i, j] = row[j]
    done = np.zeros(size, np.bool_)
    for first in range(size):  # each row of a cycle moves to its new position
        for j in range(size):
            row[j] = matrix[first, j]
        i = first
        while not done[i]:
            done[i] = True
            for j in range(size):
                matrix[i, j] = row[j] if order[i] == first else matrix[order[i], j]
            i = order[i]
