"""How far real-valued noise is from the least possible, at one release of Figure S3's points.

    python studies/least_noise.py

For each ε and δ it refines the lattice of `ggexp.guarantees.least_real` until no noise has a
standard deviation more than `WITHIN` below the one that some noise has, and prints these two, the
steps, and by how much truncated Laplace noise and the best order are above the second. It takes ten
minutes, most of them at ε = 5.
"""

from collections.abc import Iterator
from itertools import product
from math import ceil, sqrt
from typing import NamedTuple

from ggexp import best_order
from ggexp.figures.tabulate_best_order import DELTAS, EPSILONS, truncated_laplace_sd
from ggexp.guarantees.least_real import Bounds, bounds

WITHIN = 1e-3
MAX_STEPS = 150  # steps


class Found(NamedTuple):
    """Bounds of the least standard deviation, and the steps of the lattice that they take."""

    bounds: Bounds
    steps: int


def refined(epsilon: float, delta: float) -> Found:
    """Return bounds that differ by at most `WITHIN`.

    Raises ValueError if `MAX_STEPS` steps do not reach that.
    """
    steps = 1
    while (found := bounds(epsilon, delta, steps)).gap > WITHIN:
        if steps == MAX_STEPS:
            raise ValueError(f"at ({epsilon}, {delta}) a gap of {found.gap:.2%} stays")
        enough = 1.02 / (found.above * sqrt(6 * WITHIN))  # the squares differ by 1/(3 steps²)
        steps = min(MAX_STEPS, max(ceil(1.1 * steps), ceil(enough)))
    return Found(found, steps)


def search() -> Iterator[tuple[float, float, Found]]:
    """Yield each ε and δ of the figure, and what is found there."""
    for epsilon, delta in product(EPSILONS, DELTAS):
        yield epsilon, delta, refined(epsilon, delta)


if __name__ == "__main__":
    for epsilon, delta, (found, steps) in search():
        others = truncated_laplace_sd(epsilon, delta), best_order(epsilon=epsilon, delta=delta).sd
        above = " ".join(f"{sd / found.above - 1:7.2%}" for sd in others)
        print(
            f"{epsilon:<5g} {delta:<6g} {found.below:.6g} to {found.above:.6g} "
            f"gap {found.gap:.4%} steps {steps:<3} above it {above}",
            flush=True,
        )
