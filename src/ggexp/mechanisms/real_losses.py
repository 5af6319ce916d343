"""Privacy loss distributions of real-valued noise: generalized Gaussian, and truncated Laplace.

Noise u, in units of its scale, has the loss |u + h|^p - |u|^p, with h = Δ/b. The loss is
nondecreasing in u. Therefore an interval of losses corresponds to an interval of noise. For order
1, the loss is h for u >= 0 and -h for u <= -h. If noise of order 1 is truncated at ±a, the loss is
infinite for u > a - h.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, floor, inf, log1p

import numpy as np
import scipy  # scipy.special, loaded when it is first used (0.2 s)

from ggexp.mechanisms import loss_distribution, privacy_loss, tails
from ggexp.mechanisms.loss_distribution import NODES, ON_POINT, Array, Grid, LossDistribution
from ggexp.mechanisms.solver import checked, log_ratio, root
from ggexp.mechanisms.tails import MAX_POWER, inner, upper_point, upper_tail
from ggexp.ranges import EpsilonOrZero

MIN_TAIL = 1e-307  # the smallest tail: a smaller number would have few digits
WIDE = 0.5  # if h is larger, the densities of the noise with and without the shift need own edges
STEEP = 100.0  # above this ln(|u + h|^p / |u|^p), subtracting the powers loses no digits
PANELS = 4  # number of intervals of positive noise, with a quadrature rule on each


@dataclass(frozen=True)
class Smooth(LossDistribution):
    """The loss distribution of generalized Gaussian noise of order p > 1, which has no atoms.

    sensitivity, scale: Δ and b, in the same units.
    """

    order: float
    sensitivity: float
    scale: float = 1.0
    is_bounded = False
    has_closed_form = True
    error = 3e-10  # measured at orders 1.0001 and 100; 1e-12 at orders from 1.01 to 20

    @property
    def h(self) -> float:
        """Δ/b."""
        return self.sensitivity / self.scale

    @property
    def gaussian_h(self) -> float | None:  # type: ignore[override]  # read only
        """h, for order 2."""
        return self.h if self.order == 2 else None

    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of approximate DP; see `privacy_loss.delta`."""
        if epsilon == 0:
            return float(inner(self.order, self.h / 2))
        u = privacy_loss.where_loss_is(epsilon, self.order, self.h)
        return 0.0 if u == inf else privacy_loss.delta_at(u, self.h, self.order, epsilon)

    def pdp_delta(self, epsilon: float) -> float:
        """Return the smallest δ of probabilistic DP, Pr(|L| > ε).

        If the loss is above ε for u > t, it is below -ε for u < -t - h.
        """
        t = privacy_loss.where_loss_is(epsilon, self.order, self.h)
        return upper_tail(self.order, t) + upper_tail(self.order, t + self.h)

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε of approximate DP; see `privacy_loss.epsilon`."""
        h, order = self.h, self.order
        if inner(order, h / 2) <= delta:
            return 0.0

        def excess(u: float) -> float:
            return log_ratio(privacy_loss.delta_at(u, h, order, _loss(u, h, order)), delta)

        # the loss is 0 at u = -h/2, and δ(u) <= Pr(e > u b)
        low, high = -h / 2, upper_point(order, delta) + 1
        u = root(excess, low, high, xtol=1e-16 * h)
        u = checked(lambda u: excess(u) <= loss_distribution.ROUNDING, u, 1e-16 * h)
        epsilon = _loss(u, h, order)
        if epsilon == inf:
            raise ValueError(
                f"scale must be large enough for a finite epsilon, got {self.scale!r} at order "
                f"{self.order!r}"
            )
        return epsilon

    def false_negative(self, false_positive: float) -> float:
        """Return the smallest false negative rate of a test with this false positive rate."""
        if false_positive in (0, 1):
            return 1.0 - false_positive
        return upper_tail(self.order, self.h - upper_point(self.order, false_positive))

    @property
    def kink(self) -> float:  # type: ignore[override]  # read only
        """The loss h^p, at u = 0."""
        return self.h**self.order

    def exceedance(self, x: Array) -> tuple[Array, Array]:
        """Return Pr(L > x) under P and under Q, for any x."""
        u = noise_at(x, self.order, self.h)
        return tails.upper_tails(self.order, u), tails.upper_tails(self.order, u + self.h)

    def quadrature(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return losses and their weights; see `LossDistribution.quadrature`."""
        end = MAX_POWER ** (1 / self.order)
        steps = np.concatenate([[0.0], np.geomspace(min(1.0, end / 2), end, PANELS)])
        at_kinks = noise_at(np.abs(kinks), self.order, self.h)
        shifts = [steps, -steps, steps - self.h] if self.h > WIDE else [steps, [-self.h / 2]]
        edges = np.concatenate([*shifts, at_kinks])
        u, widths = _panels(np.clip(edges, -self.h / 2, end))
        losses = loss_at(u, self.order, self.h)
        p, q = (widths * tails.densities(self.order, u + shift) for shift in (0.0, self.h))
        # L(-h - u) = -L(u), with the weights exchanged
        return np.append(losses, -losses), np.append(p, q), np.append(q, p)

    def range(self, tail: float) -> tuple[float, float]:
        """Return a range: the finite losses above it, or below it, have a probability <= tail."""
        reach = upper_point(self.order, max(tail, MIN_TAIL))
        bottom, top = loss_at(np.array([-reach, reach]), self.order, self.h)
        return float(bottom), float(top)

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
        masses = loss_distribution.masses_on_points(points, p[1:-1], q[1:-1], step)
        masses[0] += p[0]
        p_cells, q_cells = (np.append(mass[1:-1], 0.0) for mass in (p, q))
        return Grid(first, masses, float(p[-1]), p_cells, q_cells, float(q[-1]))


