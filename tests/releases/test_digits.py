"""Whether the digits of a noisy count reveal the true count, which floating-point noise does.

A floating-point sum count + noise can only be some of the floating-point numbers, and which ones
depends on the count (Mironov 2012; Haney et al. 2022). The adversary knows that a count is c or
c + 1, each with probability 1/2, and sees a release. If no noise gives it from c + 1, they guess c,
and vice versa; otherwise they guess the likelier count.
"""

from math import exp, sqrt

import numpy as np
import pytest

from ggexp.mechanisms.exact import ExactSampler
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.noisy_counts import release_counts

DRAWS = 200_000
#: Five standard errors, if the sd is 1: a false alarm has a probability below 10^-6.
FIVE_ERRORS = 5 / sqrt(DRAWS)


def is_reachable(outcomes, count):
    """Return which outcomes are sums of the count and a floating-point number.

    If one is, this number is the rounded difference or one of its two neighbours.
    """
    nearest = outcomes - count
    candidates = (nearest, np.nextafter(nearest, -np.inf), np.nextafter(nearest, np.inf))
    return np.logical_or.reduce([count + noise == outcomes for noise in candidates])


def attack(of_count, of_next, count, largest):
    """Return the share of releases of c that rule out c + 1, and the share of right guesses.

    largest: the largest noise. An outcome of 0 may be a clamped release.
    """

    def is_possible(outcomes, true):
        inside = (outcomes >= true - largest) & (outcomes <= true + largest)
        clamped = (outcomes == 0) & (true <= largest)
        return is_reachable(outcomes, true) & inside | clamped

    def guesses_next(outcomes):
        from_count, from_next = is_possible(outcomes, count), is_possible(outcomes, count + 1)
        return np.where(from_count & from_next, outcomes > count + 0.5, from_next)

    right = (1 - guesses_next(of_count).mean() + guesses_next(of_next).mean()) / 2
    return 1 - is_possible(of_count, count + 1).mean(), right


def right_at_most(epsilon, delta=0.0):
    """Return the largest share of right guesses under (ε, δ)-approximate DP."""
    return (exp(epsilon) + delta) / (1 + exp(epsilon))


def of_laplace(epsilon, count, clamp=lambda outcomes: outcomes):
    """Return the success of the attack on a count with Laplace noise that satisfies ε-DP."""
    noise = Mechanism(1, "pure").noise(epsilon=epsilon)
    rng = np.random.default_rng(20261123)
    releases = [clamp(true + noise.sample(rng, DRAWS)) for true in (count, count + 1)]
    return attack(*releases, count, noise.largest)


def of_sanitize(epsilon, delta, count, rule):
    """Return the success of the attack on exact draws, as `ggexp sanitize` publishes them."""
    noise = Mechanism(None, rule).noise(epsilon=epsilon, delta=delta)
    sample = ExactSampler(noise, np.random.default_rng(3).bytes).sample
    releases = [
        release_counts(np.full(DRAWS, true), sample).astype(float) for true in (count, count + 1)
    ]
    return attack(*releases, count, noise.largest)


def test_which_outcomes_are_reachable():
    """The sum 1 + x is a multiple of 2^-53 if |x| >= 1/2."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=DRAWS) * 2.0 ** rng.integers(-80, 20, DRAWS)
    for count in (0, 1, 7, 1000):
        assert is_reachable(count + noise, count).all()
    outcomes = np.array([2.0**-53, 2.0**-54, 0.25 + 2.0**-54, 0.25 + 2.0**-53, 2.0**-90])
    assert is_reachable(outcomes, 1).tolist() == [True, False, False, True, False]
    assert is_reachable(outcomes, 0).all()


@pytest.mark.parametrize(
    ("epsilon", "shares"), [(2, (0.466, 0.179, 0.025, 5e-4)), (0.5, (0.152, 0.109, 0.060, 0.020))]
)
def test_floating_point_noise_reveals_counts(epsilon, shares):
    """The expected shares are from another program with 10^7 draws."""
    for count, share in zip((0, 1, 2, 7), shares, strict=True):
        certain, right = of_laplace(epsilon, count)
        assert certain == pytest.approx(share, abs=FIVE_ERRORS * sqrt(share) + 5e-4)
        assert right < right_at_most(epsilon)
    certain, _ = of_laplace(2, 0, clamp=lambda outcomes: np.maximum(outcomes, 0))
    assert certain == pytest.approx(0.160, abs=FIVE_ERRORS * 0.4 + 5e-4)


@pytest.mark.parametrize(
    ("rule", "delta"), [("pure-integer", None), ("adp-optimal", 0.01), ("adp-optimal", 0.1)]
)
@pytest.mark.parametrize("count", [0, 7])
def test_integer_valued_noise_reveals_what_the_guarantee_allows(rule, delta, count):
    """Both kinds of noise attain the largest share of right guesses that the guarantee allows.

    Noise for 1.1 times ε exceeds it.
    """
    certain, right = of_sanitize(1, delta, count, rule)
    assert certain <= (delta or 0) + FIVE_ERRORS * sqrt(delta or 0)
    assert right == pytest.approx(right_at_most(1, delta or 0), abs=FIVE_ERRORS / 2)
    _, right = of_sanitize(1.1, delta, count, rule)
    assert right > right_at_most(1, delta or 0) + FIVE_ERRORS / 2
