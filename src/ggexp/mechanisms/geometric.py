"""Geometric noise: the Laplace distribution of the whole numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, expm1, floor, log, sinh, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.enclosures import GUARD, Between, exponential
from ggexp.mechanisms.whole_noise import MAX_EXPONENT, WholeNoise, support


@dataclass(frozen=True)
class Geometric(WholeNoise):
    """Pr(K = k) = (1 - a)/(1 + a) a^|k| with a = e^(-1/b).

    scale: b > 0. At b = Δ/ε the noise satisfies ε-DP.
    Source: Ghosh, Roughgarden and Sundararajan 2009.
    """

    family: ClassVar[str] = "geometric"
    scale: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, 1, 2 and so on."""
        values = support(MAX_EXPONENT * self.scale, self.family, f"scale {self.scale:g}")
        return np.log(np.tanh(0.5 / self.scale)) - values / self.scale

    def exact_tails(self, bits: int) -> Iterator[Between]:
        """Yield bounds of 2^bits Pr(|K| > k) = 2^(bits+1) a^(k+1)/(1 + a), k = 0, 1, 2 …."""
        one = 2 ** (bits + GUARD)
        x = 1 / Fraction(self.scale)
        a = exponential(x, x, bits + GUARD)
        least = 2 * one * a.low // (one + a.low)
        most = -(-2 * one * a.high // (one + a.high))
        while most > 2 ** (GUARD // 2):
            yield Between(least >> GUARD, -(-most >> GUARD))
            least = least * a.low // one
            most = -(-most * a.high // one)

    @property
    def sd(self) -> float:
        """Standard deviation √(2a)/(1 - a)."""
        return sqrt(1 / 2) / sinh(min(0.5 / self.scale, 700))

    @property
    def mean_absolute(self) -> float:
        """E|K| = 2a/(1 - a²)."""
        return 1 / sinh(min(1 / self.scale, 700))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, whole numbers in a float64 array.

        A draw is the difference of two geometric numbers. Raises TypeError if rng is not a
        Generator, for example if it is a seed.
        """
        one, other = checks.generator("rng", rng).geometric(self._stops, (2, size))
        return np.subtract(one, other, dtype=np.float64)

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws, given that they exceed a threshold of at least 0."""
        beyond = checks.generator("rng", rng).geometric(self._stops, size)
        return np.add(floor(checks.not_negative("threshold", threshold)), beyond, dtype=np.float64)

    @property
    def _stops(self) -> float:
        """1 - a."""
        return -expm1(-1 / self.scale)

    def _tail(self, k: int) -> float:
        """Return Pr(K > k) = a^(k+1)/(1 + a) for k >= 0."""
        return exp(-(k + 1) / self.scale) / (1 + exp(-1 / self.scale))

    def upper_point(self, probability: float) -> float:
        """Return the smallest whole number t with Pr(K > t) <= probability, in (0, 1)."""
        if probability >= self._tail(0):
            found = -self._where(1 - probability)
            return found if self.upper_tail(found) <= probability else found + 1
        found = self._where(probability)
        return found if self._tail(found) <= probability else found + 1

    def _where(self, tail: float) -> int:
        """Return the smallest k >= 0 with Pr(K > k) <= tail, or one less."""
        return max(0, ceil(-self.scale * log(tail * (1 + exp(-1 / self.scale))) * (1 - 1e-15)) - 1)

    def delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP.

        epsilon: ε >= 0. sensitivity: Δ > 0, a whole number.
        The loss exceeds ε up to the largest m with Δ - 2m > bε. Therefore δ is
        (1 - a^(m+1) + a (1 - e^ε a^(Δ-m-1))) / (1 + a).
        Raises ValueError naming the argument, its value and what is allowed.
        """
        shift = checks.whole("sensitivity", sensitivity)
        checks.not_negative("epsilon", epsilon)
        a = exp(-1 / self.scale)
        if (m := self._last_above(epsilon, shift)) is None:
            return 0.0
        above = -expm1(-(m + 1) / self.scale)
        return (above - a * expm1(epsilon - (shift - m - 1) / self.scale)) / (1 + a)

    def pdp_delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ of (ε, δ)-probabilistic DP, Pr(|loss| > ε).

        epsilon: ε > 0. sensitivity: Δ > 0, a whole number.
        The loss is below -ε from Δ - m on, with the m of `delta`.
        Raises ValueError naming the argument, its value and what is allowed.
        """
        shift = checks.whole("sensitivity", sensitivity)
        if (m := self._last_above(checks.positive("epsilon", epsilon), shift)) is None:
            return 0.0
        return 1 - self._tail(m) + self._tail(shift - m - 1)

    def _last_above(self, epsilon: float, shift: int) -> int | None:
        """Return the largest m >= 0 at which the loss (Δ - 2m)/b exceeds ε, None if none does."""
        if shift / self.scale <= epsilon:
            return None
        return max(0, ceil((shift - self.scale * epsilon) / 2 - 1e-12) - 1)
