"""Whether the digits of a noisy count tell a count from the next one: for docs/guide.md.

    python studies/reachable_counts.py

A floating-point sum count + noise does not reach every floating-point number, and which it reaches
depends on the count. Somebody knows that a count is c or c + 1, each with probability 1/2, and sees
a release. If no noise makes it from c + 1 they say c, and the reverse; else they say which is
likelier. Draws are those of the library, before post-processing, clamped at 0, and as `ggexp
sanitize` releases whole numbers. It takes ten seconds. Sources: Mironov 2012; Haney et al. 2022.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.command.release import release_counts, sampler
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise

DRAWS = 10**6
COUNTS = (0, 1, 2, 7)
EPSILONS = (0.5, 2.0)
DELTA = 0.01
Outcomes = NDArray[np.float64]


class Success(NamedTuple):
    """What the attack attains.

    certain: the share of releases of c that are impossible for c + 1. right: of all guesses.
    """

    certain: float
    right: float


def is_reachable(outcomes: Outcomes, count: int) -> NDArray[np.bool_]:
    """Return whether some floating-point number, added to the count, makes each outcome.

    If one does, then the difference as it is rounded, or a neighbour of it.
    """
    nearest = outcomes - count
    tried = (nearest, np.nextafter(nearest, -np.inf), np.nextafter(nearest, np.inf))
    return np.logical_or.reduce([count + noise == outcomes for noise in tried])


def attack(of_count: Outcomes, of_next: Outcomes, count: int, noise: Noise) -> Success:
    """Return what the attack attains on releases of a count and of the next one.

    An outcome of 0 may be one that was clamped.
    """

    def is_possible(outcomes: Outcomes, true: int) -> NDArray[np.bool_]:
        inside = (outcomes >= true - noise.largest) & (outcomes <= true + noise.largest)
        clamped = (outcomes == 0) & (true <= noise.largest)
        return is_reachable(outcomes, true) & inside | clamped

    def says_next(outcomes: Outcomes) -> NDArray[np.bool_]:
        one, other = is_possible(outcomes, count), is_possible(outcomes, count + 1)
        return np.where(one & other, outcomes > count + 0.5, other)

    certain = 1 - float(is_possible(of_count, count + 1).mean())
    right = (1 - says_next(of_count).mean() + says_next(of_next).mean()) / 2
    return Success(certain, float(right))


def allowed(epsilon: float, delta: float = 0.0) -> Success:
    """Return the most that (ε, δ)-approximate DP allows to any attack."""
    return Success(delta, (exp(epsilon) + delta) / (1 + exp(epsilon)))


def of_floating_point(epsilon: float, count: int, draws: int, *, clamped: bool) -> Success:
    """Return what the attack attains on a count with Laplace noise of ε-DP."""
    noise = Mechanism(1, "pure").noise(epsilon=epsilon)
    rng = np.random.default_rng(20261123)
    pair = [true + noise.sample(rng, draws) for true in (count, count + 1)]
    of_count, of_next = [np.maximum(one, 0) for one in pair] if clamped else pair
    return attack(of_count, of_next, count, noise)


def of_whole_numbers(
    epsilon: float, delta: float | None, count: int, draws: int, *, rule: str
) -> Success:
    """Return what the attack attains on releases of `ggexp sanitize`, drawn exactly."""
    noise = Mechanism(None, rule).noise(epsilon=epsilon, delta=delta)
    sample = sampler(noise, None)
    of_count, of_next = (
        release_counts(np.full(draws, true), sample).astype(np.float64)
        for true in (count, count + 1)
    )
    return attack(of_count, of_next, count, noise)


if __name__ == "__main__":
    for epsilon in EPSILONS:
        for count in COUNTS:
            print(f"ε = {epsilon:g}, counts {count} and {count + 1}")
            rows = {
                "Laplace": of_floating_point(epsilon, count, DRAWS, clamped=False),
                "Laplace, clamped": of_floating_point(epsilon, count, DRAWS, clamped=True),
                "ε-DP allows": allowed(epsilon),
                "geometric": of_whole_numbers(epsilon, None, count, DRAWS, rule="pure-integer"),
                f"(ε, {DELTA:g})-DP allows": allowed(epsilon, DELTA),
                "optimum": of_whole_numbers(epsilon, DELTA, count, DRAWS, rule="adp-optimal"),
            }
            for name, found in rows.items():
                print(
                    f"  {name:20} certain {found.certain:.4f}  right {found.right:.4f}", flush=True
                )
