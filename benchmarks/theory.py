"""Times of calibration, exact privacy loss, sampling and Figures 1 to 5, on one core, with limits.

    python benchmarks/theory.py

Prints processor times. The time of a calibration is the mean over `SETTINGS`. The time of sampling
is also given relative to numpy's sampler of the same noise.
"""

import time
from collections.abc import Callable
from itertools import product

import numpy as np

from ggexp.figures import tabulate_theory
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.several_coordinates import pdp_scale

SETTINGS = list(product((1.5, 2, 3, 10), (0.1, 1, 10), (1e-15, 1e-6, 0.1)))  # order, ε, δ
DRAWS = 100_000


def shortest_time(work: Callable[[], object], rounds: int = 5) -> float:
    """Return the shortest processor time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def report(label: str, measured: float, unit: str, limit: float) -> None:
    """Print a measurement, and mark it if it exceeds its limit."""
    mark = "" if measured <= limit else "  TOO SLOW"
    print(f"{label:46}{measured:10.3f} {unit:22}limit {limit:g}{mark}")


def calibrations() -> None:
    """Time a calibration by each numerical rule, and the exact δ of a scale."""
    for name in ("pdp", "pdp-exact", "adp-exact"):

        def calibrate(name: str = name) -> None:
            for order, epsilon, delta in SETTINGS:
                calibration.calibrate(name, order=order, epsilon=epsilon, delta=delta)

        limit = 20 if name == "adp-exact" else 1
        report(f"calibration {name!r}", 1e3 * shortest_time(calibrate) / len(SETTINGS), "ms", limit)

    def compute_deltas() -> None:
        for order, epsilon, _ in SETTINGS:
            privacy_loss.delta(order=order, scale=4, epsilon=epsilon)

    report("privacy_loss.delta", 1e3 * shortest_time(compute_deltas) / len(SETTINGS), "ms", 20)


def several_coordinates() -> None:
    """Time Corollary 7 with three coordinates and 400,000 draws."""
    for order in (2, 2.5, 3, 4, 10):

        def calibrate(order: float = order) -> None:
            pdp_scale(
                order=order,
                sensitivities=tabulate_theory.COORDINATES,
                epsilon=1,
                delta=0.05,
                rng=np.random.default_rng(1),
            )

        report(f"Corollary 7, order {order}, 400,000 draws", shortest_time(calibrate, 3), "s", 2)


def samplers() -> None:
    """Time a draw of GG noise, and compare it with numpy's Laplace and normal samplers."""
    rng = np.random.default_rng(1)
    numpy_samplers = {1: lambda: rng.laplace(0, 2, DRAWS), 2: lambda: rng.normal(0, 2, DRAWS)}
    for order in (1, 2, 3):
        noise = GeneralizedGaussian(order, 2.0)
        seconds = shortest_time(lambda noise=noise: noise.sample(rng, DRAWS))  # type: ignore[misc]
        if order in numpy_samplers:
            report(
                f"sampling, order {order}",
                seconds / shortest_time(numpy_samplers[order]),
                "times numpy's own",
                1.5,
            )
        report(f"sampling, order {order}", 1e9 * seconds / DRAWS, "ns per draw", 60)


def tables() -> None:
    """Time the computation of the numbers of Figures 1 to 5."""
    for figure in (1, 2, 3, 4, 5):
        seconds = shortest_time(
            lambda figure=figure: tabulate_theory.tabulate(f"{figure:02}", seed=1),  # type: ignore[misc]
            rounds=1,
        )
        report(f"numbers of Figure {figure}", seconds, "s", 15)


if __name__ == "__main__":
    calibrations()
    several_coordinates()
    samplers()
    tables()
