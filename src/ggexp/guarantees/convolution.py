"""The privacy loss distribution of many releases together, by numerical convolution.

The losses L of independent releases add up, so that under the P of each (`loss_distribution`)

    δ(ε) = E_P max(0, 1 - exp(ε - L_1 - … - L_k)).

**Upper bound.** Each loss is put on a grid: a loss between two points is shared between them so
that its probability under P and under Q stays the same. Forgetting which of the two points was
taken gives the original release. Therefore the grid has at least the δ of the release, at every ε
and any k (Doroshenko et al. 2022, "Connect the dots"). The tails, of probabilities below `LOST`
δ/k, move to the lowest point and to infinity, which does not lower δ either. The grid adds about
k(θ + 1)h²/12 to ε, with its step h and the exponent θ of a bound by Markov's inequality. The step
is chosen so that this is `TOLERANCE` ε.

**Lower bound.** The observer of a release sees only the grid cell of its loss, and the observer of
all releases only the sum of the cells' numbers. This is post-processing, so that its δ is no
larger. The sum has a distribution under P and one under Q, and Pr_P(A) - exp(ε) Pr_Q(A) is at most
δ(ε) for every set A of sums. The sets used are the sums above a threshold. The grid subtracts about
as much from ε as it adds to the upper bound.

**Lattice.** If all losses are multiples of one number, this number is the step. Both bounds are
then the exact δ up to rounding, for which `ROUNDING` k is allowed.

The k-fold sum is a power of the fast Fourier transform. Its rounding errors are 1e-16 of the
*largest* probability. Therefore the loss is first tilted by exp(θ L), which makes the probabilities
that determine δ the largest, however small δ is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp, expm1, floor, inf, log, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from ggexp.guarantees.loss_distribution import Array, Atoms, LossDistribution, common_unit

TOLERANCE = 1e-7  # the share of ε that the grid may add
LOST = 1e-10  # the share of δ that is lost with the tails
LOST_OF_LATTICE = 1e-14
ROUNDING = 9e-17  # the share of δ, for each release on a lattice
MIN_ROUNDING = 4e-13
SINGLE = 2**18  # the most points of the grid for one release
LONGEST = 2**22  # and for their sum; a coarser grid avoids more
LONGEST_LATTICE = 2**24
GAP = 5e-7  # a finer grid is tried if the bounds of ε differ by more than this share
FINER = 1, 8, 64  # factors by which grids are finer than the first
UNTILTED = 1e-9  # a negligible exponent of a tilt, and a negligible δ
MIN_DELTA = 1e-290  # the first δ of the search
FIRST = 10.0  # the first limit of losses, an ε
STEEPEST = 5e4  # the largest exponent of the tilt over the whole range of a loss
OUTSIDE = 40.0  # exp(-OUTSIDE) of the tilted sum may lie outside of its range

#: Privacy loss distributions, each with the number of its releases.
Parts = Sequence[tuple[LossDistribution, int]]


class Enclosure(NamedTuple):
    """A lower and an upper bound of a number, up to rounding."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """The difference of the bounds."""
        return self.upper - self.lower if self.upper > self.lower else 0.0


def infinite(parts: Parts) -> float:
    """Return the probability that some loss is infinite, 1 - Π (1 - m)^k."""
    return _any((loss.infinite, count) for loss, count in parts)


def largest(parts: Parts) -> float:
    """Return the largest finite sum of losses, infinity if there is none."""
    if not all(loss.is_bounded for loss, _ in parts):
        return inf
    return float(sum(count * loss.range(0.0)[1] for loss, count in parts))


def epsilon(parts: Parts, delta: float, *, both: bool = True) -> Enclosure:
    """Return bounds of the smallest ε of all releases together at δ.

    delta: below 1, at least k 1e-302 for k releases. both: whether to compute the lower bound,
    which takes as long as the upper one; otherwise it is 0.
    """
    k = sum(count for _, count in parts)
    left = delta - infinite(parts)
    if left <= 0:
        return Enclosure(inf, inf)
    basic = sum(count * loss.basic(left / k) for loss, count in parts)
    if basic == 0:
        return Enclosure(0.0, 0.0)
    # a loss beyond the cap counts as infinite, which costs at most k exp(ε - cap) of δ
    room = log(k / (LOST * left))
    is_bounded = all(loss.is_bounded for loss, _ in parts)
    cap = (basic if is_bounded else min(basic, FIRST)) + room
    while True:
        found = _epsilon_below(parts, delta, left, cap, both)
        if found.upper + room <= cap or cap >= basic + room:
            return found._replace(upper=min(basic, found.upper))
        cap = min(100 * cap if found.upper == inf else found.upper + room + 1, basic + room)


def delta(parts: Parts, epsilon: float) -> Enclosure:
    """Return bounds of the smallest δ of all releases together at ε >= 0."""
    always = infinite(parts)
    if epsilon >= largest(parts) or always == 1:
        return Enclosure(always, always)
    losses = _Losses(parts, MIN_DELTA, epsilon - log(MIN_DELTA))
    _, log_delta = losses.least(lambda x: _log_delta(losses, x, epsilon))
    lost = min(1.0, exp(max(log_delta, log(MIN_DELTA))))
    losses = _Losses(parts, LOST * lost, epsilon - log(LOST * lost / losses.count))
    theta, _ = losses.least(lambda x: _log_delta(losses, x, epsilon))
    near = max(epsilon, losses.sd)
    for tilted in _Tilted.on_finer_grids(losses, theta, near):
        from_above = tilted.from_above(epsilon)
        from_below = from_above if tilted.is_exact else tilted.from_below(epsilon)
        share = tilted.rounding(epsilon, from_above.delta(epsilon, 0.0))
        lower, upper = from_below.delta(epsilon, -share), from_above.delta(epsilon, share)
        found = Enclosure(max(always, lower), min(1.0, upper))
        if tilted.is_exact or found.gap <= GAP * near * (theta + 1) * upper:
            break
    return found


def trade_off(parts: Parts) -> tuple[Array, Array]:
    """Return the corners of a trade-off curve that is nowhere above that of all releases.

    They are false positive rates, ascending from 0, and a false negative rate for each, descending
    to 0. The curve is linear between them. The test that decides for P if the loss is at least x
    has the rates Pr_Q(L >= x) and Pr_P(L < x). Tests with x > 0 give one half of the curve. The
    other half is its mirror image, because P and Q may be exchanged.
    """
    losses = _Losses(parts, LOST * UNTILTED, -log(LOST * UNTILTED))
    tilted = _Tilted(losses, UNTILTED, losses.sd or 1.0, TOLERANCE / FINER[1] ** 2)
    end = tilted.from_above(0.0)
    is_positive = end.points > tilted.step / 2
    points, chances = end.points[is_positive][::-1], end.chances[is_positive][::-1]
    chances = end.scale * np.maximum(chances, 0)
    positive = np.append(0.0, np.cumsum(chances * np.exp(-points)))
    negative = np.maximum(1 - end.infinite - np.append(0.0, np.cumsum(chances)), positive)
    return np.append(positive, negative[::-1]), np.append(negative, positive[::-1])


def _log_delta(losses: "_Losses", x: float, epsilon: float) -> float:
    """Return the logarithm of Markov's bound of δ: max(0, 1 - exp(-y)) <= c exp(x y), least c."""
    return losses.cumulant(x) - x * epsilon - log1p(x) - x * log1p(1 / x)


