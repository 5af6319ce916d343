"""Noise on statistics with public bounds [c_0, c_1]: truncated, boundary-inflated, clamped.

Three things that sound alike. *Truncated* noise is conditioned on the bounds: values outside do
not exist, and the scale is chosen for that. *Boundary-inflated truncated* (BIT) noise puts what
falls outside on the bound, and its scale is chosen for that. *Clamping* an unbounded release is
post-processing. *Redrawing* an unbounded release until it is inside is truncation without its
scale. What either does to probabilistic DP is in `ggexp.mechanisms.post_hoc` (docs/bounding.md).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, expm1, gamma, inf, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from ggexp import checks
from ggexp.mechanisms import sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.tails import FLAT, inner, log_tail_ratio


@dataclass(frozen=True)
class _Bounded:
    """GG noise of an order p >= 1 and scale b > 0 within bounds low < high, in units of values."""

    order: float
    scale: float
    low: float
    high: float

    def __post_init__(self) -> None:
        checks.at_least_one("order", self.order)
        checks.positive("scale", self.scale)
        checks.width(self.low, self.high)

    def _inside(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the values as an array; ValueError if one lies outside the bounds."""
        array = np.asarray(values, dtype=float)
        if not np.all((array >= self.low) & (array <= self.high)):
            raise ValueError(
                f"values must lie within [{self.low!r}, {self.high!r}], got {values!r}"
            )
        return array


