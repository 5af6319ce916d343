"""Staircase noise, the smallest real-valued noise for ε-DP."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, expm1, log1p, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.mechanisms.loss_distribution import Atoms
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import Scale, Sensitivity, Width


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

    def loss(self, sensitivity: Sensitivity = 1.0) -> Atoms:
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
        return Atoms.of(np.array(losses), np.array(probabilities), unit)

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
