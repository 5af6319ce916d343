"""The attack on the digits of noisy counts, with floating-point and integer-valued noise."""

from math import sqrt

import numpy as np
import pytest
from conftest import load_study

from ggexp.mechanisms.exact import ExactSampler

study = load_study("reachable_counts")
DRAWS = 200_000
#: Five standard errors, if the sd is 1: a false alarm has a probability below 10^-6.
FIVE_ERRORS = 5 / sqrt(DRAWS)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_sums_of_counts_and_noise_are_reachable(count):
    rng = np.random.default_rng(1)
    noise = rng.normal(size=DRAWS) * 2.0 ** rng.integers(-80, 20, DRAWS)
    assert study.is_reachable(count + noise, count).all()
    assert study.is_reachable(rng.integers(0, 99, 100).astype(float), count).all()


def test_unreachable_outcomes():
    """The sum 1 + x is a multiple of 2^-53 if |x| >= 1/2."""
    outcomes = np.array([2.0**-53, 2.0**-54, 0.25 + 2.0**-54, 0.25 + 2.0**-53, 2.0**-90])
    assert study.is_reachable(outcomes, 1).tolist() == [True, False, False, True, False]
    assert study.is_reachable(outcomes, 0).all()


@pytest.mark.parametrize(
    ("epsilon", "shares"), [(2, (0.466, 0.179, 0.025, 5e-4)), (0.5, (0.152, 0.109, 0.060, 0.020))]
)
def test_floating_point_noise_reveals_counts(epsilon, shares):
    """The expected shares are from another program with 10^7 draws."""
    for count, share in zip(study.COUNTS, shares, strict=True):
        success = study.of_floating_point(epsilon, count, DRAWS, clamped=False)
        assert success.certain == pytest.approx(share, abs=FIVE_ERRORS * sqrt(share) + 5e-4)
        assert success.right < study.allowed(epsilon).right
    clamped = study.of_floating_point(2, 0, DRAWS, clamped=True)
    assert clamped.certain == pytest.approx(0.160, abs=FIVE_ERRORS * 0.4 + 5e-4)


@pytest.mark.parametrize(
    ("rule", "delta"), [("pure-integer", None), ("adp-optimal", 0.01), ("adp-optimal", 0.1)]
)
@pytest.mark.parametrize("count", [0, 7])
def test_whole_numbers_reveal_what_the_guarantee_allows(rule, delta, count, monkeypatch):
    """Both kinds of noise attain the largest share of correct guesses that the guarantee allows.

    Noise for 1.1 times ε exceeds it.
    """
    bits = np.random.default_rng(3).bytes
    monkeypatch.setattr(study, "sampler", lambda noise, _: ExactSampler(noise, bits).sample)
    allowed = study.allowed(1, delta or 0)
    success = study.of_whole_numbers(1, delta, count, DRAWS, rule=rule)
    assert success.certain <= allowed.certain + FIVE_ERRORS * sqrt(allowed.certain)
    assert success.right == pytest.approx(allowed.right, abs=FIVE_ERRORS / 2)
    less_noise = study.of_whole_numbers(1.1, delta, count, DRAWS, rule=rule)
    assert less_noise.right > allowed.right + FIVE_ERRORS / 2
