"""Privacy loss distributions of real-valued noise.

Noise u with density f, in units of its scale b, has the loss ln f(u)/f(u + h), with h = Δ/b. The
loss is nondecreasing in u. Therefore an interval of losses corresponds to an interval of noise, and
its distribution follows from the formulas of `RealValuedNoise`. By symmetry, L(-h - u) = -L(u).

Generalized Gaussian noise has the loss |u + h|^p - |u|^p. For order 1, it is h for u >= 0 and -h
for u <= -h. If noise is truncated at ±a, the loss is infinite for u > a - h.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, floor, inf, log1p

import numpy as np

from ggexp.mechanisms import loss_distribution, privacy_loss, tails
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import (
    NODES,
    ON_POINT,
    Array,
    Atoms,
    DiscretizedLoss,
    LossDistribution,
)
from ggexp.mechanisms.real_valued import RealValuedNoise
from ggexp.mechanisms.solver import checked, log_ratio, root
from ggexp.mechanisms.tails import MAX_POWER, inner, upper_point, upper_tail
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.ranges import EpsilonOrZero

MIN_TAIL = 1e-307  # the smallest tail: a smaller number would have few digits
WIDE = 0.5  # if h is larger, the densities of the noise with and without the shift need own edges
STEEP = 100.0  # above this ln(|u + h|^p / |u|^p), subtracting the powers loses no digits
PANELS = 4  # number of intervals of positive noise, with a quadrature rule on each


@dataclass(frozen=True)
class MonotoneLoss(LossDistribution):
    """The loss distribution of real-valued noise whose loss is nondecreasing in the noise.

    noise: its formulas. sensitivity: Δ, in the units of the noise.
    """

    noise: RealValuedNoise
    sensitivity: float

    @property
    def h(self) -> float:
        """Δ/b."""
        return self.sensitivity / self.noise.scale

    @property
    def bound(self) -> float:
        """The largest noise a, in units of the scale."""
        return self.noise.largest / self.noise.scale

    @property
    def largest(self) -> float:
        """The largest finite loss, whose negative is the smallest one."""
        return self.noise.largest_loss(self.h)

    @property
    def is_bounded(self) -> bool:  # type: ignore[override]  # read only
        """Whether there is a largest finite loss."""
        return self.largest < inf

    @property
    def infinite(self) -> float:  # type: ignore[override]  # read only
        """The probability of an infinite loss, which is the probability of noise above a - h."""
        return float(self.noise.tails(np.array(self.bound - self.h)))

    @property
    def kink(self) -> float:  # type: ignore[override]  # read only
        """The largest finite loss, or the loss at u = 0."""
        return self.largest if self.is_bounded else float(self.loss_at(np.array(0.0)))

    def loss_at(self, u: Array) -> Array:
        """Return the privacy loss of noise u."""
        with np.errstate(over="ignore", invalid="ignore"):
            losses = self.noise.log_densities(u) - self.noise.log_densities(u + self.h)
        return np.where(np.isnan(losses), np.copysign(inf, u), losses)

    def noise_at(self, losses: Array) -> Array:
        """Return the noise with these losses, or with the smallest or largest finite loss."""
        with np.errstate(divide="ignore"):
            return self.noise.noise_at(np.clip(losses, -self.largest, self.largest), self.h)

    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of approximate DP, by quadrature."""
        losses, p, _ = self.quadrature(np.array([epsilon]))
        return float(p @ -np.expm1(np.minimum(epsilon - losses, 0.0)))

    def sufficient_epsilon(self, delta: float) -> float:
        """Return an ε at which finite losses satisfy (ε, δ)-approximate DP."""
        return self.epsilon(delta) if self.bound == inf else max(0.0, self.largest)

    def exceedance(self, x: Array) -> tuple[Array, Array]:
        """Return Pr(L > x) under P and under Q, for any x; an infinite loss exceeds every x."""
        u = np.where(x < self.largest, self.noise_at(x), self.bound - self.h)
        u = np.where(x < -self.largest, -self.bound, u)
        return self.noise.tails(u), self.noise.tails(u + self.h)

    def quadrature(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return losses and their weights; see `LossDistribution.quadrature`."""
        losses, p, q = self.continuous(kinks)
        if not self.is_bounded:
            return losses, p, q
        atoms = np.array([-self.largest, self.largest] if self.noise.has_atoms else [])
        edges = np.concatenate([[-self.bound], self.inner_ends(atoms), [self.bound - self.h]])
        tails = (self.noise.tails(edges + shift) for shift in (0.0, self.h))
        p_atoms, q_atoms = ((tail[:-1] - tail[1:])[::2][: atoms.size] for tail in tails)
        p = np.concatenate([p, p_atoms, [self.infinite]])
        q = np.concatenate([q, q_atoms, [0.0]])
        return np.concatenate([losses, atoms, [inf]]), p, q

    def inner_ends(self, atoms: Array) -> Array:
        """Return the ends, next to 0, of the intervals of noise with these losses."""
        return self.noise_at(atoms)

    def continuous(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return finite losses and their weights, without atoms, by quadrature over the noise."""
        end = self.end
        steps = np.concatenate([[0.0], np.geomspace(min(1.0, end / 2), end, PANELS)])
        shifts = [steps, -steps, steps - self.h] if self.h > WIDE else [steps, [-self.h / 2]]
        own = np.array(self.noise.kinks)
        edges = np.concatenate([*shifts, own, -own, own - self.h, self.noise_at(np.abs(kinks))])
        if self.is_bounded:
            end = min(end, float(self.noise_at(np.array(self.largest))))
        u, widths = _panels(np.clip(edges, -self.h / 2, end))
        losses = self.loss_at(u)
        p, q = (
            widths * (np.exp(self.noise.log_densities(u + shift)) / self.noise.norm)
            for shift in (0.0, self.h)
        )
        # L(-h - u) = -L(u), with the weights exchanged
        return np.append(losses, -losses), np.append(p, q), np.append(q, p)

    @property
    def end(self) -> float:
        """A u above which the density is negligible."""
        return self.reach(0.0)

    def reach(self, tail: float) -> float:
        """Return the u that noise exceeds with this probability, if it is not too small."""
        return float(self.noise.points(np.array(max(tail, MIN_TAIL))))

    def range(self, tail: float) -> tuple[float, float]:
        """Return a range: the finite losses above it, or below it, have a probability <= tail."""
        reach = self.reach(tail)
        bottom, top = self.loss_at(np.array([-reach, reach]))
        return max(float(bottom), -self.largest), min(float(top), self.largest)

    def nodes(self, tail: float) -> tuple[Array, Array]:
        """Return losses in `range` and log weights, which approximate the distribution."""
        reach = self.reach(tail)
        edges = np.linspace(max(-reach, -self.bound), min(reach, self.bound - self.h), NODES)
        p, q = (self.noise.probabilities(edges + shift) for shift in (0.0, self.h))
        # the loss in the middle of a cell is used only if a probability underflows
        losses = self.loss_at((edges[1:] + edges[:-1]) / 2)
        is_normal = (p > MIN_TAIL) & (q > MIN_TAIL)
        np.copyto(losses, np.log(p / np.maximum(q, MIN_TAIL)), where=is_normal)
        return losses[p > 0], np.log(p[p > 0])

    def on_grid(self, step: float, bottom: float, top: float) -> DiscretizedLoss:
        """Return the loss on a grid, which contains all finite losses if they are bounded."""
        first, last = floor(bottom / step), ceil(top / step)
        if self.is_bounded:
            last = ceil(self.largest / step - ON_POINT)
            first = -last
        points = np.arange(first, last + 1, dtype=np.float64) * step
        edges = np.concatenate([[-self.bound], self.noise_at(points), [self.bound - self.h]])
        p, q = (self.noise.probabilities(edges + shift) for shift in (0.0, self.h))
        masses = loss_distribution.masses_on_points(points, p[1:-1], q[1:-1], step)
        p_cells, q_cells = (np.append(mass[1:-1], 0.0) for mass in (p, q))
        if not self.is_bounded:
            masses[0] += p[0]
            return DiscretizedLoss(first, masses, float(p[-1]), p_cells, q_cells, float(q[-1]))
        # the smallest and the largest finite loss
        low, high = loss_distribution.share_of_upper(
            [-self.largest, self.largest], points[[0, -2]], step
        )
        masses[:2] += p[0] * (1 - low), p[0] * low
        masses[-2:] += p[-1] * (1 - high), p[-1] * high
        for cells, mass in ((p_cells, p), (q_cells, q)):
            cells[0] += mass[0]
            cells[-1 if high == 1 else -2] += mass[-1]
        return DiscretizedLoss(first, masses, self.infinite, p_cells, q_cells)


@dataclass(frozen=True)
class Smooth(MonotoneLoss):
    """The loss distribution of generalized Gaussian noise of order p > 1."""

    noise: GeneralizedGaussian
    error = 3e-10  # measured at orders 1.0001 and 100; 1e-12 at orders from 1.01 to 20

    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of approximate DP; see `privacy_loss.delta_at`."""
        h, order = self.h, self.noise.order
        if epsilon == 0:
            return float(inner(order, h / 2))
        u = privacy_loss.where_loss_is(epsilon, order, h)
        return 0.0 if u == inf else privacy_loss.delta_at(u, h, order, epsilon)

    def pdp_delta(self, epsilon: float) -> float:
        """Return Pr(|L| > ε): if L > ε for u > t, then L < -ε for u < -t - h."""
        t = privacy_loss.where_loss_is(epsilon, self.noise.order, self.h)
        return upper_tail(self.noise.order, t) + upper_tail(self.noise.order, t + self.h)

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε of approximate DP.

        Raises ValueError also if ε overflows, for example at order 100 with a scale of Δ/2000.
        """
        h, order = self.h, self.noise.order
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
                f"scale must be large enough for a finite epsilon, got {self.noise.scale!r} at "
                f"order {order!r}"
            )
        return epsilon

    def false_negative(self, false_positive: float) -> float:
        """Return the smallest false negative rate of a test with this false positive rate."""
        if false_positive in (0, 1):
            return 1.0 - false_positive
        return upper_tail(self.noise.order, self.h - upper_point(self.noise.order, false_positive))

    @property
    def end(self) -> float:
        """A u above which the density is negligible."""
        return float(MAX_POWER ** (1 / self.noise.order))


