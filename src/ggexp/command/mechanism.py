"""The noise of a table's release, and the guarantee that the release satisfies."""

import warnings

from ggexp.mechanisms import guarantee
from ggexp.mechanisms.calibration import Order, rule
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise


def released_noise(
    order: Order, calibration: str, *, epsilon: float, delta: float | None
) -> tuple[Noise, Guarantee]:
    """Return the noise for each count of a table, and the guarantee of the sanitized release.

    Raises ValueError for invalid arguments, and if the release would satisfy no guarantee.
    """
    # The warning that the noise is too small is raised as an error below.
    with warnings.catch_warnings(action="ignore"):
        noise = Mechanism(order, calibration).noise(epsilon=epsilon, delta=delta)
    stated = rule(calibration).guarantee
    satisfied = guarantee.of_release(stated, noise, epsilon=epsilon, delta=delta, processed=True)
    if satisfied is None:
        exact = noise.delta(epsilon=epsilon)
        raise ValueError(guarantee.too_small_message(calibration, epsilon, delta, exact))
    return noise, satisfied
