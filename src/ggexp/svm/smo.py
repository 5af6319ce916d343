"""A compiled solver of the dual of one support vector machine on a given kernel matrix.

Notation: y_i = +1 or -1; alpha_i in [0, C_i] are the dual's unknowns; beta_i = y_i alpha_i, so that
lower_i = min(y_i, 0) C_i <= beta_i <= max(y_i, 0) C_i = upper_i and sum(beta) = 0. The gradient is
f = y - K beta; f_i minus the intercept is the distance of cell i from its margin. At the optimum no
pair has f_i > f_j with beta_i below its upper bound and beta_j above its lower bound.

The speed is limited by memory: each iteration reads two rows of K. Therefore the loops are written
to vectorize. They use the kernel's precision, and penalties for bounds instead of branches. One
loop both updates f and finds its next maximum, whose index is then found within one stretch.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

Floats = NDArray[np.float32 | np.float64]
Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]
#: Single or double precision.
Precision = type[np.float32 | np.float64]

#: The number of cells in a stretch. The maximum of each stretch is recorded. Stretches are short
#: enough to be searched again, and long enough to vectorize.
STRETCH = 512
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
    """Return the larger of two numbers by LLVM's maxnum; numba's own max does not vectorize."""
    number = types.float64 if types.float64 in (a, b) else types.float32

    def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        kind = arguments[0].type
        name = f"llvm.maxnum.f{number.bitwidth}"
        maxnum = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, [kind] * 2), name
        )
        return builder.call(maxnum, arguments, fastmath=("fast",))

    return number(number, number), generate


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


@compiled
def _highest(gradient, can_rise):  # type: ignore[no-untyped-def]
    """Return the first cell with the largest sum; unlike numba's argmax, this vectorizes."""
    highest, first = EXCLUDED, np.int32(gradient.size)
    for k in range(gradient.size):
        highest = _larger(highest, gradient[k] + can_rise[k])
    for k in range(gradient.size):
        reaches = gradient[k] + can_rise[k] >= highest
        first = min(first, np.int32(k if reaches else STRETCH))
    return first


@compiled
def solve(  # type: ignore[no-untyped-def]
    kernel, gradient, beta, lower, upper, tolerance, max_iterations
):
    """Optimize beta and its gradient in place; return the iterations, or -1 if there are too many.

    Sequential minimal optimization with libsvm's second-order selection of the pair (Fan, Chen and
    Lin 2005) and its stopping rule: no pair violates optimality by more than the tolerance.

    kernel: float32 or float64, symmetric, with a constant diagonal; its first rows and columns are
        those of the cells.
    gradient: y - kernel @ beta of the cells at the start, in the kernel's precision.
    beta, lower, upper: float64, of the cells; beta is and remains within the bounds, with sum 0.
    """
    cells, diagonal = gradient.size, kernel[0, 0]
    stretches = (cells + STRETCH - 1) // STRETCH
    can_rise, can_fall = np.empty_like(gradient), np.empty_like(gradient)
    for k in range(cells):
        can_rise[k] = ZERO if beta[k] < upper[k] else EXCLUDED
        can_fall[k] = ZERO if beta[k] > lower[k] else EXCLUDED
    highest, gain, lowest = np.empty((3, stretches), gradient.dtype)
    row, rounded_step = kernel[0], np.zeros(1, gradient.dtype)
    for s in range(stretches):  # a step of 0
        part = slice(s * STRETCH, (s + 1) * STRETCH)
        highest[s] = _move(gradient[part], can_rise[part], row[part], row[part], rounded_step[0])

    for iteration in range(max_iterations):
        start = np.argmax(highest) * STRETCH
        part = slice(start, start + STRETCH)
        i = start + _highest(gradient[part], can_rise[part])
        top, row_i = gradient[i] + can_rise[i], kernel[i]
        for s in range(stretches):
            part = slice(s * STRETCH, (s + 1) * STRETCH)
            gain[s], lowest[s] = _best_gain(
                gradient[part], can_fall[part], row_i[part], top, diagonal
            )
        if top + np.max(lowest) <= tolerance:
            return iteration
        start = np.argmax(gain) * STRETCH
        j, best, threshold = start, ZERO, NEAR_MAXIMUM * np.max(gain)
        for first in range(start, min(start + STRETCH, cells), PIECE):
            part = slice(first, first + PIECE)
            pair_gain, _ = _best_gain(gradient[part], can_fall[part], row_i[part], top, diagonal)
            for k in range(first, min(first + PIECE, cells) if pair_gain >= threshold else first):
                cell = slice(k, k + 1)
                pair_gain, _ = _best_gain(
                    gradient[cell], can_fall[cell], row_i[cell], top, diagonal
                )
                if pair_gain > best:
                    j, best = k, pair_gain

        row_j = kernel[j]
        difference = diagonal - row_i[j]
        curvature = _larger(difference + difference, MIN_CURVATURE)
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        step = min(np.float64((gradient[i] - gradient[j]) / curvature), room_i, room_j)
        beta[i] = upper[i] if step == room_i else beta[i] + step
        beta[j] = lower[j] if step == room_j else beta[j] - step
        rounded_step[0] = step
        for k in (i, j):
            can_rise[k] = ZERO if beta[k] < upper[k] else EXCLUDED
            can_fall[k] = ZERO if beta[k] > lower[k] else EXCLUDED
        for s in range(stretches):
            part = slice(s * STRETCH, (s + 1) * STRETCH)
            highest[s] = _move(
                gradient[part], can_rise[part], row_i[part], row_j[part], rounded_step[0]
            )
    return -1


def limits(signs: Doubles, bounds: Doubles) -> tuple[Doubles, Doubles]:
    """Return the lower and upper limits of beta."""
    return np.minimum(signs, 0) * bounds, np.maximum(signs, 0) * bounds


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
