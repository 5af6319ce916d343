"""Geometric noise: the whole numbers' Laplace distribution."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.enclosures import Between
from ggexp.mechanisms.whole_noise import LARGEST, WholeNoise, support


@dataclass(frozen=True)
class Geometric(WholeNoise):
    """Pr(K = k) = (1 - a)/(1 + a) a^|k| with a = e^(-1/b).

    scale: b > 0. At b = Δ/ε the noise satisfies ε-DP.
    Source: Ghosh, Roughgarden and Sundararajan 2009.
    """

    family: ClassVar[str] = "geometric"
    scale: float

    def __post_init__(self) -> None:
        checks.positive("scale", self.scale)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, 1, 2 and so on."""
        values = support(LARGEST * self.scale, self.family, f"scale {self.scale:g}")
        return np.log(np.tanh(0.5 / self.scale)) - values / self.scale

    def exact_tails(self, bits: int) -> Iterator[Between]:
        """Yield bounds of 2^bits Pr(|K| > k) for k = 0, 1, 2 and so on."""
        return DiscreteGeneralizedGaussian(1, self.scale).exact_tails(bits)
