"""Which kernel matrices are held in memory, and which test records are predicted."""

from collections.abc import Iterable

#: The number of repeats that share a matrix product. The rounding of BLAS depends on the shape of a
#: product. Therefore repeat k is always row k % BLOCK of a product with exactly BLOCK rows.
BLOCK = 125
#: The largest total size of the kernel matrices of a job, in bytes, so that it needs at most 8 GB.
#: Adult needs 2.0e9, and 2.74e9 for two sets of test records. This is not the memory of the
#: computer, because results must not depend on it.
MAX_MATRICES = 65 * 10**8
#: The sum of counts above which matrices are in double precision, if they fit, and the largest sum
#: for single precision. In all tables that we measured, the sum of the dual variables is at most
#: 0.57 of the sum of counts, and training converges in single precision if it is at most 50,000.
#: Releases have more counts than the original (a third more in a table of 25,166 cells).
MAX_SINGLE_COUNTS, MAX_COUNTS = 44_000, 66_000


def kernel_values(pairs: Iterable[int], records: int) -> int:
    """Return how many numbers the kernel matrices have.

    Each pair of classes has a matrix of cells by cells, and one of cells by test records.

    pairs: the number of cells of each pair. records: the number of test records.
    """
    return sum(cells * (cells + records) for cells in pairs)


def held_bytes(values: int, counts: float) -> int:
    """Return the bytes of each kernel value in memory, 0 if no matrices that converge fit.

    values: the number of all values. counts: the sum of all counts.
    """
    sizes = [8] * (counts > MAX_SINGLE_COUNTS) + [4] * (counts <= MAX_COUNTS)
    return next((size for size in sizes if size * values <= MAX_MATRICES), 0)


def predicted_records(records: int, distinct: int) -> int:
    """Return the number of records to predict: the distinct ones, if at most half of all."""
    return distinct if 2 * distinct <= records else records
