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


def test_bad_mechanisms_are_refused_at_construction():
    for order, rule, message in (
        (3, "adp-classical", "order 2 only"),
        (0.5, "pdp", "order.* >= 1"),
    ):
        with pytest.raises(ValueError, match=message):
            Mechanism(order=order, calibration=rule)
