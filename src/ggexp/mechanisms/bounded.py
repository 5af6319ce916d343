"""Noise on statistics with public bounds [c_0, c_1]: truncated, boundary-inflated, clamped.

*Truncated* noise is conditioned on the bounds: no value lies outside, and the scale accounts for
that. *Boundary-inflated truncated* (BIT) noise moves values outside the bounds to the nearest
bound, and its scale accounts for that. *Clamping* an unbounded release is post-processing.
*Redrawing* an unbounded release until it lies inside is truncation without the necessary scale.
Clamping merges outcomes, and redrawing divides densities by the probability of a value within the
bounds. Therefore either may violate probabilistic DP (docs/bounding.md).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, expm1, gamma, inf, log, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from ggexp import checks
from ggexp.mechanisms import sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.privacy_loss import where_loss_is
from ggexp.mechanisms.solver import checked, root
from ggexp.mechanisms.tails import (
    MIN_POWER,
    between,
    inner,
    log_tail_ratio,
    log_upper_tail,
    upper_tail,
)
from ggexp.ranges import Epsilon, Order, Scale, Sensitivity, Width


@dataclass(frozen=True)
class _Bounded:
    """GG noise with order p >= 1 and scale b > 0, for statistics within bounds low < high."""

    order: Order
    scale: Scale
    low: float
    high: float

    def __post_init__(self) -> None:
        checks.at_least_one("order", self.order)
        checks.positive("scale", self.scale)
        checks.width(self.low, self.high)

    def _inside(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the values as an array; raise ValueError if one lies outside the bounds."""
        array = np.asarray(values, dtype=float)
        if not np.all((array >= self.low) & (array <= self.high)):
            raise ValueError(
                f"values must lie within [{self.low!r}, {self.high!r}], got {values!r}"
            )
        return array


