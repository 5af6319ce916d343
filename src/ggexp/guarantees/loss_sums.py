"""The privacy loss of many releases together, by numerical convolution.

Of k independent releases with GG noise the losses L add up, and with P the noise and Q its
neighbour's

    δ(ε) = E_P max(0, 1 - exp(ε - L_1 - … - L_k)).

The loss of one release is put on a grid: what lies between two points is shared between them so
that its probability stays the same under P and under Q. The original noise is the result of
forgetting which of the two it was, so the grid has at least its δ, at every ε and any k (Doroshenko
et al. 2022, "Connect the dots"). So has moving the tails, of probabilities below `LOST` δ/k, to the
lowest point and to infinity. From δ/k = 1e-297 down to 1e-302 they lose up to 1e-5 of δ instead.
The grid adds about k(θ + 1)h²/12 to ε, with h its step and θ the exponent of a bound by Markov's
inequality, and h is chosen for that to be `TOLERANCE` ε.

The k-fold sum is a power of the fast Fourier transform. Its rounding errors are 1e-16 of the
*largest* probability, so the loss is tilted by exp(θ L) first, which makes what decides about δ the
largest, however small δ is.
"""

from collections.abc import Callable
from math import ceil, exp, expm1, floor, inf, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import gammaincc

from ggexp.mechanisms import privacy_loss
from ggexp.mechanisms.tails import BEYOND, inner, upper_point

TOLERANCE = 1e-7  # of ε, that the grid may add to it
LOST = 1e-10  # of δ, that is lost with the tails
END = 1e-307  # no tail is smaller: there are few digits left
NODES = 4001  # of the noise, from which tilt, grid and range are chosen
SINGLE = 2**18  # points of the grid for one release, at most
LONGEST = 2**22  # and for their sum: a coarser grid takes their place
FIRST = 10.0  # ε, up to which losses are considered first
STEEPEST = 5e4  # exponent of the tilt over the whole range of a loss, at most
OUTSIDE = 40.0  # exp(-OUTSIDE) of the tilted sum may lie outside of its range

Array = NDArray[np.float64]


def epsilon(*, order: float, h: float, k: int, delta: float) -> float:
    """Return an upper bound, and nearly the smallest, of the ε of k releases together at δ.

    order: p >= 1. h: Δ/b, by how much a record moves each statistic, over the scale of the noise.
    k: releases, at least 2. delta: at least k 1e-302, below 1.
    """
    basic = k * privacy_loss.epsilon(order=order, scale=1.0, delta=delta / k, sensitivity=h)
    if basic == 0:
        return 0.0
    # a loss beyond the cap counts as infinite, which costs at most k exp(ε - cap) of δ
    room = log(k / (LOST * delta))
    cap = (basic if order == 1 else min(basic, FIRST)) + room  # order 1 has no loss beyond h
    while True:
        found = _capped(order, h, k, delta, cap)
        if found + room <= cap or cap >= basic + room:
            return min(basic, found)
        cap = min(100 * cap if found == inf else found + room + 1, basic + room)


def _capped(order: float, h: float, k: int, delta: float, cap: float) -> float:
    """Return the ε at δ where a loss beyond the cap counts as infinite."""
    reach = upper_point(order, max(LOST * delta / k, END))
    bottom, top = (float(loss) for loss in loss_at(np.array([-reach, reach]), order, h))
    top = min(top, cap)
    if top <= bottom:
        return inf

    noise = np.linspace(-reach, reach, NODES)
    losses = np.minimum(loss_at(noise, order, h), top)
    logs = -(np.abs(noise) ** order)
    logs -= _log_sum_exp(logs)

    def cumulant(x: float) -> float:  # ln E exp(x L)
        return _log_sum_exp(logs + x * losses)

    def bound(x: float) -> float:  # on ε: max(0, 1 - exp(-y)) <= c exp(x y), with the least c
        return (k * cumulant(x) - log(delta) - log1p(x) - x * log1p(1 / x)) / x

    steepest = STEEPEST / (top - bottom)
    theta, near = _least(bound, steepest)
    if near <= 0:
        return 0.0
    at_theta = cumulant(theta)
    high = _least(lambda x: (k * (cumulant(theta + x) - at_theta) + OUTSIDE) / x, steepest)[1]
    low = -_least(lambda x: (k * (cumulant(theta - x) - at_theta) + OUTSIDE) / x, steepest)[1]
    low, high = max(low, k * bottom), min(high, k * top)

    step = sqrt(12 * TOLERANCE * near / (k * (theta + 1)))
    step = max(step, (top - bottom) / SINGLE, (high - low) / LONGEST)
    if order == 1:  # the largest losses, ± h, are points of the grid, so that k h is the largest ε
        step = h / ceil(h / step)
    first, masses, infinite = on_grid(order, h, step, bottom, top)
    return _solve(first, masses, infinite, step, k, delta, theta, near, low, high)


def on_grid(
    order: float, h: float, step: float, bottom: float, top: float
) -> tuple[int, Array, float]:
    """Return the number of the first grid point, the probabilities of all, and that of infinity.

    The points are multiples of the step, from at most ``bottom`` to at least ``top``.
    """
    if order == 1:
        first, last = -round(h / step), round(h / step)
    else:
        first, last = floor(bottom / step), ceil(top / step)
    points = np.arange(first, last + 1, dtype=np.float64) * step
    edges = noise_at(points, order, h)
    p, q = (_probabilities(order, edges + shift) for shift in (0.0, h))
    # of each piece between two points, what goes to the upper one: exp(-L) keeps its mean
    upper = p[1:-1] - q[1:-1] * np.exp(np.minimum(points[:-1], 700.0))
    upper = np.clip(upper / -expm1(-step), 0, p[1:-1])
    masses = np.zeros(points.size)
    masses[1:] += upper
    masses[:-1] += p[1:-1] - upper
    masses[0] += p[0]
    if order == 1:  # no loss exceeds h
        masses[-1] += p[-1]
        return first, masses, 0.0
    return first, masses, float(p[-1])


