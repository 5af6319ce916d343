"""The generalized Gaussian (GG) distribution, the noise of the mechanisms here, and its truncation.

Of order 1 it may be truncated: Laplace noise that never exceeds a bound.
"""

from dataclasses import dataclass
from math import exp, expm1, lgamma, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ggexp import checks

if TYPE_CHECKING:
    from scipy.stats.distributions import rv_frozen


@dataclass(frozen=True)
class GeneralizedGaussian:
    """GG distribution with density p / (2 b Γ(1/p)) · exp(-(|x - μ| / b)^p) (paper, section 2.3).

    order: p >= 1. p = 1 is Laplace(b), p = 2 normal with standard deviation b/√2.
    scale: b > 0, in the units of x.
    location: μ.
    Raises ValueError for an order below 1, a scale that is not finite and positive, or a location
    that is not finite.
    """

    order: float
    scale: float = 1.0
    location: float = 0.0

    def __post_init__(self) -> None:
        checks.at_least_one("order", self.order)
        checks.positive("scale", self.scale)
        checks.finite("location", self.location)

    @property
    def scipy(self) -> "rv_frozen":
        """The same distribution as a frozen ``scipy.stats.gennorm``: pdf, cdf, sf, ppf, moments."""
        from scipy.stats import gennorm  # takes 0.5 s to load: not for the jobs that only sample

        return gennorm(beta=self.order, loc=self.location, scale=self.scale)

    @property
    def sd(self) -> float:
        """Standard deviation b √(Γ(3/p) / Γ(1/p)), in the units of x."""
        return self.scale * sqrt(exp(lgamma(3 / self.order) - lgamma(1 / self.order)))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent exact draws, a float64 array.

        Order 1 is the difference of two exponentials and order 2 a normal. In general
        |x - μ| / b = G^(1/p) · U, with G ~ Gamma(1 + 1/p) and U uniform on (0, 1): the usual
        Gamma(1/p)^(1/p) with the boosting identity Gamma(a) = Gamma(a + 1) · U^(1/a), which numpy
        would otherwise apply one draw at a time; with U on (-1, 1) the sign comes for nothing.
        Raises TypeError for an rng that is no Generator, such as a seed.
        """
        checks.generator("rng", rng)
        if self.order == 1:
            x, other = rng.standard_exponential((2, size))
            x -= other
            factor = self.scale
        elif self.order == 2:
            x = rng.standard_normal(size)
            factor = self.scale / sqrt(2)
        else:
            x = rng.standard_gamma(1 + 1 / self.order, size)
            np.power(x, 1 / self.order, out=x)
            x *= rng.uniform(-1, 1, size)
            factor = self.scale
        x *= factor
        if self.location:
            x += self.location
        return x


@dataclass(frozen=True)
class TruncatedLaplace:
    """Laplace distribution on [-A, A], with density ∝ exp(-|x| / b) there and 0 beyond.

    scale: b > 0, in the units of x, before the truncation.
    bound: A > 0, likewise.
    Raises ValueError for a scale or bound that is not finite and positive.
    """

    scale: float
    bound: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)
        checks.positive("bound", self.bound)

    @property
    def sd(self) -> float:
        """Standard deviation b √(2 P(3, A/b) / P(1, A/b)), P the incomplete gamma function."""
        from scipy.special import gammainc  # not for the jobs that only sample

        x = self.bound / self.scale
        if x < 1e-100:  # uniform to the last bit, and its third power too small
            return self.bound / sqrt(3)
        return self.scale * sqrt(2 * float(gammainc(3, x)) / -expm1(-x))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, a float64 array, by the inverse of the CDF.

        Raises TypeError for an rng that is no Generator, such as a seed.
        """
        checks.generator("rng", rng)
        u = rng.uniform(-1, 1, size)
        x = np.abs(u)
        x *= expm1(-self.bound / self.scale)  # minus Pr(|e| <= A) of noise without a bound
        with np.errstate(divide="ignore"):  # of -1, where the bound is far out
            np.log1p(x, out=x)
        x *= -self.scale
        np.minimum(x, self.bound, out=x)  # which rounding may pass
        return np.copysign(x, u, out=x)


#: The noise of a mechanism, centred at 0.
Noise = GeneralizedGaussian | TruncatedLaplace


def noise(order: float, scale: float, bound: float | None = None) -> Noise:
    """Return the noise of an order and a scale, within [-bound, bound] if there is one.

    Raises ValueError for a bound on noise of another order than 1.
    """
    if bound is None:
        return GeneralizedGaussian(order, scale)
    if order != 1:
        raise ValueError(f"order must be 1 for noise with a bound, got {order!r}")
    return TruncatedLaplace(scale, bound)
