"""The joint privacy loss distribution of many releases, by numerical convolution.

The losses L_i of independent releases add up. With P as in `loss_distribution`, this gives

    δ(ε) = E_P max(0, 1 - exp(ε - L_1 - … - L_k)).

**Pessimistic estimate**, an upper bound. The probability of a loss between two grid points is
divided between these points so that its total does not change, neither under P nor under Q. An
observer who ignores the choice of the point sees the original release. Therefore the loss on the
grid has at least the δ of the release (Doroshenko et al. 2022, "Connect the dots"). The tails, with
probabilities below `MAX_TAIL` δ/k, are moved to the lowest point and to infinity, which does not
decrease δ either. The grid of step h increases ε by about k(θ + 1)h²/12 = `TOLERANCE` ε, with the
exponent θ of Markov's inequality.

**Optimistic estimate**, a lower bound. An observer who sees only the sum, over all releases, of the
index of the grid cell that contains the loss sees post-processing, whose δ is not larger. For every
set A of sums, Pr_P(A) - exp(ε) Pr_Q(A) is at most δ(ε). The sets used here are the sums above a
threshold. The grid lowers this estimate by about as much as it raises the pessimistic one.

**Lattice.** If all losses are multiples of one number, the step is this number. The estimates then
differ only by rounding, with an allowance of `ROUNDING` k, and by the removed tails, which only the
pessimistic estimate counts in full.

The k-fold sum is computed as a power of the fast Fourier transform. Its rounding errors are about
1e-16 times the *largest* probability. Therefore the loss is first tilted by exp(θ L). After this,
the probabilities that determine δ are the largest ones, however small δ is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp, expm1, floor, inf, log, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy  # scipy.fft, optimize and signal, each loaded when it is first used (0.1 to 0.3 s)
from numpy.typing import NDArray

from ggexp.mechanisms.loss_distribution import Array, Atoms, LossDistribution, common_unit

TOLERANCE = 1e-7  # the relative increase of ε that the grid may cause
MAX_TAIL = 1e-10  # the fraction of δ that the removed tails may contain
LATTICE_TAIL = 1e-14  # the same fraction if all losses lie on a lattice
ROUNDING = 9e-17  # the relative rounding error of δ, for each release on a lattice
MIN_ROUNDING = 4e-13  # the smallest relative rounding error that is allowed for
LOSS_ROUNDING = 1e-15  # the relative rounding error of a loss that optimistic estimates allow for
MAX_POINTS_OF_RELEASE = 2**18  # the largest number of grid points for one release
MAX_POINTS = 2**22  # the largest number for the sum; a wider range has a coarser grid
MAX_LATTICE_POINTS = 2**24  # the largest number for the sum of losses on a lattice
MAX_GAP = 5e-7  # a finer grid is tried if the relative difference of the estimates of ε is larger
MAX_EXCESS = 5e-7  # the same for the difference between an attained and a computed trade-off curve
REFINEMENTS = 1, 8, 64  # factors by which successive grids are finer than the first
NEGLIGIBLE = 1e-9  # a value of θ or of δ that is negligible
MIN_PROBABILITY = 1e-300  # a smaller probability may have few digits
MIN_DELTA = 1e-290  # the smallest δ of a first, rough search
FIRST_CAP = 10.0  # the ε that determines the first cap on losses
MAX_TILT = 5e4  # the largest difference of the exponent θ L over the range of a loss
CHERNOFF_EXPONENT = 40.0  # the tilted sum may lie outside its range with probability exp(-40)

#: Privacy loss distributions, each with the number of its releases.
Parts = Sequence[tuple[LossDistribution, int]]


class Estimates(NamedTuple):
    """A lower and an upper bound on a number, up to rounding."""

    optimistic: float
    pessimistic: float

    @property
    def gap(self) -> float:
        """The difference of the estimates, at least 0."""
        return self.pessimistic - self.optimistic if self.pessimistic > self.optimistic else 0.0


def infinite(parts: Parts) -> float:
    """Return the probability that any loss is infinite, 1 - Π (1 - m)^k with m of one release."""
    return _probability_of_any((loss.infinite, count) for loss, count in parts)


def largest(parts: Parts) -> float:
    """Return the largest finite sum of losses, or infinity if the sums are unbounded."""
    if not all(loss.is_bounded for loss, _ in parts):
        return inf
    return float(sum(count * loss.range(0.0)[1] for loss, count in parts))


def epsilon(parts: Parts, delta: float, *, with_optimistic: bool = True) -> Estimates:
    """Return estimates of the smallest joint ε of all releases at δ.

    delta: below 1, at least k 1e-302 for k releases. with_optimistic: whether to compute
    the optimistic estimate, which takes as long as the pessimistic one; otherwise it is 0.
    """
    k = sum(count for _, count in parts)
    remaining = delta - infinite(parts)
    if remaining <= 0:
        return Estimates(inf, inf)
    basic = sum(count * loss.sufficient_epsilon(remaining / k) for loss, count in parts)
    if basic == 0:
        return Estimates(0.0, 0.0)
    # a loss beyond the cap counts as infinite, which increases δ by at most k exp(ε - cap)
    margin = log(k / (MAX_TAIL * remaining))
    is_bounded = all(loss.is_bounded for loss, _ in parts)
    cap = (basic if is_bounded else min(basic, FIRST_CAP)) + margin
    while True:
        estimates = _epsilon_with_cap(parts, delta, remaining, cap, with_optimistic)
        upper = estimates.pessimistic
        if upper + margin <= cap or cap >= basic + margin:
            return estimates._replace(pessimistic=min(basic, upper))
        cap = min(100 * cap if upper == inf else upper + margin + 1, basic + margin)


def delta(parts: Parts, epsilon: float) -> Estimates:
    """Return estimates of the smallest joint δ of all releases at ε >= 0."""
    at_infinity = infinite(parts)
    if at_infinity == 1 or epsilon >= largest(parts):
        return Estimates(at_infinity, at_infinity)
    # an observer who ignores the other releases sees post-processing
    of_one = max(loss.delta(epsilon) for loss, _ in parts)
    if of_one > 1 - NEGLIGIBLE:
        return Estimates(of_one, 1.0)
    losses = _Losses(parts, MIN_DELTA, epsilon - log(MIN_DELTA))
    _, log_delta = losses.minimize(lambda x: losses.log_markov(x, x * epsilon))
    rough = min(1.0, exp(max(log_delta, log(MIN_DELTA))))
    losses = _Losses(parts, MAX_TAIL * rough, epsilon - log(MAX_TAIL * rough / losses.count))
    theta, _ = losses.minimize(lambda x: losses.log_markov(x, x * epsilon))
    reference = max(epsilon, losses.sd)
    for tilted in _Tilted.on_finer_grids(losses, theta, reference):
        pessimistic = tilted.pessimistic(epsilon)
        error = tilted.rounding(epsilon, pessimistic.delta(epsilon, 0.0))
        lower = tilted.optimistic(epsilon).delta(epsilon * (1 + LOSS_ROUNDING), -error)
        upper = pessimistic.delta(epsilon, error)
        estimates = Estimates(max(at_infinity, lower), min(1.0, upper))
        if tilted.is_exact or estimates.gap <= MAX_GAP * reference * (theta + 1) * upper:
            break
    return estimates


def trade_off(parts: Parts) -> tuple[Array, Array]:
    """Return the corners of a trade-off curve that never exceeds the curve of all releases.

    The corners are false positive rates, ascending from 0, and their false negative rates,
    descending to 0. The curve is linear between the corners. A test that decides for P if the loss
    is at least x has the false positive rate Pr_Q(L >= x) and the false negative rate Pr_P(L < x).
    Tests with x > 0 give half of the curve, and an exchange of P and Q gives its mirror image.
    """
    losses = _Losses(parts, MAX_TAIL * NEGLIGIBLE, -log(MAX_TAIL * NEGLIGIBLE))
    grids = _Tilted.on_finer_grids(losses, NEGLIGIBLE, losses.sd or 1.0, REFINEMENTS[1:])
    for tilted in grids:
        upper_tail = tilted.pessimistic(0.0)
        is_positive = upper_tail.points > tilted.step / 2
        points, masses = upper_tail.points[is_positive][::-1], upper_tail.masses[is_positive][::-1]
        masses = upper_tail.scale * np.maximum(masses, 0)
        false_positive = np.append(0.0, np.cumsum(masses * np.exp(-points)))
        false_negative = 1 - upper_tail.infinite - np.append(0.0, np.cumsum(masses))
        curve = _mirrored(false_positive, np.maximum(false_negative, false_positive))
        if tilted.is_exact:
            break
        cells = tilted.cells(0.0)
        attained = _mirrored(cells.q[::-1], 1 - cells.infinite - cells.p[::-1])
        if (np.interp(curve[0], *attained) - curve[1]).max() < MAX_EXCESS:
            break
    return curve


def _mirrored(false_positive: Array, false_negative: Array) -> tuple[Array, Array]:
    """Return the whole curve from its corners with false positive rates up to 1/2."""
    return (
        np.append(false_positive, false_negative[::-1]),
        np.append(false_negative, false_positive[::-1]),
    )


def _epsilon_with_cap(
    parts: Parts, delta: float, remaining: float, cap: float, with_optimistic: bool
) -> Estimates:
    """Return estimates of ε at δ, of which ``remaining`` is for losses up to the cap."""
    losses = _Losses(parts, MAX_TAIL * remaining, cap)
    if any(top < bottom for bottom, top in losses.ranges):  # all losses of some release
        return Estimates(0.0, inf)
    theta, reference = losses.minimize(lambda x: losses.log_markov(x, log(remaining)) / x)
    if reference <= 0:
        return Estimates(0.0, 0.0)
    for tilted in _Tilted.on_finer_grids(losses, theta, reference):
        pessimistic = tilted.pessimistic(reference)
        if not with_optimistic:
            return Estimates(0.0, pessimistic.epsilon(delta, 0.0))
        error = tilted.rounding(reference, delta)
        upper = pessimistic.epsilon(delta, error)
        lower = tilted.optimistic(min(upper, reference)).epsilon(delta, -error)
        estimates = Estimates(lower * (1 - LOSS_ROUNDING), upper)
        if tilted.is_exact or estimates.gap <= MAX_GAP * estimates.pessimistic:
            break
    return estimates


class _Losses:
    """The losses of all releases, approximated by nodes, for the choice of a tilt and a grid."""

    def __init__(self, parts: Parts, omitted: float, cap: float) -> None:
        """omitted: the probability of omitted tails. cap: larger losses count as infinite."""
        self.parts = parts
        self.count = sum(count for _, count in parts)
        self.unit = common_unit([loss.unit for loss, _ in parts if loss.unit is not None])
        self.is_lattice = self.unit is not None and all(loss.is_lattice for loss, _ in parts)
        tail = (omitted if not self.is_lattice else omitted * LATTICE_TAIL / MAX_TAIL) / self.count
        # Pr(L < -x) <= exp(-x): losses below this point may be moved to it
        lowest = -log(self.count / omitted)
        ranges = (loss.range(tail) for loss, _ in parts)
        self.ranges = [(max(low, lowest), min(high, cap)) for low, high in ranges]
        self.nodes = []
        for (loss, _), (_, top) in zip(parts, self.ranges, strict=True):
            losses, logs = loss.nodes(tail)
            self.nodes.append((np.minimum(losses, top), logs - _log_sum_exp(logs)))
        widest = max(top - bottom for bottom, top in self.ranges)
        self._max_theta = MAX_TILT / widest if widest > 0 else MAX_TILT

    @property
    def sd(self) -> float:
        """The standard deviation of the sum of the losses."""
        variance = 0.0
        for (_, count), (losses, logs) in zip(self.parts, self.nodes, strict=True):
            weights = np.exp(logs)
            variance += count * float(weights @ (losses - weights @ losses) ** 2)
        return sqrt(variance)

    def log_markov(self, x: float, subtracted: float) -> float:
        """Return ln c E exp(x L) minus a number, for Markov's bound c E exp(x L - x ε) on δ(ε).

        c is the smallest number such that max(0, 1 - exp(-y)) <= c exp(x y) for all y.
        """
        terms = zip(self.parts, self._cumulants(x), strict=True)
        cumulant = sum(count * value for (_, count), value in terms)
        return cumulant - subtracted - log1p(x) - x * log1p(1 / x)

    def minimize(self, function: Callable[[float], float]) -> tuple[float, float]:
        """Return the minimizer x > 0 of a function with a single minimum, and the minimum."""
        bounds = (log(self._max_theta) - 40, log(self._max_theta))
        minimum = scipy.optimize.minimize_scalar(lambda x: function(exp(x)), bounds=bounds)
        return exp(minimum.x), float(minimum.fun)

    def tilted_range(self, theta: float) -> tuple[float, float]:
        """Return a range that contains the tilted sum with a probability close to 1 (Chernoff)."""
        at_theta = self._cumulants(theta)

        def rise(x: float) -> float:
            terms = zip(self.parts, self._cumulants(theta + x), at_theta, strict=True)
            total = sum(count * (after - before) for (_, count), after, before in terms)
            return total + CHERNOFF_EXPONENT

        high = self.minimize(lambda x: rise(x) / x)[1]
        low = -self.minimize(lambda x: rise(-x) / x)[1]
        ends = zip(self.parts, self.ranges, strict=True)
        bottom, top = np.sum([[k * a, k * b] for (_, k), (a, b) in ends], axis=0)
        return max(low, float(bottom)), min(high, float(top))

    def _cumulants(self, x: float) -> list[float]:
        """Return ln E exp(x L) for one release of each part."""
        return [_log_sum_exp(logs + x * losses) for losses, logs in self.nodes]


class _Tilted:
    """The sum of the losses on a grid, tilted by exp(θ L).

    step: the step of the grid. multiples: for each part, the number of steps between its points.
    is_exact: whether all losses are grid points.
    """

    @classmethod
    def on_finer_grids(
        cls,
        losses: _Losses,
        theta: float,
        reference: float,
        refinements: Sequence[int] = REFINEMENTS,
    ) -> Iterator["_Tilted"]:
        """Yield the sum on successively finer grids.

        The first is fine enough, unless ε is close to one of a few atoms: the error is O(h) there.
        """
        largest_size = 0
        for factor in refinements:
            tilted = cls(losses, theta, reference, TOLERANCE / factor**2)
            if tilted.size > largest_size:
                yield tilted
            largest_size = tilted.size

    def __init__(self, losses: _Losses, theta: float, reference: float, tolerance: float) -> None:
        """Use a grid that increases ε by about ``tolerance`` × ``reference``, a value near ε."""
        self.losses, self.theta = losses, theta
        low, high = losses.tilted_range(theta)
        self._choose_step(tolerance * reference, high - low)
        parts = zip(losses.parts, losses.ranges, self.multiples, strict=True)
        self.grids = [loss.on_grid(m * self.step, *ends) for (loss, _), ends, m in parts]
        # a bound, in steps, on the distance of the sum of points from the sum of losses (Hoeffding)
        terms = [(k, m) for (_, k), m in zip(losses.parts, self.multiples, strict=True)]
        error = ceil(min(sum(k * m for k, m in terms), 12 * sqrt(sum(k * m**2 for k, m in terms))))
        self.start = floor(low / self.step) - 1 - error
        sizes = [grid.masses.size for grid in self.grids]
        longest = max(m * size for m, size in zip(self.multiples, sizes, strict=True))
        needed = ceil(high / self.step) + 2 + error - self.start
        self.size = scipy.fft.next_fast_len(max(min(longest, MAX_POINTS), needed), real=True)

    def _choose_step(self, max_increase: float, width: float) -> None:
        """Set the step, the multiples and whether the grid is exact. width: of the tilted sum."""
        losses = self.losses
        divisors = [len(losses.parts) * count * (self.theta + 1) for _, count in losses.parts]
        steps = [sqrt(12 * max_increase / divisor) for divisor in divisors]
        step = max(min(steps), width / MAX_POINTS)
        self.multiples = [
            1 if loss.unit is not None else max(1, floor(own_step / step))
            for own_step, (loss, _) in zip(steps, losses.parts, strict=True)
        ]
        parts = zip(losses.parts, losses.ranges, self.multiples, strict=True)
        for (loss, _), (bottom, top), multiple in parts:
            max_points = MAX_POINTS if isinstance(loss, Atoms) else MAX_POINTS_OF_RELEASE
            step = max(step, (top - bottom) / (multiple * max_points))
        unit = losses.unit or 0.0
        self.is_exact = losses.is_lattice and width <= MAX_LATTICE_POINTS * unit
        if self.is_exact:
            step = unit
        elif unit >= step:  # atoms are grid points, and so is the largest sum of losses
            step = unit / ceil(unit / step)
        self.step = step

    def rounding(self, loss: float, delta: float) -> float:
        """Return the relative rounding error of the probabilities of the sum at a loss."""
        power_error = max(MIN_ROUNDING, ROUNDING * self.losses.count)
        power_error *= min(8.0, 1 / delta) if self.is_exact else 8.0
        return power_error + 4 * ROUNDING * self.theta * abs(loss)  # second term: of exp(θ x)

    def pessimistic(self, reference: float) -> "_Points":
        """Return the upper tail of the sum after removing the tilt, scaled at a reference loss."""
        terms = zip(self.grids, self.losses.parts, strict=True)
        at_infinity = _probability_of_any((grid.infinite, count) for grid, (_, count) in terms)
        return self._points("masses", reference, at_infinity)

    def optimistic(self, reference: float) -> "_Points | _Cells":
        """Return the upper tail of the sum of points or cells. reference: at least the ε sought."""
        if not self.is_exact:
            return self.cells(reference)
        at_infinity, at_infinity_q = self._above_grids(reference)
        return self._points("p", reference, at_infinity - at_infinity_q)

    def _points(self, name: str, reference: float, at_infinity: float) -> "_Points":
        """Return the upper tail of the sum of points. name: a field of `DiscretizedLoss`."""
        tilted, log_scale = self._sum(name, self.theta)
        # omit losses below 0, which are not needed, and losses where exp(-θ x) magnifies rounding
        begin = max(self.start, floor(max(0.0, reference - 50 / self.theta) / self.step) - 1)
        points = np.arange(begin, self.start + self.size) * self.step
        # the limit of 300 is for lattices, where the next lower point may be far below
        factors = np.exp(np.minimum(self.theta * (reference - points), 300))
        masses = tilted[begin - self.start :] * factors
        scale = exp(log_scale - self.theta * reference)
        return _Points(np.asarray(points), masses, scale, at_infinity, self.step)

    def cells(self, reference: float) -> "_Cells":
        """Return the upper tail of the sum of cells, from slightly below a reference loss."""
        shift = round(self._mean("p") - self._mean("masses"))  # cells begin below their losses
        start = self.start + shift
        threshold = round(reference / self.step) + shift  # close to the best threshold
        begin = max(start, threshold - ceil(10 * sqrt(self.losses.count)))  # may be past the end
        places = np.arange(begin - threshold, start + self.size - threshold, dtype=np.float64)
        points: Array = self.step * places
        tails = []
        for name, theta, growth in (("p", self.theta, 0.0), ("q", self.theta + 1, reference)):
            tilted, log_scale = self._sum(name, theta, shift)
            masses = tilted[begin - start :] * np.exp(-theta * points)
            scale = exp(log_scale - theta * threshold * self.step + growth)
            tails.append(np.cumsum(masses[::-1])[::-1] * scale)
        at_infinity, at_infinity_q = self._above_grids(reference)
        return _Cells(tails[0], tails[1] + at_infinity_q, reference, at_infinity)

    def _above_grids(self, reference: float) -> tuple[float, float]:
        """Return the probabilities of a loss above its grid, or an infinite loss, under P and Q.

        The probability under Q is multiplied by exp(reference).
        The grids of some losses end where their tail is negligible. Losses above such a grid are
        not counted if they are too likely under Q, and would lower δ at the reference.
        """
        under_p, under_q = [], []
        for grid, (loss, count) in zip(self.grids, self.losses.parts, strict=True):
            is_counted = grid.infinite > exp(min(reference, 700)) * grid.infinite_q
            under_p.append((grid.infinite if is_counted else loss.infinite, count))
            under_q.append((grid.infinite_q if is_counted else 0.0, count))
        q = _probability_of_any(under_q)
        return _probability_of_any(under_p), exp(reference + log(q)) if q else 0.0

    def _weights(self, name: str, theta: float) -> Iterator[tuple[int, Array, float]]:
        """Yield each part's first point, in steps, its tilted masses and their log scale."""
        for grid, multiple in zip(self.grids, self.multiples, strict=True):
            masses = getattr(grid, name)
            indices = np.arange(grid.first, grid.first + masses.size)
            tilts = theta * self.step * multiple * indices
            with np.errstate(divide="ignore"):
                logs = np.log(masses)
                if name == "q":  # a probability that underflows is at most exp(-point) p
                    bounds = np.log(grid.p) - self.step * multiple * indices
                    logs = np.where(masses < MIN_PROBABILITY, bounds, logs)
            logs += tilts
            log_total = _log_sum_exp(logs)
            weights = np.exp(logs - log_total)
            if tilts.max() < 700:  # recompute: a log total near 0 has lost digits
                mass = masses.sum()
                log_total = log1p(masses @ np.expm1(tilts) / mass)
                if name == "masses":
                    log_total += log1p(-grid.infinite)
                elif name == "p" and self.is_exact:  # without losses below the grid
                    log_total += log1p(-grid.infinite - float((grid.masses - masses).sum()))
                else:
                    log_total += log(mass)
            yield multiple * grid.first, weights, log_total

    def _mean(self, name: str) -> float:
        """Return the mean of the tilted sum, in steps."""
        terms = zip(self.losses.parts, self.multiples, self._weights(name, self.theta), strict=True)
        return sum(
            count * (first + multiple * float(np.arange(weights.size) @ weights))
            for (_, count), multiple, (first, weights, _) in terms
        )

    def _sum(self, name: str, theta: float, shift: int = 0) -> tuple[Array, float]:
        """Return the tilted sum's probabilities, from start + shift on, and their log scale."""
        # the probability of the sum x is exp(log scale - θ x) times its tilted probability
        spectrum: Any = 1.0
        log_scale, offset = 0.0, 0
        terms = zip(self.losses.parts, self.multiples, self._weights(name, theta), strict=True)
        for (_, count), multiple, (first_point, weights, log_total) in terms:
            places = multiple * np.arange(weights.size) % self.size
            transform = scipy.fft.rfft(np.bincount(places, weights, self.size))
            transform /= transform[0].real  # the power would amplify an error of the total
            spectrum = spectrum * _power(transform, count)
            log_scale += count * log_total
            offset += count * first_point
        tilted = scipy.fft.irfft(spectrum, self.size)
        return np.roll(tilted, (offset - self.start - shift) % self.size), log_scale


