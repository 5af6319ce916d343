"""The exact δ of whole-number noise, an independent derivation of its guarantees."""

from itertools import product

import pytest

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


def test_other_noise_has_no_exact_delta():
    with pytest.raises(ValueError, match="exact arithmetic"):
        Mechanism(1, "pure").noise(epsilon=1).exact_delta(epsilon=1, probabilistic=False)
