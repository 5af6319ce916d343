"""Guesses of a continuous value, which need to be right only to within a precision.

The guess counts where the value lies within r of the truth t. What is told apart from that need not
be all other values, which may be infinitely far: those within a are enough (Laud and Pankova, 3.2,
Eqn 1). With p and q the prior probabilities of lying within r and within a of t, ε-DP per unit of
distance gives

    posterior <= 1 / (1 + e^(-εa) (q - p)/p),

so that an advantage of δ is kept by every ε up to ln((q - p)(δ + p) / (p (1 - δ - p))) / a.

The paper takes a for the largest distance of the two sets, which is a + r (from t - r to t + a).
The bound holds all the same for a prior that is symmetric about t, which is all that is here: pair
each value within r with one between r and a on its own side, and no pair is further apart than a.
In several dimensions the pairs lie on one ray from t, for a prior that is uniform in a ball.
It bounds one side alone, the rise of a right guess's probability.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import e, erf, inf, log, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import lambertw

from ggexp import checks

_STEPS = 2000  # of the scan


class Prior(Protocol):
    """A distribution that is symmetric about the true value."""

    @property
    def largest(self) -> float:
        """The distance within which all of it lies, to the last bit."""

    def mass(self, distance: float) -> float:
        """Return the probability of lying within a distance of the true value."""


@dataclass(frozen=True)
class Uniform:
    """A uniform value within ``largest`` > 0 of the true one, in n ``dimensions`` (paper, App. A).

    The distance is any norm of R^n: the volume of a ball is the n-th power of its radius, scaled.
    """

    largest: float
    dimensions: int = 1

    def __post_init__(self) -> None:
        checks.positive("largest", self.largest)
        checks.count("dimensions", self.dimensions)

    def mass(self, distance: float) -> float:
        """Return the probability of lying within a distance of the true value."""
        return min(1.0, distance / self.largest) ** self.dimensions


@dataclass(frozen=True)
class Normal:
    """A normal value with this standard deviation > 0 whose true one is the mean (paper, 6.2)."""

    sd: float

    def __post_init__(self) -> None:
        checks.positive("sd", self.sd)

    @property
    def largest(self) -> float:
        """The distance within which all of it lies, to the last bit."""
        return 9 * self.sd

    def mass(self, distance: float) -> float:
        """Return the probability of lying within a distance of the true value."""
        return erf(distance / self.sd / sqrt(2))


class Best(NamedTuple):
    """The radius a that allows the largest ε, and that ε."""

    radius: float
    epsilon: float


def epsilon_within(*, advantage: float, inside: float, within: float, radius: float) -> float:
    """Return the largest ε that keeps an advantage by Eqn 1: negative where no ε > 0 does.

    advantage: δ in (0, 1). inside: p in (0, 1), the probability of a right guess. within: q in
        (p, 1], that of lying within the radius a > 0.
    It is positive where q > p/(p + δ), and infinite where δ + p >= 1.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.open_unit("advantage", advantage)
    checks.open_unit("inside", inside)
    checks.positive("radius", radius)
    if not inside < within <= 1:
        raise ValueError(f"within must be a number in ({inside!r}, 1], got {within!r}")
    if advantage + inside >= 1:
        return inf
    odds = (within - inside) / inside * (advantage + inside) / (1 - advantage - inside)
    return log(odds) / radius


def best_radius(*, advantage: float, prior: Prior, precision: float) -> Best:
    """Return the radius with the largest ε that keeps an advantage, by a scan, and that ε.

    advantage: δ in (0, 1). prior: a `Uniform` or `Normal`. precision: r > 0, less than the prior's
        largest distance.
    The ε is infinite, and the radius the prior's largest, where a right guess is so likely that no
    room is left for the advantage. Raises ValueError naming the argument.
    """
    inside = _inside(advantage, prior, precision)

    def epsilon(radius: float) -> float:
        return epsilon_within(
            advantage=advantage, inside=inside, within=prior.mass(radius), radius=radius
        )

    return best_of_scan(epsilon, precision, prior.largest)


def uniform_epsilon(*, advantage: float, largest: float, precision: float) -> Best:
    """Return the best radius of a `Uniform` prior and its ε, in closed form (paper, App. A).

    For a given ε the best radius is r + 1/ε, which gives ε = W((p + δ) / (e (1 - p - δ))) / r with
    Lambert's W and p = r/largest. That radius must not exceed ``largest``. Where it does, the
    radius is ``largest`` and ε that of `epsilon_within`: the closed form would be too large, as
    beyond ``largest`` there is no more probability to gain.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    prior = Uniform(largest)
    inside = _inside(advantage, prior, precision)
    if advantage + inside >= 1:
        return Best(largest, inf)
    odds = (inside + advantage) / (1 - inside - advantage)
    epsilon = float(lambertw(odds / e).real) / precision
    if precision + 1 / epsilon <= largest:
        return Best(precision + 1 / epsilon, epsilon)
    widest = epsilon_within(advantage=advantage, inside=inside, within=1.0, radius=largest)
    return Best(largest, widest)


def ball_epsilon(*, advantage: float, largest: float, precision: float, dimensions: int) -> Best:
    """Return the best radius and its ε by Eqn 2, for a uniform prior in n dimensions (App. A).

    advantage: δ in (0, 1). largest: R > 0. precision: r > 0, less than R. dimensions: n >= 1.

    Eqn 2 holds every x' within r of the truth against the ball of radius a around x' itself:
    posterior <= e^(aε) (r/a)^n, which is least at a = n/ε. With p = (r/R)^n that gives
    ε = n (p + δ)^(1/n) / (e r). The balls must lie within R, so that a is at most R - r, which the
    paper leaves out; where n/ε is more, the radius is R - r. The ε is negative where that is too
    little. `best_radius` allows a larger ε: Eqn 1 leaves out the ball of r itself.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    inside = _inside(advantage, Uniform(largest, dimensions), precision)
    if advantage + inside >= 1:
        return Best(largest, inf)
    posterior = inside + advantage
    epsilon = dimensions * posterior ** (1 / dimensions) / (e * precision)
    radius = min(dimensions / epsilon, largest - precision)
    return Best(radius, (log(posterior) + dimensions * log(radius / precision)) / radius)


def _inside(advantage: float, prior: Prior, precision: float) -> float:
    """Return the probability of a right guess, of checked arguments."""
    checks.open_unit("advantage", advantage)
    if not checks.positive("precision", precision) < prior.largest:
        raise ValueError(f"precision must be less than {prior.largest!r}, got {precision!r}")
    return prior.mass(precision)


def best_of_scan(epsilon: Callable[[float], float], low: float, high: float) -> Best:
    """Return the radius in (low, high] with the largest ε, and that ε.

    epsilon: of a radius. The best of many radii is refined between its neighbours. An infinite ε is
    that of every radius.
    """
    if epsilon(high) == inf:
        return Best(high, inf)
    scanned = np.linspace(low, high, _STEPS + 1)[1:]
    best = int(np.argmax([epsilon(radius) for radius in scanned]))
    bounds = (scanned[max(best - 1, 0)], scanned[min(best + 1, _STEPS - 1)])
    refined = minimize_scalar(
        lambda radius: -epsilon(radius),
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-9 * bounds[1]},
    )
    radii = float(refined.x), float(scanned[best])
    return max((Best(radius, epsilon(radius)) for radius in radii), key=lambda best: best.epsilon)
