"""The exact δ of whole-number noise: a second derivation of its guarantees."""

from itertools import product

import pytest

from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.mechanism import Mechanism

DELTAS = (0.01, 0.05, 0.1, 0.25, 1e-6)


@pytest.mark.parametrize("order", [1.5, 2, 3, 4])
@pytest.mark.parametrize("scale", [0.7, 2, 6.1])
def test_it_is_the_floating_point_delta_but_for_rounding(order, scale):
    noise = DiscreteGeneralizedGaussian(order, scale)
    for epsilon in (0.3, 1, 2.1):
        approximate = noise.exact_delta(epsilon=epsilon, probabilistic=False)
        probabilistic = noise.exact_delta(epsilon=epsilon, probabilistic=True)
        assert float(approximate) == pytest.approx(noise.delta(epsilon=epsilon), rel=1e-10)
        assert float(probabilistic) == pytest.approx(noise.pdp_delta(epsilon=epsilon), rel=1e-10)


@pytest.mark.parametrize(
    "epsilon", [0.5, 2, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 0.1, 0.7))]
)
@pytest.mark.parametrize(
    ("rule", "orders"),
    [("adp-exact-integer", (2, 3)), ("pdp-exact-integer", (2, 4)), ("adp-optimal", (None,))],
)
def test_rules_hold_in_exact_arithmetic(rule, orders, epsilon):
    """Losses that equal ε but for rounding are counted as the arithmetic has them."""
    for order, delta in product(orders, DELTAS):
        noise = Mechanism(order, rule).noise(epsilon=epsilon, delta=delta)
        found = noise.exact_delta(epsilon=epsilon, probabilistic=rule == "pdp-exact-integer")
        assert found <= delta + 2**-128


def test_geometric_noise_has_none_at_its_epsilon_and_some_below():
    noise = Geometric(2)
    assert noise.exact_delta(epsilon=0.5, probabilistic=False) == 0
    below = noise.exact_delta(epsilon=0.4999, probabilistic=False)
    assert float(below) == pytest.approx(noise.delta(epsilon=0.4999), rel=1e-10)


def test_a_loss_at_epsilon_but_for_rounding_counts_only_where_it_is_above():
    """At order 1 every loss is 1/b: pDP at ε = 1/b has δ 0, and 1 at any smaller ε."""
    noise = DiscreteGeneralizedGaussian(1, 2)
    assert noise.exact_delta(epsilon=0.5 * (1 + 1e-15), probabilistic=True) < 1e-30
    assert noise.exact_delta(epsilon=0.5 * (1 - 1e-15), probabilistic=True) == 1
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-15)) == 0  # floating point cannot tell


def test_other_noise_refuses():
    with pytest.raises(ValueError, match="exact arithmetic"):
        Mechanism(1, "pure").noise(epsilon=1).exact_delta(epsilon=1, probabilistic=False)
