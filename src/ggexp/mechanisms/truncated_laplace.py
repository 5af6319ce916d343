"""Truncated Laplace noise: bounded, and close to the smallest for approximate DP if ε is small."""

from dataclasses import dataclass
from math import exp, expm1, inf, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise, module_at_first_use
from ggexp.mechanisms.real_valued import Array, RealValuedNoise
from ggexp.ranges import Scale


@dataclass(frozen=True)
class TruncatedLaplace(RealValuedNoise):
    """Laplace distribution on [-A, A], with density ∝ exp(-|x| / b) inside and 0 outside.

    bound: A > 0, infinite for Laplace noise. scale: b before the truncation. Both in units of x.

    The rule "adp-truncated" sets them. Source: Geng, Ding, Guo and Kumar, arXiv 1810.00877.
    """

    family: ClassVar[str] = "truncated Laplace"
    order: ClassVar[float] = 1
    has_atoms: ClassVar[bool] = True
    scale: Scale
    bound: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)
        if self.bound != inf:
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

    sample_above = Noise.sample_above  # missing: no draw exceeds a threshold above the bound

    def tails(self, u: Array) -> Array:
        """Return Pr(noise > u)."""
        a, size = self.bound / self.scale, np.abs(u)
        is_inside = size < a
        size = np.where(is_inside, size, 0.0)
        upper = np.exp(-size) * np.expm1(size - a) / (2 * expm1(-a))
        upper = np.where(is_inside, upper, 0.0)
        return np.where(u < 0, 1 - upper, upper)

    def points(self, tails: Array) -> Array:
        """Return the u with these tails."""
        a, smaller = self.bound / self.scale, np.minimum(tails, 1 - tails)
        u = np.minimum(a, -np.log(exp(-a) - 2 * smaller * expm1(-a)))
        return np.where(tails > 1 / 2, -u, u)

    def probabilities(self, edges: Array) -> Array:
        """Return the probabilities of noise between ascending edges within the bound."""
        unbounded = module_at_first_use("tails").probabilities(1.0, edges)
        return unbounded / -expm1(-self.bound / self.scale)

    def log_densities(self, u: Array) -> Array:
        """Return -|u|, within the bound."""
        return -np.abs(u)

    @property
    def norm(self) -> float:
        """The constant 2 (1 - e^-a), with a = A/b."""
        return -2 * expm1(-self.bound / self.scale)

    def noise_at(self, losses: Array, h: float) -> Array:
        """Return the u with these losses 2u + h."""
        return (losses - h) / 2

    def largest_loss(self, h: float) -> float:
        """Return the largest finite loss, h unless the bound is below h."""
        return min(h, 2 * self.bound / self.scale - h)
