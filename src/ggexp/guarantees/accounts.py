"""Basic, advanced and exact composition of releases of different kinds.

Basic and advanced composition need an (ε, δ) for each release. If only the noise of a release is
known, the release satisfies many pairs (ε, δ). Its δ is then an equal share of the δ that remains
after the releases with a known (ε, δ).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log
from typing import NamedTuple

from ggexp.guarantees.composition import Composition, advanced_of, basic_of
from ggexp.mechanisms.loss_distribution import ROUNDING, LossDistribution
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.solver import rounded_up, smallest
from ggexp.ranges import Delta, EpsilonOrZero


@dataclass(frozen=True)
class Account:
    """Releases of one kind.

    count: their number. loss: the privacy loss distribution of each; the worst one for the budget
        if the noise is unknown. budget: the (ε, δ) of approximate DP that each satisfies, if known.
    """

    count: int
    loss: LossDistribution
    budget: tuple[float, float] | None = None

    def budget_at(self, delta: float) -> tuple[float, float, int]:
        """Return ε, δ and count: the known budget, or the ε of the noise at ``delta``."""
        return *(self.budget or (self.loss.epsilon(delta), delta)), self.count


class JointGuarantee(NamedTuple):
    """The joint guarantee of all releases.

    accountant: basic, advanced or exact. epsilon, delta: None if there is no guarantee.
    at_least: a lower bound on the requested ε or δ, if one is known.
    """

    accountant: str
    epsilon: float | None
    delta: float | None
    at_least: float | None


def epsilons(accounts: Sequence[Account], delta: Delta) -> list[JointGuarantee]:
    """Return the joint ε of all releases at δ, according to each accountant."""
    together = Composition([(account.loss, account.count) for account in accounts])
    optimistic, pessimistic = together.epsilon(delta=delta)
    is_finite = pessimistic < inf
    ends = (pessimistic, delta, optimistic) if is_finite else (None, delta, None)
    return [
        JointGuarantee("basic", _basic(accounts, delta), delta, None),
        JointGuarantee("advanced", _advanced(accounts, delta), delta, None),
        JointGuarantee("exact", *ends),
    ]


def deltas(accounts: Sequence[Account], epsilon: EpsilonOrZero) -> list[JointGuarantee]:
    """Return the joint δ of all releases at ε, according to each accountant."""
    together = Composition([(account.loss, account.count) for account in accounts])
    optimistic, pessimistic = together.delta(epsilon=epsilon)
    return [
        JointGuarantee("basic", epsilon, _smallest_delta(accounts, _basic, epsilon), None),
        JointGuarantee("advanced", epsilon, _smallest_delta(accounts, _advanced, epsilon), None),
        JointGuarantee("exact", epsilon, pessimistic, optimistic),
    ]


def _basic(accounts: Sequence[Account], delta: float) -> float | None:
    """Return the ε of basic composition, or None if δ is too small for the releases."""
    remaining, unbudgeted = _remaining_delta(accounts, delta)
    if remaining < -ROUNDING * delta or (unbudgeted and remaining <= 0):
        return None
    share = remaining / max(unbudgeted, 1)
    return basic_of(account.budget_at(share) for account in accounts).epsilon


def _advanced(accounts: Sequence[Account], delta: float) -> float | None:
    """Return the ε of advanced composition, or None if δ is too small for the releases.

    The slack is the δ that remains after the known budgets. If some releases have no budget, the
    slack is half of the remaining δ, and these releases share the other half.
    """
    remaining, unbudgeted = _remaining_delta(accounts, delta)
    if remaining <= 0:
        return _basic(accounts, delta)
    slack = remaining / 2 if unbudgeted else remaining
    budgets = [account.budget_at(slack / max(unbudgeted, 1)) for account in accounts]
    basic = _basic(accounts, delta)
    advanced = advanced_of(budgets, slack=slack).epsilon
    return advanced if basic is None else min(basic, advanced)


def _remaining_delta(accounts: Sequence[Account], delta: float) -> tuple[float, int]:
    """Return the δ that remains after known budgets, and the number of unbudgeted releases."""
    unbudgeted = sum(account.count for account in accounts if account.budget is None)
    return delta - float(_known_delta(accounts)), unbudgeted


def _known_delta(accounts: Sequence[Account]) -> Fraction:
    """Return the sum of the δ of all known budgets."""
    budgets = [(account.count, account.budget[1]) for account in accounts if account.budget]
    return sum((count * Fraction(delta) for count, delta in budgets), Fraction(0))


def _smallest_delta(
    accounts: Sequence[Account],
    epsilon_at: Callable[[Sequence[Account], float], float | None],
    epsilon: float,
) -> float | None:
    """Return the smallest δ at which the decreasing `epsilon_at` is at most ε, or None."""

    def is_enough(log_delta: float) -> bool:
        needed = epsilon_at(accounts, exp(log_delta))
        return needed is not None and needed <= epsilon * (1 + ROUNDING)

    low, high = log(SMALLEST_DELTA) + 20, log(1 - 1e-12)
    if is_enough(low):
        return 0.0
    if not is_enough(high):
        return None
    # `_basic` tolerates rounding of δ
    return max(exp(smallest(is_enough, low, high)), rounded_up(_known_delta(accounts)))