@dataclass(frozen=True)
class _Points:
    """The upper tail of a sum on a grid.

    points: losses. masses: their probabilities, in units of the scale. infinite: the probability of
    an infinite loss.
    """

    points: Array
    masses: Array
    scale: float
    infinite: float
    step: float

    def epsilon(self, delta: float, error: float) -> float:
        """Return the ε at δ, raised for a relative error of the probabilities (lowered if < 0)."""
        remaining = delta - self.infinite
        if remaining <= 0:
            return inf
        above = np.cumsum(self.masses[::-1])[::-1]
        decay = [1.0, -exp(-self.step)]
        discounted = scipy.signal.lfilter([1.0], decay, self.masses[::-1])[::-1]  # Σ exp(point - x)
        remaining /= self.scale
        exceeding = np.flatnonzero(above * (1 + error) - discounted * (1 - error) > remaining)
        if exceeding.size == 0:
            return 0.0
        i = min(int(exceeding[-1]) + 1, self.points.size - 1)
        ratio = (above[i] * (1 + error) - remaining) / (discounted[i] * (1 - error))
        return max(0.0, float(self.points[i]) + max(log(ratio) if ratio > 0 else -inf, -self.step))

    def delta(self, epsilon: float, error: float) -> float:
        """Return the δ at ε, raised for a relative error of the probabilities (lowered if < 0)."""
        excess = -np.expm1(np.minimum(epsilon - self.points, 0))
        return self.infinite + self.scale * float(self.masses @ excess) * (1 + error)