def _epsilon_below(parts: Parts, delta: float, left: float, cap: float, both: bool) -> Enclosure:
    """Return bounds of ε at δ; in the upper bound, a loss beyond the cap counts as infinite.

    left: δ minus the probability of an infinite loss.
    """
    losses = _Losses(parts, LOST * left, cap)
    if losses.are_beyond:
        return Enclosure(0.0, inf)
    # Markov's bound: max(0, 1 - exp(-y)) <= c exp(x y), with the least c
    theta, near = losses.least(
        lambda x: (losses.cumulant(x) - log(left) - log1p(x) - x * log1p(1 / x)) / x
    )
    if near <= 0:
        return Enclosure(0.0, 0.0)
    for tilted in _Tilted.on_finer_grids(losses, theta, near):
        from_above = tilted.from_above(near)
        if not both:
            return Enclosure(0.0, from_above.epsilon(delta, 0.0))
        share = tilted.rounding(near, delta)
        upper = from_above.epsilon(delta, share)
        from_below = from_above if tilted.is_exact else tilted.from_below(min(upper, near))
        found = Enclosure(from_below.epsilon(delta, -share), upper)
        if tilted.is_exact or found.gap <= GAP * found.upper:
            break
    return found


class _Losses:
    """The losses of all releases, approximated by nodes, for the choice of a tilt and a grid."""

    def __init__(self, parts: Parts, lost: float, cap: float) -> None:
        """lost: a probability that is negligible. cap: larger losses count as infinite."""
        self.parts = parts
        self.count = sum(count for _, count in parts)
        self.unit = common_unit([loss.unit for loss, _ in parts if loss.unit is not None])
        self.is_lattice = self.unit is not None and all(loss.is_lattice for loss, _ in parts)
        tail = (lost if not self.is_lattice else lost * LOST_OF_LATTICE / LOST) / self.count
        # Pr(L < -x) <= exp(-x): smaller losses may be moved to the lowest point
        least = -log(self.count / lost)
        ranges = (loss.range(tail) for loss, _ in parts)
        self.ranges = [(max(low, least), min(high, cap)) for low, high in ranges]
        self.nodes = []
        for (loss, _), (_, top) in zip(parts, self.ranges, strict=True):
            losses, logs = loss.nodes(tail)
            self.nodes.append((np.minimum(losses, top), logs - _log_sum_exp(logs)))
        widest = max(top - bottom for bottom, top in self.ranges)
        self._steepest = STEEPEST / widest if widest > 0 else STEEPEST

    @property
    def are_beyond(self) -> bool:
        """Whether some loss is always beyond the cap."""
        return any(top < bottom for bottom, top in self.ranges)

    @property
    def sd(self) -> float:
        """The standard deviation of their sum."""
        variance = 0.0
        for (_, count), (losses, logs) in zip(self.parts, self.nodes, strict=True):
            weights = np.exp(logs)
            variance += count * float(weights @ (losses - weights @ losses) ** 2)
        return sqrt(variance)

    def cumulant(self, x: float) -> float:
        """Return ln E exp(x L) of the sum L."""
        terms = zip(self.parts, self._cumulants(x), strict=True)
        return sum(count * value for (_, count), value in terms)

    def least(self, function: Callable[[float], float]) -> tuple[float, float]:
        """Return the minimizer of a function of x > 0 with one minimum, and its value there."""
        from scipy.optimize import minimize_scalar

        bounds = (log(self._steepest) - 40, log(self._steepest))
        found = minimize_scalar(lambda x: function(exp(x)), bounds=bounds, method="bounded")
        return exp(found.x), float(found.fun)

    def within(self, theta: float) -> tuple[float, float]:
        """Return a range that the sum, tilted by exp(θ L), hardly leaves, by Chernoff's bound."""
        at_theta = self._cumulants(theta)

        def rise(x: float) -> float:
            terms = zip(self.parts, self._cumulants(theta + x), at_theta, strict=True)
            return sum(count * (after - before) for (_, count), after, before in terms) + OUTSIDE

        high = self.least(lambda x: rise(x) / x)[1]
        low = -self.least(lambda x: rise(-x) / x)[1]
        ends = zip(self.parts, self.ranges, strict=True)
        bottom, top = np.sum([[k * least, k * most] for (_, k), (least, most) in ends], axis=0)
        return max(low, float(bottom)), min(high, float(top))

    def _cumulants(self, x: float) -> list[float]:
        """Return ln E exp(x L) of one release of each part."""
        return [_log_sum_exp(logs + x * losses) for losses, logs in self.nodes]


