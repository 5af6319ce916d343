"""Guesses of a continuous value, which need to be right only within a given precision.

A guess is right if it lies within r of the true value t. The right values need not be compared with
all other values, which may be infinitely far away. It is enough to compare them with the values
within a radius a of t (Laud and Pankova, section 3.2, Eqn 1). Let p and q be the prior
probabilities of a value within r and within a of t. Then ε-DP per unit of distance gives

    posterior <= 1 / (1 + e^(-εa) (q - p)/p).

Therefore the advantage is at most δ for every ε up to ln((q - p)(δ + p) / (p (1 - δ - p))) / a.

The paper uses a as the largest distance between right and other values, but this distance is a + r
(from t - r to t + a). The bound still holds for priors that are symmetric about t, like all
priors in this module. The proof pairs each value within r with a value between r and a on the same
side of t, so that the values of a pair are at most a apart. In several dimensions, with a uniform
prior in a ball, the values of a pair lie on the same ray from t. The bound is one-sided: it limits
the increase of the probability of a right guess.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import e, erf, inf, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from ggexp import checks
from ggexp.ranges import Advantage

_SCANNED_RADII = 2000  # number of radii that a scan tries


@dataclass(frozen=True)
class Uniform:
    """A uniform distribution within a distance ``largest`` > 0 of the true value (paper, App. A).

    The value has n ``dimensions``. The distance may be any norm of R^n, because the volume of a
    ball is proportional to the n-th power of its radius.
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
    """A normal distribution around the true value, with standard deviation > 0 (section 6.2)."""

    sd: float

    def __post_init__(self) -> None:
        checks.positive("sd", self.sd)

    @property
    def largest(self) -> float:
        """A distance that includes the whole distribution, up to rounding."""
        return 9 * self.sd

    def mass(self, distance: float) -> float:
        """Return the probability of a value within a distance of the true value."""
        return erf(distance / self.sd / sqrt(2))


#: A distribution that is symmetric about the true value.
Prior = Uniform | Normal


class Best(NamedTuple):
    """The radius a that allows the largest ε, and that ε."""

    radius: float
    epsilon: float


def epsilon_within(*, advantage: Advantage, inside: float, within: float, radius: float) -> float:
    """Return the largest ε for which Eqn 1 gives at most this advantage, negative if no ε > 0 does.

    inside: p in (0, 1), the prior probability of a right guess.
    within: q in (p, 1], the prior probability of a value within the radius.
    radius: a > 0.
    The result is positive if q > p/(p + δ), and infinite if δ + p >= 1.
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


def best_radius(*, advantage: Advantage, prior: Prior, precision: float) -> Best:
    """Return the radius that allows the largest ε, and that ε, by a scan of radii.

    prior: a `Uniform` or `Normal`. precision: r > 0, less than the prior's largest distance.
    If p + δ >= 1 for the prior probability p of a right guess, the advantage cannot be exceeded.
    Then ε is infinite, and the radius is the prior's largest distance.
    """
    inside = _prior_of_right_guess(advantage, prior, precision)

    def epsilon(radius: float) -> float:
        return epsilon_within(
            advantage=advantage, inside=inside, within=prior.mass(radius), radius=radius
        )

    return best_of_scan(epsilon, precision, prior.largest)


def ball_epsilon(
    *, advantage: Advantage, largest: float, precision: float, dimensions: int
) -> Best:
    """Return the best radius and its ε by Eqn 2, for a uniform prior in n dimensions (App. A).

    largest: R > 0. precision: r > 0, less than R. dimensions: n >= 1.

    Eqn 2 compares every x' within r of the truth with the ball of radius a around x' itself. It
    gives posterior <= e^(aε) (r/a)^n, which is smallest at a = n/ε. With p = (r/R)^n, the result is
    ε = n (p + δ)^(1/n) / (e r). The balls must lie within R of the truth. Therefore a is at most
    R - r, a condition that the paper omits. If n/ε is larger, the radius is R - r, and ε is
    negative if this radius is too small. `best_radius` allows a larger ε, because Eqn 1 compares
    the ball of right guesses only with the values outside it.
    """
    inside = _prior_of_right_guess(advantage, Uniform(largest, dimensions), precision)
    if advantage + inside >= 1:
        return Best(largest, inf)
    posterior = inside + advantage
    epsilon = dimensions * posterior ** (1 / dimensions) / (e * precision)
    radius = min(dimensions / epsilon, largest - precision)
    return Best(radius, (log(posterior) + dimensions * log(radius / precision)) / radius)


def _prior_of_right_guess(advantage: float, prior: Prior, precision: float) -> float:
    """Check the arguments, and return the prior probability of a right guess."""
    checks.open_unit("advantage", advantage)
    if not checks.positive("precision", precision) < prior.largest:
        raise ValueError(f"precision must be less than {prior.largest!r}, got {precision!r}")
    return prior.mass(precision)


def best_of_scan(epsilon: Callable[[float], float], low: float, high: float) -> Best:
    """Return the radius in (low, high] with the largest ε, and that ε.

    epsilon: ε as a function of the radius; if it is infinite at one radius, it is at every radius.
    The best of the scanned radii is refined between its neighbours.
    """
    if epsilon(high) == inf:
        return Best(high, inf)
    scanned = np.linspace(low, high, _SCANNED_RADII + 1)[1:]
    best = int(np.argmax([epsilon(radius) for radius in scanned]))
    bounds = (scanned[max(best - 1, 0)], scanned[min(best + 1, _SCANNED_RADII - 1)])
    refined = minimize_scalar(
        lambda radius: -epsilon(radius),
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-9 * bounds[1]},
    )
    radii = float(refined.x), float(scanned[best])
    return max((Best(radius, epsilon(radius)) for radius in radii), key=lambda best: best.epsilon)