@dataclass(frozen=True)
class _Cells:
    """The upper tail of a sum of cell indices. Its δ is at most the exact δ.

    The sets of outcomes are the sums from a cell on, and all outcomes with an infinite loss, or
    with a loss far above all others.
    p: Pr(sum >= cell, no loss above a grid) under P. q: the probability of the set under Q, divided
    by exp(-reference). infinite: the probability under P of the outcomes that all sets contain.
    """

    p: Array
    q: Array
    reference: float
    infinite: float

    def epsilon(self, delta: float, error: float) -> float:
        """Return the ε at δ, raised for a relative error of the probabilities (lowered if < 0).

        delta: above `infinite`.
        """
        excess = self.p * (1 + error) - (delta - self.infinite)
        is_positive = excess > 0
        if not is_positive.any():
            return 0.0
        with np.errstate(divide="ignore", over="ignore"):
            ratios = excess[is_positive] / (self.q[is_positive] * (1 - error))
        return max(0.0, self.reference + float(np.log(ratios).max()))

    def delta(self, epsilon: float, error: float) -> float:
        """Return the δ at ε, raised for a relative error of the probabilities (lowered if < 0)."""
        under_q = exp(epsilon - self.reference) * self.q
        excess = self.p * (1 + error) - under_q * (1 - error)
        return self.infinite + float(excess.max(initial=-inf))


def _probability_of_any(events: Iterable[tuple[float, int]]) -> float:
    """Return the probability of any of independent events: pairs of probability and number."""
    return 0.0 - expm1(sum(count * log1p(-p) if p < 1 else -inf for p, count in events))


def _power(values: NDArray[np.complex128], k: int) -> NDArray[np.complex128]:
    """Return the k-th power of each value by squaring, much faster than numpy for k >= 100."""
    result = values if k % 2 else np.ones_like(values)
    while k := k // 2:
        values = values * values
        if k % 2:
            result = result * values
    return result


def _log_sum_exp(values: Array) -> float:
    """Return ln Σ exp(x), four times as fast as scipy (this is called thousands of times)."""
    largest = float(values.max())
    return largest + log(np.exp(values - largest).sum())
