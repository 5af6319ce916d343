"""The generalized Gaussian (GG) distribution, the noise of most mechanisms.

Its tails and its privacy loss are in separate modules, which are loaded at first use. Therefore a
job that only samples starts without scipy and does not rerun if those modules are edited. A script
that needs them must import them, or its rule must name them (docs/architecture.md).
"""

from dataclasses import dataclass
from math import exp, gamma, lgamma, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import module_at_first_use
from ggexp.mechanisms.real_valued import Array, RealValuedNoise
from ggexp.ranges import Order, Scale


@dataclass(frozen=True)
class GeneralizedGaussian(RealValuedNoise):
    """GG distribution with density p / (2 b Γ(1/p)) · exp(-(|x| / b)^p).

    Order 1 is Laplace(b); order 2 is normal with standard deviation b/√2. The scale b is in the
    units of x.
    Source: the paper, section 2.3.

    >>> import numpy as np
    >>> from ggexp import GeneralizedGaussian
    >>> noise = GeneralizedGaussian(order=3, scale=2)
    >>> noise.sample(np.random.default_rng(1), 3).round(3)
    array([ 1.462, -0.403,  0.258])
    >>> round(noise.sd, 4), round(float(noise.scipy.cdf(1)), 4)
    (1.2219, 0.7715)
    """

    family: ClassVar[str] = "generalized Gaussian"
    order: Order
    scale: Scale = 1.0

    def __post_init__(self) -> None:
        checks.at_least_one("order", self.order)
        checks.positive("scale", self.scale)

    @property
    def scipy(self) -> Any:
        """The same distribution as a frozen ``scipy.stats.gennorm``: pdf, cdf, sf, ppf, moments."""
        from scipy.stats import gennorm  # takes 0.5 s to load, and sampling does not need it

        return gennorm(beta=self.order, scale=self.scale)

    @property
    def sd(self) -> float:
        """Standard deviation b √(Γ(3/p) / Γ(1/p)), in the units of x."""
        return self.scale * sqrt(exp(lgamma(3 / self.order) - lgamma(1 / self.order)))

    @property
    def mean_absolute(self) -> float:
        """E|x| = b Γ(2/p) / Γ(1/p), in the units of x."""
        return self.scale * exp(lgamma(2 / self.order) - lgamma(1 / self.order))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent exact draws, a float64 array.

        A draw of order 1 is the difference of two exponential variables, and a draw of order 2 is
        normal. For other orders |x| / b = G^(1/p) · U with G ~ Gamma(1 + 1/p) and U uniform on
        (0, 1), by the usual formula Gamma(1/p)^(1/p) and the identity Gamma(a) = Gamma(a + 1) ·
        U^(1/a). U is drawn from (-1, 1), so that it also determines the sign.
        """
        checks.generator("rng", rng)
        scale = self.scale
        if self.order == 1:
            x, subtrahend = rng.standard_exponential((2, size))
            x -= subtrahend
        elif self.order == 2:
            x = rng.standard_normal(size)
            scale /= sqrt(2)
        else:
            x = rng.standard_gamma(1 + 1 / self.order, size)
            np.power(x, 1 / self.order, out=x)
            x *= rng.uniform(-1, 1, size)
        x *= scale
        return x

    def tails(self, u: Array) -> Array:
        """Return Pr(noise > u)."""
        return module_at_first_use("tails").upper_tails(self.order, u)

    def points(self, tails: Array) -> Array:
        """Return the u with these tails."""
        return module_at_first_use("tails").upper_points(self.order, tails)

    def probabilities(self, edges: Array) -> Array:
        """Return the probabilities of noise between ascending edges."""
        return module_at_first_use("tails").probabilities(self.order, edges)

    def log_densities(self, u: Array) -> Array:
        """Return -|u|^p."""
        with np.errstate(over="ignore"):
            return -(np.abs(u) ** self.order)

    @property
    def norm(self) -> float:
        """The constant 2 Γ(1 + 1/p)."""
        return 2 * gamma(1 + 1 / self.order)

    def noise_at(self, losses: Array, h: float) -> Array:
        """Return the u with these losses |u + h|^p - |u|^p, for p > 1."""
        return module_at_first_use("real_losses").noise_at(losses, self.order, h)
