"""Noise on statistics with public bounds [c_0, c_1]: truncated, boundary-inflated, clamped.

Three things that sound alike. *Truncated* noise is conditioned on the bounds: values outside do
not exist, and the scale is chosen for that. *Boundary-inflated truncated* (BIT) noise puts what
falls outside on the bound, and its scale is chosen for that. *Clamping* an unbounded release is
post-processing. Redrawing an unbounded release until it is inside is truncation without its scale,
and breaks the guarantee (docs/bounding.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, gamma, log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from ggexp import checks, sensitivity
from ggexp.distribution import GeneralizedGaussian
from ggexp.tails import FLAT, inner, log_upper_tail


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
    It is sufficient, not tight: `ggexp.exponential.bounded_gg` needs less.
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
