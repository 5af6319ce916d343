"""The base class of all noise. Each family of noise is a subclass in a separate module."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from math import inf
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.ranges import Delta, Epsilon, EpsilonOrZero, Sensitivity

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import LossDistribution

#: Method that some families lack -> its name in error messages.
OPTIONAL = {"scipy": "scipy distribution", "sample_above": "sampler for values above a threshold"}


@dataclass(frozen=True)
class Noise(ABC):
    """The distribution of noise on one statistic, symmetric about 0, and its privacy loss.

    A family is a frozen dataclass in a module of this package, whose fields are numbers.
    family: its name. is_integer_valued: whether all values are integers, for integer statistics.
    """

    family: ClassVar[str]
    is_integer_valued: ClassVar[bool] = False

    if TYPE_CHECKING:  # a field of most families

        @property
        def scale(self) -> float:
            """The scale b."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """Standard deviation."""

    @property
    @abstractmethod
    def mean_absolute(self) -> float:
        """E|e|, the mean absolute value."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, a float64 array."""

    @abstractmethod
    def upper_tail(self, x: float) -> float:
        """Return Pr(e > x)."""

    @abstractmethod
    def upper_point(self, probability: float) -> float:
        """Return the x with Pr(e > x) = probability, for a probability in (0, 1)."""

    @abstractmethod
    def loss(self, sensitivity: Sensitivity = 1.0) -> "LossDistribution":
        """Return the privacy loss distribution if neighbours differ by the sensitivity."""

    @property
    def scipy(self) -> Any:
        """The same distribution as a frozen scipy distribution: pdf, cdf, sf, ppf, moments."""
        raise ValueError(f"{self.family} noise has no {OPTIONAL['scipy']}")

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws of the noise, given that it exceeds a threshold."""
        raise ValueError(f"{self.family} noise has no {OPTIONAL['sample_above']}")

    def delta(self, *, epsilon: EpsilonOrZero, sensitivity: Sensitivity = 1.0) -> float:
        """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP."""
        return self.loss(sensitivity).delta(checks.not_negative("epsilon", epsilon))

    def pdp_delta(self, *, epsilon: Epsilon, sensitivity: Sensitivity = 1.0) -> float:
        """Return the smallest δ of (ε, δ)-probabilistic DP, Pr(|loss| > ε)."""
        return self.loss(sensitivity).pdp_delta(checks.positive("epsilon", epsilon))

    def epsilon(self, *, delta: Delta, sensitivity: Sensitivity = 1.0) -> float:
        """Return the smallest ε >= 0 for which the noise satisfies (ε, δ)-approximate DP.

        It is the smoothed max divergence at δ (CS208 notes, Definition 2.2).
        Raises ValueError also if no finite ε suffices.
        """
        return self.loss(sensitivity).epsilon(checks.open_unit("delta", delta))

    @property
    def largest(self) -> float:
        """The largest value of the noise, infinity if it is unbounded."""
        return inf

    @classmethod
    def lacks(cls, method: str) -> bool:
        """Return whether the family lacks a method of `OPTIONAL`."""
        return getattr(cls, method) is getattr(Noise, method)

    @property
    def numbers(self) -> dict[str, float]:
        """The parameters that distinguish this noise from others of its family, by name."""
        return asdict(self)

    def parameters(self) -> dict[str, str | float]:
        """Return the family and numbers from which `from_parameters` rebuilds this noise."""
        module = type(self).__module__.removeprefix(f"{__package__}.")
        return {"family": f"{module}.{type(self).__name__}", **self.numbers}


def module_at_first_use(name: str) -> Any:
    """Return a module of this package that sampling does not need."""
    return import_module(f"{__package__}.{name}")


def from_parameters(parameters: Mapping[str, str | float]) -> Noise:
    """Return the noise for which `Noise.parameters` returned these parameters."""
    numbers = dict(parameters)
    return resolve_name(f"{__package__}.{numbers.pop('family')}")(**numbers)


def module_of(parameters: Mapping[str, str | float]) -> str:
    """Return the name of the module that defines the family of noise with these parameters."""
    return f"{__package__}.{str(parameters['family']).rpartition('.')[0]}"
