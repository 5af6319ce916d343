"""Privacy loss distributions of real-valued noise: generalized Gaussian, and truncated Laplace.

Noise u, in units of its scale, has the loss |u + h|^p - |u|^p, with h = Δ/b. The loss is
nondecreasing in u. Therefore an interval of losses corresponds to an interval of noise. For order
1, the loss is h for u >= 0 and -h for u <= -h. If noise of order 1 is truncated at ±a, the loss is
infinite for u > a - h.
"""

from dataclasses import dataclass
from math import ceil, exp, expm1, floor, inf

import numpy as np
from scipy.special import gammaincc

from ggexp.mechanisms import privacy_loss
from ggexp.mechanisms.loss_distribution import (
    NODES,
    ON_POINT,
    Array,
    Grid,
    LossDistribution,
    masses_on_points,
    share_of_upper,
)
from ggexp.mechanisms.tails import MAX_POWER, inner, upper_point

MIN_TAIL = 1e-307  # the smallest tail: a smaller number would have few digits


@dataclass(frozen=True)
class Smooth(LossDistribution):
    """The loss distribution of generalized Gaussian noise of order p > 1, which has no atoms.

    order: p. h: Δ/b > 0.
    """

    order: float
    h: float
    is_bounded = False

    def range(self, tail: float) -> tuple[float, float]:
        """Return a range: the finite losses above it, or below it, have a probability <= tail."""
        reach = upper_point(self.order, max(tail, MIN_TAIL))
        bottom, top = loss_at(np.array([-reach, reach]), self.order, self.h)
        return float(bottom), float(top)

    def sufficient_epsilon(self, delta: float) -> float:
        """Return the smallest ε at which the noise satisfies (ε, δ)-approximate DP."""
        parameters = {"order": self.order, "scale": 1.0, "sensitivity": self.h}
        return float(privacy_loss.epsilon(delta=delta, **parameters))

    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and log weights, which approximate the distribution."""
        reach = upper_point(self.order, max(tail, MIN_TAIL))
        return _nodes(self.order, self.h, -reach, reach)

    def on_grid(self, step: float, bottom: float, top: float) -> Grid:
        """Return the loss on a grid; see `LossDistribution.on_grid`."""
        first, last = floor(bottom / step), ceil(top / step)
        points = np.arange(first, last + 1, dtype=np.float64) * step
        edges = noise_at(points, self.order, self.h)
        p, q = (_probabilities(self.order, edges + shift) for shift in (0.0, self.h))
        masses = masses_on_points(points, p[1:-1], q[1:-1], step)
        masses[0] += p[0]
        return Grid(first, masses, float(p[-1]), *(np.append(mass[1:-1], 0.0) for mass in (p, q)))


@dataclass(frozen=True)
class Laplace(LossDistribution):
    """The loss distribution of Laplace noise, which has atoms at ±h.

    h: Δ/b > 0. bound: a > h/2, the largest noise, in units of its scale.
    """

    h: float
    bound: float = inf

    @property
    def unit(self) -> float:  # type: ignore[override]  # read only
        """The loss h."""
        return self.h

    @property
    def infinite(self) -> float:  # type: ignore[override]  # read only
        """The probability of an infinite loss, which is the probability of noise above a - h."""
        if self.bound == inf:
            return 0.0
        mass_within = -expm1(-self.bound)
        return (_below(self.h - self.bound) - exp(-self.bound) / 2) / mass_within

    @property
    def _ends(self) -> tuple[float, float]:
        """The smallest and the largest finite loss."""
        return max(-self.h, self.h - 2 * self.bound), min(self.h, 2 * self.bound - self.h)

    def range(self, tail: float) -> tuple[float, float]:
        """Return a range: the finite losses above it, or below it, have a probability <= tail."""
        reach = upper_point(1.0, max(tail, MIN_TAIL))
        low, high = loss_at(np.array([-reach, reach]), 1.0, self.h)
        smallest, largest = self._ends
        return max(float(low), smallest), min(float(high), largest)

    def sufficient_epsilon(self, delta: float) -> float:
        """Return an ε at which finite losses satisfy (ε, δ)-approximate DP."""
        if self.bound < inf:
            return max(0.0, self._ends[1])
        return float(privacy_loss.epsilon(order=1, scale=1.0, delta=delta, sensitivity=self.h))

    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and log weights, which approximate the distribution."""
        reach = upper_point(1.0, max(tail, MIN_TAIL))
        return _nodes(1.0, self.h, max(-reach, -self.bound), min(reach, self.bound - self.h))

    def on_grid(self, step: float, bottom: float, top: float) -> Grid:
        """Return the loss on a grid from its smallest to its largest finite loss."""
        smallest, largest = self._ends
        first, last = floor(smallest / step + ON_POINT), ceil(largest / step - ON_POINT)
        points = np.arange(first, last + 1, dtype=np.float64) * step
        edges = (np.clip(points, smallest, largest) - self.h) / 2
        a, mass_within = self.bound, -expm1(-self.bound)
        p, q = (_probabilities(1, edges + shift) for shift in (0.0, self.h))
        p[[0, -1]] -= exp(-a) / 2, _below(self.h - a)  # without noise beyond the bounds
        q[[0, -1]] -= _below(self.h - a), exp(-a) / 2
        p, q = np.maximum(p, 0) / mass_within, np.maximum(q, 0) / mass_within
        masses = masses_on_points(points, p[1:-1], q[1:-1], step)
        smallest_share = share_of_upper(smallest, points[0], step)
        masses[:2] += p[0] * (1 - smallest_share), p[0] * smallest_share
        largest_share = share_of_upper(largest, points[-2], step)
        masses[-2:] += p[-1] * (1 - largest_share), p[-1] * largest_share
        cells = (np.append(mass[1:-1], 0.0) for mass in (p, q))
        grid = Grid(first, masses, self.infinite, *cells)
        for mass, cell in ((p, grid.p), (q, grid.q)):
            cell[0] += mass[0]
            cell[-1 if largest_share == 1 else -2] += mass[-1]
        return grid


