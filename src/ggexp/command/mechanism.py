"""The noise that a table is released with, and the guarantee of the release."""

import warnings

from ggexp.mechanisms import guarantee
from ggexp.mechanisms.calibration import Order, rule
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise


def released_noise(
    order: Order, calibration: str, *, epsilon: float, delta: float | None
) -> tuple[Noise, Guarantee]:
    """Return the noise on each count of a table, and what its sanitized release satisfies.

    Raises ValueError also if the release would satisfy nothing.
    """
    with warnings.catch_warnings(action="ignore"):  # that the noise is too small: an error below
        noise = Mechanism(order, calibration).noise(epsilon=epsilon, delta=delta)
    stated = rule(calibration).guarantee
    found = guarantee.of_release(stated, noise, epsilon=epsilon, delta=delta, processed=True)
    if found is None:
        exact = noise.delta(epsilon=epsilon)
        raise ValueError(guarantee.too_small(calibration, epsilon, delta, exact))
    return noise, found
