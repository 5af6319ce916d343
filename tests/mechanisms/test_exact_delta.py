"""The exact δ of integer-valued noise, an independent derivation of its guarantees."""

import mpmath
import pytest
from mpmath import mpf

from ggexp import calibration
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism


def many_digit_delta(noise, epsilon, shift, probabilistic):
    """The δ of discrete GG noise, in arithmetic of 40 digits.

    It is a sum over all outcomes but those in the tails, whose weights are less than exp(-100).
    """
    with mpmath.workdps(40):
        last = int(noise.scale * 100 ** (1 / noise.order)) + shift + 2
        powers = [(mpf(k) / mpf(noise.scale)) ** mpf(noise.order) for k in range(last + 1)]
        weights = [mpmath.exp(-power) for power in powers]
        delta, r = mpf(0), mpmath.exp(mpf(epsilon))
        for k in range(shift - last, last + 1):
            loss = powers[abs(k - shift)] - powers[abs(k)]
            if probabilistic:
                delta += weights[abs(k)] if abs(loss) > epsilon else 0
            elif loss > epsilon:
                delta += weights[abs(k)] - r * weights[abs(k - shift)]
        return delta / (weights[0] + 2 * mpmath.fsum(weights[1:]))


@pytest.mark.parametrize(
    ("rule", "order", "epsilon", "delta", "shift"),
    [
        # losses equal ε up to rounding; the δ of these three was once 0.105, 1 and 5e-13
        ("pdp-exact-integer", 2, 0.05, 0.1, 1),
        pytest.param("pdp-exact-integer", 1, 0.01, 0.01, 1, marks=pytest.mark.slow),
        pytest.param("adp-exact-integer", 1, 0.001, 1e-15, 1, marks=pytest.mark.slow),
        ("adp-exact-integer", 1.5, 0.3, 1e-20, 1),
        ("pdp-exact-integer", 2.7, 0.02, 0.3, 3),
    ],
)
def test_no_returned_noise_exceeds_its_delta(rule, order, epsilon, delta, shift):
    budget = {"epsilon": epsilon, "delta": delta, "sensitivity": shift}
    noise = calibration.calibrate(rule, order=order, **budget)
    assert many_digit_delta(noise, epsilon, shift, rule.startswith("pdp")) <= delta
    insufficient = DiscreteGeneralizedGaussian(order, noise.scale * (1 - 1e-7))
    assert many_digit_delta(insufficient, epsilon, shift, rule.startswith("pdp")) > delta


@pytest.mark.parametrize("shift", [1, 5])
def test_exact_deltas_are_sums_with_many_digits(shift):
    for noise in (DiscreteGeneralizedGaussian(2, 3), DiscreteGeneralizedGaussian(1.5, 0.8)):
        for probabilistic in (False, True):
            exact = noise.exact_delta(
                epsilon=0.6, sensitivity=shift, probabilistic=probabilistic, bits=400
            )
            expected = many_digit_delta(noise, 0.6, shift, probabilistic)
            assert float(exact) == pytest.approx(float(expected), rel=1e-12)
    geometric = calibration.calibrate("pure-integer", order=None, epsilon=0.3, sensitivity=shift)
    for probabilistic in (False, True):
        arguments = {"sensitivity": shift, "probabilistic": probabilistic}
        assert geometric.exact_delta(epsilon=0.3, **arguments) == 0
        assert geometric.exact_delta(epsilon=0.2999999, **arguments) > 0
    canonical = calibration.calibrate(
        "adp-optimal", order=None, epsilon=0.7, delta=1e-200, sensitivity=shift
    )
    exact = canonical.exact_delta(epsilon=0.7, sensitivity=shift, probabilistic=False, bits=800)
    assert 1e-200 * (1 - 1e-10) < exact <= 1e-200


def test_a_loss_close_to_epsilon_counts_only_if_it_is_above():
    """At order 1 every loss is 1/b. Therefore δ of pDP is 0 for ε >= 1/b, and 1 for smaller ε."""
    noise = DiscreteGeneralizedGaussian(1, 2)
    assert noise.exact_delta(epsilon=0.5 * (1 + 1e-15), probabilistic=True) < 1e-30
    assert noise.exact_delta(epsilon=0.5 * (1 - 1e-15), probabilistic=True) == 1
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-15)) == 0  # too close for floating point
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-12)) == pytest.approx(1)


@pytest.mark.parametrize(("needed", "largest"), [(0, 0), (1e-10, 1e-9), (1e-8, 1e-7), (1e-6, 1e-5)])
def test_the_scale_is_raised_as_little_as_exact_arithmetic_needs(monkeypatch, needed, largest):
    """Here noise satisfies its guarantee from a scale on that is larger than the calibrated one."""
    rule = Mechanism(2, "adp-exact-integer")
    scale = rule.noise(epsilon=0.5, delta=0.01).scale

    def exact(noise, **arguments):
        return 0 if noise.scale >= scale * (1 + needed) else 1

    monkeypatch.setattr(DiscreteGeneralizedGaussian, "exact_delta", exact)
    raised = rule.noise(epsilon=0.5, delta=0.01).scale
    assert scale * (1 + needed) <= raised <= scale * (1 + 2 * largest)
