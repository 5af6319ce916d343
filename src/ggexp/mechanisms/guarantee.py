"""Guarantees of differential privacy, and which of them a release satisfies.

A calibration rule states a guarantee of its noise. Only `of_release` decides whether the noise
satisfies it, from its exact privacy loss, and what remains of it after post-processing.
"""

from enum import StrEnum

from ggexp import checks
from ggexp.mechanisms.noise import ROUNDING, Noise


class Guarantee(StrEnum):
    """A guarantee, whose value is its text in tables; each implies those below it.

    PURE: the privacy loss never exceeds ε.
    PROBABILISTIC: its absolute value exceeds ε with probability at most δ.
    APPROXIMATE: the probability of every event is at most e^ε times that under a neighbour, plus δ.
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


def of_release(
    stated: Guarantee,
    noise: Noise,
    *,
    epsilon: float,
    delta: float | None,
    processed: bool,
    sensitivity: float = 1.0,
) -> Guarantee | None:
    """Return the guarantee that a release satisfies at (ε, δ), None if it satisfies none.

    stated: the guarantee of the mechanism's rule; no stronger one is tried.
    noise: is added to a statistic that differs by the sensitivity between neighbours.
    delta: δ, ignored if the stated guarantee has none.
    processed: whether the noisy values were processed, for example clamped at 0.

    Probabilistic DP bounds the loss of single outcomes. Clamping, rounding or rescaling merges
    outcomes, and the loss of a merged outcome may exceed ε even if the losses of most of its parts
    do not (docs/bounding.md). The release then satisfies approximate DP only. Pure and approximate
    DP bound the probabilities of events, and hold after any processing.
    Raises ValueError naming the argument, its value and what is allowed.

    >>> from ggexp import Mechanism
    >>> from ggexp.mechanisms.guarantee import Guarantee, of_release
    >>> at = {"epsilon": 0.5, "delta": 0.01}
    >>> noise = Mechanism(2, "pdp").noise(**at)
    >>> print(of_release(Guarantee.PROBABILISTIC, noise, **at, processed=False))
    (ε, δ)-pDP
    >>> print(of_release(Guarantee.PROBABILISTIC, noise, **at, processed=True))
    (ε, δ)-aDP
    """
    at = {
        "epsilon": checks.positive("epsilon", epsilon) * (1 + ROUNDING),
        "sensitivity": sensitivity,
    }
    if stated is Guarantee.PURE:
        return stated if noise.delta(**at) == 0 else None
    allowed = checks.open_unit("delta", delta) * (1 + ROUNDING)
    if stated is Guarantee.PROBABILISTIC and not processed and noise.pdp_delta(**at) <= allowed:
        return stated
    return Guarantee.APPROXIMATE if noise.delta(**at) <= allowed else None


def too_small(calibration: str, epsilon: float, delta: float | None, exact: float) -> str:
    """Return a warning that noise does not satisfy its guarantee at (ε, δ), with its exact δ."""
    at = f"epsilon = {epsilon:g}" + ("" if delta is None else f" and delta = {delta:g}")
    return (
        f"noise of calibration {calibration!r} does not satisfy its guarantee at {at}: its exact "
        f"delta is {exact:.4g}; use 'adp-exact'"
    )
