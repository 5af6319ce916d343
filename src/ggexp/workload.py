"""The memory and time that a classification needs, from the numbers of cells and records."""

from collections.abc import Iterable
from itertools import combinations

#: The number of repeats that share a matrix product. The rounding of BLAS depends on the shape of a
#: product. Therefore repeat k is always row k % BLOCK of a product with exactly BLOCK rows.
BLOCK = 125
#: The largest total size of kernel matrices that are kept in memory, in bytes. Adult needs 2.0e9,
#: and 2.74e9 for two sets of test records.
MAX_MATRICES = 28 * 10**8
#: Counts are large if their mean over the cells is at least `LARGE_COUNTS`. Training then starts
#: from a solution of the linear equations of the free cells, whose dual variables are between their
#: bounds, if there are at most `MAX_FREE_CELLS` of them (`svm.working_sets.FreeCells`).
LARGE_COUNTS, MAX_FREE_CELLS = 3, 6000
#: Memory in bytes: of a job without data, for each cell, and for each test record. The memory for
#: cells and records holds their attributes as numbers, and the weights, solutions, gradients and
#: decisions of one block of releases.
BASE_BYTES, BYTES_PER_CELL, BYTES_PER_RECORD = 600 * 10**6, 18_000, 6_000
#: Measured training times: seconds for a release of 10,000 cells, the exponent of their growth with
#: the number of cells, and the factor for large counts.
BASE_SECONDS, GROWTH_EXPONENT, LARGE_COUNTS_FACTOR = 0.05, 1.5, 2
#: The time limit of a job is this number of minutes plus this multiple of its expected time.
BASE_MINUTES, TIME_FACTOR = 10, 6
#: A proposed design trains on the number of repeats of each grid point that fits into
#: `MAX_TRAINING_SECONDS` on one core, but on at least `MIN_REPEATS`.
MAX_TRAINING_SECONDS, MIN_REPEATS = 1800, 10
#: The factor by which training takes longer with scikit-learn, which is used if releases have
#: different cells.
SCIKIT_LEARN_FACTOR = 150


def matrix_bytes(pairs: Iterable[int], records: int) -> int:
    """Return the bytes of the kernel matrices of pairs of classes.

    pairs: the number of cells of each pair. Each pair has one matrix of cells by cells and one of
    cells by test records, both in single precision.
    """
    return sum(4 * cells * (cells + records) for cells in pairs)


def are_large(counts: float, cells: int) -> bool:
    """Return whether the counts of the cells are large. counts: the sum of all counts."""
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
        # memory to invert the matrix of the linear equations
        matrices = 32 * min(cells, MAX_FREE_CELLS) ** 2
    else:
        kernels = matrix_bytes(map(sum, combinations(classes, 2)), records)
        matrices = kernels if kernels <= MAX_MATRICES else 0
    block = BYTES_PER_CELL * cells + BYTES_PER_RECORD * records
    return -(-(BASE_BYTES + matrices + blocks * block) // 10**6)


def predicted_records(records: int, distinct: int) -> int:
    """Return the number of records to predict: the distinct ones, if at most half of all."""
    return distinct if 2 * distinct <= records else records


def release_seconds(cells: int, counts: float, *, listed: bool = True) -> float:
    """Return the approximate seconds for training on a release, on one core.

    counts: the sum of the cells' counts. listed: whether all releases have the same cells and
    therefore share a kernel.
    """
    seconds = (
        BASE_SECONDS
        * (cells / 10_000) ** GROWTH_EXPONENT
        * (LARGE_COUNTS_FACTOR if are_large(counts, cells) else 1)
    )
    return seconds if listed else SCIKIT_LEARN_FACTOR * seconds


def trained_repeats(seconds: float, repeats: int) -> int:
    """Return the number of repeats of each grid point on which a proposed design trains.

    seconds: the expected time of one repeat of all grid points. repeats: the number of
    repeats in the design.
    """
    return min(repeats, max(MIN_REPEATS, int(MAX_TRAINING_SECONDS / seconds)))


def job_minutes(seconds: float) -> int:
    """Return the time limit of a job in minutes, from its expected time in seconds."""
    return BASE_MINUTES + int(TIME_FACTOR * seconds / 60)


def duration_text(seconds: float) -> str:
    """Return a duration as text, with two digits and its unit; it is at least 0.01 s."""
    units = ((3600, "h"), (60, "min"), (1, "s"))
    unit, name = next((pair for pair in units if seconds >= 2 * pair[0]), units[-1])
    return f"{float(f'{max(seconds, 0.01) / unit:.2g}'):g} {name}"
