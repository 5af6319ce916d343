"""Staircase noise: the least noise that satisfies ε-DP for a real-valued statistic."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, expm1, log1p, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise


@dataclass(frozen=True)
class Staircase(Noise):
    """Density a q^k at |x| from kw to (k+γ)w and a q^(k+1) from there to (k+1)w, with q = e^(-w/b).

    scale: b > 0. width: w > 0, in the units of x. high: γ in [0, 1], the width of a stair's higher
    part as a share of the stair.

    With w = Δ and b = Δ/ε it satisfies ε-DP. Source: Geng and Viswanath, arXiv 1212.1186.
    """

    family: ClassVar[str] = "staircase"
    scale: float
    width: float
    high: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)
        checks.positive("width", self.width)
        if not 0 <= self.high <= 1:
            raise ValueError(f"high must be from 0 to 1, got {self.high!r}")

    @property
    def _falls(self) -> tuple[float, float]:
        """1 - q and q."""
        return -expm1(-self.width / self.scale), exp(-self.width / self.scale)

    @property
    def _in_high(self) -> float:
        """The probability of the higher parts."""
        _, q = self._falls
        return self.high / (self.high + q * (1 - self.high))

    @property
    def sd(self) -> float:
        """Standard deviation."""
        rise, q = self._falls
        within = self._within(1)
        square = self._in_high * self.high**2 + (1 - self._in_high) * (1 + self.high + self.high**2)
        return self.width * sqrt(q * (1 + q) / rise**2 + 2 * q / rise * within + square / 3)

    @property
    def mean_absolute(self) -> float:
        """E|e|."""
        rise, q = self._falls
        return self.width * (q / rise + self._within(1))

    def _within(self, stair: float) -> float:
        """Return the mean distance from the start of a stair of that width."""
        return stair * (self._in_high * self.high + (1 - self._in_high) * (1 + self.high)) / 2

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, a float64 array, by the inverse of the CDF.

        Raises TypeError if rng is not a Generator, for example if it is a seed.
        """
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
        k, rest = divmod(x / self.width, 1)
        rise, q = self._falls
        higher = max(0.0, self.high - rest) / self.high * self._in_high if self.high else 0.0
        lower = min(1.0, (1 - rest) / (1 - self.high)) if self.high < 1 else 0.0
        return (
            exp(-k * self.width / self.scale)
            * (q + rise * (higher + lower * (1 - self._in_high)))
            / 2
        )

    def upper_point(self, probability: float) -> float:
        """Return the x with Pr(e > x) = probability, which lies in (0, 1)."""
        if probability > 1 / 2:
            return -self.upper_point(1 - probability)
        return float(self._points(probability))

    def _points(self, tails: ArrayLike) -> NDArray[np.float64]:
        """Return the x >= 0 with these upper tails, which are at most 1/2."""
        rise, q = self._falls
        logs = np.log(np.maximum(2 * np.asarray(tails), np.finfo(float).tiny))
        k = np.floor(np.maximum(0, -logs) * (self.scale / self.width))
        # the share of this stair's probability above the point
        above = np.clip((np.exp(logs + k * (self.width / self.scale)) - q) / rise, 0, 1)
        low = 1 - self._in_high
        in_low = 1 - (1 - self.high) * above / low if low else np.ones_like(above)
        in_high = self.high * (1 - (above - low) / self._in_high) if low < 1 else in_low
        return np.asarray(self.width * (k + np.where(above <= low, in_low, in_high)))

    def losses(self, sensitivity: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the privacy losses on intervals of the noise, and their probabilities.

        sensitivity: Δ > 0. The loss at x is ln f(x) - ln f(x - Δ), a multiple of w/b.
        """
        shift = Fraction(float(checks.positive("sensitivity", sensitivity)))
        moved = shift / Fraction(self.width)  # exact, as all edges are, because parts may be tiny
        last = ceil(moved) + 1  # losses repeat beyond this stair, and below -1
        starts = range(2 * last + 1)
        edges = {start + part for start in starts for part in (0, Fraction(self.high))}
        edges |= {-edge for edge in edges}
        edges |= {edge + moved for edge in edges}
        within = sorted(edge for edge in edges if -last <= edge <= last + 1)
        rise, q = self._falls
        density = rise / (2 * (self.high + q * (1 - self.high)))
        losses, probabilities = [], []
        for low, high in pairwise(within):
            middle = Fraction(low + high) / 2
            level, other = self._level(middle), self._level(middle - moved)
            beyond = rise if not 1 - last < middle < last else 1.0  # includes all further stairs
            losses.append((other - level) * (self.width / self.scale))
            falls = exp(-level * (self.width / self.scale))
            probabilities.append(density * float(high - low) * falls / beyond)
        return np.array(losses), np.array(probabilities)

    def _level(self, x: Fraction) -> int:
        """Return the number of steps down to the density at x, in units of the width."""
        stair, part = divmod(abs(x), 1)
        return int(stair) + (part >= self.high)

    def delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP.

        epsilon: ε >= 0. sensitivity: Δ > 0.
        Raises ValueError naming the argument, its value and what is allowed.
        """
        checks.not_negative("epsilon", epsilon)
        losses, probabilities = self.losses(sensitivity)
        above = losses > epsilon
        return float(-np.expm1(epsilon - losses[above]) @ probabilities[above])

    def pdp_delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ of (ε, δ)-probabilistic DP, Pr(|loss| > ε).

        epsilon: ε > 0. sensitivity: Δ > 0.
        Raises ValueError naming the argument, its value and what is allowed.
        """
        checks.positive("epsilon", epsilon)
        losses, probabilities = self.losses(sensitivity)
        return float(probabilities[np.abs(losses) > epsilon].sum())


def best_for_absolute(epsilon: float) -> float:
    """Return the γ with the least E|e|: 1/(1 + e^(ε/2))."""
    return exp(-epsilon / 2) / (1 + exp(-epsilon / 2))


def best_for_variance(epsilon: float) -> float:
    """Return the γ with the least variance, ((q (1 + q)/2)^(1/3) - q) / (1 - q) with q = e^-ε."""
    root = (log1p(expm1(-epsilon) / 2) - epsilon) / 3
    return exp(-epsilon) * expm1(root + epsilon) / -expm1(-epsilon) if epsilon < 700 else 0.0
