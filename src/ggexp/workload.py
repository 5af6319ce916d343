"""The memory and time that a classification needs, from the numbers of cells and records."""

from collections.abc import Iterable
from itertools import combinations

#: The number of repeats that share a matrix product. The rounding of BLAS depends on the shape of a
#: product. Therefore repeat k is always row k % BLOCK of a product with exactly BLOCK rows.
BLOCK = 125
#: The largest total size of kernel matrices that are kept in memory, in bytes. Adult has 2.0e9.
MAX_MATRICES = 22 * 10**8
#: Counts are large if their mean over the cells is at least `LARGE_COUNTS`. Training then starts
#: from a solution of the linear equations of the free cells, whose dual variables are between their
#: bounds, if there are at most `MAX_FREE_CELLS` of them (`svm.free_cells`).
LARGE_COUNTS, MAX_FREE_CELLS = 3, 6000
#: The bytes of a job without data, per cell, and per test record. The latter two are for the points
#: and for the weights, solutions, gradients and decisions of one block of releases.
BASE_BYTES, BYTES_PER_CELL, BYTES_PER_RECORD = 600 * 10**6, 18_000, 6_000
#: Measured training times: seconds for a release of 10,000 cells, the exponent of their growth with
#: the number of cells, and the factor for large counts.
BASE_SECONDS, EXPONENT, LARGE_FACTOR = 0.05, 1.5, 2
#: The time limit of a job is this number of minutes plus this multiple of its expected time.
BASE_MINUTES, TIME_FACTOR = 10, 6
#: The largest training time of a proposed design, in seconds of one core, which limits the number
#: of trained repeats of each grid point, and the minimum of that number.
MAX_TRAINING_SECONDS, MIN_REPEATS = 1800, 10
#: The factor by which training takes longer with scikit-learn, which is used if releases have
#: different cells.
LIBRARY_FACTOR = 150


def matrix_bytes(pairs: Iterable[int], records: int) -> int:
    """Return the bytes of the kernel matrices of pairs of classes.

    pairs: the number of cells of each pair. Each pair has a matrix of its cells, and one of its
    cells by the test records, both in single precision.
    """
    return sum(4 * cells * (cells + records) for cells in pairs)


def are_large(counts: float, cells: int) -> bool:
    """Return whether the counts of the cells are large. counts: their sum."""
    return counts >= LARGE_COUNTS * cells


def classification_megabytes(
    classes: Iterable[int], records: int, counts: float, blocks: int = 1
) -> int:
    """Return an upper bound on the memory of a job, in units of 10^6 bytes.

    classes: the number of cells of each class. records: the number of test records. counts: the sum
    of the cells' counts. blocks: the number of blocks of releases in memory at a time.
    """
    classes = list(classes)
    cells = sum(classes)
    if are_large(counts, cells):
        # to invert the matrix of the linear equations
        matrices = 32 * min(cells, MAX_FREE_CELLS) ** 2
    else:
        kernels = matrix_bytes(map(sum, combinations(classes, 2)), records)
        matrices = kernels if kernels <= MAX_MATRICES else 0
    block = BYTES_PER_CELL * cells + BYTES_PER_RECORD * records
    return -(-(BASE_BYTES + matrices + blocks * block) // 10**6)


def predicted_records(records: int, distinct: int) -> int:
    """Return the number of predicted test records: the distinct ones, if at most half of all."""
    return distinct if 2 * distinct <= records else records


def release_seconds(cells: int, counts: float, *, listed: bool = True) -> float:
    """Return the approximate seconds for training on a release, on one core.

    counts: the sum of the cells' counts. listed: whether all releases have the same cells and
    therefore share a kernel.
    """
    seconds = (
        BASE_SECONDS
        * (cells / 10_000) ** EXPONENT
        * (LARGE_FACTOR if are_large(counts, cells) else 1)
    )
    return seconds if listed else LIBRARY_FACTOR * seconds


def trained_repeats(seconds: float, repeats: int) -> int:
    """Return the number of repeats of each grid point on which a proposed design trains.

    seconds: the expected time of one repeat of all grid points. repeats: of the design.
    """
    return min(repeats, max(MIN_REPEATS, int(MAX_TRAINING_SECONDS / seconds)))


def job_minutes(seconds: float) -> int:
    """Return the time limit of a job in minutes, from its expected time in seconds."""
    return BASE_MINUTES + int(TIME_FACTOR * seconds / 60)


def in_time(seconds: float) -> str:
    """Return a time as text, with two digits and its unit, and at least 0.01 s."""
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{max(seconds, 0.01):.2g} s"
