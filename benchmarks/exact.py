"""Time of exact integer-valued noise from random bits: making its table, and draws per second.

    python benchmarks/exact.py

The table is made once for each noise. Each draw is one look-up in the table, and a release makes
one draw for each cell.
"""

import time

from ggexp.mechanisms.exact import WORD, ExactSampler, bounds_of
from ggexp.mechanisms.mechanism import Mechanism

#: Rule, order, ε and δ: the smallest and largest values of the paper, and smaller values.
POINTS = [
    ("pure-integer", None, 2.0, None),
    ("pure-integer", None, 0.5, None),
    ("pure-integer", None, 0.01, None),
    ("pure-integer", None, 0.001, None),
    ("adp-optimal", None, 2.0, 0.25),
    ("adp-optimal", None, 0.5, 0.01),
    ("adp-optimal", None, 0.01, 1e-10),
    ("adp-exact-integer", 2.0, 0.5, 0.01),
    ("adp-exact-integer", 2.0, 0.01, 1e-6),
    ("adp-exact-integer", 3.0, 0.5, 0.01),
]
#: Numbers of cells in a release: as in mildew, about as in Adult, and a million.
SIZES = (64, 18_000, 1_000_000)


def draws_per_second(sampler: ExactSampler, size: int) -> float:
    """Return the draws per second in the fastest of several rounds."""
    times = []
    for _ in range(max(5, 100_000 // size)):
        start = time.perf_counter()
        sampler.sample(size)
        times.append(time.perf_counter() - start)
    return size / min(times)


def main() -> None:
    """Print a line for each noise."""
    header = "".join(f"{size:>11,} cells" for size in SIZES)
    print(f"rule               order  epsilon  delta   values  table in ms  draws/s:{header}")
    for rule, order, epsilon, delta in POINTS:
        noise = Mechanism(order, rule).noise(epsilon=epsilon, delta=delta)
        start = time.perf_counter()
        values = len(bounds_of(noise, WORD).low)
        table_seconds = time.perf_counter() - start
        speeds = "".join(f"{draws_per_second(ExactSampler(noise), size):17.3g}" for size in SIZES)
        print(
            f"{rule:<18} {order or 'none':<6} {epsilon:<8g} {delta or 'none':<7} {values:<7} "
            f"{table_seconds * 1e3:<12.1f}         {speeds}"
        )


if __name__ == "__main__":
    main()
