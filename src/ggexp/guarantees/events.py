"""A guesser with several targets, and releases of several mechanisms: Laud and Pankova, 4.2 to 5.

The targets are independent. Of target i, g_i(r_i) is the prior probability of a guess within its
precision r_i, and g_i(a_i) that of lying within a radius a_i. Whoever guesses discrete values needs
none of this: the prior of guessing all is Π p_i, that of guessing one at least 1 - Π (1 - p_i), and
`ggexp.guarantees.advantage` takes it from there.
"""

from collections.abc import Sequence
from math import inf, prod

from ggexp import checks
from ggexp.guarantees.precision import epsilon_within


def epsilon_for_all(
    *, advantage: float, inside: Sequence[float], within: Sequence[float], radius: float
) -> float:
    """Return the largest ε that keeps an advantage in guessing all targets (Theorem 1, AND).

    advantage: δ in (0, 1). inside: the g_i(r_i), in (0, 1). within: the g_i(a_i), each above its
        g_i(r_i), at most 1. radius: the largest distance, in the maximum norm, of a value within
        the r_i and one within the a_i; the theorem has ‖a‖ for it, docs/errata.md says when.
    It is negative where no ε > 0 does. Raises ValueError naming the argument.
    """
    _check(inside, within)
    return epsilon_within(
        advantage=advantage, inside=prod(inside), within=prod(within), radius=radius
    )


def epsilon_for_any(
    *, advantage: float, inside: Sequence[float], within: Sequence[float], radius: float
) -> float:
    """Return the largest ε that keeps an advantage in guessing one target at least (Theorem 2, OR).

    advantage, inside, within: as for `epsilon_for_all`. radius: the largest distance within the box
        of the a_i, 2‖a‖ in the maximum norm, as the theorem's text has it (its formula has ‖a‖).
    The least of ε_0, for the box around the truth, in which Π g_i(a_i) - Π (g_i(a_i) - g_i(r_i)) is
    the probability of a right guess, and of each target's own ε_i. The theorem has g_i(a_i - r_i)
    for that difference, which is the same of a uniform prior alone.
    It is negative where no ε > 0 does. Raises ValueError naming the argument.
    """
    _check(inside, within)
    box = prod(within)
    hit = box - prod(q - p for p, q in zip(inside, within, strict=True))
    pairs = [(hit, box), *zip(inside, within, strict=True)]
    return min(
        epsilon_within(advantage=advantage, inside=p, within=q, radius=radius) for p, q in pairs
    )


def together(epsilons: Sequence[float], *, norm: float = inf) -> float:
    """Return the ε of several mechanisms' releases together (Theorems 3 and 4).

    epsilons: ε_i >= 0 of each, per unit of its own part of the data. norm: the order in [1, ∞] of
        the l_p norm by which the parts' distances add up to that of the data.
    It is the dual norm of the ε_i: with ∞, where all parts may change at once, their sum (basic
    composition); with 1, where one does, the largest of them; with 2 the root of the sum of
    squares. Raises ValueError naming the argument, its value and what is allowed.
    """
    if not norm >= 1:
        raise ValueError(f"norm must be a number >= 1 or infinity, got {norm!r}")
    if not epsilons:
        raise ValueError("epsilons must be at least one number, got none")
    for one in epsilons:
        checks.not_negative("epsilons", one)
    largest = max(epsilons)
    if norm == 1 or largest == 0:
        return largest
    dual = 1.0 if norm == inf else norm / (norm - 1)
    # relative to the largest no power overflows
    return float(largest * sum((one / largest) ** dual for one in epsilons) ** (1 / dual))


def _check(inside: Sequence[float], within: Sequence[float]) -> None:
    """Raise ValueError where the probabilities are not of as many targets."""
    if not inside or len(inside) != len(within):
        raise ValueError(
            f"inside and within must be of one length >= 1, got {len(inside)} and {len(within)}"
        )
    for p, q in zip(inside, within, strict=True):
        checks.open_unit("inside", p)
        if not p < q <= 1:
            raise ValueError(f"within must be a number in ({p!r}, 1], got {q!r}")
