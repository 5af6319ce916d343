"""Compound guesses, and releases of several mechanisms: Laud and Pankova, 4.2 to 5.

The guessed values are independent. For value i, g_i(r_i) is the prior probability of a guess within
its precision r_i, and g_i(a_i) that of a value within a radius a_i. For discrete values, `prior`
gives the prior probability of a compound guess, and `ggexp.guarantees.advantage` the exact ε for
it. For continuous values, the theorems bound the increase of the probability of a right guess, not
its decrease (docs/errata.md).
"""

from collections.abc import Sequence
from functools import partial
from math import inf, log, prod

from ggexp import checks
from ggexp.guarantees import continuous_guesses as single
from ggexp.guarantees.advantage import check_probability
from ggexp.guarantees.continuous_guesses import Best, epsilon_within


def prior(probabilities: Sequence[float], *, either: bool) -> float:
    """Return the prior probability of guessing all of several independent values, or at least one.

    probabilities: for each value, in [0, 1]. either: whether one right guess is enough.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    for probability in probabilities:
        check_probability(probability)
    return 1 - prod(1 - p for p in probabilities) if either else prod(probabilities)


def epsilon_for_all(
    *, advantage: float, inside: Sequence[float], within: Sequence[float], radius: float
) -> float:
    """Return the largest ε that bounds the advantage in guessing all values (Theorem 1, AND).

    advantage: δ in (0, 1). inside: the g_i(r_i), in (0, 1). within: the g_i(a_i), each above its
        g_i(r_i), at most 1. radius: the largest distance, in the maximum norm, between a value
        within the r_i and one within the a_i. The theorem has ‖a‖ instead; docs/errata.md says when
        it holds.
    The result is negative if no ε > 0 bounds the advantage. Raises ValueError naming the argument.
    """
    _check(inside, within)
    return epsilon_within(
        advantage=advantage, inside=prod(inside), within=prod(within), radius=radius
    )


def epsilon_for_any(
    *, advantage: float, inside: Sequence[float], within: Sequence[float], radius: float
) -> float:
    """Return the largest ε that bounds the advantage in guessing any value (Theorem 2, OR).

    advantage, inside, within: as for `epsilon_for_all`. radius: the largest distance within the box
        of the a_i, 2‖a‖ in the maximum norm; ‖a‖ if each prior is symmetric about the truth.

    Let S be the set of values that lie within their a_i. Given the others, the right guesses in the
    box of S are α_S = 1/Π_S (1 - g_i(r_i)/g_i(a_i)) - 1 times as likely as the wrong ones. This is
    largest if S contains all values. Therefore the posterior odds of a right guess are at most e^(ε
    radius) α, and the prior probability is 1 - Π (1 - g_i(r_i)). The theorem takes the least of
    this ε, with the prior probability within the box only, and of each value's own ε, which is
    never more. The result is negative if no ε > 0 bounds the advantage. Raises ValueError naming
    the argument.
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
    *, advantage: float, priors: Sequence[single.Prior], precision: float, either: bool
) -> Best:
    """Return the radius a that allows the largest ε for a compound guess, by a scan, and that ε.

    advantage: δ in (0, 1). priors: one for each value, symmetric about the truth. precision: r > 0,
    in
        units in which every value has the same precision; less than each prior's largest distance
        R_i.
    either: whether one right guess is enough.
    As in section 4.2 the radii are a_i = min(a, R_i), and distances are in the maximum norm, in
    which two points on the same sides of the truth are at most a apart. The ε is per unit. Raises
    ValueError naming the argument, its value and what is allowed.
    """
    if not priors:
        raise ValueError("priors must be at least one, got none")
    checks.positive("precision", precision)
    for distribution in priors:
        if not precision < distribution.largest:
            raise ValueError(
                f"precision must be less than {distribution.largest!r}, got {precision!r}"
            )
    inside = [distribution.mass(precision) for distribution in priors]
    found = partial(
        epsilon_for_any if either else epsilon_for_all, advantage=advantage, inside=inside
    )

    def epsilon(radius: float) -> float:
        return found(within=[distribution.mass(radius) for distribution in priors], radius=radius)

    return single.best_of_scan(
        epsilon, precision, max(distribution.largest for distribution in priors)
    )


def together(epsilons: Sequence[float], *, norm: float = inf) -> float:
    """Return the ε of the releases of several mechanisms together (Theorems 3 and 4).

    epsilons: ε_i >= 0 of each, per unit of its own part of the data. norm: the order in [1, ∞] of
        the l_p norm that combines the parts' distances into that of the data.
    It is the dual norm of the ε_i: their sum for ∞, if all parts may change at once (basic
    composition); the largest for 1, if one part changes; the root of the sum of squares for 2.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    if not norm >= 1:
        raise ValueError(f"norm must be a number >= 1 or infinity, got {norm!r}")
    if not epsilons:
        raise ValueError("epsilons must be at least one number, got none")
    for epsilon in epsilons:
        checks.not_negative("epsilons", epsilon)
    largest = max(epsilons)
    if norm == 1 or largest == 0:
        return largest
    dual = 1.0 if norm == inf else norm / (norm - 1)
    # powers of ratios to the largest do not overflow
    return float(largest * sum((epsilon / largest) ** dual for epsilon in epsilons) ** (1 / dual))


def _check(inside: Sequence[float], within: Sequence[float]) -> None:
    """Raise ValueError if the two sequences differ in length or a probability is out of range."""
    if not inside or len(inside) != len(within):
        raise ValueError(
            f"inside and within must be of one length >= 1, got {len(inside)} and {len(within)}"
        )
    for p, q in zip(inside, within, strict=True):
        checks.open_unit("inside", p)
        if not p < q <= 1:
            raise ValueError(f"within must be a number in ({p!r}, 1], got {q!r}")
