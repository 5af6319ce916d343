"""The smallest noise for approximate DP: canonical noise of counts, bounds for real numbers."""

import pytest
from smallest_noise import least_moment, least_sds

from ggexp import best_order
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.mechanism import Mechanism


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 0.01), (0.5, 0.25), (1, 0.05), (2, 0.1), (2, 0.25)]
)
def test_canonical_noise_is_the_smallest_for_counts(epsilon, delta):
    noise = Canonical(epsilon, delta)
    assert least_moment(epsilon, delta, power=1) == pytest.approx(noise.mean_absolute, rel=1e-6)
    assert least_moment(epsilon, delta) == pytest.approx(noise.sd**2, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "delta", "low", "high"),
    [
        (0.5, 0.1, 1.3446, 1.3449),
        (1, 0.05, 1.0489, 1.0493),
        (2, 0.25, 0.4427, 0.4437),
    ],
)
def test_the_smallest_real_valued_noise(epsilon, delta, low, high):
    """The reference values were proven in rational arithmetic, from the multipliers of a solver."""
    below, above = least_sds(epsilon, delta)
    assert below == pytest.approx(low, abs=5e-5)
    assert above == pytest.approx(high, abs=5e-5)
    truncated = Mechanism(1, "adp-truncated").noise(epsilon=epsilon, delta=delta)
    assert above < truncated.sd
    assert above < best_order(epsilon=epsilon, delta=delta).sd
