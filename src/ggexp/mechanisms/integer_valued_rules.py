"""The calibration rules of integer-valued noise: functions that return noise.

The table `ggexp.mechanisms.calibration.RULES` lists their names. The sensitivity is a whole number,
the largest difference of one count between neighbours.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import exp, expm1, nextafter, sqrt

from ggexp import checks
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.integer_valued import MAX_EXPONENT
from ggexp.mechanisms.solver import rounded_up

#: Relative difference between successive scales of the scan.
STEP = 0.01
#: Relative error of the resulting scale.
SCALE_ERROR = 1e-10
#: The noise is calibrated to an ε and δ that are smaller than requested by this share. The share is
#: usually above the errors of losses and tails in floating point. `ggexp.mechanisms.calibration`
#: checks the noise in exact arithmetic.
MARGIN = 1e-11


def geometric(order: None, epsilon: float, delta: float, sensitivity: float) -> Geometric:
    """Return geometric noise that satisfies ε-DP, with b = Δ/ε, rounded up."""
    shift = checks.whole("sensitivity", sensitivity)
    b = rounded_up(shift / Fraction(float(epsilon)))
    return Geometric(checks.positive("scale", b))


def canonical(order: None, epsilon: float, delta: float, sensitivity: float) -> Canonical:
    """Return the smallest integer-valued noise that satisfies (ε, δ)-approximate DP.

    A change of a count by Δ consists of Δ changes by 1. Therefore the noise must satisfy
    (ε/Δ, δ (e^(ε/Δ) - 1)/(e^ε - 1)) at sensitivity 1.
    """
    if (shift := checks.whole("sensitivity", sensitivity)) == 1:
        return Canonical(epsilon, delta)  # without rounding
    unit_epsilon = nextafter(epsilon / shift, 0)
    unit_delta = delta * exp(unit_epsilon - epsilon) * expm1(-unit_epsilon) / expm1(-epsilon)
    return Canonical(unit_epsilon, unit_delta * (1 - MARGIN))


def adp_exact(
    order: float, epsilon: float, delta: float, sensitivity: float
) -> DiscreteGeneralizedGaussian:
    """Return discrete GG noise that satisfies (ε, δ)-approximate DP; see `_scan_scales`."""
    exact = partial(DiscreteGeneralizedGaussian.delta, sensitivity=sensitivity)
    return _scan_scales(order, epsilon, delta, exact)


def pdp_exact(
    order: float, epsilon: float, delta: float, sensitivity: float
) -> DiscreteGeneralizedGaussian:
    """Return discrete GG noise that satisfies (ε, δ)-probabilistic DP; see `_scan_scales`."""
    exact = partial(DiscreteGeneralizedGaussian.pdp_delta, sensitivity=sensitivity)
    return _scan_scales(order, epsilon, delta, exact)


def by_scan(exact: Callable[..., float]) -> Callable[..., DiscreteGeneralizedGaussian]:
    """Return a function for discrete GG noise on several cells that change; see `_scan_scales`.

    exact: (noise, epsilon, cells) -> the exact δ at ε. The function has the arguments of those of
    `ggexp.mechanisms.several_cells_rules`.
    """

    def jointly(
        calibrate: object, order: float, epsilon: float, delta: float, cells: int
    ) -> DiscreteGeneralizedGaussian:
        return _scan_scales(order, epsilon, delta, partial(exact, cells=cells))

    return jointly


def _scan_scales(
    order: float, epsilon: float, delta: float, exact: Callable[..., float]
) -> DiscreteGeneralizedGaussian:
    """Return the noise with the smallest sufficient scale that a scan finds.

    exact: (noise, epsilon) -> the exact δ at ε.
    The δ of the noise may increase with its scale. For example, at order 4 the scale 0.82 is
    sufficient for (2, 0.25), 1.2 is not, and all scales from 1.43 on are. Therefore the scan tries
    scales in steps of `STEP`, and bisects the step before the first sufficient scale. It starts at
    the scale whose E|K| is that of discrete canonical noise at sensitivity 1. No smaller scale is
    sufficient, because E|K| increases with the scale.
    """
    smallest_mean = Canonical(epsilon, delta).mean_absolute
    target = epsilon * (1 - MARGIN)

    def is_sufficient(noise: DiscreteGeneralizedGaussian) -> bool:
        return exact(noise, epsilon=target) <= delta * (1 - MARGIN)

    def bisect(
        low: float,
        high: float,
        error: float,
        condition: Callable[[DiscreteGeneralizedGaussian], bool],
    ) -> tuple[float, float]:
        while high > low * (1 + error):
            middle = sqrt(low * high)
            if condition(DiscreteGeneralizedGaussian(order, middle)):
                high = middle
            else:
                low = middle
        return low, high

    low = MAX_EXPONENT ** (-1 / order)
    high = 1.0
    while DiscreteGeneralizedGaussian(order, high).mean_absolute < smallest_mean:
        high *= 2
    low, _ = bisect(low, high, STEP, lambda noise: noise.mean_absolute >= smallest_mean)
    high = low
    while not is_sufficient(DiscreteGeneralizedGaussian(order, high)):
        low, high = high, high * (1 + STEP)
    return DiscreteGeneralizedGaussian(order, bisect(low, high, SCALE_ERROR, is_sufficient)[1])
