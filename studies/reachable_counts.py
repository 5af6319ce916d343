"""Test whether the digits of a noisy count reveal the true count, for docs/guide.md.

    python studies/reachable_counts.py

A floating-point sum count + noise can only be some of the floating-point numbers, and which ones
depends on the count. The adversary knows that a count is c or c + 1, each with probability 1/2, and
sees a release. If no noise value gives the release from c + 1, they guess c, and vice versa;
otherwise they guess the likelier count. Three kinds of releases are tested: draws of the library
before post-processing, the same draws clamped at 0, and releases of `ggexp sanitize`.
Takes ten seconds. Sources: Mironov 2012; Haney et al. 2022.
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
    """The success of the attack.

    certain: the share of releases of c that are impossible for c + 1. right: the share of correct
    guesses.
    """

    certain: float
    right: float


def is_reachable(outcomes: Outcomes, count: int) -> NDArray[np.bool_]:
    """Return for each outcome whether it is the sum of the count and a floating-point number.

    If it is, then the number is the rounded difference or one of its two neighbours.
    """
    nearest = outcomes - count
    candidates = (nearest, np.nextafter(nearest, -np.inf), np.nextafter(nearest, np.inf))
    return np.logical_or.reduce([count + noise == outcomes for noise in candidates])


def attack(of_count: Outcomes, of_next: Outcomes, count: int, noise: Noise) -> Success:
    """Return the success of the attack on releases of a count and of the next count.

    An outcome of 0 may be a clamped release.
    """

    def is_possible(outcomes: Outcomes, true: int) -> NDArray[np.bool_]:
        inside = (outcomes >= true - noise.largest) & (outcomes <= true + noise.largest)
        clamped = (outcomes == 0) & (true <= noise.largest)
        return is_reachable(outcomes, true) & inside | clamped

    def guesses_next(outcomes: Outcomes) -> NDArray[np.bool_]:
        from_count, from_next = is_possible(outcomes, count), is_possible(outcomes, count + 1)
        return np.where(from_count & from_next, outcomes > count + 0.5, from_next)

    certain = 1 - float(is_possible(of_count, count + 1).mean())
    right = (1 - guesses_next(of_count).mean() + guesses_next(of_next).mean()) / 2
    return Success(certain, float(right))


def allowed(epsilon: float, delta: float = 0.0) -> Success:
    """Return the largest success of any attack under (ε, δ)-approximate DP."""
    return Success(delta, (exp(epsilon) + delta) / (1 + exp(epsilon)))


def of_floating_point(epsilon: float, count: int, draws: int, *, clamped: bool) -> Success:
    """Return the success of the attack on a count with Laplace noise that satisfies ε-DP."""
    noise = Mechanism(1, "pure").noise(epsilon=epsilon)
    rng = np.random.default_rng(20261123)
    pair = [true + noise.sample(rng, draws) for true in (count, count + 1)]
    of_count, of_next = [np.maximum(outcomes, 0) for outcomes in pair] if clamped else pair
    return attack(of_count, of_next, count, noise)


def of_whole_numbers(
    epsilon: float, delta: float | None, count: int, draws: int, *, rule: str
) -> Success:
    """Return the success of the attack on releases of `ggexp sanitize`, which are drawn exactly."""
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
            for name, success in rows.items():
                certain, right = success
                print(f"  {name:20} certain {certain:.4f}  right {right:.4f}", flush=True)
