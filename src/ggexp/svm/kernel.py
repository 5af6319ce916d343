"""The RBF kernel between points: large matrices, and exact values."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from ggexp.svm.smo import Doubles, Floats, Precision

#: The number of rows of a kernel matrix that are computed at a time.
KERNEL_ROWS = 128


def rbf_kernel(
    points: Doubles, others: Doubles, gamma: float, *, kind: Precision, threads: int, shift: float
) -> Floats:
    """Return exp(-gamma |x - z|^2) - shift for x in points (rows), z in others (columns).

    kind: the precision, single or double.

    The shift does not change an SVM, because its beta sums to 0. The shift `middle_value` makes
    the values smaller, and therefore sums more exact.

    The kernel is computed in place. The relative error in single precision is about 1e-7, times
    gamma |x|^2 if that exceeds 1, as for values many standard deviations from the mean.
    """
    # The exponent is one product: 2 gamma x.z - gamma |x|^2 - gamma |z|^2.
    of_points = [2 * gamma * points, -gamma * (points**2).sum(axis=1), np.ones(len(points))]
    of_others = [others, np.ones(len(others)), -gamma * (others**2).sum(axis=1)]
    left, right = (np.column_stack(columns).astype(kind) for columns in (of_points, of_others))
    out: Floats = np.empty((len(points), len(others)), kind)

    def fill(start: int) -> None:
        block = out[start : start + KERNEL_ROWS]
        np.matmul(left[start : start + KERNEL_ROWS], right.T, out=block)
        np.minimum(block, 0, out=block)  # rounding can make it positive
        np.exp(block, out=block)
        np.subtract(block, out.dtype.type(shift), out=block)

    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(0, len(points), KERNEL_ROWS)))
    return out


def exact_kernel(points: Doubles, others: Doubles, gamma: float) -> Doubles:
    """Return exp(-gamma |x - z|^2) in double precision, for x in points and z in others."""
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2 * points @ others.T, 0)))


def middle_value(points: Doubles, gamma: float) -> float:
    """Return the kernel at the mean squared distance between two points."""
    return float(np.exp(-2 * gamma * points.var(axis=0).sum()))
