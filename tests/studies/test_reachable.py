"""The attack by the digits of noisy counts: on floating-point noise, and on whole numbers."""

from math import sqrt

import numpy as np
import pytest
from conftest import load_study

from ggexp.mechanisms.exact import ExactSampler

study = load_study("reachable_counts")
DRAWS = 200_000
#: Five standard errors: the probability of a false alarm is below 10^-6.
FIVE = 5 / sqrt(DRAWS)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_whatever_noise_makes_is_reachable(count):
    rng = np.random.default_rng(1)
    noise = rng.normal(size=DRAWS) * 2.0 ** rng.integers(-80, 20, DRAWS)
    assert study.is_reachable(count + noise, count).all()
    assert study.is_reachable(rng.integers(0, 99, 100).astype(float), count).all()


def test_what_no_noise_makes():
    """1 + x with |x| >= 1/2 is a multiple of 2^-53."""
    outcomes = np.array([2.0**-53, 2.0**-54, 0.25 + 2.0**-54, 0.25 + 2.0**-53, 2.0**-90])
    assert study.is_reachable(outcomes, 1).tolist() == [True, False, False, True, False]
    assert study.is_reachable(outcomes, 0).all()


@pytest.mark.parametrize(
    ("epsilon", "shares"), [(2, (0.466, 0.179, 0.025, 5e-4)), (0.5, (0.152, 0.109, 0.060, 0.020))]
)
def test_it_tells_floating_point_counts_apart(epsilon, shares):
    """The shares were found by another program, of 10^7 draws."""
    for count, share in zip(study.COUNTS, shares, strict=True):
        found = study.of_floating_point(epsilon, count, DRAWS, clamped=False)
        assert found.certain == pytest.approx(share, abs=FIVE * sqrt(share) + 5e-4)
        assert found.right < study.allowed(epsilon).right
    clamped = study.of_floating_point(2, 0, DRAWS, clamped=True)
    assert clamped.certain == pytest.approx(0.160, abs=FIVE * 0.4 + 5e-4)


@pytest.mark.parametrize(
    ("rule", "delta"), [("pure-integer", None), ("adp-optimal", 0.01), ("adp-optimal", 0.1)]
)
@pytest.mark.parametrize("count", [0, 7])
def test_of_whole_numbers_it_learns_what_the_guarantee_allows(rule, delta, count, monkeypatch):
    """Both noises attain the most right guesses that are allowed; noise of 1.1 times ε has more."""
    bits = np.random.default_rng(3).bytes
    monkeypatch.setattr(study, "sampler", lambda noise, _: ExactSampler(noise, bits).sample)
    allowed = study.allowed(1, delta or 0)
    found = study.of_whole_numbers(1, delta, count, DRAWS, rule=rule)
    assert found.certain <= allowed.certain + FIVE * sqrt(allowed.certain)
    assert found.right == pytest.approx(allowed.right, abs=FIVE / 2)
    less_noise = study.of_whole_numbers(1.1, delta, count, DRAWS, rule=rule)
    assert less_noise.right > allowed.right + FIVE / 2