def loss_at(noise: Array, order: float, h: float) -> Array:
    """Return the privacy loss |u + h|^p - |u|^p of noise u in units of the scale."""
    with np.errstate(over="ignore", invalid="ignore"):
        losses = np.abs(noise + h) ** order - np.abs(noise) ** order
    return np.where(np.isnan(losses), np.copysign(inf, noise), losses)


def noise_at(losses: Array, order: float, h: float) -> Array:
    """Return the noise u, in units of the scale, at which the privacy loss has these values.

    losses: ascending. Newton's method between the neighbours in a table of the loss. Of order 1,
    where it is -h and h at more than one point, u is the inner end.
    """
    if order == 1:
        return (np.clip(losses, -h, h) - h) / 2
    largest = np.abs(losses).max()
    end = min(privacy_loss.where_loss_is(float(largest), order, h), BEYOND ** (1 / order)) + h
    half = np.concatenate([np.linspace(-h / 2, end, NODES), np.geomspace(1e-9, 1, 200) * end])
    half = np.unique(half)
    table = loss_at(half, order, h)
    size = np.abs(losses)  # L(-h - u) = -L(u): the half above -h/2 serves for both
    place = np.clip(np.searchsorted(table, size), 1, half.size - 1)
    low, high = half[place - 1], half[place]
    share = (size - table[place - 1]) / (table[place] - table[place - 1])
    u = low + share * (high - low)
    for _ in range(5):
        beyond = u + h
        slope = beyond ** (order - 1) - np.sign(u) * np.abs(u) ** (order - 1)
        change = (beyond**order - np.abs(u) ** order - size) / (order * slope)
        u = np.clip(u - change, low, high)
    return np.where(losses < 0, -h - u, u)


def _probabilities(order: float, edges: Array) -> Array:
    """Return the probabilities of noise below, between and above ascending edges.

    Each side of the middle has differences of its own tail, which loses no digits.
    """
    with np.errstate(over="ignore", under="ignore"):
        tail = gammaincc(1 / order, np.abs(edges) ** order) / 2
    between = np.abs(np.diff(tail))
    (across,) = np.nonzero(edges[1:] * edges[:-1] <= 0)
    between[across] = (inner(order, edges[across + 1]) - inner(order, edges[across])) / 2
    ends = [tail[0] if edges[0] < 0 else 1 - tail[0], tail[-1] if edges[-1] > 0 else 1 - tail[-1]]
    return np.concatenate([ends[:1], between, ends[1:]])


def _solve(
    first: int,
    masses: Array,
    infinite: float,
    step: float,
    k: int,
    delta: float,
    theta: float,
    near: float,
    low: float,
    high: float,
) -> float:
    """Return the ε at which the k-fold sum of a loss on a grid has δ.

    theta: of the tilt. near: an ε nearby, not below it. low, high: the range of the tilted sum.
    """
    from scipy.signal import lfilter  # takes 0.3 s to load

    left = delta + expm1(k * log1p(-infinite))  # δ less the probability of an infinite loss
    if left <= 0:
        return inf
    logs = np.log(np.maximum(masses, 1e-320)) + theta * step * np.arange(first, first + masses.size)
    total = _log_sum_exp(logs)
    start = floor(low / step) - 1
    size = next_fast_len(max(masses.size, ceil(high / step) + 2 - start), real=True)
    tilted = irfft(_power(rfft(np.exp(logs - total), size), k), size)
    tilted = np.maximum(np.roll(tilted, (k * first - start) % size), 0)

    # the sum has exp(k total - θ x) times the tilted probabilities; below ε = 0 nothing is asked,
    # nor so far down that exp(-θ x) magnifies what rounding has left there
    begin = max(start, floor(max(0.0, near - 50 / theta) / step) - 1)
    points = np.arange(begin, start + size) * step
    chances = tilted[begin - start :] * np.exp(-theta * (points - near))
    above = np.cumsum(chances[::-1])[::-1]
    discounted = lfilter([1.0], [1.0, -exp(-step)], chances[::-1])[::-1]  # Σ exp(point - x)
    left /= exp(k * total - theta * near)
    reached = np.flatnonzero(above - discounted > left)
    if reached.size == 0:
        return 0.0
    i = min(int(reached[-1]) + 1, points.size - 1)
    return max(0.0, float(points[i]) + log((above[i] - left) / discounted[i]))


def _power(values: NDArray[np.complex128], k: int) -> NDArray[np.complex128]:
    """Return the k-th power of each value, by squaring: much faster than numpy from k = 100 on."""
    result = values if k % 2 else np.ones_like(values)
    while k := k // 2:
        values = values * values
        if k % 2:
            result = result * values
    return result


def _log_sum_exp(values: Array) -> float:
    """Return ln Σ exp(x); scipy's takes four times as long, and many thousands are asked for."""
    largest = float(values.max())
    return largest + log(np.exp(values - largest).sum())


def _least(function: Callable[[float], float], end: float) -> tuple[float, float]:
    """Return where a function of x in (0, end) with one minimum has it, and its value there."""
    from scipy.optimize import minimize_scalar

    bounds = (log(end) - 40, log(end))
    found = minimize_scalar(lambda x: function(exp(x)), bounds=bounds, method="bounded")
    return exp(found.x), float(found.fun)
