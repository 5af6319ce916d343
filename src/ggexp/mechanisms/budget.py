"""The ε and δ of a guarantee, which are spent together, and the rounding of exact numbers."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter

from ggexp import checks
from ggexp.ranges import Cells, Delta, EpsilonOrZero
from ggexp.words import parameters


@dataclass(frozen=True)
class Budget:
    """ε and δ. The guarantee (`ggexp.mechanisms.guarantee.Guarantee`) is not part of it.

    Budgets with equal numbers are comparable only under the same guarantee.
    delta: 0 if the guarantee has none, such as ε-DP; a δ of 1 guarantees nothing.
    """

    epsilon: EpsilonOrZero
    delta: float = 0.0

    def __post_init__(self) -> None:
        checks.not_negative("epsilon", self.epsilon)
        checks.unit("delta", self.delta)

    @classmethod
    def given(cls, epsilon: EpsilonOrZero, delta: Delta | None) -> "Budget":
        """Return the budget of arguments of which δ is None for a guarantee without one."""
        return cls(epsilon, 0.0 if delta is None else delta)

    def __str__(self) -> str:
        return parameters(self.epsilon, self.delta)

    def reduced(self, share: float) -> "Budget":
        """Return the budget with both numbers smaller by this share of them."""
        return Budget(self.epsilon * (1 - share), self.delta * (1 - share))

    def divided(self, parts: Cells) -> "Budget":
        """Return one of equal parts, rounded down. By basic composition they add up to this."""
        return Budget(*(-rounded_up(-Fraction(x) / parts) for x in (self.epsilon, self.delta)))


def rounded_up(exact: Fraction) -> float:
    """Return the smallest floating-point number that is not below an exact number."""
    try:
        nearest = float(exact)
    except OverflowError:
        return inf
    return nearest if nearest >= exact else nextafter(nearest, inf)
