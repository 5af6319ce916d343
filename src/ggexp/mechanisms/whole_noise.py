"""Whole-number noise for counts: the part that all its families share.

A family gives the logarithms of its probabilities; everything else is computed from them.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.enclosures import Between
from ggexp.mechanisms.exact_delta import BITS, exact_delta
from ggexp.mechanisms.noise import Noise

#: A probability below exp(-MAX_EXPONENT) is smaller than every floating-point number.
MAX_EXPONENT = 746.0
#: The largest number of values in a table.
MAX_VALUES = 1_000_000
#: The rounding of logarithms, as a share of them. A loss exceeds ε only if it does so by more.
LOSS_ERROR = 1e-12


@dataclass(frozen=True)
class WholeNoise(Noise):
    """A distribution on the whole numbers, symmetric about 0.

    ends: whether the noise has a largest value, so that a neighbour's release may be impossible
    without
        the record.
    In all methods the sensitivity is a whole number too.
    """

    is_whole: ClassVar[bool] = True
    ends: ClassVar[bool] = False

    @cached_property
    @abstractmethod
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, 1, …, to the end of the support or of doubles."""

    @abstractmethod
    def exact_tails(self, bits: int) -> Iterator[Between]:
        """Yield bounds of 2^bits Pr(|K| > k) for k = 0, 1, …, with the parameters taken as exact.

        They end with a 0, or as soon as the bits do not distinguish the tail from 0. The bounds are
        closer with more bits.
        """

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Pr(K = k) for k = 0, 1, 2 and so on."""
        return np.exp(self.logs)

    @cached_property
    def tails(self) -> NDArray[np.float64]:
        """Pr(K > k) for k = 0, 1, …, ending with 0."""
        beyond = np.cumsum(self.probabilities[:0:-1])[::-1]
        return np.append(beyond, 0.0)

    @property
    def largest(self) -> float:
        """The largest value that the noise takes, infinity if it is unbounded."""
        return self.logs.size - 1 if self.ends else inf

    @property
    def sd(self) -> float:
        """Standard deviation."""
        values = np.arange(self.logs.size, dtype=np.float64)
        return sqrt(2 * float(values**2 @ self.probabilities))

    @property
    def mean_absolute(self) -> float:
        """E|K|."""
        return 2 * float(self.tails.sum())

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, whole numbers in a float64 array.

        The draws use the inverse of the CDF of |K|. Raises TypeError if rng is not a Generator, for
        example if it is a seed.
        """
        u = checks.generator("rng", rng).uniform(-1, 1, size)
        size_of = np.searchsorted(self._falling, -np.abs(u))
        return np.copysign(size_of, u)

    @cached_property
    def _falling(self) -> NDArray[np.float64]:
        """-Pr(|K| > k), ascending."""
        return -2 * self.tails

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws, given that they exceed a threshold of at least 0.

        Raises ValueError for a threshold that the noise never exceeds.
        """
        tail = self.upper_tail(checks.not_negative("threshold", threshold))
        if size and not tail:
            raise ValueError(f"threshold must be one that {self} exceeds, got {threshold!r}")
        u = checks.generator("rng", rng).uniform(0, tail, size)
        return np.searchsorted(self._falling, -2 * u).astype(np.float64)

    def upper_tail(self, x: float) -> float:
        """Return Pr(K > x)."""
        if x < 0:  # K > x unless -K >= -x
            return 1 - self.upper_tail(ceil(-x) - 1)
        return self._tail(floor(x))

    def _tail(self, k: int) -> float:
        """Return Pr(K > k) for k >= 0."""
        return float(self.tails[k]) if k < self.tails.size else 0.0

    def upper_point(self, probability: float) -> float:
        """Return the smallest whole number t with Pr(K > t) <= probability, in (0, 1)."""
        if probability >= self.tails[0]:  # T(-t) = 1 - T(t - 1)
            return -float(np.searchsorted(self._falling, -2 * (1 - probability), side="right"))
        return float(np.searchsorted(self._falling, -2 * probability))

    def losses(self, sensitivity: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the privacy loss of each value of the noise, and the probability of the value.

        sensitivity: Δ, a whole number. The loss at k is ln Pr(K = k) - ln Pr(K = k - Δ).
        """
        shift = checks.whole("sensitivity", sensitivity)
        logs = np.concatenate([self.logs[:0:-1], self.logs])
        shifted = np.full(logs.size, -inf)
        shifted[shift:] = logs[: max(0, logs.size - shift)]
        first = 0 if self.ends else shift  # the table lacks the neighbours of the first values
        return (logs - shifted)[first:], np.exp(logs)[first:]

    def delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP.

        epsilon: ε >= 0. sensitivity: Δ > 0, a whole number. It is Σ max(0, p_k - e^ε p_(k-Δ)).
        Raises ValueError naming the argument, its value and what is allowed.
        """
        checks.not_negative("epsilon", epsilon)
        losses, probabilities = self.losses(sensitivity)
        above = losses > epsilon + self._rounding
        return float(-np.expm1(epsilon - losses[above]) @ probabilities[above])

    def pdp_delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ of (ε, δ)-probabilistic DP, Pr(|loss| > ε).

        epsilon: ε > 0. sensitivity: Δ > 0, a whole number.
        Raises ValueError naming the argument, its value and what is allowed.
        """
        checks.positive("epsilon", epsilon)
        losses, probabilities = self.losses(sensitivity)
        return float(probabilities[np.abs(losses) > epsilon + self._rounding].sum())

    def exact_delta(self, *, epsilon: float, probabilistic: bool) -> Fraction:
        """Return the smallest δ at ε of the noise that the exact sampler draws, to 2^-128.

        epsilon: ε > 0. probabilistic: whether δ is that of probabilistic DP or of approximate DP.
        The count moves by 1. ε and the parameters of the noise are exact fractions.
        Raises ValueError naming the argument, its value and what is allowed.
        """
        x = Fraction(checks.positive("epsilon", epsilon))
        return exact_delta([*self.exact_tails(BITS)], x, probabilistic=probabilistic)

    @property
    def _rounding(self) -> float:
        """The largest error of a loss."""
        return LOSS_ERROR * max(1.0, float(np.abs(self.logs[[0, -1]]).max()) / MAX_EXPONENT)


class TooManyValuesError(ValueError):
    """Noise has more than `MAX_VALUES` values, too many for a table of its probabilities."""


def support(end: float, family: str, what: str) -> NDArray[np.float64]:
    """Return 0, 1, … up to an end.

    Raises TooManyValuesError if these are more than `MAX_VALUES`.
    """
    if not end <= MAX_VALUES:
        raise TooManyValuesError(
            f"{family} noise must have at most {MAX_VALUES:,} values, got more at {what}"
        )
    return np.arange(floor(end) + 1, dtype=np.float64)
