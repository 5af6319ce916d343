"""The noise of a table's release, and the guarantee that the release satisfies."""

import warnings
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from ggexp.mechanisms import guarantee
from ggexp.mechanisms.calibration import rule
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.solver import rounded_up
from ggexp.ranges import AnyOrder

#: The number of significant digits of a composed ε.
DIGITS = 6


@dataclass(frozen=True)
class NoisyCounts:
    """The noise on each count of a table, and the guarantee of one count.

    calibration: the rule of the noise. epsilon, delta: its ε and δ; δ is None for ε-DP.
    guarantee: the guarantee of one count after post-processing.
    """

    noise: Noise
    calibration: str
    guarantee: Guarantee
    epsilon: float
    delta: float | None

    def of_counts(self, number: int) -> tuple[float, float | None]:
        """Return the ε and the δ of all counts, of which a number differ by 1 between neighbours.

        Under ε-DP, ε is the sum of the ε of these counts. Otherwise δ is 1 - (1 - δ)^number, and ε
        that of the exact composition of the noise at this δ, rounded up to `DIGITS` digits.
        """
        if number == 1 or self.delta is None:
            return rounded_up(number * Fraction(self.epsilon)), self.delta
        from ggexp.guarantees.composition import Composition

        delta = rounded_up(1 - (1 - Fraction(self.delta)) ** number)
        bound = Decimal(Composition([(self.noise, number)]).epsilon(delta=delta).pessimistic)
        digits = Decimal(1).scaleb(bound.adjusted() + 1 - DIGITS)
        return float(bound.quantize(digits, ROUND_CEILING)), delta


def released_noise(
    order: AnyOrder, calibration: str, *, epsilon: float, delta: float | None
) -> NoisyCounts:
    """Return the noise for each count of a table, and the guarantee of one sanitized count.

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
    return NoisyCounts(
        noise, calibration, satisfied, epsilon, delta if satisfied.has_delta else None
    )


def noise_of(order: float, scale: float, *, is_integer_valued: bool) -> Noise:
    """Return the noise with an order and a scale."""
    return (DiscreteGeneralizedGaussian if is_integer_valued else GeneralizedGaussian)(order, scale)
