"""Times of the theory library on one core, beside the limits that it was written for.

Run it with `python benchmarks/theory.py`. Times are processor times; a calibration's is the mean
over the settings, and sampling is given relative to numpy's own sampler of the same noise too.
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


def best(work: Callable[[], object], rounds: int = 5) -> float:
    """Return the shortest processor time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def report(what: str, measured: float, unit: str, limit: float) -> None:
    """Print a line, marked where the limit is exceeded."""
    mark = "" if measured <= limit else "  TOO SLOW"
    print(f"{what:46}{measured:10.3f} {unit:22}limit {limit:g}{mark}")


def calibrations() -> None:
    """Time a calibration of each rule, and the exact privacy of a scale."""
    for name in ("pdp", "pdp-exact", "adp-exact"):

        def calibrate(name: str = name) -> None:
            for order, epsilon, delta in SETTINGS:
                calibration.scale(name, order=order, epsilon=epsilon, delta=delta)

        limit = 20 if name == "adp-exact" else 1
        report(f"calibration {name!r}", 1e3 * best(calibrate) / len(SETTINGS), "ms", limit)

    def exact() -> None:
        for order, epsilon, _ in SETTINGS:
            privacy_loss.delta(order=order, scale=4, epsilon=epsilon)

    report("privacy_loss.delta", 1e3 * best(exact) / len(SETTINGS), "ms", 20)


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

        report(f"Corollary 7, order {order}, 400,000 draws", best(calibrate, 3), "s", 2)


def samplers() -> None:
    """Time a draw of GG noise, beside numpy's own Laplace and normal."""
    rng = np.random.default_rng(1)
    numpys = {1: lambda: rng.laplace(0, 2, DRAWS), 2: lambda: rng.normal(0, 2, DRAWS)}
    for order in (1, 2, 3):
        noise = GeneralizedGaussian(order, 2.0)
        ours = best(lambda noise=noise: noise.sample(rng, DRAWS))  # type: ignore[misc]
        if order in numpys:
            report(f"sampling, order {order}", ours / best(numpys[order]), "times numpy's own", 1.5)
        report(f"sampling, order {order}", 1e9 * ours / DRAWS, "ns per draw", 60)


def tables() -> None:
    """Time the numbers of Figures 1 to 5."""
    for figure in (1, 2, 3, 4, 5):
        seconds = best(lambda figure=figure: tabulate_theory.tabulate(f"{figure:02}", seed=1), 1)  # type: ignore[misc]
        report(f"numbers of Figure {figure}", seconds, "s", 15)


if __name__ == "__main__":
    calibrations()
    several_coordinates()
    samplers()
    tables()
