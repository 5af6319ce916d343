"""Truncated Laplace noise: bounded, and close to the smallest for approximate DP if ε is small."""

from dataclasses import dataclass
from math import exp, expm1, log, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise, module_at_first_use
from ggexp.ranges import Scale, Sensitivity

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import LossDistribution


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
