"""Time to compute the ε for an error of a table, on one core, for 64, 10^4 and 10^6 cells.

    python benchmarks/table_error.py

Prints the shortest processor time of several rounds of `ggexp.epsilon_for_error` at a confidence of
95 %.
"""

import time

from ggexp.guarantees.table_error import epsilon_for_error

SIZES = (64, 10_000, 1_000_000)
DELTAS = (None, 1e-6, 0.05)
#: Kind of error, its bound (records per cell for l1, records for max_error), and whether counts are
#: rescaled.
BOUNDS = (
    ("l1", 0.1, False),
    ("l1", 1, False),
    ("l1", 10, False),
    ("l1", 100, False),
    ("l1", 1, True),
    ("max_error", 10, False),
)
ROUNDS = 3
MAX_SECONDS = 1.0  # longer times are marked


def seconds(cells: int, name: str, bound: float, delta: float | None, rescale: bool) -> float:
    """Return the shortest processor time of several rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        epsilon_for_error(
            cells=cells, confidence=0.95, delta=delta, rescale=rescale, **{name: bound}
        )
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print a line for each bound and δ, with the seconds for each number of cells."""
    print("bound            rescaled  delta   " + "".join(f"{cells:>11,} cells" for cells in SIZES))
    for name, size, rescale in BOUNDS:
        for delta in DELTAS:
            line = f"{name:<10}{size:<7g}{'yes' if rescale else 'no':<10}{delta or 'none':<8}"
            for cells in SIZES:
                bound = size * cells if name == "l1" else size
                time_taken = seconds(cells, name, bound, delta, rescale)
                line += f"{time_taken:>15.3f} s" + (" TOO SLOW" if time_taken > MAX_SECONDS else "")
            print(line)


if __name__ == "__main__":
    main()
