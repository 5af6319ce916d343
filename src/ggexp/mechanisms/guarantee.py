"""Guarantees of differential privacy, and the exact δ of noise on one or several cells.

If one record is replaced by another (`neighbours: replace-one`), the counts of two cells change by
1; if a record is in one cell of each of m tables, adding it changes m counts. The noise of the
cells is independent. Therefore the privacy loss L is the sum of the losses of the cells. With P and
Q as in `ggexp.mechanisms.loss_distribution`,

    δ(ε) = P(L > ε) - e^ε Q(L > ε),    Pr(|L| > ε) = P(L > ε) + Q(L > ε).

For two cells, both probabilities are integrals, or sums, over the loss of one cell. A convolution
on a grid (`ggexp.mechanisms.convolution`) bounds δ for more cells.
"""

from collections.abc import Callable
from enum import StrEnum
from math import exp, inf, sqrt

import numpy as np

from ggexp import checks
from ggexp.mechanisms import convolution
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import ROUNDING, LossDistribution
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.real_losses import Smooth
from ggexp.mechanisms.solver import least, log_ratio
from ggexp.ranges import Cells, Delta, Epsilon, EpsilonOrZero, Sensitivity
from ggexp.words import up


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
    budget: Budget,
    *,
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
    """
    epsilon = budget.epsilon * (1 + ROUNDING)

    def delta(exact: Callable[..., float]) -> float:
        return exact(noise, epsilon=epsilon, sensitivity=sensitivity, cells=cells)

    if stated is Guarantee.PURE:
        return stated if delta(delta_of) == 0 else None
    allowed = checks.open_unit("delta", budget.delta) * (1 + ROUNDING)
    is_raw = stated is Guarantee.PROBABILISTIC and not processed
    if is_raw and delta(pdp_delta_of) <= allowed:
        return stated
    return Guarantee.APPROXIMATE if delta(delta_of) <= allowed else None


def too_small_message(calibration: str, budget: Budget, exact: float) -> str:
    """Return the warning that noise with this exact δ does not satisfy its guarantee at (ε, δ)."""
    return (
        f"noise of calibration {calibration!r} does not satisfy its guarantee at {budget}: its "
        f"exact δ is {up(exact, 4)}; use 'adp-exact'"
    )


def delta_of(
    noise: Noise, *, epsilon: EpsilonOrZero, cells: Cells, sensitivity: Sensitivity = 1.0
) -> float:
    """Return the smallest δ for which the noise satisfies (ε, δ)-approximate DP, rounded up.

    cells: the number of cells that differ between neighbours, each by the sensitivity.
    For two cells, the relative error is about 1e-12 P(L > ε)/δ, and 3e-10 P(L > ε)/δ for
    generalized Gaussian noise of extreme orders. For more cells, the error is that of an ε that is
    smaller by a relative difference of 1e-7.
    """
    checks.not_negative("epsilon", epsilon)
    if (single := _one_cell(noise, cells, sensitivity)) is not None:
        return noise.delta(epsilon=epsilon, sensitivity=single)
    loss = noise.loss(sensitivity)
    if cells > 2:
        return convolution.delta([(loss, cells)], epsilon).pessimistic
    p, q = _exceedance(loss, epsilon)
    rounded_up = p * (1 + loss.error)
    return min(1.0, max(0.0, rounded_up - exp(epsilon) * q)) if epsilon < 700 else p


def pdp_delta_of(
    noise: Noise, *, epsilon: Epsilon, cells: Cells, sensitivity: Sensitivity = 1.0
) -> float:
    """Return the smallest δ of (ε, δ)-probabilistic DP, Pr(|L| > ε), rounded up."""
    checks.positive("epsilon", epsilon)
    if (single := _one_cell(noise, cells, sensitivity)) is not None:
        return noise.pdp_delta(epsilon=epsilon, sensitivity=single)
    _check_two(cells)
    loss = noise.loss(sensitivity)
    return sum(_exceedance(loss, epsilon)) * (1 + loss.error)


def sufficient_delta_of(noise: GeneralizedGaussian, *, epsilon: Epsilon, cells: int) -> float:
    """Return the δ of the sufficient condition for probabilistic DP of two cells (Corollary 7).

    It is the probability that the sum of the bounds (|u| + h)^p - |u|^p on the losses of the cells
    exceeds ε, for an order p > 1. Each bound is at least the loss at u = 0 (the paper's Eqn 13).
    """
    _check_two(cells)
    loss = Smooth(noise, 1.0)
    kinks = checks.positive("epsilon", epsilon) + np.array([-loss.kink, loss.kink])
    bounds, p, _ = loss.quadrature(np.maximum(kinks, loss.kink))
    under_p, _ = loss.exceedance(np.maximum(epsilon - bounds, loss.kink))
    exceedance = float(np.where(bounds >= loss.kink, 2 * p, 0.0) @ (2 * under_p))
    return exceedance * (1 + loss.error)


def epsilon_of(noise: Noise, *, delta: Delta | None, cells: Cells) -> float:
    """Return the smallest ε >= 0 of (ε, δ)-approximate DP, infinity if no ε suffices.

    delta: None for ε-DP. cells: as for `delta_of`, each with sensitivity 1.
    """
    if delta is not None:
        checks.open_unit("delta", delta)
    loss = noise.loss()
    infinite = convolution.infinite([(loss, cells)])
    if infinite > (delta or 0.0) * (1 + ROUNDING):
        return inf
    largest = convolution.largest([(loss, cells)])
    if delta is None or infinite > delta:
        return largest

    def excess(epsilon: float) -> float:
        return log_ratio(delta_of(noise, epsilon=epsilon, cells=cells), delta)

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while high < largest and excess(high) > 0:
        high *= 2
    return least(excess, 0.0, min(high, largest))


def of_group(budget: Budget, records: int) -> Budget:
    """Return the budget of approximate DP for k records: kε and δ (e^(kε) - 1)/(e^ε - 1).

    It is for a person with k records, of a release that satisfies (ε, δ) for one record, because
    tables with and without them are the ends of a chain of neighbours. A δ of 1 guarantees nothing.
    """
    epsilon = budget.epsilon
    growth = sum(exp(min(i * epsilon, 700.0)) for i in range(checks.count("records", records)))
    return Budget(records * epsilon, min(1.0, budget.delta * growth))


def _one_cell(noise: Noise, cells: int, sensitivity: float) -> float | None:
    """Return the sensitivity of one cell whose loss has the same distribution, or None."""
    # Gaussian noise is rotationally symmetric, so that only the l_2 sensitivity matters
    if checks.count("cells", cells) == 1:
        return sensitivity
    is_gaussian = isinstance(noise, GeneralizedGaussian) and noise.order == 2
    return sensitivity * sqrt(cells) if is_gaussian else None


def _check_two(cells: int) -> None:
    """Raise ValueError if there are more than two cells."""
    if cells > 2:
        raise ValueError(
            "a record must be in 1 or 2 cells, one in each table, for probabilistic DP of noise "
            f"that is not Gaussian, got {cells!r}; 'adp-exact' is for approximate DP of any number"
        )


def _exceedance(loss: LossDistribution, epsilon: float) -> tuple[float, float]:
    """Return Pr(L > ε) under P and under Q, for the sum L of the losses of two cells."""
    losses, p, q = loss.quadrature(epsilon + np.array([-loss.kink, loss.kink]))
    under_p, under_q = loss.exceedance(epsilon - losses)
    return float(p @ under_p), float(q @ under_q)
