"""The noise that the options of a command line ask for."""

from ggexp.command.options import BEST
from ggexp.mechanisms.distribution import Noise
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