class Truncated(_Bounded):
    """The truncated GG mechanism (paper, Definition 5): GG(s, b, p) conditioned on the bounds."""

    def release(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return an independent draw around each value, same shape, by the inverse of the CDF."""
        s = self._inside(values)
        low, high = (inner(self.order, (bound - s) / self.scale) for bound in (self.low, self.high))
        drawn = rng.uniform(low, high)
        q = gammaincinv(1 / self.order, np.abs(drawn))
        x = np.where(q > FLAT, q ** (1 / self.order), np.abs(drawn) * gamma(1 + 1 / self.order))
        return clamp(s + self.scale * np.copysign(x, drawn), self.low, self.high)


class Inflated(_Bounded):
    """The boundary-inflated truncated (BIT) GG mechanism (paper, Definition 6)."""

    def release(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return an independent draw around each value, same shape, bounds where it falls outside.

        It is `clamp` of GG noise; what makes it of ε-DP for p > 1 is the scale, `inflated_scale`.
        """
        s = self._inside(values)
        noise = GeneralizedGaussian(self.order, self.scale).sample(rng, s.size)
        return clamp(s + noise.reshape(s.shape), self.low, self.high)


def clamp(released: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    """Return the released values, those outside the public bounds set to the bound.

    It keeps ε-DP and (ε, δ)-approximate DP, as any post-processing does. It does not keep
    probabilistic DP: a bound on which several outcomes fall together may have a loss above ε where
    some of them had not (docs/bounding.md). A clamped release of the rule "pdp" or "pdp-exact"
    satisfies (ε, δ)-approximate DP.
    """
    checks.width(low, high)
    return np.clip(np.asarray(released, dtype=float), low, high)


def truncated_scale(
    *,
    order: float,
    epsilon: float,
    widths: Sequence[float],
    sensitivities: Sequence[float],
    sensitivity_p: float | None = None,
) -> float:
    """Return the b of ε-DP of the truncated GG mechanism (paper, Definition 5, Eqns 7 and 8).

    order: p >= 1, not only whole numbers: Σ_j C(p, j) w^(p-j) Δ^j is (w + Δ)^p - w^p.
    epsilon: ε > 0.
    widths: c_k1 - c_k0 of the coordinates that can change together (one, for a histogram).
    sensitivities: their Δ_{1,k}, at most the widths.
    sensitivity_p: Δ_p of the coordinates together; by default Lemma 2's bound (Eqn 8).
    It is sufficient, not tight: `bounded_gg` needs less.
    """
    checks.positive("epsilon", epsilon)
    pairs = check_coordinates(order, widths, sensitivities)
    if sensitivity_p is None:
        sensitivity_p = sensitivity.of_coordinates(order, sensitivities)
    # relative to the largest no power overflows
    unit = max(*widths, checks.positive("sensitivity_p", sensitivity_p))
    loss = sum(
        (width / unit) ** order * max(0.0, _rise(order, step / width) - (step / width) ** order)
        for width, step in pairs
    )
    b = unit * (2 / epsilon * (loss + (sensitivity_p / unit) ** order)) ** (1 / order)
    return checks.positive("scale", b)


def inflated_scale(*, order: float, epsilon: float, width: float, sensitivity: float) -> float:
    """Return the smallest b of ε-DP of the BIT GG mechanism, for one bounded statistic.

    order: p >= 1. epsilon: ε > 0. width: w = c_1 - c_0. sensitivity: Δ, at most w.

    The worst outcome is the far bound: of a statistic on one bound and another Δ nearer, the other
    bound has the probabilities Pr(e > w) and Pr(e > w - Δ), and the log of their ratio, at b, is ε.
    The paper (section 2.5) has no solution here. Order 1 gives Δ/ε.
    """
    checks.positive("epsilon", epsilon)
    ((width, sensitivity),) = check_coordinates(order, [width], [sensitivity])
    share = sensitivity / width
    # The log ratio is at least x^p - (x - Δ/b)^p, x = w/b: as much as inside the bounds.
    inside = gg_scale(order=order, epsilon=2 * epsilon, utility_sensitivity=_fall(order, share))
    checks.positive("scale", width * inside)
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        return log_tail_ratio(order, x, share) - epsilon if x > 0 else -epsilon

    x = float(brentq(excess, 0, (1 + 1e-9) / inside, xtol=1e-300, rtol=1e-15, maxiter=500))
    return checks.positive("scale", width / x)


def gg_scale(*, order: float, epsilon: float, utility_sensitivity: float) -> float:
    """Return the scale b = (2 Δ_u / ε)^(1/p) of the mechanism with GG utility (paper, Eqn 15)."""
    checks.at_least_one("order", order)
    checks.positive("utility_sensitivity", utility_sensitivity)
    b = (2 / checks.positive("epsilon", epsilon) * utility_sensitivity) ** (1 / order)
    return checks.positive("scale", b)


def utility_sensitivity(
    order: float, widths: Sequence[float], sensitivities: Sequence[float]
) -> float:
    """Return Δ_u of the GG utility, Σ_k w_k^p - (w_k - Δ_{1,k})^p: exact for one coordinate.

    order: p >= 1. widths: w_k = c_k1 - c_k0 of the coordinates that can change together.
    sensitivities: their Δ_{1,k}, at most the widths.

    As |s* - s| <= w, the utility of a coordinate changes most at a bound. It is at most what
    `lemma_9` and Definition 5 use in its place. ValueError where it exceeds the floating point
    numbers.
    """
    pairs = check_coordinates(order, widths, sensitivities)
    # w^p by its halves: it may be too large where its product with the fall is not
    halves = ((width ** (order / 2), _fall(order, step / width)) for width, step in pairs)
    return _finite_sum(half * fall * half for half, fall in halves)


def lemma_9(
    order: int, bounds: Sequence[tuple[float, float]], sensitivities: Sequence[float]
) -> float:
    """Return the paper's upper bound of Δ_u of the GG utility (Lemma 9), for a whole order p >= 1.

    bounds: (c_k0, c_k1) of the coordinates that can change together. sensitivities: their Δ_{1,k}.
    The Δ_{1,k}^(j) of part c, the sensitivity of s_k^j, are taken from the bounds. ValueError where
    it exceeds the floating point numbers.
    """
    if order != int(order):
        raise ValueError(f"order must be a whole number >= 1 for Lemma 9, got {order!r}")
    widths = [checks.width(low, high) for low, high in bounds]
    pairs = check_coordinates(order, widths, sensitivities)
    if order == 1:
        return _finite_sum(step for _, step in pairs)
    if order == 2:
        return _finite_sum(2 * width * step for width, step in pairs)
    return _finite_sum(
        comb(int(order), j)
        * max(abs(low), abs(high)) ** (order - j)
        * _power_sensitivity(j, low, high, step)
        for (low, high), step in zip(bounds, sensitivities, strict=True)
        for j in range(1, int(order) + 1)
    )


def bounded_gg(
    *, order: float, epsilon: float, low: float, high: float, sensitivity: float
) -> Truncated:
    """Return the truncated GG mechanism of ε-DP for one statistic within [low, high].

    order: p >= 1. epsilon: ε > 0. sensitivity: Δ_1 of the statistic, at most high - low.
    Its scale is the smaller of Definition 5's and the exponential mechanism's, as the paper
    advises (section 2.7).
    """
    width = checks.width(low, high)
    truncated = truncated_scale(
        order=order, epsilon=epsilon, widths=[width], sensitivities=[sensitivity]
    )
    # in units of the width, as Δ_u itself may exceed the floating point numbers
    relative = gg_scale(
        order=order, epsilon=epsilon, utility_sensitivity=_fall(order, sensitivity / width)
    )
    exponential = checks.positive("scale", width * relative)
    return Truncated(order, min(exponential, truncated), low, high)


def check_coordinates(
    order: float, widths: Sequence[float], sensitivities: Sequence[float]
) -> list[tuple[float, float]]:
    """Return (width, sensitivity) of each coordinate; ValueError where they do not fit."""
    checks.at_least_one("order", order)
    if not widths or len(widths) != len(sensitivities):
        raise ValueError(
            f"widths and sensitivities must be of one length >= 1, got {len(widths)} and "
            f"{len(sensitivities)}"
        )
    for width, step in zip(widths, sensitivities, strict=True):
        checks.positive("widths", width)
        if checks.positive("sensitivities", step) > width:
            raise ValueError(f"sensitivities must be at most the widths, got {step!r} > {width!r}")
    return list(zip(widths, sensitivities, strict=True))


def _rise(order: float, share: float) -> float:
    """Return (1 + x)^p - 1 of a share x in (0, 1], however small."""
    return expm1(order * log1p(share))


def _fall(order: float, share: float) -> float:
    """Return 1 - (1 - x)^p of a share x in (0, 1], however small."""
    return -expm1(order * log1p(-share)) if share < 1 else 1.0


def _power_sensitivity(j: int, low: float, high: float, step: float) -> float:
    """Return the largest |s^j - t^j| for s and t within the bounds and at most a step apart."""
    if j % 2:
        return max(_power_step(j, high, step), _power_step(j, -low, step))
    largest = max(abs(low), abs(high))
    return _power_step(j, largest, min(step, largest))


def _power_step(j: int, x: float, step: float) -> float:
    """Return x^j - (x - step)^j, by the factor x - (x - step) that both powers share."""
    return step * sum(x**i * (x - step) ** (j - 1 - i) for i in range(j))


def _finite_sum(terms: Iterator[float]) -> float:
    """Return the sum of powers; ValueError where it exceeds the floating point numbers."""
    try:
        total = float(sum(terms))
    except OverflowError:
        total = inf
    return checks.positive("utility_sensitivity", total)
