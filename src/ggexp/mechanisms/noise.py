"""What every noise can do: the one type of noise, of which each family is a class in a module.

A release needs `Noise.sample` alone. Whatever else a family can do, it does by methods of its own,
and what it lacks it refuses by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import inf
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from ggexp import checks

if TYPE_CHECKING:
    from scipy.stats.distributions import rv_frozen

#: A guarantee counts as satisfied if it is at an ε and δ larger by this share, since a scale is
#: rounded to a floating point number, and close to order 1 its last bit moves δ.
ROUNDING = 1e-9

_CAPABILITIES = {
    "scipy": "distribution function of scipy",
    "mean_absolute": "formula of its mean absolute value",
    "upper_tail": "formula of its tails",
    "upper_point": "inverse of its tails",
    "sample_above": "sampler of its values above a threshold",
    "delta": "exact δ of approximate DP",
    "pdp_delta": "exact δ of probabilistic DP",
    "exact_delta": "δ in exact arithmetic",
}


@dataclass(frozen=True)
class Noise(ABC):
    """The distribution of noise on one statistic, symmetrical about 0, and its privacy loss.

    A family is a frozen dataclass whose fields are its numbers, in a module of this room.

    family: what people call it.
    has_norm: whether noise on several coordinates has a density that depends on their l_p norm, so
        that an l_p sensitivity sets its scale.
    is_whole: whether it takes whole numbers alone, for statistics that do.

    In all methods ε, δ and the sensitivity Δ (by how much the
    statistic differs between neighbours, in the units of the noise) are checked: ValueError names
    the argument, its value and what is allowed.
    """

    family: ClassVar[str]
    has_norm: ClassVar[bool] = False
    is_whole: ClassVar[bool] = False

    @property
    @abstractmethod
    def sd(self) -> float:
        """Standard deviation."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Return ``size`` independent draws, a float64 array.

        Raises TypeError for an rng that is no Generator, such as a seed.
        """

    @property
    def scipy(self) -> "rv_frozen":
        """The same distribution as scipy has it: pdf, cdf, sf, ppf, moments."""
        self._refuse("scipy")

    @property
    def mean_absolute(self) -> float:
        """E|e|, the mean absolute value."""
        self._refuse("mean_absolute")

    def upper_tail(self, x: float) -> float:
        """Return Pr(e > x)."""
        self._refuse("upper_tail")

    def upper_point(self, probability: float) -> float:
        """Return the x with Pr(e > x) = probability, which lies in (0, 1)."""
        self._refuse("upper_point")

    def sample_above(
        self, threshold: float, rng: np.random.Generator, size: int
    ) -> NDArray[np.float64]:
        """Return ``size`` independent draws of the noise, given that it exceeds a threshold."""
        self._refuse("sample_above")

    def delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP.

        epsilon: ε >= 0. sensitivity: Δ > 0.
        """
        self._refuse("delta")

    def pdp_delta(self, *, epsilon: float, sensitivity: float = 1.0) -> float:
        """Return the smallest δ for which it satisfies (ε, δ)-probabilistic DP, Pr(|loss| > ε).

        epsilon: ε > 0. sensitivity: Δ > 0.
        """
        self._refuse("pdp_delta")

    def epsilon(self, *, delta: float, sensitivity: float = 1.0) -> float:
        """Return the smallest ε >= 0 for which the noise satisfies (ε, δ)-approximate DP.

        It is the smoothed max divergence at δ (CS208 notes, Definition 2.2).
        delta: δ in (0, 1). sensitivity: Δ > 0. By bisection of the exact δ, which falls with ε.
        Raises ValueError also if there is no such ε.
        """
        allowed = checks.open_unit("delta", delta) * (1 + ROUNDING)

        def is_enough(epsilon: float) -> bool:
            return self.delta(epsilon=epsilon, sensitivity=sensitivity) <= allowed

        if is_enough(0):
            return 0.0
        low, high = 0.0, 1.0
        while not is_enough(high):
            low, high = high, 2 * high
            if high > 1e6:
                raise ValueError(f"delta must be one that {self} reaches, got {delta!r}")
        while low < (middle := (low + high) / 2) < high:
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high

    def exact_delta(self, *, epsilon: float, probabilistic: bool) -> Fraction:
        """Return the smallest δ at ε of the noise as its exact sampler draws it, to 2^-128.

        epsilon: ε > 0. probabilistic: of probabilistic DP, otherwise of approximate DP.
        """
        self._refuse("exact_delta")

    @property
    def largest(self) -> float:
        """The largest value that the noise takes, infinity if there is none."""
        return inf

    def cuts(self, tails: Sequence[float]) -> NDArray[np.float64]:
        """Return values of the noise at which an audit cuts it, one for each upper tail."""
        return np.array([self.upper_point(tail) for tail in tails])

    @classmethod
    def lacks(cls, *capabilities: str) -> list[str]:
        """Return those of some capabilities, named by their methods, that the family has not."""
        return [
            _CAPABILITIES[name]
            for name in capabilities
            if getattr(cls, name) is getattr(Noise, name)
        ]

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers that tell this noise from others of its family, by their names."""
        return asdict(self)

    def parameters(self) -> dict[str, Any]:
        """Return numbers and texts from which `from_parameters` makes this noise again."""
        module = type(self).__module__.removeprefix(f"{__package__}.")
        return {"family": f"{module}.{type(self).__name__}", **self.numbers}

    def _refuse(self, capability: str) -> NoReturn:
        raise ValueError(f"{self.family} noise has no {_CAPABILITIES[capability]}")


def from_parameters(parameters: Mapping[str, Any]) -> Noise:
    """Return the noise of which `Noise.parameters` returned these parameters."""
    numbers = dict(parameters)
    noise: Noise = resolve_name(f"{__package__}.{numbers.pop('family')}")(**numbers)
    return noise


def module_of(parameters: Mapping[str, Any]) -> str:
    """Return the name of the module that defines the family of noise of these parameters."""
    return f"{__package__}.{parameters['family'].rpartition('.')[0]}"
