"""Time to sanitize and score one grid point on one core, compared with drawing numpy's noise.

    python benchmarks/sanitize.py

Prints for each size and mechanism the time per grid point, the time per cell and repeat, the ratio
to the time that numpy's samplers take for the same noise in the same run, and the peak memory so
far.
"""

import resource
import time
from collections.abc import Callable

import numpy as np

from ggexp.experiment.errors import measure_releases
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import Listed

#: Numbers of cells and repeats.
SIZES = [(64, 500), (18_000, 500), (18_000, 50), (1_000_000, 9), (10_000_000, 1)]
MECHANISMS = {
    "laplace": Mechanism(order=1, calibration="pure"),
    "gaussian-pdp": Mechanism(order=2, calibration="pdp"),
    "ggm-3": Mechanism(order=3, calibration="pdp"),
}


def shortest_time(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the shortest time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def numpy_noise(order: float, cells: int, repeats: int) -> None:
    """Draw the noise of all repeats with numpy's samplers."""
    rng = np.random.default_rng(1)
    for _ in range(repeats):
        if order == 1:
            rng.laplace(size=cells)
        elif order == 2:
            rng.normal(size=cells)
        else:
            rng.choice([-1.0, 1.0], cells) * rng.gamma(1 / order, size=cells) ** (1 / order)


def main() -> None:
    """Print a line for each size and mechanism."""
    rng = np.random.default_rng(0)
    print("cells     repeats mechanism     ms/point  ns/cell/repeat  x numpy's noise  max MB")
    for cells, repeats in SIZES:
        counts = rng.integers(0, 5, cells)
        for name, mechanism in MECHANISMS.items():
            point = GridPoint("speed", name, mechanism.order, mechanism.calibration, 1.0, 0.05)
            noisy = NoisyPoint(point, mechanism.noise(epsilon=1.0, delta=0.05))

            def score(counts=counts, noisy=noisy, repeats=repeats) -> None:  # type: ignore[no-untyped-def]
                measure_releases(
                    counts,
                    Listed(counts.size),
                    noisy,
                    seed=1,
                    repeats=repeats,
                    pseudo_count=0.5,
                )

            seconds = shortest_time(score)
            noise_time = shortest_time(
                lambda m=mechanism, c=cells, r=repeats: numpy_noise(m.order, c, r)  # type: ignore[misc]
            )
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{cells:<9} {repeats:<7} {name:<13} {seconds * 1e3:8.1f}  "
                f"{seconds / cells / repeats * 1e9:14.1f}  {seconds / noise_time:15.2f}  "
                f"{memory:6.0f}"
            )


if __name__ == "__main__":
    main()
