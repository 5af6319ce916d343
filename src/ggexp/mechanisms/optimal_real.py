"""Staircase and truncated Laplace noise: small real-valued noise of two guarantees.

Staircase noise is the smallest for ε-DP. Truncated Laplace noise has a bound, and is close to the
smallest for (ε, δ)-approximate DP if ε is small.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, expm1, log, log1p, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise, module_at_first_use
from ggexp.ranges import Scale, Sensitivity, Width

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import LossDistribution


@dataclass(frozen=True)
class Staircase(Noise):
    """Noise whose density decreases in stairs of equal width.

    For |x| from kw to (k+γ)w the density is a q^k, and from (k+γ)w to (k+1)w it is a q^(k+1), with
    q = e^(-w/b) and a normalizing constant a. width: w. high: γ in [0, 1].
    With w = Δ and b = Δ/ε the noise satisfies ε-DP. Source: Geng and Viswanath, arXiv 1212.1186.
    """

    family: ClassVar[str] = "staircase"
    scale: Scale
    width: Width
    high: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)
        checks.positive("width", self.width)
        if not 0 <= self.high <= 1:
            raise ValueError(f"high must be from 0 to 1, got {self.high!r}")

    @property
    def _drop_and_q(self) -> tuple[float, float]:
        """1 - q, the relative drop of the density from a stair to the next, and q."""
        return -expm1(-self.width / self.scale), exp(-self.width / self.scale)

    @property
    def _in_high(self) -> float:
        """The probability that the noise is in the higher part of a stair."""
        _, q = self._drop_and_q
        return self.high / (self.high + q * (1 - self.high))

    @property
    def sd(self) -> float:
        """Standard deviation."""
        drop, q = self._drop_and_q
        distance = self._mean_distance(1)
        square = self._in_high * self.high**2 + (1 - self._in_high) * (1 + self.high + self.high**2)
        return self.width * sqrt(q * (1 + q) / drop**2 + 2 * q / drop * distance + square / 3)

    @property
    def mean_absolute(self) -> float:
        """E|e|."""
        drop, q = self._drop_and_q
        return self.width * (q / drop + self._mean_distance(1))

    def _mean_distance(self, width: float) -> float:
        """Return the mean distance of the noise from the start of its stair, of the given width."""
        return width * (self._in_high * self.high + (1 - self._in_high) * (1 + self.high)) / 2

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, a float64 array, by inverting the CDF."""
        u = checks.generator("rng", rng).uniform(-0.5, 0.5, size)
        return np.copysign(self._points(0.5 - np.abs(u)), u)

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws, given that they exceed a threshold of at least 0."""
        tail = self.upper_tail(checks.not_negative("threshold", threshold))
        return self._points(tail * (1 - checks.generator("rng", rng).random(size)))

    def upper_tail(self, x: float) -> float:
        """Return Pr(e > x)."""
        if x < 0:
            return 1 - self.upper_tail(-x)
        k, part = divmod(x / self.width, 1)
        drop, q = self._drop_and_q
        higher = max(0.0, self.high - part) / self.high * self._in_high if self.high else 0.0
        lower = min(1.0, (1 - part) / (1 - self.high)) if self.high < 1 else 0.0
        return (
            exp(-k * self.width / self.scale)
            * (q + drop * (higher + lower * (1 - self._in_high)))
            / 2
        )

    def upper_point(self, probability: float) -> float:
        """Return the x with Pr(e > x) = probability, for a probability in (0, 1)."""
        if probability > 1 / 2:
            return -self.upper_point(1 - probability)
        return float(self._points(probability))

    def _points(self, tails: ArrayLike) -> NDArray[np.float64]:
        """Return the x >= 0 with the given upper tails, which are at most 1/2."""
        drop, q = self._drop_and_q
        logs = np.log(np.maximum(2 * np.asarray(tails), np.finfo(float).tiny))
        k = np.floor(np.maximum(0, -logs) * (self.scale / self.width))
        # the share of the stair's probability that lies above x
        above = np.clip((np.exp(logs + k * (self.width / self.scale)) - q) / drop, 0, 1)
        low = 1 - self._in_high
        in_low = 1 - (1 - self.high) * above / low if low else np.ones_like(above)
        in_high = self.high * (1 - (above - low) / self._in_high) if low < 1 else in_low
        return np.asarray(self.width * (k + np.where(above <= low, in_low, in_high)))

    def loss(self, sensitivity: Sensitivity = 1.0) -> "LossDistribution":
        """Return the privacy loss distribution: an atom for each interval of the noise.

        The loss at x is ln f(x) - ln f(x - Δ), a multiple of w/b.
        """
        distance = Fraction(float(checks.positive("sensitivity", sensitivity)))
        shift = distance / Fraction(self.width)  # edges are exact, because intervals may be tiny
        last = ceil(shift) + 1  # the losses repeat beyond this stair and below -1
        starts = range(2 * last + 1)
        edges = {start + part for start in starts for part in (0, Fraction(self.high))}
        edges |= {-edge for edge in edges}
        edges |= {edge + shift for edge in edges}
        kept = sorted(edge for edge in edges if -last <= edge <= last + 1)
        drop, q = self._drop_and_q
        unit = self.width / self.scale
        density = drop / (2 * (self.high + q * (1 - self.high)))
        losses, probabilities = [], []
        for low, high in pairwise(kept):
            middle = Fraction(low + high) / 2
            level, shifted_level = self._level(middle), self._level(middle - shift)
            # in the outermost stairs, an interval represents the same part of all further stairs
            divisor = drop if not 1 - last < middle < last else 1.0
            losses.append((shifted_level - level) * unit)
            decay = exp(-level * unit)
            probabilities.append(density * float(high - low) * decay / divisor)
        atoms = module_at_first_use("loss_distribution").Atoms
        return atoms.of(np.array(losses), np.array(probabilities), unit)

    def _level(self, x: Fraction) -> int:
        """Return the exponent of q in the density at x, with x in units of the width."""
        stair, part = divmod(abs(x), 1)
        return int(stair) + (part >= self.high)


def best_for_absolute(epsilon: float) -> float:
    """Return the γ with the smallest E|e|: 1/(1 + e^(ε/2))."""
    return exp(-epsilon / 2) / (1 + exp(-epsilon / 2))


def best_for_variance(epsilon: float) -> float:
    """Return the γ with the smallest variance, ((q (1 + q)/2)^(1/3) - q)/(1 - q) with q = e^-ε."""
    root = (log1p(expm1(-epsilon) / 2) - epsilon) / 3
    return exp(-epsilon) * expm1(root + epsilon) / -expm1(-epsilon) if epsilon < 700 else 0.0


@dataclass(frozen=True)
class TruncatedLaplace(Noise):
    """Laplace distribution on [-A, A], with density ∝ exp(-|x| / b) inside and 0 outside.

    bound: A > 0. The scale b is that before the truncation. Both are in the units of x.

    The rule "adp-truncated" sets them. Source: Geng, Ding, Guo and Kumar, arXiv 1810.00877.
    """

    family: ClassVar[str] = "truncated Laplace"
    order: ClassVar[float] = 1
    scale: Scale
    bound: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)
        checks.positive("bound", self.bound)

    @property
    def sd(self) -> float:
        """Standard deviation b √(2 P(3, A/b) / P(1, A/b)), P the incomplete gamma function."""
        from scipy.special import gammainc  # slow to load, and sampling does not need it

        x = self.bound / self.scale
        if x < 1e-100:  # uniform to the last bit, and x^3 underflows
            return self.bound / sqrt(3)
        return self.scale * sqrt(2 * float(gammainc(3, x)) / -expm1(-x))

    @property
    def mean_absolute(self) -> float:
        """E|e| = b P(2, A/b) / P(1, A/b), P the incomplete gamma function."""
        from scipy.special import gammainc

        x = self.bound / self.scale
        if x < 1e-100:
            return self.bound / 2
        return self.scale * float(gammainc(2, x)) / -expm1(-x)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, a float64 array, by inverting the CDF."""
        checks.generator("rng", rng)
        u = rng.uniform(-1, 1, size)
        x = np.abs(u)
        x *= expm1(-self.bound / self.scale)  # -Pr(|e| <= A) of unbounded noise
        with np.errstate(divide="ignore"):  # log1p(-1), if the bound is large
            np.log1p(x, out=x)
        x *= -self.scale
        np.minimum(x, self.bound, out=x)  # rounding may exceed the bound
        return np.copysign(x, u, out=x)

    @property
    def largest(self) -> float:
        """The bound A."""
        return self.bound

    def upper_tail(self, x: float) -> float:
        """Return Pr(e > x), without cancellation for large x."""
        if x < 0:
            return 1 - self.upper_tail(-x)
        if x >= self.bound:
            return 0.0
        correction = expm1((x - self.bound) / self.scale) / expm1(-self.bound / self.scale)
        return exp(-x / self.scale) * correction / 2

    def upper_point(self, probability: float) -> float:
        """Return the x with Pr(e > x) = probability, for a probability in (0, 1)."""
        if probability > 1 / 2:
            return -self.upper_point(1 - probability)
        outside = exp(-self.bound / self.scale)  # Pr(|e| > A) of unbounded noise
        return min(self.bound, -self.scale * log(outside + 2 * probability * (1 - outside)))

    def loss(self, sensitivity: Sensitivity = 1.0) -> "LossDistribution":
        """Return the privacy loss distribution.

        The loss is infinite for noise that is possible under only one of two neighbours.
        """
        if 2 * self.bound <= checks.positive("sensitivity", sensitivity):  # always infinite
            return module_at_first_use("loss_distribution").Atoms(np.zeros(1), np.zeros(1), 1.0)
        losses = module_at_first_use("real_losses")
        return losses.Laplace(sensitivity, self.scale, self.bound / self.scale)