class _Tilted:
    """The sum of the losses on a grid, tilted by exp(θ L).

    step: of the grid. multiples: the number of steps between the points of each part.
    is_exact: whether all losses are points.
    """

    @classmethod
    def on_finer_grids(cls, losses: _Losses, theta: float, near: float) -> Iterator["_Tilted"]:
        """Yield the sum on finer and finer grids; the first suffices unless there are few atoms.

        If the sum itself has atoms, and ε is near one, a grid adds to ε in proportion to h.
        """
        longest = 0
        for finer in FINER:
            tilted = cls(losses, theta, near, TOLERANCE / finer**2)
            if tilted.size > longest:
                yield tilted
            longest = tilted.size

    def __init__(self, losses: _Losses, theta: float, near: float, tolerance: float) -> None:
        """near: a number to which the grid may add the share tolerance."""
        self.losses, self.theta = losses, theta
        low, high = losses.within(theta)
        self._choose_step(tolerance * near, high - low)
        self.grids = [
            loss.on_grid(multiple * self.step, *ends)
            for (loss, _), ends, multiple in zip(
                losses.parts, losses.ranges, self.multiples, strict=True
            )
        ]
        # the distance of the sum of points from the sum of losses, by Hoeffding's inequality
        terms = [(k, m) for (_, k), m in zip(losses.parts, self.multiples, strict=True)]
        away = ceil(min(sum(k * m for k, m in terms), 12 * sqrt(sum(k * m**2 for k, m in terms))))
        self.start = floor(low / self.step) - 1 - away
        longest = max(
            multiple * grid.masses.size
            for multiple, grid in zip(self.multiples, self.grids, strict=True)
        )
        needed = ceil(high / self.step) + 2 + away - self.start
        self.size = next_fast_len(max(min(longest, LONGEST), needed), real=True)

    def _choose_step(self, added: float, width: float) -> None:
        """Set the step, the multiples and whether the grid is exact.

        added: the amount that the grid may add to ε. width: of the tilted sum.
        """
        losses = self.losses
        shares = [len(losses.parts) * count * (self.theta + 1) for _, count in losses.parts]
        steps = [sqrt(12 * added / share) for share in shares]
        step = max(min(steps), width / LONGEST)
        self.multiples = [
            1 if loss.unit is not None else max(1, floor(own / step))
            for own, (loss, _) in zip(steps, losses.parts, strict=True)
        ]
        parts = zip(losses.parts, losses.ranges, self.multiples, strict=True)
        for (loss, _), (bottom, top), multiple in parts:
            most = LONGEST if isinstance(loss, Atoms) else SINGLE
            step = max(step, (top - bottom) / (multiple * most))
        unit = losses.unit or 0.0
        self.is_exact = losses.is_lattice and width <= LONGEST_LATTICE * unit
        if self.is_exact:
            step = unit
        elif unit >= step:  # atoms are points, so that the largest total loss is a point of the sum
            step = unit / ceil(unit / step)
        self.step = step

    def rounding(self, at: float, delta: float) -> float:
        """Return the share by which rounding may change the probabilities of the sum at a loss."""
        of_power = max(MIN_ROUNDING, ROUNDING * self.losses.count)
        of_power *= min(8.0, 1 / delta) if self.is_exact else 8.0
        return of_power + 4 * ROUNDING * self.theta * abs(at)  # the last term is for exp(θ x)

    def from_above(self, near: float) -> "_FromAbove":
        """Return the upper end of the tilted sum, scaled at a loss nearby."""
        tilted, log_scale = self._sum("masses", self.theta)
        # losses below 0 are not needed, nor those at which exp(-θ x) would magnify rounding errors
        begin = max(self.start, floor(max(0.0, near - 50 / self.theta) / self.step) - 1)
        points = np.arange(begin, self.start + self.size) * self.step
        # on a lattice the point below may be far down
        chances = tilted[begin - self.start :] * np.exp(
            np.minimum(self.theta * (near - points), 300)
        )
        terms = zip(self.grids, self.losses.parts, strict=True)
        always = _any((grid.infinite, count) for grid, (_, count) in terms)
        scale = exp(log_scale - self.theta * near)
        return _FromAbove(np.asarray(points), chances, scale, always, self.step)

    def from_below(self, at: float) -> "_FromBelow":
        """Return the upper end of the tilted sum of cells, from slightly below a loss on."""
        moved = round(self._mean("p") - self._mean("masses"))  # cells begin below their losses
        start = self.start + moved
        place = round(at / self.step) + moved  # about the best threshold
        begin = max(start, place - ceil(10 * sqrt(self.losses.count)))
        points: Array = self.step * np.arange(
            begin - place, start + self.size - place, dtype=np.float64
        )
        tails = []
        for what, theta, growth in (("p", self.theta, 0.0), ("q", self.theta + 1, at)):
            tilted, log_scale = self._sum(what, theta, moved)
            chances = tilted[begin - start :] * np.exp(-theta * points)
            scale = exp(log_scale - theta * place * self.step + growth)
            tails.append(np.cumsum(chances[::-1])[::-1] * scale)
        return _FromBelow(tails[0], tails[1], at, infinite(self.losses.parts))

    def _weights(self, what: str, theta: float) -> Iterator[tuple[int, Array, float]]:
        """Yield each part's first point, in steps, its tilted probabilities and their log scale.

        what: the name of a field of the grid.
        """
        for grid, multiple in zip(self.grids, self.multiples, strict=True):
            masses = getattr(grid, what)
            numbers = np.arange(grid.first, grid.first + masses.size)
            tilts = theta * self.step * multiple * numbers
            with np.errstate(divide="ignore"):
                logs = np.log(masses) + tilts
            total = _log_sum_exp(logs)
            weights = np.exp(logs - total)
            if tilts.max() < 700:  # a small total has lost its digits above
                whole = masses.sum()
                total = log1p(masses @ np.expm1(tilts) / whole)
                total += log1p(-grid.infinite) if what == "masses" else log(whole)
            yield multiple * grid.first, weights, total

    def _mean(self, what: str) -> float:
        """Return the mean of the tilted sum, in steps."""
        terms = zip(self.losses.parts, self.multiples, self._weights(what, self.theta), strict=True)
        return sum(
            count * (first + multiple * float(np.arange(weights.size) @ weights))
            for (_, count), multiple, (first, weights, _) in terms
        )

    def _sum(self, what: str, theta: float, moved: int = 0) -> tuple[Array, float]:
        """Return the probabilities of the tilted sum, from the moved start on, and their log scale.

        The probability of the sum x is exp(log scale - θ x) times its tilted one.
        """
        spectrum: Any = 1.0
        log_scale, first = 0.0, 0
        terms = zip(self.losses.parts, self.multiples, self._weights(what, theta), strict=True)
        for (_, count), multiple, (of_part, weights, total) in terms:
            places = multiple * np.arange(weights.size) % self.size
            one = rfft(np.bincount(places, weights, self.size))
            one /= one[0].real  # because an error of their sum would be multiplied
            spectrum = spectrum * _power(one, count)
            log_scale += count * total
            first += count * of_part
        tilted = irfft(spectrum, self.size)
        return np.roll(tilted, (first - self.start - moved) % self.size), log_scale


