"""Privacy loss distributions: the loss of one release, from the noise that it adds.

Let P be the distribution of a release, and Q the distribution of the neighbour's release. The
privacy loss of an outcome is L = ln P/Q, infinite if the outcome is impossible under Q. The privacy
loss distribution is the distribution of L under P. All noise in this project is symmetric.
Therefore P and Q may be exchanged. Under P,

    δ(ε) = E max(0, 1 - exp(ε - L)),

and the losses of independent releases add up (`ggexp.mechanisms.convolution`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.solver import smallest
from ggexp.ranges import EpsilonOrZero

Array = NDArray[np.float64]

#: Relative tolerance of ε and δ: a guarantee counts as satisfied if it holds at values that are
#: larger by this share. The reason is that scales are rounded to floating-point numbers, and close
#: to order 1 the last bit of a scale changes δ.
ROUNDING = 1e-9
NODES = 4001  # number of losses (or noise values) for choosing the tilt, the grid and the ranges
ON_POINT = 1e-9  # a loss lies on a grid point if it is within this fraction of a step
LOSS_ERROR = 1e-14  # the relative rounding error of atoms: a loss this close to ε does not exceed ε
MAX_EPSILON = 1e6  # the largest ε that a search tries


class DiscretizedLoss(NamedTuple):
    """A loss on the points (first, first + 1, …) times a step, discretized in two ways.

    masses: pessimistic probabilities of the points under P (see `ggexp.mechanisms.convolution`).
    p, q: optimistic probabilities, under P and Q, of the cells that begin at the points, without
        losses outside the grid.
    infinite, infinite_q: the probabilities, under P and Q, of losses above the grid.
    """

    first: int
    masses: Array
    infinite: float
    p: Array
    q: Array
    infinite_q: float = 0.0


class LossDistribution(ABC):
    """The privacy loss distribution of one release.

    infinite: the probability of an infinite loss.
    error: a bound on the relative error of probabilities of the sum of two losses, by `quadrature`.
    kink: a loss such that `exceedance` may jump or have a kink at this loss and at its negative.
    unit: a number such that all atoms of the loss are multiples of it, or None.
    is_lattice: whether all finite losses are multiples of the unit.
    is_bounded: whether there is a largest finite loss.
    """

    infinite: float = 0.0
    error: float = 1e-12
    kink: float = 0.0
    unit: float | None = None
    is_lattice: bool = False
    is_bounded: bool = True

    @abstractmethod
    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of (ε, δ)-approximate DP."""

    def pdp_delta(self, epsilon: float) -> float:
        """Return the smallest δ of (ε, δ)-probabilistic DP, Pr(|L| > ε), for ε > 0."""
        return float(sum(probability.item() for probability in self.exceedance(np.array(epsilon))))

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε >= 0 of (ε, δ)-approximate DP, up to rounding.

        Raises ValueError if no ε is enough.
        """

        def is_satisfied(epsilon: float) -> bool:
            return self.delta(epsilon) <= delta * (1 + ROUNDING)

        if is_satisfied(0):
            return 0.0
        low, high = 0.0, 1.0
        while not is_satisfied(high):
            low, high = high, 2 * high
            if high > MAX_EPSILON:
                raise ValueError(
                    f"delta must be one that the noise reaches at some epsilon, got {delta!r}"
                )
        return smallest(is_satisfied, low, high)

    @abstractmethod
    def range(self, tail: float) -> tuple[float, float]:
        """Return a range: the finite losses above it, or below it, have a probability <= tail."""

    def sufficient_epsilon(self, delta: float) -> float:
        """Return an ε >= 0 at which the finite losses satisfy (ε, δ)-approximate DP."""
        return self.epsilon(delta)

    @abstractmethod
    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and log weights, which approximate the distribution."""

    @abstractmethod
    def exceedance(self, x: Array) -> tuple[Array, Array]:
        """Return Pr(L > x) under P and under Q, for any x; an infinite loss exceeds every x."""

    @abstractmethod
    def quadrature(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return losses and their weights under P and under Q, for expectations of a function.

        kinks: the losses at which the function may jump or have a kink. An infinite loss is last.
        """

    @abstractmethod
    def on_grid(self, step: float, bottom: float, top: float) -> DiscretizedLoss:
        """Return the loss on a grid from at most bottom to at least top.

        Smaller losses move to the lowest point, and larger ones become infinite.
        """


@dataclass(frozen=True, eq=False)
class Atoms(LossDistribution):
    """A loss distribution with finitely many losses.

    losses: the finite losses, ascending. probabilities: of these, under P.
    """

    losses: Array
    probabilities: Array
    infinite: float = 0.0
    unit: float | None = None

    @classmethod
    def of(cls, losses: Array, probabilities: Array, unit: float | None = None) -> "Atoms":
        """Return the distribution of losses, of which some may be equal or infinite."""
        is_finite = np.isfinite(losses)
        kept = is_finite & (probabilities > 0)
        ascending, index = np.unique(losses[kept], return_inverse=True)
        summed = np.bincount(index, probabilities[kept]).astype(np.float64)
        return cls(ascending, summed, float(probabilities[~is_finite].sum()), unit)

    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of approximate DP: Σ max(0, 1 - exp(ε - loss)) p."""
        above = self.losses > epsilon * (1 + LOSS_ERROR)
        excess = -np.expm1(epsilon - self.losses[above])
        return float(excess @ self.probabilities[above]) + self.infinite

    def pdp_delta(self, epsilon: float) -> float:
        """Return the smallest δ of probabilistic DP, Pr(|L| > ε)."""
        above = np.abs(self.losses) > epsilon * (1 + LOSS_ERROR)
        return float(self.probabilities[above].sum()) + self.infinite

    @cached_property
    def is_lattice(self) -> bool:  # type: ignore[override]  # read only
        """Whether all finite losses are multiples of the unit."""
        multiples = self.losses / (self.unit or inf)
        is_point = np.abs(multiples - np.rint(multiples)) < ON_POINT
        return bool(is_point.all() and (self.unit is not None or not self.losses.any()))

    @cached_property
    def _above(self) -> Array:
        """The probability of each loss and all larger finite ones."""
        return np.cumsum(self.probabilities[::-1])[::-1]

    def exceedance(self, x: Array) -> tuple[Array, Array]:
        """Return Pr(L > x) under P and under Q, for any x; an infinite loss exceeds every x."""
        first = np.searchsorted(self.losses, x, side="right")
        under_q = np.cumsum(self._under_q[::-1])[::-1]
        p, q = (np.append(above, 0.0)[first] for above in (self._above, under_q))
        return p + self.infinite, q

    def quadrature(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return losses and their weights; see `LossDistribution.quadrature`."""
        return (
            np.append(self.losses, inf),
            np.append(self.probabilities, self.infinite),
            np.append(self._under_q, 0.0),
        )

    @cached_property
    def _under_q(self) -> Array:
        """The probabilities of the losses under Q."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(np.log(self.probabilities) - self.losses))

    def range(self, tail: float) -> tuple[float, float]:
        """Return a range: the finite losses above it, or below it, have a probability <= tail."""
        first = int(np.searchsorted(np.cumsum(self.probabilities), tail, side="right"))
        last = max(0, int(np.searchsorted(-self._above, -tail)) - 1)
        return float(self.losses[min(first, last)]), float(self.losses[last])

    def sufficient_epsilon(self, delta: float) -> float:
        """Return the smallest loss >= 0 that finite losses exceed with a probability <= δ."""
        return max(0.0, self.range(delta)[1])

    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and log weights; many losses are merged into fewer."""
        bottom, top = self.range(tail)
        within = slice(*np.searchsorted(self.losses, [bottom, np.nextafter(top, inf)]))
        losses, weights = self.losses[within], self.probabilities[within]
        if losses.size > 4 * NODES:
            index = np.ceil((losses - bottom) / (top - bottom) * NODES).astype(np.int64)
            weights = np.bincount(index, weights).astype(np.float64)
            losses = bottom + np.arange(weights.size) * (top - bottom) / NODES
        is_positive = weights > 0
        return losses[is_positive], np.log(weights[is_positive] / weights.sum())

    def on_grid(self, step: float, bottom: float, top: float) -> DiscretizedLoss:
        """Return the loss on a grid; see `LossDistribution.on_grid`."""
        positions = self.losses / step
        nearest = np.rint(positions)
        lower = np.where(np.abs(positions - nearest) < ON_POINT, nearest, np.floor(positions))
        first = int(lower[np.searchsorted(self.losses, bottom)])
        last = int(lower[np.searchsorted(self.losses, top, side="right") - 1])
        upper_share = share_of_upper(self.losses, lower * step, step)
        upper_share[lower < first] = 0.0
        index = np.clip(lower - first, 0, last - first).astype(np.int64)
        is_below = self.losses <= top
        finite = np.where(is_below, self.probabilities, 0.0)
        size = last - first + 2
        masses = np.bincount(index, finite * (1 - upper_share), size).astype(np.float64)
        masses += np.bincount(index + 1, finite * upper_share, size)
        is_inside = is_below & (lower >= first)
        both = self.probabilities, self._under_q
        cells = (np.where(is_inside, mass, 0.0) for mass in both)
        p, q = (np.bincount(index, mass, size).astype(np.float64) for mass in cells)
        above_top, above_top_q = (float(mass[~is_below].sum()) for mass in both)
        return DiscretizedLoss(first, masses, self.infinite + above_top, p, q, above_top_q)


def randomized_response(budget: Budget) -> Atoms:
    """Return the privacy loss distribution of (ε, δ)-randomized response.

    No release that satisfies (ε, δ)-approximate DP has a larger δ' at any ε', alone or composed
    with others (Kairouz, Oh and Viswanath 2015).
    """
    epsilon, delta = budget.epsilon, budget.delta
    if epsilon == 0:
        return Atoms(np.zeros(1), np.array([1 - delta]), delta)
    yes = (1 - delta) / (1 + exp(-epsilon))
    no = yes * exp(-epsilon)
    return Atoms(np.array([-epsilon, epsilon]), np.array([no, yes]), delta, epsilon)


def share_of_upper(loss: ArrayLike, lower: ArrayLike, step: float) -> Array:
    """Return the fraction of an atom that moves to the point above, given the point below."""
    share = np.expm1(np.subtract(lower, loss)) / expm1(-step)
    nearest = np.rint(share)
    return np.where(np.abs(share - nearest) < ON_POINT, nearest, np.clip(share, 0, 1))


def masses_on_points(points: Array, p: Array, q: Array, step: float) -> Array:
    """Return masses on points that represent the losses between these points.

    p, q: the probabilities, under P and Q, of the losses between adjacent points.
    """
    upper = p - q * np.exp(np.minimum(points[:-1], 700.0))  # preserves the mean of exp(-L)
    upper = np.clip(upper / -expm1(-step), 0, p)
    masses = np.zeros(points.size)
    masses[1:] += upper
    masses[:-1] += p - upper
    return masses


def common_unit(units: list[float]) -> float | None:
    """Return a common divisor of all units, or None if it would be much smaller than they are."""
    if not units:
        return None
    parts = 1
    for unit in units:
        ratio = Fraction(unit / units[0]).limit_denominator(1000)
        if abs(unit / units[0] - ratio) > 4e-16 * unit / units[0]:
            return None
        parts = int(np.lcm(parts, ratio.denominator))
        if parts > 1000:
            return None
    return units[0] / parts
