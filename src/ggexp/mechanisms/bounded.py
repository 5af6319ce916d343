"""Noise on statistics with public bounds [c_0, c_1]: truncated, boundary-inflated, clamped.

Three things that sound alike. *Truncated* noise is conditioned on the bounds: values outside do
not exist, and the scale is chosen for that. *Boundary-inflated truncated* (BIT) noise puts what
falls outside on the bound, and its scale is chosen for that. *Clamping* an unbounded release is
post-processing. *Redrawing* an unbounded release until it is inside is truncation without its
scale: what that costs is `redrawn_pdp_delta` (docs/bounding.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, expm1, gamma, inf, log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from ggexp import checks
from ggexp.mechanisms import sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.privacy_loss import where_loss_is
from ggexp.mechanisms.tails import FLAT, between, inner, log_upper_tail, upper_tail


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
    some of them had not (docs/bounding.md). A clamped release of the rule "pdp" or "pdp-exact" is
    of (ε, δ)-approximate DP.
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
    # relative to the largest width no power overflows
    unit = max(widths)
    checks.positive("sensitivity_p", sensitivity_p)
    loss = sum(
        ((width + step) / unit) ** order - (width / unit) ** order - (step / unit) ** order
        for width, step in pairs
    )
    return unit * (2 / epsilon * (loss + (sensitivity_p / unit) ** order)) ** (1 / order)


def inflated_scale(*, order: float, epsilon: float, width: float, sensitivity: float) -> float:
    """Return the smallest b of ε-DP of the BIT GG mechanism, for one bounded statistic.

    order: p >= 1. epsilon: ε > 0. width: w = c_1 - c_0. sensitivity: Δ, at most w.

    The worst outcome is the far bound: of a statistic on one bound and another Δ nearer, the other
    bound has the probabilities Pr(e > w) and Pr(e > w - Δ), and the log of their ratio, at b, is ε.
    The paper (section 2.5) has no solution here. Order 1 gives Δ/ε.
    """
    checks.positive("epsilon", epsilon)
    ((width, sensitivity),) = check_coordinates(order, [width], [sensitivity])
    from scipy.optimize import brentq

    def excess(x: float) -> float:  # x = w/b
        near = x * (1 - sensitivity / width)
        return log_upper_tail(order, near) - log_upper_tail(order, x) - epsilon

    high = 1.0
    while excess(high) < 0:
        high *= 2
    return width / float(brentq(excess, 0, high, xtol=1e-300, rtol=1e-15, maxiter=500))


def gg_scale(*, order: float, epsilon: float, utility_sensitivity: float) -> float:
    """Return the scale b = (2 Δ_u / ε)^(1/p) of the mechanism with GG utility (paper, Eqn 15)."""
    checks.at_least_one("order", order)
    checks.positive("utility_sensitivity", utility_sensitivity)
    return float((2 * utility_sensitivity / checks.positive("epsilon", epsilon)) ** (1 / order))


def utility_sensitivity(
    order: float, widths: Sequence[float], sensitivities: Sequence[float]
) -> float:
    """Return Δ_u of the GG utility, Σ_k w_k^p - (w_k - Δ_{1,k})^p: exact for one coordinate.

    order: p >= 1. widths: w_k = c_k1 - c_k0 of the coordinates that can change together.
    sensitivities: their Δ_{1,k}, at most the widths.

    As |s* - s| <= w, the utility of a coordinate changes most at a bound. It is at most what
    `lemma_9` and Definition 5 use in its place.
    """
    pairs = check_coordinates(order, widths, sensitivities)
    return float(sum(width**order - (width - step) ** order for width, step in pairs))


def lemma_9(
    order: int, bounds: Sequence[tuple[float, float]], sensitivities: Sequence[float]
) -> float:
    """Return the paper's upper bound of Δ_u of the GG utility (Lemma 9), for a whole order p >= 1.

    bounds: (c_k0, c_k1) of the coordinates that can change together. sensitivities: their Δ_{1,k}.
    The Δ_{1,k}^(j) of part c, the sensitivity of s_k^j, are taken from the bounds.
    """
    if order != int(order):
        raise ValueError(f"order must be a whole number >= 1 for Lemma 9, got {order!r}")
    widths = [checks.width(low, high) for low, high in bounds]
    pairs = check_coordinates(order, widths, sensitivities)
    if order == 1:
        return float(sum(sensitivities))
    if order == 2:
        return float(2 * sum(width * step for width, step in pairs))
    return float(
        sum(
            comb(int(order), j)
            * max(abs(low), abs(high)) ** (order - j)
            * _power_sensitivity(j, low, high, step)
            for (low, high), step in zip(bounds, sensitivities, strict=True)
            for j in range(1, int(order) + 1)
        )
    )


def bounded_gg(
    *, order: float, epsilon: float, low: float, high: float, sensitivity: float
) -> Truncated:
    """Return the truncated GG mechanism of ε-DP for one statistic within [low, high].

    order: p >= 1. epsilon: ε > 0. sensitivity: Δ_1 of the statistic, at most high - low.
    Its scale is the smaller of Definition 5's and the exponential mechanism's, as the paper
    advises (section 2.7).
    """
    widths, steps = [checks.width(low, high)], [sensitivity]
    exponential = gg_scale(
        order=order,
        epsilon=epsilon,
        utility_sensitivity=utility_sensitivity(order, widths, steps),
    )
    truncated = truncated_scale(order=order, epsilon=epsilon, widths=widths, sensitivities=steps)
    return Truncated(order, min(exponential, truncated), low, high)


def truncated_laplace(*, epsilon: float, delta: float, sensitivity: float = 1.0) -> Truncated:
    """Return bounded noise of (ε, δ)-approximate DP: Laplace(Δ/ε) within [-A, A], released at 0.

    epsilon: ε > 0. delta: δ in (0, 1/2]. sensitivity: Δ > 0 of one coordinate.

    A = Δ/ε ln(1 + (e^ε - 1) / (2δ)) is the smallest bound. Add ``release(np.zeros(r), rng)`` to r
    values. Source: approximate-DP lecture notes, section 1.2 and Exercise 1.5.
    """
    scale = checks.positive("sensitivity", sensitivity) / checks.positive("epsilon", epsilon)
    if not 0 < delta <= 1 / 2:
        raise ValueError(f"delta must be a number in (0, 1/2], got {delta!r}")
    log_excess = epsilon + log(-expm1(-epsilon)) - log(2 * delta)
    bound = scale * float(np.logaddexp(0, log_excess))
    return Truncated(1, scale, -bound, bound)


def clamped_pdp_delta(*, order: float, scale: float, epsilon: float, count: float) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise, clamped at 0, against one more.

    order: p > 1. scale: b > 0. epsilon: ε > 0. count: >= 0, in records.

    With t where the loss is ε, it exceeds ε where the noise is below -t, and -ε where it is above
    t + 1. All of the noise below -count becomes one outcome, with one loss: (ε, δ)-probabilistic DP
    may not survive that (docs/bounding.md).
    Raises ValueError naming the argument, its value and what is allowed.
    """
    h = 1 / checks.positive("scale", scale)
    low = checks.not_negative("count", count) * h
    u = where_loss_is(checks.positive("epsilon", epsilon), checks.at_least_one("order", order), h)
    merged_loss = log_upper_tail(order, low) - log_upper_tail(order, low + h)
    merged = upper_tail(order, low) if merged_loss > epsilon else 0.0
    return between(order, u, low) + merged + upper_tail(order, u + h)


