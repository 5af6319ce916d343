"""Bound the smallest standard deviation of real-valued noise for one release (points of Figure S3).

    python studies/least_noise.py

For each ε and δ, refines the lattice of `ggexp.companions.least_real` until the lower bound, which
no noise can beat, and the upper bound, which some noise attains, differ by at most `WITHIN`. Prints
both bounds, the number of steps, and two standard deviations relative to the upper bound: those of
truncated Laplace noise and of noise of the best order. Takes ten minutes, most of them at ε = 5.
"""

from collections.abc import Iterator
from itertools import product
from math import ceil, sqrt
from typing import NamedTuple

from ggexp import best_order
from ggexp.companions.least_real import Bounds, bounds
from ggexp.figures.tabulate_best_order import DELTAS, EPSILONS, truncated_laplace_sd

WITHIN = 1e-3  # largest relative difference of the two bounds
MAX_STEPS = 150  # lattice points per unit


class Refinement(NamedTuple):
    """Bounds on the smallest standard deviation, and the number of lattice steps that they need."""

    bounds: Bounds
    steps: int


def refined(epsilon: float, delta: float) -> Refinement:
    """Return bounds whose relative difference is at most `WITHIN`.

    Raises ValueError if `MAX_STEPS` steps do not suffice.
    """
    steps = 1
    while (current := bounds(epsilon, delta, steps)).gap > WITHIN:
        if steps == MAX_STEPS:
            raise ValueError(
                f"at ({epsilon}, {delta}) the gap is {current.gap:.2%} at {steps} steps"
            )
        # the squares of the bounds differ by 1/(3 steps²)
        sufficient = 1.02 / (current.above * sqrt(6 * WITHIN))
        steps = min(MAX_STEPS, max(ceil(1.1 * steps), ceil(sufficient)))
    return Refinement(current, steps)


def search() -> Iterator[tuple[float, float, Refinement]]:
    """Yield each ε and δ of the figure with the bounds there."""
    for epsilon, delta in product(EPSILONS, DELTAS):
        yield epsilon, delta, refined(epsilon, delta)


if __name__ == "__main__":
    for epsilon, delta, (best, steps) in search():
        sds = truncated_laplace_sd(epsilon, delta), best_order(epsilon=epsilon, delta=delta).sd
        excess = " ".join(f"{sd / best.above - 1:7.2%}" for sd in sds)
        print(
            f"{epsilon:<5g} {delta:<6g} {best.below:.6g} to {best.above:.6g} "
            f"gap {best.gap:.4%} steps {steps:<3} excess {excess}",
            flush=True,
        )
