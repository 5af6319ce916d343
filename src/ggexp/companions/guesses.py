"""Guesses of continuous values within a precision, compound guesses, and several mechanisms.

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

Compound guesses (sections 4.2 to 5) are of several independent values. For value i, g_i(x) is the
prior probability that the value lies within a distance x of the truth. A guess is right within the
precision r_i of the value, and a_i is a larger radius. For discrete values, `prior` computes the
prior probability of a compound guess, and `ggexp.guarantees.advantage` the exact ε for this
probability. For continuous values, the theorems bound only the increase of the probability of a
right guess, not its decrease (docs/errata.md).

`of_pdp` is about the guesses of `ggexp.guarantees.advantage`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import e, erf, inf, log, prod, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from ggexp import checks
from ggexp.mechanisms.sensitivity import of_coordinates
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
    _check([inside], [within])
    checks.open_unit("advantage", advantage)
    checks.positive("radius", radius)
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
    return best_joint_radius(advantage=advantage, priors=[prior], precision=precision, either=False)


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
    checks.open_unit("advantage", advantage)
    (inside,) = _right_guesses([Uniform(largest, dimensions)], precision)
    if advantage + inside >= 1:
        return Best(largest, inf)
    posterior = inside + advantage
    epsilon = dimensions * posterior ** (1 / dimensions) / (e * precision)
    radius = min(dimensions / epsilon, largest - precision)
    return Best(radius, (log(posterior) + dimensions * log(radius / precision)) / radius)


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


def prior(probabilities: Sequence[float], *, either: bool) -> float:
    """Return the prior probability of guessing all of several values, or if either, one."""
    for probability in probabilities:
        checks.unit("probabilities", probability)
    return 1 - prod(1 - p for p in probabilities) if either else prod(probabilities)


def epsilon_for_all(
    *, advantage: Advantage, inside: Sequence[float], within: Sequence[float], radius: float
) -> float:
    """Return the largest ε with at most this advantage in guessing all values (Theorem 1, AND).

    inside: g_i(r_i) for each value, in (0, 1).
    within: g_i(a_i) for each value, in (g_i(r_i), 1].
    radius: the largest distance, in the maximum norm, between a point of the box of the r_i and
        a point of the box of the a_i. The theorem uses ‖a‖ instead; docs/errata.md states when this
        is valid.
    The result is negative if the theorem allows no ε > 0.
    """
    _check(inside, within)
    return epsilon_within(
        advantage=advantage, inside=prod(inside), within=prod(within), radius=radius
    )


def epsilon_for_any(
    *, advantage: Advantage, inside: Sequence[float], within: Sequence[float], radius: float
) -> float:
    """Return the largest ε with at most this advantage in guessing any value (Theorem 2, OR).

    advantage, inside, within: as for `epsilon_for_all`.
    radius: the largest distance between two points of the box of the a_i. In the maximum norm it is
        2‖a‖, or ‖a‖ if each prior is symmetric about the truth.

    Let S be the set of values that lie within their a_i. Given the values outside S, the right
    guesses in the box of S are α_S = 1/Π_S (1 - g_i(r_i)/g_i(a_i)) - 1 times as likely as the wrong
    guesses. This factor is largest, namely α, if S contains all values. Therefore the posterior
    odds of a right guess are at most e^(ε radius) α. The prior probability of a right guess is
    1 - Π (1 - g_i(r_i)). The theorem in the paper restricts this prior probability to the box, and
    takes the minimum of the resulting ε and the ε of each single value. This minimum is never
    larger than the result here.
    The result is negative if the theorem allows no ε > 0.
    """
    _check(inside, within)
    checks.open_unit("advantage", advantage)
    checks.positive("radius", radius)
    posterior = prior(inside, either=True) + advantage
    if posterior >= 1:
        return inf
    missed = prod(1 - p / q for p, q in zip(inside, within, strict=True))
    return log(posterior / (1 - posterior) * missed / (1 - missed)) / radius


def best_joint_radius(
    *, advantage: Advantage, priors: Sequence[Prior], precision: float, either: bool
) -> Best:
    """Return the radius a that allows the largest ε, and that ε, by a scan of radii.

    priors: the prior of each value, symmetric about the truth.
    precision: r > 0, less than the largest distance R_i of each prior. The units are such that
        every value has the same precision.
    either: whether one right guess is enough.
    As in section 4.2, the radii are a_i = min(a, R_i), and distances are in the maximum norm. In
    this norm, two points are at most a apart if all their coordinates lie on the same sides of the
    truth. The returned ε is per unit of distance.
    """
    if not priors:
        raise ValueError("priors must contain at least one prior, got none")
    inside = _right_guesses(priors, precision)
    theorem = partial(
        epsilon_for_any if either else epsilon_for_all, advantage=advantage, inside=inside
    )

    def epsilon(radius: float) -> float:
        return theorem(within=[distribution.mass(radius) for distribution in priors], radius=radius)

    return best_of_scan(epsilon, precision, max(distribution.largest for distribution in priors))


def _right_guesses(priors: Sequence[Prior], precision: float) -> list[float]:
    """Return the prior probability of a right guess of each value, after a check of r."""
    checks.positive("precision", precision)
    for distribution in priors:
        if not precision < distribution.largest:
            raise ValueError(
                f"precision must be less than {distribution.largest!r}, got {precision!r}"
            )
    return [distribution.mass(precision) for distribution in priors]


def together(epsilons: Sequence[float], *, norm: float = inf) -> float:
    """Return the joint ε of the releases of several mechanisms (Theorems 3 and 4).

    epsilons: ε_i >= 0 of each mechanism, per unit of distance in its part of the data.
    norm: the order in [1, ∞] of the l_p norm that combines the distances of the parts into the
        distance of the data.
    The result is the dual norm of the ε_i. For norm ∞, all parts may change at once, and the result
    is the sum of the ε_i (basic composition). For norm 1, only one part changes, and the result is
    the largest ε_i. For norm 2, the result is the square root of the sum of squares.
    """
    if not norm >= 1:
        raise ValueError(f"norm must be a number >= 1 or infinity, got {norm!r}")
    if not epsilons:
        raise ValueError("epsilons must contain at least one number, got none")
    for epsilon in epsilons:
        checks.not_negative("epsilons", epsilon)
    positive = [epsilon for epsilon in epsilons if epsilon]
    if norm == 1 or not positive:
        return max(epsilons)
    return of_coordinates(1.0 if norm == inf else norm / (norm - 1), positive)


def _check(inside: Sequence[float], within: Sequence[float]) -> None:
    """Raise ValueError if the two sequences differ in length or a probability is out of range."""
    if not inside or len(inside) != len(within):
        raise ValueError(
            f"inside and within must have the same length >= 1, got {len(inside)} and {len(within)}"
        )
    for p, q in zip(inside, within, strict=True):
        checks.open_unit("inside", p)
        if not p < q <= 1:
            raise ValueError(f"within must be a number in ({p!r}, 1], got {q!r}")
