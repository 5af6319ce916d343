"""The calibration rules of whole-number noise: functions that return noise.

The table `ggexp.mechanisms.calibration.RULES` has their names. The sensitivity is a whole number,
the largest difference of one count between neighbours.
"""

from collections.abc import Callable
from fractions import Fraction
from math import exp, expm1, sqrt

from ggexp import checks
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.solver import rounded_up
from ggexp.mechanisms.whole_noise import MAX_EXPONENT

#: The relative difference between the scales that a scan tries.
STEP = 0.01
#: The relative error of the scale that it finds.
SCALE_ERROR = 1e-10
#: The share by which the ε and δ of a scale are smaller than the requested ones. It is above the
#: errors of floating-point losses and tails, so that the guarantee also holds in exact arithmetic.
MARGIN = 1e-11


def geometric(order: None, epsilon: float, delta: float, sensitivity: float) -> Geometric:
    """Return geometric noise that satisfies ε-DP: b = Δ/ε, rounded up."""
    shift = checks.whole("sensitivity", sensitivity)
    b = rounded_up(shift / Fraction(float(epsilon)))
    return Geometric(checks.positive("scale", b))


def canonical(order: None, epsilon: float, delta: float, sensitivity: float) -> Canonical:
    """Return the least whole-number noise that satisfies (ε, δ)-approximate DP.

    A move of a count by Δ is Δ moves by 1. Therefore the noise at sensitivity 1 must satisfy
    (ε/Δ, δ (e^(ε/Δ) - 1)/(e^ε - 1)).
    """
    if (shift := checks.whole("sensitivity", sensitivity)) == 1:
        return Canonical(epsilon, delta)  # without rounding
    share = epsilon / shift
    of_one = delta * exp(share - epsilon) * expm1(-share) / expm1(-epsilon)
    return Canonical(share, of_one)


def adp_exact(
    order: float, epsilon: float, delta: float, sensitivity: float
) -> DiscreteGeneralizedGaussian:
    """Return discrete GG noise that satisfies (ε, δ)-approximate DP; see `_scanned`."""

    def is_enough(noise: DiscreteGeneralizedGaussian) -> bool:
        return noise.delta(epsilon=asked, sensitivity=sensitivity) <= delta * (1 - MARGIN)

    asked = epsilon * (1 - MARGIN)
    return _scanned(order, epsilon, delta, is_enough)


def pdp_exact(
    order: float, epsilon: float, delta: float, sensitivity: float
) -> DiscreteGeneralizedGaussian:
    """Return discrete GG noise that satisfies (ε, δ)-probabilistic DP; see `_scanned`."""

    def is_enough(noise: DiscreteGeneralizedGaussian) -> bool:
        return noise.pdp_delta(epsilon=asked, sensitivity=sensitivity) <= delta * (1 - MARGIN)

    asked = epsilon * (1 - MARGIN)
    return _scanned(order, epsilon, delta, is_enough)


def _scanned(
    order: float,
    epsilon: float,
    delta: float,
    is_enough: Callable[[DiscreteGeneralizedGaussian], bool],
) -> DiscreteGeneralizedGaussian:
    """Return the noise of the smallest scale that a scan finds to be enough.

    The δ of a scale may increase with the scale: at order 4, 0.82 is enough for (2, 0.25), 1.2 is
    not, and all scales from 1.43 on are. Therefore the scan tries scales in steps of `STEP`, and
    bisects the step before the first scale that is enough. It starts at the scale whose E|K| is
    that of discrete canonical noise at sensitivity 1. E|K| increases with the scale, and no smaller
    one is enough.
    """
    least = Canonical(epsilon, delta).mean_absolute

    def halved(
        low: float,
        high: float,
        error: float,
        holds: Callable[[DiscreteGeneralizedGaussian], bool],
    ) -> tuple[float, float]:
        while high > low * (1 + error):
            middle = sqrt(low * high)
            if holds(DiscreteGeneralizedGaussian(order, middle)):
                high = middle
            else:
                low = middle
        return low, high

    low = MAX_EXPONENT ** (-1 / order)
    high = 1.0
    while DiscreteGeneralizedGaussian(order, high).mean_absolute < least:
        high *= 2
    low, _ = halved(low, high, STEP, lambda noise: noise.mean_absolute >= least)
    high = low
    while not is_enough(DiscreteGeneralizedGaussian(order, high)):
        low, high = high, high * (1 + STEP)
    return DiscreteGeneralizedGaussian(order, halved(low, high, SCALE_ERROR, is_enough)[1])
