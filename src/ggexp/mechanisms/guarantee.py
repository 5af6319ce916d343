"""Guarantees of differential privacy, and the decision which of them a release satisfies."""

from enum import StrEnum
from typing import Any

from ggexp import checks
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.several_cells import delta_of, pdp_delta_of
from ggexp.ranges import Cells, Delta, Epsilon, Sensitivity


class Guarantee(StrEnum):
    """A guarantee of differential privacy; each member implies the members below it.

    The values are the texts that tables show.
    PURE: the privacy loss never exceeds ε.
    PROBABILISTIC: the absolute privacy loss exceeds ε with probability at most δ.
    APPROXIMATE: the probability of every event is at most δ plus e^ε times that under a neighbour.
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
        """Whether the guarantee has a δ."""
        return self is not Guarantee.PURE


def of_release(
    stated: Guarantee,
    noise: Noise,
    *,
    epsilon: Epsilon,
    delta: Delta | None,
    processed: bool,
    sensitivity: Sensitivity = 1.0,
    cells: Cells = 1,
) -> Guarantee | None:
    """Return the guarantee that a release satisfies at (ε, δ), None if it satisfies none.

    stated: the guarantee of the mechanism's rule; no stronger guarantee is considered.
    noise: the noise on each cell. cells: the number of cells that differ between neighbours, each
        by the sensitivity; 2 if one record is replaced.
    processed: whether the noisy values were processed, for example clamped at 0.

    Probabilistic DP bounds the losses of single outcomes. Clamping, rounding or rescaling merges
    outcomes, and the loss of a merged outcome may exceed ε even if the losses of most of its parts
    do not (docs/bounding.md). The release then satisfies only approximate DP. Pure and approximate
    DP bound the probabilities of events. Therefore they hold after any processing.

    >>> from ggexp import Mechanism
    >>> from ggexp.mechanisms.guarantee import Guarantee, of_release
    >>> parameters = {"epsilon": 0.5, "delta": 0.01}
    >>> noise = Mechanism(2, "pdp").noise(**parameters)
    >>> print(of_release(Guarantee.PROBABILISTIC, noise, **parameters, processed=False))
    (ε, δ)-pDP
    >>> print(of_release(Guarantee.PROBABILISTIC, noise, **parameters, processed=True))
    (ε, δ)-aDP
    """
    arguments: dict[str, Any] = {
        "epsilon": checks.positive("epsilon", epsilon) * (1 + ROUNDING),
        "sensitivity": sensitivity,
        "cells": cells,
    }
    if stated is Guarantee.PURE:
        return stated if delta_of(noise, **arguments) == 0 else None
    allowed = checks.open_unit("delta", delta) * (1 + ROUNDING)
    if (
        stated is Guarantee.PROBABILISTIC
        and not processed
        and pdp_delta_of(noise, **arguments) <= allowed
    ):
        return stated
    return Guarantee.APPROXIMATE if delta_of(noise, **arguments) <= allowed else None


def too_small_message(calibration: str, epsilon: float, delta: float | None, exact: float) -> str:
    """Return the warning that noise with this exact δ does not satisfy its guarantee at (ε, δ)."""
    point = f"epsilon = {epsilon:g}" + ("" if delta is None else f" and delta = {delta:g}")
    return (
        f"noise of calibration {calibration!r} does not satisfy its guarantee at {point}: its "
        f"exact delta is {exact:.4g}; use 'adp-exact'"
    )
