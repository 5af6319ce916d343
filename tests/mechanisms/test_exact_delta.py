"""The exact δ of integer-valued noise, an independent derivation of its guarantees."""

from itertools import product

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from ggexp import calibration
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.mechanism import Mechanism

DELTAS = (0.01, 0.05, 0.1, 0.25, 1e-6)


@pytest.mark.parametrize("order", [1.5, 2, 3, 4])
@pytest.mark.parametrize("scale", [0.7, 2, 6.1])
def test_it_is_the_floating_point_delta_up_to_rounding(order, scale):
    noise = DiscreteGeneralizedGaussian(order, scale)
    for epsilon in (0.3, 1, 2.1):
        approximate = noise.exact_delta(epsilon=epsilon, probabilistic=False)
        probabilistic = noise.exact_delta(epsilon=epsilon, probabilistic=True)
        assert float(approximate) == pytest.approx(noise.delta(epsilon=epsilon), rel=1e-10)
        assert float(probabilistic) == pytest.approx(noise.pdp_delta(epsilon=epsilon), rel=1e-10)


@pytest.mark.parametrize(
    "epsilon", [0.5, 2, *(pytest.param(value, marks=pytest.mark.slow) for value in (1, 0.1, 0.7))]
)
@pytest.mark.parametrize(
    ("rule", "orders"),
    [("adp-exact-integer", (2, 3)), ("pdp-exact-integer", (2, 4)), ("adp-optimal", (None,))],
)
def test_rules_hold_in_exact_arithmetic(rule, orders, epsilon):
    """Also if losses equal ε up to rounding; exact arithmetic decides which of them exceed ε."""
    for order, delta in product(orders, DELTAS):
        noise = Mechanism(order, rule).noise(epsilon=epsilon, delta=delta)
        exact = noise.exact_delta(epsilon=epsilon, probabilistic=rule == "pdp-exact-integer")
        assert exact <= delta + 2**-128


def many_digit_delta(noise, epsilon, shift, probabilistic):
    """The δ of discrete GG noise as a sum over all outcomes, in arithmetic of 40 digits."""
    with mpmath.workdps(40):
        last = int(noise.scale * 200 ** (1 / noise.order)) + shift + 2
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
        ("pdp-exact-integer", 1, 0.01, 0.01, 1),
        pytest.param("adp-exact-integer", 1, 0.001, 1e-15, 1, marks=pytest.mark.slow),
        ("adp-exact-integer", 1, 0.03, 1e-15, 2),
        ("adp-exact-integer", 1.5, 0.3, 1e-20, 1),
        ("pdp-exact-integer", 2.7, 0.02, 0.3, 3),
        ("pdp-exact-integer", 4, 0.1, 0.25, 2),
    ],
)
def test_no_returned_noise_exceeds_its_delta(rule, order, epsilon, delta, shift):
    budget = {"epsilon": epsilon, "delta": delta, "sensitivity": shift}
    noise = calibration.calibrate(rule, order=order, **budget)
    assert many_digit_delta(noise, epsilon, shift, rule.startswith("pdp")) <= delta
    insufficient = DiscreteGeneralizedGaussian(order, noise.scale * (1 - 1e-7))
    assert many_digit_delta(insufficient, epsilon, shift, rule.startswith("pdp")) > delta


@pytest.mark.slow
def test_no_noise_at_random_points_exceeds_its_delta():
    rng = np.random.default_rng(20261126)
    for _ in range(60):
        rule = str(rng.choice(["pdp-exact-integer", "adp-exact-integer"]))
        order, shift = float(rng.choice([1, 1.4, 2, 3])), int(rng.integers(1, 4))
        epsilon = float(np.exp(rng.uniform(np.log(0.02), np.log(3))))
        delta = 10 ** rng.uniform(-12, -0.5)
        budget = {"epsilon": epsilon, "delta": delta, "sensitivity": shift}
        noise = calibration.calibrate(rule, order=order, **budget)
        assert many_digit_delta(noise, epsilon, shift, rule.startswith("pdp")) <= delta


@pytest.mark.parametrize("shift", [2, 5])
def test_a_count_may_differ_by_more_than_one(shift):
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


def test_geometric_noise_has_delta_zero_at_its_epsilon_but_not_below():
    noise = Geometric(2)
    assert noise.exact_delta(epsilon=0.5, probabilistic=False) == 0
    delta = noise.exact_delta(epsilon=0.4999, probabilistic=False)
    assert float(delta) == pytest.approx(noise.delta(epsilon=0.4999), rel=1e-10)


def test_a_loss_close_to_epsilon_counts_only_if_it_is_above():
    """At order 1 every loss is 1/b. Therefore δ of pDP is 0 for ε >= 1/b, and 1 for smaller ε."""
    noise = DiscreteGeneralizedGaussian(1, 2)
    assert noise.exact_delta(epsilon=0.5 * (1 + 1e-15), probabilistic=True) < 1e-30
    assert noise.exact_delta(epsilon=0.5 * (1 - 1e-15), probabilistic=True) == 1
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-15)) == 0  # too close for floating point
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-12)) == pytest.approx(1)


def test_other_noise_has_no_exact_delta():
    with pytest.raises(ValueError, match="exact arithmetic"):
        Mechanism(1, "pure").noise(epsilon=1).exact_delta(epsilon=1, probabilistic=False)