def _nodes(order: float, h: float, low: float, high: float) -> tuple[Array, Array]:
    """Return the losses ln p/q of cells of noise, and the logarithms of the cells' probabilities p.

    The loss at the middle of a cell would be wrong if the loss increases by 2h within the cell. The
    middle is used only if a probability is too small for a floating-point number.
    """
    edges = np.linspace(low, high, NODES)
    p, q = (_probabilities(order, edges + shift)[1:-1] for shift in (0.0, h))
    losses = loss_at((edges[1:] + edges[:-1]) / 2, order, h)
    np.copyto(losses, np.log(p / np.maximum(q, MIN_TAIL)), where=(p > MIN_TAIL) & (q > MIN_TAIL))
    return losses[p > 0], np.log(p[p > 0])


def _below(x: float) -> float:
    """Return Pr(u < x) of Laplace noise in units of its scale."""
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2


def loss_at(noise: Array, order: float, h: float) -> Array:
    """Return the privacy loss |u + h|^p - |u|^p of noise u in units of the scale."""
    with np.errstate(over="ignore", invalid="ignore"):
        losses = np.abs(noise + h) ** order - np.abs(noise) ** order
    return np.where(np.isnan(losses), np.copysign(inf, noise), losses)


def noise_at(losses: Array, order: float, h: float) -> Array:
    """Return the noise u, in units of the scale, at which the privacy loss has these values.

    losses: ascending. order: above 1. Newton's method starts from a table of the loss, and is
    limited to the interval between two adjacent entries.
    """
    largest = np.abs(losses).max()
    end = min(privacy_loss.where_loss_is(float(largest), order, h), MAX_POWER ** (1 / order)) + h
    nodes = np.concatenate([np.linspace(-h / 2, end, NODES), np.geomspace(1e-9, 1, 200) * end])
    nodes = np.unique(nodes)
    table = loss_at(nodes, order, h)
    magnitudes = np.abs(losses)  # L(-h - u) = -L(u): noise above -h/2 suffices
    index = np.clip(np.searchsorted(table, magnitudes), 1, nodes.size - 1)
    low, high = nodes[index - 1], nodes[index]
    share = (magnitudes - table[index - 1]) / (table[index] - table[index - 1])
    u = low + share * (high - low)
    for _ in range(5):
        shifted = u + h
        slope = shifted ** (order - 1) - np.sign(u) * np.abs(u) ** (order - 1)
        change = (shifted**order - np.abs(u) ** order - magnitudes) / (order * slope)
        u = np.clip(u - change, low, high)
    return np.where(losses < 0, -h - u, u)


def _probabilities(order: float, edges: Array) -> Array:
    """Return the probabilities of noise below, between and above ascending edges.

    On each side of 0, they are differences of tails on that side, which keeps all digits.
    """
    with np.errstate(over="ignore", under="ignore"):
        tail = gammaincc(1 / order, np.abs(edges) ** order) / 2
    between = np.abs(np.diff(tail))
    (crossing,) = np.nonzero(edges[1:] * edges[:-1] <= 0)
    between[crossing] = (inner(order, edges[crossing + 1]) - inner(order, edges[crossing])) / 2
    ends = [tail[0] if edges[0] < 0 else 1 - tail[0], tail[-1] if edges[-1] > 0 else 1 - tail[-1]]
    return np.concatenate([ends[:1], between, ends[1:]])