@dataclass(frozen=True)
class _FromAbove:
    """The upper end of a sum on a grid, whose δ is no smaller than the exact one.

    points: losses. chances: probabilities, in units of the scale. infinite: that of an infinite
    loss.
    """

    points: Array
    chances: Array
    scale: float
    infinite: float
    step: float

    def epsilon(self, delta: float, share: float) -> float:
        """Return the ε at δ, with probabilities increased by a share."""
        from scipy.signal import lfilter  # takes 0.3 s to load

        left = delta - self.infinite
        if left <= 0:
            return inf
        above = np.cumsum(self.chances[::-1])[::-1]
        falls = [1.0, -exp(-self.step)]
        discounted = lfilter([1.0], falls, self.chances[::-1])[::-1]  # Σ exp(point - x)
        left /= self.scale
        reached = np.flatnonzero(above - discounted > left)
        if reached.size == 0:
            return 0.0
        i = min(int(reached[-1]) + 1, self.points.size - 1)
        ratio = (above[i] * (1 + share) - left) / (discounted[i] * (1 - share))
        return max(0.0, float(self.points[i]) + log(ratio))

    def delta(self, epsilon: float, share: float) -> float:
        """Return the δ at ε, with probabilities increased by a share."""
        excess = -np.expm1(np.minimum(epsilon - self.points, 0))
        return self.infinite + self.scale * float(self.chances @ excess) * (1 + share)


