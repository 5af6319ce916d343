"""Privacy loss distributions: the loss of one release, from the noise that it adds.

Let P be the distribution of a release and Q that of its neighbour. The privacy loss of an outcome
is L = ln P/Q, infinite if the outcome is impossible under Q. The privacy loss distribution is that
of L under P. All noise here is symmetric, so that P and Q may be exchanged. Under P,

    δ(ε) = E max(0, 1 - exp(ε - L)),

and the losses of independent releases add up (`ggexp.guarantees.convolution`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import expm1, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NODES = 4001  # number of losses, or values of noise, for the choice of tilt, grid and ranges
ON_POINT = 1e-9  # a loss closer to a point than this share of the step lies on it


class Grid(NamedTuple):
    """A loss on the points (first, first + 1, …) times a step, in two ways.

    masses: probabilities of the points under P. A loss between two points is shared between them so
        that its probability under P and under Q stays the same. This makes δ no smaller.
    infinite: the probability of an infinite loss that belongs to these masses.
    p, q: probabilities under P and Q of the cells that begin at the points, without losses outside
        the grid. An observer who sees only the cell knows less, which makes δ no larger.
    """

    first: int
    masses: Array
    infinite: float
    p: Array
    q: Array


class LossDistribution(ABC):
    """The privacy loss distribution of one release.

    infinite: the probability of an infinite loss.
    unit: a number of which all atoms of the loss are multiples, if there is one.
    is_lattice: whether all finite losses are multiples of the unit.
    is_bounded: whether there is a largest finite loss.
    """

    infinite: float = 0.0
    unit: float | None = None
    is_lattice: bool = False
    is_bounded: bool = True

    @abstractmethod
    def range(self, tail: float) -> tuple[float, float]:
        """Return a range of losses: finite losses above and below have a probability <= tail."""

    @abstractmethod
    def basic(self, delta: float) -> float:
        """Return an ε >= 0 at which the finite losses satisfy (ε, δ)-approximate DP."""

    @abstractmethod
    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and logarithms of their weights, which approximate it."""

    @abstractmethod
    def on_grid(self, step: float, bottom: float, top: float) -> Grid:
        """Return the loss on a grid from at most bottom to at least top.

        Smaller losses move to the lowest point, and larger ones become infinite.
        """


@dataclass(frozen=True, eq=False)
class Atoms(LossDistribution):
    """Finitely many losses.

    losses: finite ones, ascending. probabilities: under P. Their sum falls short of 1 by a
    negligible
        amount and the probability of an infinite loss. infinite, unit: see `LossDistribution`.
    """

    losses: Array
    probabilities: Array
    infinite: float = 0.0
    unit: float | None = None

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

    def range(self, tail: float) -> tuple[float, float]:
        """Return a range of losses: finite losses above and below have a probability <= tail."""
        below = int(np.searchsorted(np.cumsum(self.probabilities), tail, side="right"))
        last = max(0, int(np.searchsorted(-self._above, -tail)) - 1)
        return float(self.losses[min(below, last)]), float(self.losses[last])

    def basic(self, delta: float) -> float:
        """Return the smallest loss >= 0 that finite losses exceed with a probability <= δ."""
        return max(0.0, self.range(delta)[1])

    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and logarithms of their weights; close losses are merged."""
        bottom, top = self.range(tail)
        within = slice(*np.searchsorted(self.losses, [bottom, np.nextafter(top, inf)]))
        losses, weights = self.losses[within], self.probabilities[within]
        if losses.size > 4 * NODES:
            place = np.ceil((losses - bottom) / (top - bottom) * NODES).astype(np.int64)
            weights = np.bincount(place, weights).astype(np.float64)
            losses = bottom + np.arange(weights.size) * (top - bottom) / NODES
        is_there = weights > 0
        return losses[is_there], np.log(weights[is_there] / weights.sum())

    def on_grid(self, step: float, bottom: float, top: float) -> Grid:
        """Return the loss on a grid; see `LossDistribution.on_grid`."""
        places = self.losses / step
        near = np.rint(places)
        lower = np.where(np.abs(places - near) < ON_POINT, near, np.floor(places))
        first = int(lower[np.searchsorted(self.losses, bottom)])
        last = int(lower[np.searchsorted(self.losses, top, side="right") - 1])
        share = share_of_upper(self.losses, lower * step, step)
        share[lower < first] = 0.0
        place = np.clip(lower - first, 0, last - first).astype(np.int64)
        is_below = self.losses <= top
        finite = np.where(is_below, self.probabilities, 0.0)
        size = last - first + 2
        masses = np.bincount(place, finite * (1 - share), size).astype(np.float64)
        masses += np.bincount(place + 1, finite * share, size)
        with np.errstate(divide="ignore"):
            under_q = np.exp(np.log(self.probabilities) - self.losses)
        is_inside = is_below & (lower >= first)
        cells = (np.where(is_inside, mass, 0.0) for mass in (self.probabilities, under_q))
        p, q = (np.bincount(place, mass, size).astype(np.float64) for mass in cells)
        beyond = float((self.probabilities - finite).sum())
        return Grid(first, masses, self.infinite + beyond, p, q)


def share_of_upper(loss: ArrayLike, lower: ArrayLike, step: float) -> Array:
    """Return the share of an atom that goes to the point above it, given the point below."""
    share = np.expm1(np.subtract(lower, loss)) / expm1(-step)
    near = np.rint(share)
    return np.where(np.abs(share - near) < ON_POINT, near, np.clip(share, 0, 1))


def shared(points: Array, p: Array, q: Array, step: float) -> Array:
    """Return masses on points for the losses between them, given probabilities under P and Q."""
    upper = p - q * np.exp(np.minimum(points[:-1], 700.0))  # preserves the mean of exp(-L)
    upper = np.clip(upper / -expm1(-step), 0, p)
    masses = np.zeros(points.size)
    masses[1:] += upper
    masses[:-1] += p - upper
    return masses


def common_unit(units: list[float]) -> float | None:
    """Return a number of which all units are multiples, None if it would be much smaller."""
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
