"""Discrete generalized Gaussian noise, with probabilities proportional to the GG density."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.enclosures import GUARD_BITS, Enclosure, tails_of, weights
from ggexp.mechanisms.integer_valued import MAX_EXPONENT, IntegerValuedNoise, Losses, support
from ggexp.ranges import Order, Scale, Sensitivity

MAX_EXACT = 2.0**53  #: whole numbers up to this size are floating-point numbers


@dataclass(frozen=True)
class DiscreteGeneralizedGaussian(IntegerValuedNoise):
    """Integer-valued noise with Pr(K = k) ∝ exp(-|k/b|^p).

    Order 2 is the discrete Gaussian of Canonne, Kamath and Steinke (2020).
    """

    family: ClassVar[str] = "discrete generalized Gaussian"
    order: Order
    scale: Scale

    def __post_init__(self) -> None:
        checks.at_least_one("order", self.order)
        checks.positive("scale", self.scale)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, 1, 2, …."""
        end = self.scale * MAX_EXPONENT ** (1 / self.order)
        values = support(end, self.family, f"order {self.order:g} and scale {self.scale:g}")
        logs = -((values / self.scale) ** self.order)
        return logs - np.log(2 * np.exp(logs[:0:-1]).sum() + 1)

    def losses(self, sensitivity: Sensitivity) -> Losses:
        """Return the losses, multiples of 1/b^p if p is a whole number."""
        losses, probabilities, _ = super().losses(sensitivity)
        shift, end = int(sensitivity), self.logs.size
        values = np.arange(1.0 - end, end)[shift:]
        has_unit = self.order == round(self.order) and float(end) ** self.order < MAX_EXACT
        if not has_unit or losses.size != values.size:  # some losses are infinite
            return losses, probabilities, None
        multiples = np.abs(values - shift) ** self.order - np.abs(values) ** self.order
        unit = self.scale**-self.order
        return multiples * unit, probabilities, unit

    def exact_tails(self, bits: int) -> Iterator[Enclosure]:
        """Yield bounds on 2^bits Pr(|K| > k) for k = 0, 1, 2, …."""
        order, scale = Fraction(self.order), Fraction(self.scale)
        return tails_of(weights(order, scale, bits + GUARD_BITS), bits)
