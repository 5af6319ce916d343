"""Discrete canonical noise, the smallest integer-valued noise for (ε, δ)-approximate DP."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, expm1, floor, inf, log, log1p, tanh
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.enclosures import GUARD_BITS, Enclosure, exponential
from ggexp.mechanisms.integer_valued import IntegerValuedNoise, support
from ggexp.ranges import Sensitivity

if TYPE_CHECKING:
    from ggexp.mechanisms.loss_distribution import Atoms

ROUNDING = 1e-9  #: losses this close to a multiple of ε, in multiples, are rounded to it


@dataclass(frozen=True)
class Canonical(IntegerValuedNoise):
    """Discrete canonical noise, defined by its tails T_k = Pr(K > k).

    T_0 = (1-δ)/(1+e^ε) and T_(k+1) = max(0, (T_k - δ)/e^ε).
    log_ratio: ε > 0 at sensitivity 1. excess: δ in (0, 1) at sensitivity 1.

    Pr(K = k) decreases by the factor e^ε from each k >= 0 to the next, except that the largest
    value N has the remaining probability. Among all integer-valued noise that satisfies
    (ε, δ)-approximate DP, |K| is stochastically the smallest. Source: Awan and Ramasethu, arXiv
    2308.08343.
    """

    family: ClassVar[str] = "discrete canonical"
    is_bounded: ClassVar[bool] = True
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

    def loss(self, sensitivity: Sensitivity = 1.0) -> "Atoms":
        """Return the privacy loss distribution: ±ε at Δ = 1, except at the ends."""
        merged = super().loss(sensitivity)
        multiples = merged.losses / self.log_ratio
        whole = np.rint(multiples)
        is_whole = np.abs(multiples - whole) < ROUNDING
        losses = np.where(is_whole, whole * self.log_ratio, merged.losses)
        probabilities = np.append(merged.probabilities, merged.infinite)
        return self._atoms(np.append(losses, inf), probabilities, self.log_ratio)

    def exact_tails(self, bits: int) -> Iterator[Enclosure]:
        """Yield bounds on 2^bits Pr(|K| > k) = 2^bits 2 T_k for k = 0, …, N."""
        unit = 2 ** (bits + GUARD_BITS)  # represents 1
        a = exponential(Fraction(self.log_ratio), bits + GUARD_BITS)
        excess = Fraction(self.excess) * unit
        d = Enclosure(floor(excess), ceil(excess))
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
