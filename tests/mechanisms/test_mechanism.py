"""A mechanism is an order and a rule; its release adds the rule's noise to every value."""

import numpy as np
import pytest

from ggexp import Mechanism


def test_release_adds_the_noise_and_keeps_the_shape():
    values = np.arange(6.0).reshape(2, 3)
    mechanism = Mechanism(order=1, calibration="pure")
    released = mechanism.release(values, np.random.default_rng(3), epsilon=1)
    noise = mechanism.noise(epsilon=1).sample(np.random.default_rng(3), 6)
    np.testing.assert_array_equal(released, values + noise.reshape(2, 3))
    np.testing.assert_array_equal(values, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    ("order", "rule", "message"),
    [
        (2, "pure", "'pure' fits order 1 only, got order 2"),
        (3, "adp-classical", "'adp-classical' fits order 2 only, got order 3"),
        (0.5, "pdp", r"order.* >= 1, got 0\.5"),
        (2, "gaussian", "unknown calibration 'gaussian', known are: pure"),
    ],
)
def test_bad_mechanisms_are_refused_at_construction(order, rule, message):
    with pytest.raises(ValueError, match=message):
        Mechanism(order=order, calibration=rule)
