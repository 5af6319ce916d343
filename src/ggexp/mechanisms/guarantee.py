"""The guarantees of differential privacy that a calibration rule can state, and their order."""

from enum import StrEnum


class Guarantee(StrEnum):
    """A guarantee, whose value is its text in tables; each implies those below it.

    PURE: the privacy loss never exceeds ε.
    PROBABILISTIC: it exceeds ε, either way, with probability at most δ.
    APPROXIMATE: no event is likelier than e^ε times its probability under the neighbour, plus δ.
    """

    PURE = "ε-DP"
    PROBABILISTIC = "(ε, δ)-pDP"
    APPROXIMATE = "(ε, δ)-aDP"

    def implies(self, other: "Guarantee") -> bool:
        """Return whether this guarantee implies another with the same ε and δ."""
        order = list(Guarantee)
        return order.index(self) <= order.index(other)

    @property
    def has_delta(self) -> bool:
        """Whether it has a δ."""
        return self is not Guarantee.PURE
