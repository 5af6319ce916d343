"""The base class of integer-valued noise for counts."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import ceil, floor, inf, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import enclosures
from ggexp.mechanisms.enclosures import Enclosure, precision
from ggexp.mechanisms.noise import Noise, module_at_first_use
from ggexp.ranges import Epsilon, Sensitivity

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import Atoms

#: A probability below exp(-MAX_EXPONENT) is smaller than every floating-point number.
MAX_EXPONENT = 746.0
#: The largest number of values in a table.
MAX_VALUES = 1_000_000
#: Logarithm of a probability below which a value of unbounded noise is left out if the table lacks
#: the probability of its neighbour. More probable values have an infinite loss then.
LOG_NEGLIGIBLE = -230.0

Losses = tuple[NDArray[np.float64], NDArray[np.float64], float | None]


@dataclass(frozen=True)
class IntegerValuedNoise(Noise):
    """A distribution on the integers, symmetric about 0. All sensitivities are integers."""

    is_integer_valued: ClassVar[bool] = True

    @cached_property
    @abstractmethod
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, 1, …, to the end of the support or to underflow."""

    @abstractmethod
    def exact_tails(self, bits: int) -> Iterator[Enclosure]:
        """Yield bounds on 2^bits Pr(|K| > k) for k = 0, 1, …, with exact parameters.

        More bits make the bounds tighter. The last tail is 0, or the next one cannot be
        distinguished from 0. There is always a first tail; without it, a sampler would draw only 0.
        """

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Pr(K = k) for k = 0, 1, 2, …."""
        return np.exp(self.logs)

    @cached_property
    def tails(self) -> NDArray[np.float64]:
        """Pr(K > k) for k = 0, 1, …, ending with 0."""
        sums = np.cumsum(self.probabilities[:0:-1])[::-1]
        return np.append(sums, 0.0)

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
        """Return ``size`` independent draws by inverting the CDF of |K|, a float64 array."""
        u = checks.generator("rng", rng).uniform(-1, 1, size)
        magnitudes = np.searchsorted(self._negative_tails, -np.abs(u))
        return np.copysign(magnitudes, u)

    @cached_property
    def _negative_tails(self) -> NDArray[np.float64]:
        """-Pr(|K| > k), in ascending order."""
        return -2 * self.tails

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws above a threshold >= 0 that the noise can exceed."""
        tail = self.upper_tail(checks.not_negative("threshold", threshold))
        if size and not tail:
            raise ValueError(f"threshold must be one that {self} exceeds, got {threshold!r}")
        u = checks.generator("rng", rng).uniform(0, tail, size)
        return np.searchsorted(self._negative_tails, -2 * u).astype(np.float64)

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
        if probability >= self.tails[0]:  # Pr(K > -t) = 1 - Pr(K > t - 1)
            t = np.searchsorted(self._negative_tails, -2 * (1 - probability), side="right")
            return -float(t)
        return float(np.searchsorted(self._negative_tails, -2 * probability))

    def loss(self, sensitivity: Sensitivity = 1.0) -> "Atoms":
        """Return the privacy loss distribution: ln Pr(K = k) - ln Pr(K = k - Δ) for each k."""
        return module_at_first_use("loss_distribution").Atoms.of(*self.losses(sensitivity))

    def losses(self, sensitivity: Sensitivity) -> Losses:
        """Return the losses, their probabilities, and a divisor of all losses, if known."""
        shift = checks.whole("sensitivity", sensitivity)
        logs = np.concatenate([self.logs[:0:-1], self.logs])
        shifted = np.full(logs.size, -inf)
        shifted[shift:] = logs[: max(0, logs.size - shift)]
        losses = logs - shifted
        # the table of unbounded noise lacks the smallest probabilities
        known = (self.largest < inf) | np.isfinite(losses) | (logs > LOG_NEGLIGIBLE)
        return losses[known], np.exp(logs[known]), None

    def exact_delta(
        self,
        *,
        epsilon: Epsilon,
        sensitivity: Sensitivity = 1.0,
        probabilistic: bool,
        bits: int = 128,
    ) -> Fraction:
        """Return the smallest δ at ε of noise drawn by the exact sampler, to within 2^-bits.

        ε and the parameters of the noise are interpreted as fractions. probabilistic: True for
        probabilistic DP, False for approximate DP.
        """
        x = Fraction(checks.positive("epsilon", epsilon))
        shift = checks.whole("sensitivity", sensitivity)
        if shift * self.largest_loss <= x:
            return Fraction(0)
        tails = self.table_of_tails(precision(bits, x))
        return enclosures.exact_delta(tails, x, shift, bits, probabilistic=probabilistic)

    @property
    def largest_loss(self) -> Fraction | float:
        """The largest loss at sensitivity 1, if it is known, otherwise infinity."""
        return inf

    def table_of_tails(self, bits: int) -> list[Enclosure]:
        """Return all bounds of `exact_tails`; raise TooManyValuesError if there are too many."""
        allowed = MAX_VALUES * bits // 64
        tails = [*islice(self.exact_tails(bits), allowed + 1)]
        if len(tails) > allowed:
            raise TooManyValuesError(
                f"{self.family} noise must have at most {MAX_VALUES:,} values for exact "
                f"probabilities, but {self} has more: it needs a larger epsilon"
            )
        return tails


class TooManyValuesError(ValueError):
    """Noise has more than `MAX_VALUES` values, too many for a table of its probabilities."""


def support(end: float, family: str, parameters: str) -> NDArray[np.float64]:
    """Return 0, 1, … up to an end; raise TooManyValuesError if this is above `MAX_VALUES`."""
    if not end <= MAX_VALUES:
        raise TooManyValuesError(
            f"{family} noise must have at most {MAX_VALUES:,} values, got more at {parameters}"
        )
    return np.arange(floor(end) + 1, dtype=np.float64)
