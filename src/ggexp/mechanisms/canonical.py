"""Discrete canonical noise: the least whole-number noise that satisfies (ε, δ)-approximate DP."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, expm1, floor, log, log1p, tanh
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.enclosures import GUARD, Between, exponential
from ggexp.mechanisms.whole_noise import WholeNoise, support


@dataclass(frozen=True)
class Canonical(WholeNoise):
    """Tails T_k = Pr(K > k) with T_0 = (1-δ)/(1+e^ε) and T_(k+1) = max(0, (T_k - δ)/e^ε).

    log_ratio: ε > 0. excess: δ in (0, 1), both at sensitivity 1.

    Pr(K = k) falls by the factor e^ε from each k >= 0 to the next, up to the end N of the support,
    which has the remaining probability. |K| is stochastically the smallest of all whole-number
    noise that satisfies (ε, δ)-approximate DP. Source: Awan and Ramasethu, arXiv 2308.08343.
    """

    family: ClassVar[str] = "discrete canonical"
    ends: ClassVar[bool] = True
    log_ratio: float
    excess: float

    def __post_init__(self) -> None:
        checks.positive("log_ratio", self.log_ratio)
        checks.open_unit("excess", self.excess)

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of Pr(K = k) for k = 0, …, N."""
        e, d = self.log_ratio, self.excess
        # T_k = c (e^((x - k)ε) - 1) with c = δ/(e^ε - 1), up to the x at which it is 0
        x = log1p((1 - d) / d * tanh(e / 2)) / e
        c = d * exp(-e) / -expm1(-e)
        values = support(x, self.family, f"ε = {e:g} and δ = {d:g}")
        center = log1p(2 * (d - 1) * exp(-e) / (1 + exp(-e)))  # 1 - 2 T_0
        inside = values[: ceil(x)]
        rest = c * expm1(e * (x - inside[-1]))
        return np.append(center - e * inside, log(rest))

    def exact_tails(self, bits: int) -> Iterator[Between]:
        """Yield bounds of 2^bits Pr(|K| > k) = 2^bits 2 T_k for k = 0, 1, … to the end."""
        one = 2 ** (bits + GUARD)
        x = Fraction(self.log_ratio)
        a = exponential(x, x, bits + GUARD)
        excess = Fraction(self.excess) * one
        d = Between(floor(excess), ceil(excess))
        least = (one - d.high) * a.low // (one + a.low)
        most = -(-(one - d.low) * a.high // (one + a.high))
        while most > 2 ** (GUARD // 2):
            yield Between(2 * least >> GUARD, -(-2 * most >> GUARD))
            least = max(0, (least - d.high) * a.low // one)
            most = max(0, -(-(most - d.low) * a.high // one))
        if most == 0:
            yield Between(0, 0)