@dataclass(frozen=True)
class _FromBelow:
    """The upper end of a sum of cells, whose δ is no larger than the exact one.

    p, q: Pr(sum >= cell), under P for finite losses, and under Q in units of exp(-at).
    """

    p: Array
    q: Array
    at: float
    infinite: float

    def epsilon(self, delta: float, share: float) -> float:
        """Return the ε at δ, which is above `infinite`, with probabilities increased by a share."""
        excess = self.p * (1 + share) - (delta - self.infinite)
        is_there = excess > 0
        if not is_there.any():
            return 0.0
        ratios = excess[is_there] / (self.q[is_there] * (1 - share))
        return max(0.0, self.at + float(np.log(ratios).max()))

    def delta(self, epsilon: float, share: float) -> float:
        """Return the δ at ε, with probabilities increased by a share."""
        under_q = exp(epsilon - self.at) * self.q
        excess = self.p * (1 + share) - under_q * (1 - share)
        return self.infinite + max(0.0, float(excess.max()))


def _any(chances: Iterable[tuple[float, int]]) -> float:
    """Return the probability of any of independent events, given their probability and number."""
    return 0.0 - expm1(
        sum(count * log1p(-chance) if chance < 1 else -inf for chance, count in chances)
    )


def _power(values: NDArray[np.complex128], k: int) -> NDArray[np.complex128]:
    """Return the k-th power of each value, by squaring: much faster than numpy from k = 100 on."""
    result = values if k % 2 else np.ones_like(values)
    while k := k // 2:
        values = values * values
        if k % 2:
            result = result * values
    return result


def _log_sum_exp(values: Array) -> float:
    """Return ln Σ exp(x), called many thousand times; scipy's takes four times as long."""
    largest = float(values.max())
    return largest + log(np.exp(values - largest).sum())
