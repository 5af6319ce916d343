"""The smallest integer-valued noise at sensitivity 1: geometric and discrete canonical noise.

Geometric noise, for ε-DP, is the special case δ = 0. It is also called discrete Laplace noise, and
equals discrete generalized Gaussian noise of order 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, expm1, floor, inf, log, log1p, sinh, sqrt, tanh
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.enclosures import GUARD_BITS, Enclosure, exponential
from ggexp.mechanisms.integer_valued import MAX_EXPONENT, IntegerValuedNoise, Losses, support
from ggexp.ranges import Scale, Sensitivity

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import Atoms

ROUNDING = 1e-9  #: losses this close to a multiple of ε, in multiples, are rounded to it


def optimal_tails(epsilon: Fraction, delta: Fraction, bits: int) -> Iterator[Enclosure]:
    """Yield bounds on 2^bits Pr(|K| > k) = 2^bits 2 T_k for k = 0, 1, …, of the smallest noise.

    T_0 = (1-δ)/(1+e^ε) and T_(k+1) = max(0, (T_k - δ)/e^ε), with δ = 0 for geometric noise. Among
    all integer-valued noise that satisfies (ε, δ)-approximate DP at sensitivity 1, |K| is
    stochastically the smallest. Sources: Ghosh, Roughgarden and Sundararajan (2009) for δ = 0; Awan
    and Ramasethu, arXiv 2308.08343.
    """
    unit = 2 ** (bits + GUARD_BITS)  # represents 1
    a = exponential(epsilon, bits + GUARD_BITS)
    d = Enclosure(floor(delta * unit), ceil(delta * unit))
    low = (unit - d.high) * a.low // (unit + a.low)
    high = -(-(unit - d.low) * a.high // (unit + a.high))
    is_first = True
    while is_first or high > 2 ** (GUARD_BITS // 2):
        yield Enclosure(2 * low >> GUARD_BITS, -(-2 * high >> GUARD_BITS))
        low = max(0, (low - d.high) * a.low // unit)
        high = max(0, -(-(high - d.low) * a.high // unit))
        is_first = False
    if high == 0:
        yield Enclosure(0, 0)


@dataclass(frozen=True)
class Geometric(IntegerValuedNoise):
    """Noise with Pr(K = k) = (1 - a)/(1 + a) a^|k| and a = e^(-1/b): ε-DP with b = Δ/ε."""

    family: ClassVar[str] = "geometric"
    scale: Scale

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, 1, 2, …."""
        values = support(MAX_EXPONENT * self.scale, self.family, f"scale {self.scale:g}")
        return np.log(np.tanh(0.5 / self.scale)) - values / self.scale

    def exact_tails(self, bits: int) -> Iterator[Enclosure]:
        """Yield bounds on 2^bits Pr(|K| > k) = 2^(bits+1) a^(k+1)/(1 + a) for k = 0, 1, 2, …."""
        return optimal_tails(self.largest_loss, Fraction(0), bits)

    @property
    def sd(self) -> float:
        """Standard deviation √(2a)/(1 - a)."""
        return sqrt(1 / 2) / sinh(min(0.5 / self.scale, 700))

    @property
    def mean_absolute(self) -> float:
        """E|K| = 2a/(1 - a²)."""
        return 1 / sinh(min(1 / self.scale, 700))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent differences of two geometric variables, a float64 array."""
        x, y = checks.generator("rng", rng).geometric(self._success, (2, size))
        return np.subtract(x, y, dtype=np.float64)

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws, given that they exceed a threshold of at least 0."""
        excess = checks.generator("rng", rng).geometric(self._success, size)
        return np.add(floor(checks.not_negative("threshold", threshold)), excess, dtype=np.float64)

    @property
    def _success(self) -> float:
        """1 - a, the success probability of the geometric variables."""
        return -expm1(-1 / self.scale)

    def _tail(self, k: int) -> float:
        """Return Pr(K > k) = a^(k+1)/(1 + a) for k >= 0."""
        return exp(-(k + 1) / self.scale) / (1 + exp(-1 / self.scale))

    def upper_point(self, probability: float) -> float:
        """Return the smallest whole number t with Pr(K > t) <= probability, in (0, 1)."""
        is_negative = probability >= self._tail(0)
        tail = 1 - probability if is_negative else probability
        # the smallest k >= 0 with Pr(K > k) <= tail, or one less
        k = ceil(-self.scale * log(tail * (1 + exp(-1 / self.scale))) * (1 - 1e-15)) - 1
        estimate = max(0, k) * (-1 if is_negative else 1)
        return estimate if self.upper_tail(estimate) <= probability else estimate + 1

    def losses(self, sensitivity: Sensitivity) -> Losses:
        """Return the losses (Δ - 2m)/b with m = max(0, min(K, Δ))."""
        shift = checks.whole("sensitivity", sensitivity)
        m = np.arange(shift, -1, -1)
        decay = np.exp(-m / self.scale)
        probabilities = decay * -expm1(-1 / self.scale)
        probabilities[[0, -1]] = decay[[0, -1]]
        probabilities /= 1 + exp(-1 / self.scale)
        return (shift - 2 * m) / self.scale, probabilities, 1 / self.scale

    @property
    def largest_loss(self) -> Fraction:
        """The largest loss at sensitivity 1, 1/b."""
        return 1 / Fraction(self.scale)


@dataclass(frozen=True)
class Canonical(IntegerValuedNoise):
    """Discrete canonical noise, with the tails T_k of `optimal_tails` for δ > 0.

    log_ratio: ε > 0 at sensitivity 1. excess: δ in (0, 1) at sensitivity 1.
    Pr(K = k + 1) is e^-ε Pr(K = k) for k >= 0, except that the largest value N has the remainder.
    """

    family: ClassVar[str] = "discrete canonical"
    log_ratio: float
    excess: float

    def __post_init__(self) -> None:
        checks.positive("log_ratio", self.log_ratio)
        checks.open_unit("excess", self.excess)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, …, N."""
        e, d = self.log_ratio, self.excess
        # T_k = c (e^((x - k)ε) - 1) with c = δ/(e^ε - 1) for k < x, and T_k = 0 for k >= x
        x = log1p((1 - d) / d * tanh(e / 2)) / e
        c = d * exp(-e) / -expm1(-e)
        values = support(x, self.family, f"ε = {e:g} and δ = {d:g}")
        log_at_zero = log1p(2 * (d - 1) * exp(-e) / (1 + exp(-e)))  # ln(1 - 2 T_0)
        below_largest = values[: ceil(x)]
        remaining = c * expm1(e * (x - below_largest[-1]))
        return np.append(log_at_zero - e * below_largest, log(remaining))

    @property
    def largest(self) -> float:
        """The largest value N."""
        return self.logs.size - 1

    def loss(self, sensitivity: Sensitivity = 1.0) -> "Atoms":
        """Return the privacy loss distribution: ±ε at Δ = 1, except at the ends."""
        merged = super().loss(sensitivity)
        multiples = merged.losses / self.log_ratio
        whole = np.rint(multiples)
        is_whole = np.abs(multiples - whole) < ROUNDING
        losses = np.where(is_whole, whole * self.log_ratio, merged.losses)
        probabilities = np.append(merged.probabilities, merged.infinite)
        return merged.of(np.append(losses, inf), probabilities, self.log_ratio)

    def exact_tails(self, bits: int) -> Iterator[Enclosure]:
        """Yield bounds on 2^bits Pr(|K| > k) for k = 0, …, N."""
        return optimal_tails(Fraction(self.log_ratio), Fraction(self.excess), bits)
