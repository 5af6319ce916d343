"""Compound guesses, and releases of several mechanisms (Laud and Pankova, sections 4.2 to 5).

The guessed values are independent. For value i, g_i(x) is the prior probability that the value lies
within a distance x of the truth. A guess is right within the precision r_i of the value, and a_i is
a larger radius. For discrete values, `prior` computes the prior probability of a compound guess,
and `ggexp.guarantees.advantage` the exact ε for this probability. For continuous values, the
theorems bound only the increase of the probability of a right guess, not its decrease
(docs/errata.md).
"""

from collections.abc import Sequence
from functools import partial
from math import inf, log, prod

from ggexp import checks
from ggexp.companions import continuous_guesses as single
from ggexp.companions.continuous_guesses import Best, epsilon_within
from ggexp.guarantees.advantage import check_probability
from ggexp.ranges import Advantage


def prior(probabilities: Sequence[float], *, either: bool) -> float:
    """Return the prior probability of guessing all of several independent values, or at least one.

    probabilities: the prior probability for each value, in [0, 1].
    either: whether one right guess is enough.
    """
    for probability in probabilities:
        check_probability(probability)
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


def best_radius(
    *, advantage: Advantage, priors: Sequence[single.Prior], precision: float, either: bool
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
    checks.positive("precision", precision)
    for distribution in priors:
        if not precision < distribution.largest:
            raise ValueError(
                f"precision must be less than {distribution.largest!r}, got {precision!r}"
            )
    inside = [distribution.mass(precision) for distribution in priors]
    theorem = partial(
        epsilon_for_any if either else epsilon_for_all, advantage=advantage, inside=inside
    )

    def epsilon(radius: float) -> float:
        return theorem(within=[distribution.mass(radius) for distribution in priors], radius=radius)

    return single.best_of_scan(
        epsilon, precision, max(distribution.largest for distribution in priors)
    )


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
    largest = max(epsilons)
    if norm == 1 or largest == 0:
        return largest
    dual = 1.0 if norm == inf else norm / (norm - 1)
    # dividing by the largest ε prevents overflow of the powers
    return float(largest * sum((epsilon / largest) ** dual for epsilon in epsilons) ** (1 / dual))


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