@dataclass(frozen=True)
class Magnitude(Smooth):
    """The distribution of (|u| + h)^p - |u|^p, the bound on the loss in the paper's Eqn 13.

    Only the probabilities under P have a meaning.
    """

    def exceedance(self, x: Array) -> tuple[Array, Array]:
        """Return the probability that the bound exceeds x, twice."""
        p, _ = super().exceedance(np.maximum(x, self.kink))
        return 2 * p, 2 * p

    def quadrature(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return bounds on the loss and their weights, twice."""
        losses, p, _ = super().quadrature(np.maximum(kinks, self.kink))
        p = np.where(losses >= self.kink, 2 * p, 0.0)
        return losses, p, p


@dataclass(frozen=True)
class Laplace(LossDistribution):
    """The loss distribution of Laplace noise, which has atoms at ±h with h = Δ/b.

    sensitivity, scale: Δ and b, in the same units. bound: a > h/2, the largest noise, in units of
    its scale.
    """

    sensitivity: float
    scale: float = 1.0
    bound: float = inf

    @property
    def h(self) -> float:
        """Δ/b."""
        return self.sensitivity / self.scale

    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of approximate DP.

        With c = e^-a, it is (1 - e^((ε-h)/2) + c (e^ε - 1)/2) / (1 - c) for ε <= h, and constant
        for larger ε. If the range 2a is only slightly wider than h, every finite loss is below ε.
        """
        if self.bound == inf:
            # in exact arithmetic, because ε and h may agree in many digits; `max` avoids -0.0
            h = Fraction(float(self.sensitivity)) / Fraction(float(self.scale))
            excess = max(Fraction(float(epsilon)) - h, Fraction(-2000))
            return max(0.0, -expm1(min(0.0, float(excess)) / 2))
        loss = min(epsilon, self.h)
        if (loss + self.h) / 2 > self.bound:
            return float(_laplace_tails(np.array(self.bound - self.h), self.bound))
        infinite = -exp(loss - self.bound) * expm1(-loss)
        return (infinite - 2 * expm1((loss - self.h) / 2)) / (-2 * expm1(-self.bound))

    def pdp_delta(self, epsilon: float) -> float:
        """Return the smallest δ of probabilistic DP, Pr(|L| > ε), without cancellation."""
        return self.delta(epsilon) if epsilon >= self.h else super().pdp_delta(epsilon)

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε of approximate DP."""
        if self.bound == inf:
            return max(0.0, self.h + 2 * log1p(-delta))
        infinite = self.delta(self.h)
        if abs(delta - infinite) <= loss_distribution.ROUNDING * infinite:
            return self.h
        return super().epsilon(delta)

    @property
    def unit(self) -> float:  # type: ignore[override]  # read only
        """The loss h."""
        return self.h

    @property
    def kink(self) -> float:  # type: ignore[override]  # read only
        """The largest finite loss; its negative is the smallest one."""
        return self._ends[1]

    def exceedance(self, x: Array) -> tuple[Array, Array]:
        """Return Pr(L > x) under P and under Q, for any x; an infinite loss exceeds every x."""
        smallest, largest = self._ends
        u = np.where(x < largest, (x - self.h) / 2, self.bound - self.h)
        u = np.where(x < smallest, -self.bound, u)
        p, q = (_laplace_tails(u + shift, self.bound) for shift in (0.0, self.h))
        return p, q

    def quadrature(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return losses and their weights; see `LossDistribution.quadrature`."""
        smallest, largest = self._ends
        mass = -2 * expm1(-self.bound)  # twice the probability of noise within the bound
        losses, widths = _panels(np.clip(np.append(kinks, self._ends), smallest, largest))
        u = (losses - self.h) / 2
        atoms = np.array([smallest, largest])
        below = self.exceedance(np.nextafter(atoms, -inf))
        at = self.exceedance(atoms)
        weights = (
            np.concatenate([widths * np.exp(-np.abs(u + shift)) / (2 * mass), low - high, end])
            for shift, low, high, end in zip(
                (0.0, self.h), below, at, ([self.infinite], [0.0]), strict=True
            )
        )
        p, q = weights
        return np.concatenate([losses, atoms, [inf]]), p, q

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
        return self.epsilon(delta) if self.bound == inf else max(0.0, self._ends[1])

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
        masses = loss_distribution.masses_on_points(points, p[1:-1], q[1:-1], step)
        smallest_share = loss_distribution.share_of_upper(smallest, points[0], step)
        masses[:2] += p[0] * (1 - smallest_share), p[0] * smallest_share
        largest_share = loss_distribution.share_of_upper(largest, points[-2], step)
        masses[-2:] += p[-1] * (1 - largest_share), p[-1] * largest_share
        p_cells, q_cells = (np.append(mass[1:-1], 0.0) for mass in (p, q))
        grid = Grid(first, masses, self.infinite, p_cells, q_cells)
        for mass, cell in ((p, grid.p), (q, grid.q)):
            cell[0] += mass[0]
            cell[-1 if largest_share == 1 else -2] += mass[-1]
        return grid


def _nodes(order: float, h: float, low: float, high: float) -> tuple[Array, Array]:
    """Return the losses ln p/q of cells of noise, and the logarithms of their probabilities p."""
    # the loss in the middle of a cell is used only if a probability underflows
    edges = np.linspace(low, high, NODES)
    p, q = (_probabilities(order, edges + shift)[1:-1] for shift in (0.0, h))
    losses = loss_at((edges[1:] + edges[:-1]) / 2, order, h)
    np.copyto(losses, np.log(p / np.maximum(q, MIN_TAIL)), where=(p > MIN_TAIL) & (q > MIN_TAIL))
    return losses[p > 0], np.log(p[p > 0])


def _panels(edges: Array) -> tuple[Array, Array]:
    """Return nodes and weights of an integral over all intervals between the edges."""
    ascending = np.unique(edges)
    widths = np.diff(ascending)[:, None]
    nodes = ascending[:-1, None] + widths * tails.UNIT_NODES
    return nodes.ravel(), (widths * tails.UNIT_WEIGHTS).ravel()


def _laplace_tails(u: Array, bound: float) -> Array:
    """Return Pr(noise > u) of Laplace noise within the bound, in units of its scale."""
    size = np.abs(u)
    is_inside = size < bound
    size = np.where(is_inside, size, 0.0)
    upper = np.exp(-size) * np.expm1(size - bound) / (2 * expm1(-bound))
    upper = np.where(is_inside, upper, 0.0)
    return np.where(u < 0, 1 - upper, upper)


def _below(x: float) -> float:
    """Return Pr(u < x) of Laplace noise in units of its scale."""
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2


def loss_at(noise: Array, order: float, h: float) -> Array:
    """Return the privacy loss |u + h|^p - |u|^p of noise u in units of the scale."""
    with np.errstate(over="ignore", invalid="ignore"):
        losses = np.abs(noise + h) ** order - np.abs(noise) ** order
    return np.where(np.isnan(losses), np.copysign(inf, noise), losses)


def _loss(u: float, h: float, order: float) -> float:
    """Return |u + h|^p - |u|^p for u >= -h/2, so that u + h >= |u|; ∞ if it overflows."""
    v, size = u + h, abs(u)
    growth = inf
    if v <= 2 * size:
        growth = log1p(h / u) if u > 0 else log1p(max(0.0, h + 2 * u) / size)
    try:
        if order * growth < STEEP:
            return float(size) ** order * expm1(order * growth)
        return float(v) ** order - float(size) ** order
    except OverflowError:
        return inf


def noise_at(losses: Array, order: float, h: float) -> Array:
    """Return the noise u at which the privacy loss of order p > 1 has these ascending values.

    Newton's method starts from a table of the loss, and stays between two adjacent entries.
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
        previous, u = u, np.clip(u - change, low, high)
        if np.array_equal(previous, u):
            break
    return np.where(losses < 0, -h - u, u)


def _probabilities(order: float, edges: Array) -> Array:
    """Return the probabilities of noise below, between and above ascending edges."""
    with np.errstate(over="ignore", under="ignore"):
        tail = scipy.special.gammaincc(1 / order, np.abs(edges) ** order) / 2
    between = np.abs(np.diff(tail))
    (crossing,) = np.nonzero(edges[1:] * edges[:-1] <= 0)
    between[crossing] = (inner(order, edges[crossing + 1]) - inner(order, edges[crossing])) / 2
    ends = [tail[0] if edges[0] < 0 else 1 - tail[0], tail[-1] if edges[-1] > 0 else 1 - tail[-1]]
    return np.concatenate([ends[:1], between, ends[1:]])
