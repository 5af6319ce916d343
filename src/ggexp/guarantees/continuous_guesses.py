"""Guesses of a continuous value, which need to be right only to within a precision.

A guess is right if the value lies within r of the truth t. The alternatives to it need not include
all other values, which may be infinitely far: values within a are enough (Laud and Pankova, 3.2,
Eqn 1). With the prior probabilities p and q of a value within r and within a of t, ε-DP per unit of
distance gives

    posterior <= 1 / (1 + e^(-εa) (q - p)/p).

Therefore every ε up to ln((q - p)(δ + p) / (p (1 - δ - p))) / a bounds the advantage by δ.

The paper takes a as the largest distance between the two sets, which is a + r (from t - r to
t + a). The bound still holds for a prior that is symmetric about t, the only kind here: pair each
value within r with one between r and a on its own side; no pair is further apart than a. In several
dimensions the pairs lie on one ray from t, for a prior that is uniform in a ball. The bound is
one-sided: it concerns the increase of the probability of a right guess.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import e, erf, inf, log, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import lambertw

from ggexp import checks

_STEPS = 2000  # radii of the scan


class Prior(Protocol):
    """A distribution that is symmetric about the true value."""

    @property
    def largest(self) -> float:
        """The distance that contains the whole distribution, to the last bit."""

    def mass(self, distance: float) -> float:
        """Return the probability of a value within a distance of the true value."""


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
        """Return the probability of a value within a distance of the true value."""
        return min(1.0, distance / self.largest) ** self.dimensions


@dataclass(frozen=True)
class Normal:
    """A normal value with a standard deviation > 0 and the true value as its mean (paper, 6.2)."""

    sd: float

    def __post_init__(self) -> None:
        checks.positive("sd", self.sd)

    @property
    def largest(self) -> float:
        """The distance that contains the whole distribution, to the last bit."""
        return 9 * self.sd

    def mass(self, distance: float) -> float:
        """Return the probability of a value within a distance of the true value."""
        return erf(distance / self.sd / sqrt(2))


class Best(NamedTuple):
    """The radius a that allows the largest ε, and that ε."""

    radius: float
    epsilon: float


def epsilon_within(*, advantage: float, inside: float, within: float, radius: float) -> float:
    """Return the largest ε that bounds an advantage by Eqn 1, negative if no ε > 0 does.

    advantage: δ in (0, 1). inside: p in (0, 1), the probability of a right guess. within: q in
        (p, 1], that of a value within the radius a > 0.
    The result is positive if q > p/(p + δ), and infinite if δ + p >= 1.
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
    """Return the radius with the largest ε that bounds an advantage, by a scan, and that ε.

    advantage: δ in (0, 1). prior: a `Uniform` or `Normal`. precision: r > 0, less than the prior's
        largest distance.
    If a right guess is so likely that the advantage cannot be exceeded, the ε is infinite, and the
    radius the prior's largest. Raises ValueError naming the argument.
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
    Lambert's W and p = r/largest. That radius must not exceed ``largest``. If it does, the radius
    is ``largest`` and ε that of `epsilon_within`. The closed form would then be too large, because
    no probability is left beyond ``largest``.
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

    Eqn 2 compares every x' within r of the truth with the ball of radius a around x' itself:
    posterior <= e^(aε) (r/a)^n, which is least at a = n/ε. With p = (r/R)^n this gives ε = n (p +
    δ)^(1/n) / (e r). The balls must lie within R, so that a is at most R - r, which the paper
    omits. If n/ε is larger, the radius is R - r. The ε is negative if that radius is too small.
    `best_radius` allows a larger ε, because Eqn 1 excludes the ball of r itself.
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
    """Return the probability of a right guess, from checked arguments."""
    checks.open_unit("advantage", advantage)
    if not checks.positive("precision", precision) < prior.largest:
        raise ValueError(f"precision must be less than {prior.largest!r}, got {precision!r}")
    return prior.mass(precision)


def best_of_scan(epsilon: Callable[[float], float], low: float, high: float) -> Best:
    """Return the radius in (low, high] with the largest ε, and that ε.

    epsilon: a function of the radius. The best of many radii is refined between its neighbours. If
    ε is infinite, it is so at every radius.
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
