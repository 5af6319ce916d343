"""The base class of real-valued noise that is defined by formulas.

A family gives formulas for noise u in units of its scale b, with h = Δ/b for a sensitivity Δ. Its
privacy loss ln f(u)/f(u + h), for a density f, must not decrease in u; this means that ln f is
concave. `ggexp.mechanisms.real_losses.MonotoneLoss` derives the distribution of the loss.
"""

from abc import abstractmethod
from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.noise import Noise, module_at_first_use
from ggexp.ranges import Sensitivity

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import LossDistribution

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RealValuedNoise(Noise):
    """Noise b u with a log-concave density; a family has a field ``scale``, which is b.

    Formulas take and return arrays.
    kinks: the u > 0 at which the density is not smooth.
    has_atoms: whether the largest finite loss is an atom. Only it and its negative may be atoms.
    """

    kinks: ClassVar[tuple[float, ...]] = ()
    has_atoms: ClassVar[bool] = False

    @abstractmethod
    def tails(self, u: Array) -> Array:
        """Return Pr(noise > u), with all digits also for large u."""

    @abstractmethod
    def points(self, tails: Array) -> Array:
        """Return the u with these tails, which are in (0, 1)."""

    @abstractmethod
    def log_densities(self, u: Array) -> Array:
        """Return ln f(u) + ln `norm`."""

    @property
    def norm(self) -> float:
        """The constant that `log_densities` omits."""
        return 1.0

    @abstractmethod
    def noise_at(self, losses: Array, h: float) -> Array:
        """Return the u with these finite losses; for an atom, the end of its interval next to 0."""

    def largest_loss(self, h: float) -> float:
        """Return the largest finite loss, whose negative is the smallest one."""
        return inf

    def probabilities(self, edges: Array) -> Array:
        """Return the probabilities of noise between ascending edges."""
        tails = self.tails(np.abs(edges))
        is_crossing = np.sign(edges[1:]) * np.sign(edges[:-1]) <= 0
        return np.where(is_crossing, 1 - tails[1:] - tails[:-1], np.abs(np.diff(tails)))

    @property
    def sd(self) -> float:
        """Standard deviation, by quadrature."""
        return self.scale * sqrt(self._moment(2))

    @property
    def mean_absolute(self) -> float:
        """E|e|, by quadrature."""
        return self.scale * self._moment(1)

    def _moment(self, k: int) -> float:
        """Return E|u|^k = ∫ 2k u^(k-1) Pr(noise > u) du."""
        from scipy.integrate import quad  # takes 0.2 s to load, and sampling does not need it

        def integrand(u: float) -> float:
            return 2 * k * u ** (k - 1) * float(self.tails(np.array(u)))

        end = self.largest / self.scale
        return float(quad(integrand, 0, end, epsabs=0, epsrel=1e-12, limit=200)[0])

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Return ``size`` independent draws, by inverting the tail of |e|."""
        tails, signs = checks.generator("rng", rng).random((2, size))
        return np.copysign(self.scale * self.points((1 - tails) / 2), signs - 0.5)

    def sample_above(self, threshold: float, rng: np.random.Generator, size: int) -> Array:
        """Return ``size`` independent draws above a threshold, whose tails are uniform."""
        tails = self.upper_tail(threshold) * (1 - checks.generator("rng", rng).random(size))
        return self.scale * self.points(tails)

    def upper_tail(self, x: float) -> float:
        """Return Pr(e > x)."""
        return float(self.tails(np.array(x / self.scale)))

    def upper_point(self, probability: float) -> float:
        """Return the x with Pr(e > x) = probability, for a probability in (0, 1)."""
        return self.scale * float(self.points(np.array(probability)))

    def loss(self, sensitivity: Sensitivity = 1.0) -> "LossDistribution":
        """Return the privacy loss distribution, which is derived from the formulas."""
        losses = module_at_first_use("real_losses")
        return losses.loss_of(self, checks.positive("sensitivity", sensitivity))