@dataclass(frozen=True)
class Laplace(MonotoneLoss):
    """The loss distribution of Laplace noise within a bound a > h/2, which may be infinite."""

    noise: TruncatedLaplace

    @property
    def unit(self) -> float:  # type: ignore[override]  # read only
        """The loss h."""
        return self.h

    def delta(self, epsilon: EpsilonOrZero) -> float:
        """Return the smallest δ of approximate DP.

        With c = e^-a, it is (1 - e^((ε-h)/2) + c (e^ε - 1)/2) / (1 - c) for ε <= h, and constant
        for larger ε. If the range 2a is only slightly wider than h, every finite loss is below ε.
        """
        if self.bound == inf:
            # in exact arithmetic, because ε and h may agree in many digits; `max` avoids -0.0
            h = Fraction(float(self.sensitivity)) / Fraction(float(self.noise.scale))
            excess = max(Fraction(float(epsilon)) - h, Fraction(-2000))
            return max(0.0, -expm1(min(0.0, float(excess)) / 2))
        loss = min(epsilon, self.h)
        if (loss + self.h) / 2 > self.bound:
            return super().infinite
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
    def infinite(self) -> float:  # type: ignore[override]  # read only
        """The probability of an infinite loss, Pr(u > a - h)."""
        a, x = self.bound, self.h - self.bound
        below = exp(x) / 2 if x < 0 else 1 - exp(-x) / 2  # of unbounded noise
        return (below - exp(-a) / 2) / -expm1(-a)

    def reach(self, tail: float) -> float:
        """Return the u that unbounded noise exceeds with this probability."""
        return upper_point(1.0, max(tail, MIN_TAIL))

    def inner_ends(self, atoms: Array) -> Array:
        """Return `MonotoneLoss.inner_ends`, rounded as in earlier versions."""
        return self.noise_at(np.nextafter(atoms, [-self.largest, -inf]))

    def continuous(self, kinks: Array) -> tuple[Array, Array, Array]:
        """Return finite losses and their weights, without atoms: the loss 2u + h is linear."""
        edges = np.append(kinks, [-self.largest, self.largest])
        losses, widths = _panels(np.clip(edges, -self.largest, self.largest))
        u = (losses - self.h) / 2
        norm = 2 * self.noise.norm
        p, q = (widths * np.exp(-np.abs(u + shift)) / norm for shift in (0.0, self.h))
        return losses, p, q


def loss_of(noise: RealValuedNoise, sensitivity: float) -> LossDistribution:
    """Return the privacy loss distribution of real-valued noise at a sensitivity > 0."""
    if isinstance(noise, GeneralizedGaussian):
        if noise.order > 1:
            return Smooth(noise, sensitivity)
        noise = TruncatedLaplace(noise.scale, inf)
    if not isinstance(noise, TruncatedLaplace):
        return MonotoneLoss(noise, sensitivity)
    if 2 * noise.bound <= sensitivity:  # always infinite
        return Atoms(np.zeros(1), np.zeros(1), 1.0)
    return Laplace(noise, sensitivity)


def _panels(edges: Array) -> tuple[Array, Array]:
    """Return nodes and weights of an integral over all intervals between the edges."""
    ascending = np.unique(edges)
    widths = np.diff(ascending)[:, None]
    nodes = ascending[:-1, None] + widths * tails.UNIT_NODES
    return nodes.ravel(), (widths * tails.UNIT_WEIGHTS).ravel()


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
    table = Smooth(GeneralizedGaussian(order), h).loss_at(nodes)
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
