"""The memory and the time that a classification needs, from the numbers of cells and records."""

from collections.abc import Iterable
from itertools import combinations

#: Repeats whose matrix products are one. BLAS rounds according to a product's shape, so repeat k
#: always has row k % BLOCK of a product of exactly this many rows.
BLOCK = 125
#: The largest kernel matrices that are held, in bytes: 2.0e9 for Adult.
MAX_MATRICES = 22 * 10**8
#: Counts of a cell, in the mean, from which on they are large: a release starts from the equations
#: of the cells between their bounds, if they are no more than these (`svm.free_cells`).
LARGE_COUNTS, MAX_FREE_CELLS = 3, 6000
#: Bytes of a job without data, and for each cell and test record: the points, and what a block of
#: releases needs of weights, solutions, gradients and decisions.
PROCESS, OF_CELL, OF_RECORD = 600 * 10**6, 18_000, 6_000
#: Seconds of a release of ten thousand cells, the exponent of their growth, and how many times as
#: long it takes where counts are large, as measured.
SECONDS, EXPONENT, LARGE = 0.05, 1.5, 2
#: Minutes that any job may take, and how many times its expected time it may take beside.
START_MINUTES, PATIENCE = 10, 6
#: Seconds of one core that a proposed design takes for training at most, by few enough repeats
#: at each grid point, but no fewer than these.
TRAINING_SECONDS, LEAST_REPEATS = 1800, 10
#: How many times as long scikit-learn takes, which trains on releases of other cells.
LIBRARY = 150


def matrix_bytes(pairs: Iterable[int], records: int) -> int:
    """Return the bytes of the kernel matrices of pairs of classes of so many cells.

    Each is between the pair's cells, and between them and the test records, of single precision.
    """
    return sum(4 * cells * (cells + records) for cells in pairs)


def are_large(counts: float, cells: int) -> bool:
    """Return whether the cells' counts, of this sum, are large."""
    return counts >= LARGE_COUNTS * cells


def classification_megabytes(
    classes: Iterable[int], records: int, counts: float, blocks: int = 1
) -> int:
    """Return the memory that a job needs at most, in units of 10^6 bytes.

    classes: the cells of each class. records: test records. counts: the sum of the cells' counts.
    blocks: blocks of releases at a time.
    """
    classes = list(classes)
    cells = sum(classes)
    if are_large(counts, cells):
        matrices = 32 * min(cells, MAX_FREE_CELLS) ** 2  # the equations, as they are inverted
    else:
        held = matrix_bytes(map(sum, combinations(classes, 2)), records)
        matrices = held if held <= MAX_MATRICES else 0
    block = OF_CELL * cells + OF_RECORD * records
    return -(-(PROCESS + matrices + blocks * block) // 10**6)


def predicted_records(records: int, different: int) -> int:
    """Return how many test records are predicted: the different ones, if that halves them."""
    return different if 2 * different <= records else records


def release_seconds(cells: int, counts: float, *, listed: bool = True) -> float:
    """Return about how long a release takes on one core.

    counts: the sum of the cells' counts. listed: whether all releases have the same cells, and so
    share a kernel.
    """
    seconds = SECONDS * (cells / 10_000) ** EXPONENT * (LARGE if are_large(counts, cells) else 1)
    return seconds if listed else LIBRARY * seconds


def trained_repeats(seconds: float, repeats: int) -> int:
    """Return on how many of the repeats a proposed design trains, if each takes so long."""
    return min(repeats, max(LEAST_REPEATS, int(TRAINING_SECONDS / seconds)))


def job_minutes(seconds: float) -> int:
    """Return the time that a job may take which is expected to take so long."""
    return START_MINUTES + int(PATIENCE * seconds / 60)


def in_time(seconds: float) -> str:
    """Return a time as people write it, in two digits, and at least 0.01 s."""
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{max(seconds, 0.01):.2g} s"
