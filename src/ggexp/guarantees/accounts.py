"""Basic, advanced and exact composition of releases of different kinds.

Basic and advanced composition need an (ε, δ) for each release. If only the noise of a release is
known, the release satisfies many (ε, δ), and gets an equal share of the δ that the others leave.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, inf, log
from typing import NamedTuple

from ggexp import checks
from ggexp.guarantees.composition import Composition, advanced_of, basic_of
from ggexp.guarantees.loss_distribution import LossDistribution
from ggexp.guarantees.noise_losses import of_noise, randomized_response
from ggexp.mechanisms.noise import ROUNDING, Noise
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA


@dataclass(frozen=True)
class Account:
    """Releases of one kind.

    count: their number. budget: the (ε, δ) of approximate DP that each satisfies, if it is known.
    noise: the noise that each adds, if it is known. At least one of budget and noise is known.
    sensitivity: the largest change of the statistic by one record, in the units of the noise.
    """

    count: int
    budget: tuple[float, float] | None = None
    noise: Noise | None = None
    sensitivity: float = 1.0

    @property
    def loss(self) -> LossDistribution:
        """The privacy loss distribution; if the noise is unknown, the worst one for the budget."""
        if self.noise is not None:
            return of_noise(self.noise, sensitivity=self.sensitivity)
        assert self.budget is not None
        return randomized_response(epsilon=self.budget[0], delta=self.budget[1])

    def at(self, delta: float) -> tuple[float, float, int]:
        """Return ε, δ and count, from the budget or else from the noise at a δ."""
        if self.budget is not None:
            return *self.budget, self.count
        assert self.noise is not None
        epsilon = self.noise.epsilon(delta=delta, sensitivity=self.sensitivity)
        return epsilon, delta, self.count


class Together(NamedTuple):
    """The guarantee of all releases together.

    accountant: basic, advanced or exact. epsilon, delta: None if there is no guarantee. at_least: a
    lower bound of the requested one of the two, if one is known.
    """

    accountant: str
    epsilon: float | None
    delta: float | None
    at_least: float | None


def epsilons(accounts: Sequence[Account], delta: float) -> list[Together]:
    """Return the ε of all releases together at δ, by each accountant.

    delta: δ in (0, 1). Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.open_unit("delta", delta)
    exact = _composition(accounts).epsilon(delta=delta)
    by_formula = [Together(name, at(accounts, delta), delta, None) for name, at in _WAYS.items()]
    has_one = exact.upper < inf
    found = Together("exact", exact.upper, delta, exact.lower)
    return [*by_formula, found if has_one else Together("exact", None, delta, None)]


def deltas(accounts: Sequence[Account], epsilon: float) -> list[Together]:
    """Return the δ of all releases together at ε, by each accountant.

    epsilon: ε >= 0. Raises ValueError naming the argument, its value and what is allowed.
    """
    exact = _composition(accounts).delta(epsilon=epsilon)
    return [
        *(
            Together(name, epsilon, _smallest(partial(at, accounts), epsilon), None)
            for name, at in _WAYS.items()
        ),
        Together("exact", epsilon, exact.upper, exact.lower),
    ]


def _composition(accounts: Sequence[Account]) -> Composition:
    """Return the exact composition."""
    return Composition([(account.loss, account.count) for account in accounts])


def _basic(accounts: Sequence[Account], delta: float) -> float | None:
    """Return the ε of basic composition at δ, None if there is none."""
    left, unknown = _left(accounts, delta)
    if left < -ROUNDING * delta or (unknown and left <= 0):
        return None
    return basic_of(account.at(left / max(unknown, 1)) for account in accounts).epsilon


def _advanced(accounts: Sequence[Account], delta: float) -> float | None:
    """Return the ε of advanced composition at δ, None if there is none.

    The slack is the remaining δ, or half of it if noise gets the other half.
    """
    left, unknown = _left(accounts, delta)
    if left <= 0:
        return _basic(accounts, delta)
    slack = left / 2 if unknown else left
    budgets = [account.at(slack / max(unknown, 1)) for account in accounts]
    simple = _basic(accounts, delta)
    together = advanced_of(budgets, slack=slack).epsilon
    return together if simple is None else min(simple, together)


#: Accountants that are formulas: from accounts and δ to ε.
_WAYS: dict[str, Callable[[Sequence[Account], float], float | None]] = {
    "basic": _basic,
    "advanced": _advanced,
}


def _left(accounts: Sequence[Account], delta: float) -> tuple[float, int]:
    """Return the δ that known budgets leave, and the number of releases without a budget."""
    known = sum(account.count * account.budget[1] for account in accounts if account.budget)
    return delta - known, sum(account.count for account in accounts if account.budget is None)


def _smallest(epsilon_at: Callable[[float], float | None], epsilon: float) -> float | None:
    """Return the smallest δ at which a decreasing ε is at most this one, None if there is none."""

    def is_enough(log_delta: float) -> bool:
        found = epsilon_at(exp(log_delta))
        return found is not None and found <= epsilon * (1 + ROUNDING)

    low, high = log(SMALLEST_DELTA) + 20, log(1 - 1e-12)
    if is_enough(low):
        return 0.0
    if not is_enough(high):
        return None
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return exp(high)