class Truncated(_Bounded):
    """The truncated GG mechanism: GG(s, b, p) around each value s, conditioned on the bounds.

    With the scale of `truncated_scale` or `bounded_gg` it satisfies ε-DP. The bounds are public.
    Source: the paper, Definition 5.

    >>> import numpy as np
    >>> from ggexp.mechanisms.bounded import Truncated
    >>> mechanism = Truncated(order=2, scale=5, low=0, high=10)
    >>> mechanism.release([1, 9], np.random.default_rng(1)).round(2)
    array([2.84, 9.73])
    """

    def release(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return an independent draw around each value, by inverting the CDF."""
        s = self._inside(values)
        low, high = (inner(self.order, (bound - s) / self.scale) for bound in (self.low, self.high))
        u = rng.uniform(low, high)
        q = gammaincinv(1 / self.order, np.abs(u))
        x = np.where(q > MIN_POWER, q ** (1 / self.order), np.abs(u) * gamma(1 + 1 / self.order))
        return clamp(s + self.scale * np.copysign(x, u), self.low, self.high)


class Inflated(_Bounded):
    """The boundary-inflated truncated (BIT) GG mechanism: draws outside the bounds move to them.

    `inflated_scale` returns the smallest scale with which it satisfies ε-DP. The bounds are public.
    Source: the paper, Definition 6.

    >>> import numpy as np
    >>> from ggexp.mechanisms.bounded import Inflated
    >>> mechanism = Inflated(order=2, scale=5, low=0, high=10)
    >>> mechanism.release([1, 9], np.random.default_rng(1)).round(2)
    array([ 2.22, 10.  ])
    """

    def release(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return GG noise around each value, followed by `clamp`."""
        s = self._inside(values)
        noise = GeneralizedGaussian(self.order, self.scale).sample(rng, s.size)
        return clamp(s + noise.reshape(s.shape), self.low, self.high)


def clamp(released: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    """Return the released values, with values outside the public bounds set to the nearest bound.

    `ggexp.mechanisms.guarantee.of_release` returns the guarantee of the result.

    >>> from ggexp import bounded
    >>> bounded.clamp([-2.5, 3, 12], 0, 10)
    array([ 0.,  3., 10.])
    """
    checks.width(low, high)
    return np.clip(np.asarray(released, dtype=float), low, high)


def truncated_scale(
    *,
    order: Order,
    epsilon: Epsilon,
    widths: Sequence[Width],
    sensitivities: Sequence[Sensitivity],
    sensitivity_p: Sensitivity | None = None,
) -> float:
    """Return a scale b for which the truncated GG mechanism satisfies ε-DP.

    For p > 1, `bounded_gg` uses a smaller scale. The order need not be an integer, because the
    paper's sum Σ_j C(p, j) w^(p-j) Δ^j is (w + Δ)^p - w^p.

    widths: c_k1 - c_k0 of the coordinates that can change together (one coordinate for a
        histogram), in the units of b.
    sensitivities: Δ_{1,k} of the same coordinates, at most the widths.
    sensitivity_p: Δ_p of all coordinates together; by default the bound of Lemma 2 (Eqn 8).
    Source: the paper, Definition 5, Eqns 7 and 8.

    >>> from ggexp import bounded
    >>> round(bounded.truncated_scale(order=2, epsilon=1, widths=[10], sensitivities=[1]), 4)
    6.4807
    """
    checks.positive("epsilon", epsilon)
    pairs = _check_coordinates(order, widths, sensitivities)
    if sensitivity_p is None:
        sensitivity_p = sensitivity.of_coordinates(order, sensitivities)
    # powers of ratios to the largest number do not overflow
    unit = max(*widths, checks.positive("sensitivity_p", sensitivity_p))
    loss = sum(
        # (1 + x)^p - 1 - x^p with x = step / width, accurate for small x
        (width / unit) ** order
        * max(0.0, expm1(order * log1p(step / width)) - (step / width) ** order)
        for width, step in pairs
    )
    b = unit * (2 / epsilon * (loss + (sensitivity_p / unit) ** order)) ** (1 / order)
    return checks.positive("scale", b)


def inflated_scale(
    *, order: Order, epsilon: Epsilon, width: Width, sensitivity: Sensitivity
) -> float:
    """Return the smallest scale b for which the BIT GG mechanism satisfies ε-DP, for one statistic.

    width: w = c_1 - c_0. sensitivity: Δ, at most w, in the units of w and b.

    The scale is Δ/ε for order 1. In general, the privacy loss is largest if the statistic lies on a
    bound, the neighbour's statistic lies at a distance Δ from this bound, and the release is the
    opposite bound. This release has the probabilities Pr(e > w) and Pr(e > w - Δ). At the returned
    scale, the logarithm of their ratio is ε. The paper (section 2.5) gives no solution.

    >>> from ggexp import bounded
    >>> round(bounded.inflated_scale(order=2, epsilon=1, width=10, sensitivity=1), 4)
    4.5668
    """
    checks.positive("epsilon", epsilon)
    ((width, sensitivity),) = _check_coordinates(order, [width], [sensitivity])
    share = sensitivity / width
    # a lower bound on b/w, because the log ratio is at least the loss inside the bounds, which is
    # x^p - (x - Δ/b)^p with x = w/b
    smallest = gg_scale(order=order, epsilon=2 * epsilon, utility_sensitivity=_fall(order, share))
    checks.positive("scale", width * smallest)

    def excess(x: float) -> float:
        return log_tail_ratio(order, x, share) - epsilon if x > 0 else -epsilon

    x = root(excess, 0, (1 + 1e-9) / smallest, xtol=1e-300)
    x = checked(lambda x: excess(x) <= ROUNDING * epsilon, x, -1e-16 * x)
    return checks.positive("scale", width / x)


def gg_scale(*, order: Order, epsilon: Epsilon, utility_sensitivity: Sensitivity) -> float:
    """Return the scale b = (2 Δ_u / ε)^(1/p) of the exponential mechanism with GG utility.

    utility_sensitivity: Δ_u, for example from the function `utility_sensitivity`.
    Source: the paper, Eqn 15.

    >>> from ggexp import bounded
    >>> bounded.gg_scale(order=2, epsilon=0.5, utility_sensitivity=4)
    4.0
    """
    checks.at_least_one("order", order)
    checks.positive("utility_sensitivity", utility_sensitivity)
    b = (2 / checks.positive("epsilon", epsilon) * utility_sensitivity) ** (1 / order)
    return checks.positive("scale", b)


def utility_sensitivity(
    order: Order, widths: Sequence[Width], sensitivities: Sequence[Sensitivity]
) -> float:
    """Return Δ_u of the GG utility, Σ_k w_k^p - (w_k - Δ_{1,k})^p, exact for one coordinate.

    Because |s* - s| <= w, the utility of a coordinate changes most at a bound. Widths and
    sensitivities are those of `truncated_scale`. Raises ValueError also if the result overflows.

    >>> from ggexp import bounded
    >>> bounded.utility_sensitivity(2, widths=[10], sensitivities=[1])
    19.0
    """
    pairs = _check_coordinates(order, widths, sensitivities)
    # multiplied twice by √(w^p), because w^p may overflow even if the product does not
    factors = ((width ** (order / 2), _fall(order, step / width)) for width, step in pairs)
    return _finite_sum(root * fall * root for root, fall in factors)


def lemma_9(
    order: int, bounds: Sequence[tuple[float, float]], sensitivities: Sequence[Sensitivity]
) -> float:
    """Return the paper's upper bound on Δ_u of the GG utility, for an integer order p.

    bounds: (c_k0, c_k1) of the coordinates that can change together. They determine Δ_{1,k}^(j),
        the sensitivity of s_k^j in part c of the lemma.
    sensitivities: Δ_{1,k} of the same coordinates, at most the widths of the bounds.
    Raises ValueError also if the result overflows. Source: the paper, Lemma 9.

    >>> from ggexp import bounded
    >>> bounded.lemma_9(2, bounds=[(0, 10)], sensitivities=[1])
    20.0
    """
    if order != int(order):
        raise ValueError(f"order must be a whole number >= 1 for Lemma 9, got {order!r}")
    widths = [checks.width(low, high) for low, high in bounds]
    pairs = _check_coordinates(order, widths, sensitivities)
    if order == 2:
        return _finite_sum(2 * width * step for width, step in pairs)
    # part c, which is part a at p = 1
    return _finite_sum(
        comb(int(order), j)
        * max(abs(low), abs(high)) ** (order - j)
        * _power_sensitivity(j, low, high, step)
        for (low, high), step in zip(bounds, sensitivities, strict=True)
        for j in range(1, int(order) + 1)
    )


def bounded_gg(
    *, order: Order, epsilon: Epsilon, low: float, high: float, sensitivity: Sensitivity
) -> Truncated:
    """Return a truncated GG mechanism that satisfies ε-DP for one statistic within [low, high].

    Its scale is the smaller of two scales, from Definition 5 and from the exponential mechanism.
    The bounds must be public, and the sensitivity at most high - low.
    Source: the paper, section 2.7.

    >>> from ggexp import bounded
    >>> mechanism = bounded.bounded_gg(order=2, epsilon=1, low=0, high=10, sensitivity=1)
    >>> round(mechanism.scale, 4)
    6.1644
    """
    width = checks.width(low, high)
    truncated = truncated_scale(
        order=order, epsilon=epsilon, widths=[width], sensitivities=[sensitivity]
    )
    # computed in units of the width, because Δ_u itself may overflow
    fall = _fall(order, sensitivity / width)
    relative = gg_scale(order=order, epsilon=epsilon, utility_sensitivity=fall)
    exponential = checks.positive("scale", width * relative)
    return Truncated(order, min(exponential, truncated), low, high)


def clamped_pdp_delta(*, order: Order, scale: Scale, epsilon: Epsilon, count: float) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise that is clamped at 0.

    It is the δ of probabilistic DP for the given count s; the neighbour's count is s + 1.
    Let |t + 1|^p - |t|^p = ε b^p. Then the loss is above ε for noise below -t, and below -ε for
    noise above t + 1. All noise below -s becomes a single outcome, which has a single loss.

    >>> from ggexp import bounded, calibration
    >>> b = calibration.calibrate("pdp-exact", order=2, epsilon=0.5, delta=0.01).scale
    >>> round(bounded.clamped_pdp_delta(order=2, scale=b, epsilon=0.5, count=12), 5)
    0.01384
    """
    h = 1 / checks.positive("scale", scale)
    distance = checks.not_negative("count", count) * h  # from 0 to the count, in units of b
    u = where_loss_is(checks.positive("epsilon", epsilon), checks.at_least_one("order", order), h)
    merged_loss = log_upper_tail(order, distance) - log_upper_tail(order, distance + h)
    merged = upper_tail(order, distance) if merged_loss > epsilon else 0.0
    return between(order, u, distance) + merged + upper_tail(order, u + h)


def redrawn_pdp_delta(
    *, order: Order, scale: Scale, epsilon: Epsilon, count: float, bound: float
) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise, redrawn until within [0, bound].

    It is the larger of the probabilities under the count s and its neighbour s + 1.

    bound: the upper bound of both counts, at least s + 1.

    Redrawing divides the density of the count s by Z(s), the probability of a value within the
    bounds. With h = 1/b and u = (s - x)/b, the loss of the outcome x is |u + h|^p - |u|^p +
    ln(Z(s + 1) / Z(s)). It does not decrease in u. Therefore it exceeds ε if u is above one
    threshold, and is below -ε if u is below another one.

    >>> from ggexp import bounded, calibration
    >>> b = calibration.calibrate("pdp-exact", order=2, epsilon=0.5, delta=0.01).scale
    >>> round(bounded.redrawn_pdp_delta(order=2, scale=b, epsilon=0.5, count=12, bound=100), 5)
    0.00602
    """
    checks.at_least_one("order", order)
    checks.positive("epsilon", epsilon)
    h = 1 / checks.positive("scale", scale)
    high = checks.not_negative("count", count) * h
    if not count + 1 <= bound < inf:
        raise ValueError(f"bound must be finite and at least count + 1, got {bound!r}")
    low = high - bound * h
    # Z(s) and Z(s + 1): under s, u has the distribution GG(0, 1, p); under s + 1, u + h has it
    normalizers = [between(order, low + shift, high + shift) for shift in (0, h)]
    log_factor = log(normalizers[1] / normalizers[0])
    above = max(low, where_loss_is(epsilon - log_factor, order, h))
    below = min(high, where_loss_is(-epsilon - log_factor, order, h))
    exceedances = (
        between(order, above + shift, high + shift) + between(order, low + shift, below + shift)
        for shift in (0, h)
    )
    return max(excess / z for excess, z in zip(exceedances, normalizers, strict=True))


def _check_coordinates(
    order: Order, widths: Sequence[Width], sensitivities: Sequence[Sensitivity]
) -> list[tuple[float, float]]:
    """Return the pair (width, sensitivity) of each coordinate, after checking them."""
    checks.at_least_one("order", order)
    if not widths or len(widths) != len(sensitivities):
        raise ValueError(
            f"widths and sensitivities must have the same length >= 1, got {len(widths)} and "
            f"{len(sensitivities)}"
        )
    for width, step in zip(widths, sensitivities, strict=True):
        checks.positive("widths", width)
        if checks.positive("sensitivities", step) > width:
            raise ValueError(f"sensitivities must be at most the widths, got {step!r} > {width!r}")
    return list(zip(widths, sensitivities, strict=True))


def _fall(order: float, share: float) -> float:
    """Return 1 - (1 - x)^p for a share x in (0, 1], accurate for small x."""
    return -expm1(order * log1p(-share)) if share < 1 else 1.0


def _power_sensitivity(j: int, low: float, high: float, step: float) -> float:
    """Return the largest |s^j - t^j| for s and t within the bounds and at most one step apart."""
    if j % 2:
        return max(_power_step(j, high, step), _power_step(j, -low, step))
    largest = max(abs(low), abs(high))
    return _power_step(j, largest, min(step, largest))


def _power_step(j: int, x: float, step: float) -> float:
    """Return x^j - (x - step)^j, without cancellation because the step is factored out."""
    return step * sum(x**i * (x - step) ** (j - 1 - i) for i in range(j))


def _finite_sum(terms: Iterator[float]) -> float:
    """Return the sum of the terms; raise ValueError if it is too large for floating point."""
    try:
        total = float(sum(terms))
    except OverflowError:
        total = inf
    return checks.positive("utility_sensitivity", total)
