"""The noise that the options of a command line ask for, and the guarantee of its releases."""

import warnings

from ggexp.command.options import BEST
from ggexp.mechanisms import guarantee
from ggexp.mechanisms.calibration import rule
from ggexp.mechanisms.distribution import Noise
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_order import best_order


def noise_of(
    order: float | str,
    calibration: str,
    *,
    epsilon: float,
    delta: float | None,
    sensitivity: float = 1.0,
) -> Noise:
    """Return the noise of an order, or of the best one, with the scale of a rule.

    Raises ValueError naming the argument, its value and what is allowed.
    """
    if order != BEST:
        mechanism = Mechanism(float(order), calibration)
        return mechanism.noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    if calibration != "adp-exact":
        raise ValueError(f"order {BEST!r} fits calibration 'adp-exact' only, got {calibration!r}")
    if delta is None:
        raise ValueError("delta must be a number strictly between 0 and 1, got None")
    return best_order(epsilon=epsilon, delta=delta, sensitivity=sensitivity)


def released_noise(
    order: float | str, calibration: str, *, epsilon: float, delta: float | None
) -> tuple[Noise, Guarantee]:
    """Return the noise on each count of a table, and what its sanitized release satisfies.

    Raises ValueError also if the release would satisfy nothing.
    """
    with warnings.catch_warnings(action="ignore"):  # that the noise is too small: an error below
        noise = noise_of(order, calibration, epsilon=epsilon, delta=delta)
    stated = rule(calibration).guarantee
    found = guarantee.of_release(stated, noise, epsilon=epsilon, delta=delta, processed=True)
    if found is None:
        exact = guarantee.exact_delta(noise, epsilon=epsilon)
        raise ValueError(guarantee.too_small(calibration, epsilon, delta, exact))
    return noise, found