def redrawn_pdp_delta(
    *, order: float, scale: float, epsilon: float, count: float, bound: float
) -> float:
    """Return Pr(|privacy loss| > ε) of a count with GG noise, redrawn until within [0, bound].

    order: p > 1. scale: b > 0. epsilon: ε > 0. count: s >= 0, in records, against s + 1: the larger
    of the probabilities under either. bound: of both, at least s + 1.

    Redrawing divides a density by the probability Z of being inside. At u = (s - x)/b, with
    h = 1/b, the loss of the outcome x is |u + h|^p - |u|^p + ln(Z(s + 1) / Z(s)), which does not
    fall as u rises: it exceeds ε from one point on, and -ε up to another.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.at_least_one("order", order)
    checks.positive("epsilon", epsilon)
    h = 1 / checks.positive("scale", scale)
    high = checks.not_negative("count", count) * h
    if not count + 1 <= bound < inf:
        raise ValueError(f"bound must be finite and at least count + 1, got {bound!r}")
    low = high - bound * h
    # of u under s, and of u + h under s + 1, which has the same law
    insides = [between(order, low + shift, high + shift) for shift in (0, h)]
    factor = log(insides[1] / insides[0])
    above = max(low, _where_loss_is(epsilon - factor, order, h))
    below = min(high, _where_loss_is(-epsilon - factor, order, h))
    beyond = (
        between(order, above + shift, high + shift) + between(order, low + shift, below + shift)
        for shift in (0, h)
    )
    return max(one / inside for one, inside in zip(beyond, insides, strict=True))


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


def _where_loss_is(loss: float, order: float, h: float) -> float:
    """Return the u with |u + h|^p - |u|^p = loss, of either sign: it is odd around -h/2."""
    if loss == 0:
        return -h / 2
    return where_loss_is(loss, order, h) if loss > 0 else -h - where_loss_is(-loss, order, h)


def _power_sensitivity(j: int, low: float, high: float, step: float) -> float:
    """Return the largest |s^j - t^j| for s and t within the bounds and at most a step apart."""
    if j % 2:
        return max(high**j - (high - step) ** j, (low + step) ** j - low**j)
    largest = max(abs(low), abs(high))
    return largest**j - max(largest - step, 0) ** j
