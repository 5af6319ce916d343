"""The memory and time that a classification needs, from the numbers of cells and records."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ggexp.svm.memory import MAX_COUNTS, MAX_MATRICES, held_bytes, kernel_values

#: Memory in bytes: of a job without data, for each cell, and for each test record. The memory for
#: cells and records holds their attributes as numbers, and the weights, solutions, gradients and
#: decisions of one block of releases.
BASE_BYTES, BYTES_PER_CELL, BYTES_PER_RECORD = 600 * 10**6, 18_000, 6_000
#: Measured training times with kernel matrices: seconds for a release of 10,000 cells, the exponent
#: of their growth with the number of cells, and the factor for double precision. Compared with the
#: times below, tables of 3,000 to 25,000 cells took 0.6 to 1.2 times as long; Adult is faster.
BASE_SECONDS, GROWTH_EXPONENT, DOUBLE_FACTOR = 0.12, 1.6, 4
#: The same for scikit-learn, seconds and exponent: for tables of up to 25,000 cells, and for larger
#: ones, for which libsvm computes its kernel again and again. The larger of the two times counts.
LIBRARY_SECONDS = ((4.4, 1.6), (1.5, 2.8))
#: A proposed design trains on the number of repeats of each grid point that fits into
#: `MAX_TRAINING_SECONDS` on one core, but on at least `MIN_REPEATS`.
MAX_TRAINING_SECONDS, MIN_REPEATS = 1800, 10


@dataclass(frozen=True)
class TrainingSize:
    """The numbers on which the memory and time of training classifiers depend.

    classes: the number of cells of each class. records: the number of test records to predict.
    counts: the sum of the cells' counts.
    """

    classes: Sequence[int]
    records: int
    counts: float

    @property
    def values(self) -> int:
        """The number of values of the kernel matrices of all pairs of classes."""
        return kernel_values(map(sum, combinations(self.classes, 2)), self.records)

    def megabytes(self, blocks: int = 1) -> int:
        """Return an upper bound on the memory of a job, in units of 10^6 bytes.

        blocks: the number of blocks of releases in memory at a time.
        """
        matrices = held_bytes(self.values, self.counts) * self.values
        block = BYTES_PER_CELL * sum(self.classes) + BYTES_PER_RECORD * self.records
        return -(-(BASE_BYTES + matrices + blocks * block) // 10**6)

    def release_seconds(self, *, listed: bool = True) -> float:
        """Return the approximate seconds for training on a release, on one core.

        listed: whether all releases have the same cells and therefore share a kernel.
        """
        size, held = sum(self.classes) / 10_000, held_bytes(self.values, self.counts)
        if not (listed and held):
            return max(seconds * size**exponent for seconds, exponent in LIBRARY_SECONDS)
        return BASE_SECONDS * size**GROWTH_EXPONENT * (DOUBLE_FACTOR if held == 8 else 1)

    def warning(self, releases: int) -> str | None:
        """Return a warning if kernel matrices do not fit into memory, with an estimate of the time.

        releases: the number of all releases.
        """
        if held_bytes(self.values, self.counts):
            return None
        seconds = self.release_seconds()
        needed, precision = (8, "double") if self.counts > MAX_COUNTS else (4, "single")
        return (
            f"the kernel matrices of {sum(self.classes):,} cells need "
            f"{needed * self.values / 1e9:.1f} GB in {precision} precision, and at most "
            f"{MAX_MATRICES / 1e9:g} GB are held in memory. scikit-learn trains the releases "
            "without them, or whose training does not converge: about "
            f"{duration_text(seconds)} for each, {duration_text(releases * seconds)} for all "
            f"{releases:,} on one core. Wider bins or fewer classifiers (classifier.repeats) take "
            "less"
        )


def trained_repeats(seconds: float, repeats: int) -> int:
    """Return the number of repeats of each grid point on which a proposed design trains.

    seconds: the expected time of one repeat of all grid points. repeats: the number of
    repeats in the design.
    """
    return min(repeats, max(MIN_REPEATS, int(MAX_TRAINING_SECONDS / seconds)))


def duration_text(seconds: float) -> str:
    """Return a duration as text, with two digits and its unit; it is at least 0.01 s."""
    units = ((3600, "h"), (60, "min"), (1, "s"))
    unit, name = next((pair for pair in units if seconds >= 2 * pair[0]), units[-1])
    return f"{float(f'{max(seconds, 0.01) / unit:.2g}'):g} {name}"
