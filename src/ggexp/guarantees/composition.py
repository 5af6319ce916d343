"""The joint guarantee of many releases.

`basic_of` and `advanced_of` use only the (ε, δ) of each release. `Composition` uses the noise
itself, which gives the smallest ε at the same δ. All results hold under adaptive composition: each
release may depend on the results of earlier ones, if all noise or (ε, δ) are chosen in advance.

`epsilons` and `deltas` compare these accountants for releases of different kinds. If only the noise
of a release is known, its δ for basic and advanced composition is an equal share of the δ that
remains after the releases with a known (ε, δ).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import exp, expm1, gamma, inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.mechanisms import calibration, convolution
from ggexp.mechanisms.budget import Budget, rounded_up
from ggexp.mechanisms.convolution import Estimates
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import ROUNDING, LossDistribution
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.real_losses import Smooth
from ggexp.mechanisms.solver import checked, root, smallest
from ggexp.ranges import Delta, EpsilonOrZero, Order, Releases

#: The largest number of releases.
MAX_RELEASES = 10**6
#: The (ε, δ) of approximate DP that each of a number of releases satisfies.
Spent = tuple[Budget, int]


def basic_of(releases: Iterable[Spent]) -> Budget:
    """Return the joint (ε, δ) of releases, (Σε, Σδ): approximate-DP lecture notes, Lemma 1.2."""
    spent = _checked(releases)
    delta = sum(k * budget.delta for budget, k in spent)
    return Budget(sum(k * budget.epsilon for budget, k in spent), min(delta, 1.0))


def advanced_of(releases: Iterable[Spent], *, slack: float) -> Budget:
    """Return the joint (ε, δ) of releases that satisfy approximate DP, by advanced composition.

    The result is (√(2 ln(1/δ') Σε²) + Σε(e^ε - 1), Σδ + δ'), or the result of `basic_of` if its ε
    is not larger. slack: δ' in (0, 1). Source: CS208 notes, Theorem 4.5, for equal (ε, δ);
    otherwise Kairouz, Oh and Viswanath 2015, Theorem 3.5, with a smaller factor than e^ε - 1.
    """
    spent = _checked(releases)
    simple = basic_of(spent)
    checks.open_unit("slack", slack)
    epsilons = [(budget.epsilon, k) for budget, k in spent]
    if max(epsilons)[0] >= 700:  # exp would overflow
        return simple
    squares = sum(k * epsilon**2 for epsilon, k in epsilons)
    drift = sum(k * epsilon * expm1(epsilon) for epsilon, k in epsilons)
    together = sqrt(2 * log(1 / slack) * squares) + drift
    if simple.epsilon <= together:
        return simple
    return Budget(together, min(simple.delta + slack, 1.0))


def _checked(releases: Iterable[Spent]) -> list[Spent]:
    """Check the numbers of releases, and return the releases as a list."""
    checked = [(budget, checks.count("count", k)) for budget, k in releases]
    if not checked:
        raise ValueError("releases must contain at least one release, got none")
    return checked


@dataclass(frozen=True, eq=False)
class Composition:
    """The exact joint guarantee of releases with any noise, from their privacy loss distributions.

    releases: pairs of a noise, on a statistic of sensitivity 1, and the number of its releases, at
        most 10^6 in total. A privacy loss distribution may replace the noise: `Noise.loss` returns
        it for another sensitivity, and `loss_distribution.randomized_response` for an (ε, δ).

    >>> from ggexp import Mechanism
    >>> from ggexp.guarantees.composition import Composition
    >>> counts = Mechanism(None, "pure-integer").noise(epsilon=0.1)
    >>> mean = Mechanism(2, "adp-exact").noise(epsilon=0.5, delta=1e-6)
    >>> together = Composition([(counts, 30), (mean, 1)])
    >>> [round(bound, 5) for bound in together.epsilon(delta=1e-6)]
    [2.41271, 2.41271]
    """

    releases: Sequence[tuple[Noise | LossDistribution, int]]

    def __post_init__(self) -> None:
        for _, k in self.releases:
            checks.count("count", k)
        if not 1 <= self.count <= MAX_RELEASES:
            raise ValueError(f"releases must be 1 to {MAX_RELEASES:,} in total, got {self.count:,}")
        _ = self._parts

    @cached_property
    def _parts(self) -> list[tuple[LossDistribution, int]]:
        """Privacy loss distributions, each with its number; all Gaussian noise is one release."""
        counts: Counter[Noise | LossDistribution] = Counter()
        for release, k in self.releases:
            counts[release] += k
        parts, squares = [], 0.0
        for release, k in counts.items():
            loss = release.loss() if isinstance(release, Noise) else release
            if isinstance(loss, Smooth) and loss.noise.order == 2:
                squares += k * loss.h**2
            else:
                parts.append((loss, k))
        return [*parts, (GeneralizedGaussian(2).loss(sqrt(squares)), 1)] if squares else parts

    @property
    def count(self) -> int:
        """The number of releases."""
        return sum(k for _, k in self.releases)

    def epsilon(self, *, delta: Delta) -> Estimates:
        """Return estimates of the smallest ε for which all releases satisfy (ε, δ)-approximate DP.

        δ is at least 1e-302 for each release. ε is infinite if the probability of an infinite loss
        exceeds δ.
        Unless all losses are multiples of one number, the relative difference of the estimates is
        below 1e-6 if ε is from 1e-3 to 700 and there are at most 10^4 releases.
        """
        _check_delta(checks.open_unit("delta", delta), self.count)
        infinite = convolution.infinite(self._parts)
        if infinite > delta * (1 - ROUNDING) and infinite <= delta * (1 + ROUNDING):
            return Estimates(*[max(0.0, convolution.largest(self._parts))] * 2)
        if (single := self._closed_form) is not None:
            return Estimates(*[single.epsilon(delta)] * 2)
        return convolution.epsilon(self._parts, delta)

    def sufficient_epsilon(self, *, delta: Delta) -> float:
        """Return an ε at which all releases satisfy (ε, δ)-approximate DP, in half of the time.

        It is the smallest ε for one release, and for Gaussian noise; otherwise its relative error
        is about 1e-7, and below 1e-6 if ε exceeds 1e-3 and there are at most 1e5 releases. With 1e6
        releases, it is about 2e-6. δ is at least 1e-302 for each release.
        """
        checks.open_unit("delta", delta)
        (loss, k), *others = self._parts
        if k == 1 and not others:
            return loss.epsilon(delta)
        _check_delta(delta, self.count)
        return convolution.epsilon(self._parts, delta, with_optimistic=False).pessimistic

    def delta(self, *, epsilon: EpsilonOrZero) -> Estimates:
        """Return estimates of the smallest δ for which all releases satisfy (ε, δ)-approximate DP.

        If all losses are multiples of one number, the estimates differ by at most 1e-12, or by at
        most 2e-16 for each release if there are more than 5000 releases.
        """
        checks.not_negative("epsilon", epsilon)
        if (single := self._closed_form) is not None:
            return Estimates(*[single.delta(epsilon)] * 2)
        return convolution.delta(self._parts, epsilon)

    def trade_off(self, false_positive: ArrayLike) -> NDArray[np.float64]:
        """Return the smallest false negative rate of a test whether a record is in the table.

        false_positive: false positive rates, in [0, 1]: the probability that the test decides that
            an absent record is in the table.

        The result is a lower bound: no test has a smaller rate. The smallest rate exceeds the bound
        by less than 1e-6 if there are at most 10^4 releases. The result is exact for one release
        with generalized Gaussian noise, and for any number of releases with Gaussian noise (f-DP:
        Dong, Roth and Su 2022).
        """
        rates = np.asarray(false_positive, dtype=np.float64)
        if not np.all((rates >= 0) & (rates <= 1)):
            raise ValueError(f"false_positive must be in [0, 1], got {false_positive!r}")
        if (single := self._closed_form) is not None:
            negatives = [single.false_negative(rate) for rate in rates.ravel().tolist()]
            return np.reshape(negatives, rates.shape)
        if convolution.infinite(self._parts) == 1:
            return np.zeros(rates.shape)
        return np.asarray(np.interp(rates, *convolution.trade_off(self._parts)))

    @property
    def _closed_form(self) -> Smooth | None:
        """The loss of all releases if it is the loss of one and has a closed form, else None."""
        (loss, k), *others = self._parts
        return loss if k == 1 and not others and isinstance(loss, Smooth) else None


def exact_scale(*, order: Order, budget: Budget, k: Releases) -> float:
    """Return the smallest scale b at which k releases of GG noise satisfy (ε, δ)-approximate DP.

    One record changes each statistic by 1. The relative error of b is about 1e-7.
    """
    epsilon, delta = budget.epsilon, budget.delta

    def basic_scale(releases: int) -> float:
        return calibration.calibrate(
            "adp-exact", order=order, epsilon=epsilon / releases, delta=delta / releases
        ).scale

    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    if checks.count("k", k) == 1 or order == 2:
        return sqrt(k) * basic_scale(1)
    _check_delta(delta, k)

    @cache
    def excess(log_scale: float) -> float:
        releases = Composition([(GeneralizedGaussian(order, exp(log_scale)), k)])
        ratio = releases.sufficient_epsilon(delta=delta) / epsilon
        return log(max(ratio, 1e-3))  # almost linear in log_scale

    # one release needs a smaller scale, and basic composition a larger scale
    low, high = log(basic_scale(1)) - 1e-6, log(basic_scale(k)) + 1e-6
    # for k → ∞ the sum of the losses is normal, with the variance for Gaussian noise of the same
    # Fisher information, p² Γ(2 - 1/p) / (Γ(1/p) b²)
    gaussian = calibration.calibrate("adp-exact", order=2, epsilon=epsilon, delta=delta).scale
    normal = sqrt(k) * gaussian * order * sqrt(gamma(2 - 1 / order) / gamma(1 / order) / 2)
    guess = min(max(low, log(normal)), high)
    # because ε decreases at least as fast as 1/b, the root lies between these two points
    opposite = min(max(low, guess + excess(guess)), high)
    if excess(guess) * excess(opposite) <= 0:
        low, high = sorted((guess, opposite))
    log_scale = root(excess, low, high, xtol=1e-9)
    return exp(checked(lambda x: excess(x) <= ROUNDING, log_scale, 1e-9))


def _check_delta(delta: float, k: int) -> None:
    """Raise ValueError for a δ that is too small for the tails of k releases."""
    if delta < k * SMALLEST_DELTA:
        raise ValueError(
            f"delta must be at least {k * SMALLEST_DELTA:g} for k = {k} releases, got {delta!r}"
        )


@dataclass(frozen=True)
class Account:
    """Releases of one kind.

    count: their number. loss: the privacy loss distribution of each; the worst one for the budget
        if the noise is unknown. budget: the (ε, δ) of approximate DP that each satisfies, if known.
    """

    count: int
    loss: LossDistribution
    budget: Budget | None = None

    def spent_at(self, delta: float) -> Spent:
        """Return the known budget, or the ε of the noise at ``delta``, and the count."""
        return self.budget or Budget(self.loss.epsilon(delta), delta), self.count


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
    exact = (pessimistic, delta, optimistic) if pessimistic < inf else (None, delta, None)
    return [
        JointGuarantee("basic", _basic(accounts, delta), delta, None),
        JointGuarantee("advanced", _advanced(accounts, delta), delta, None),
        JointGuarantee("exact", *exact),
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
    return basic_of(account.spent_at(share) for account in accounts).epsilon


def _advanced(accounts: Sequence[Account], delta: float) -> float | None:
    """Return the ε of advanced composition, or None if δ is too small for the releases.

    The slack is the δ that remains after the known budgets. If some releases have no budget, the
    slack is half of the remaining δ, and these releases share the other half.
    """
    remaining, unbudgeted = _remaining_delta(accounts, delta)
    if remaining <= 0:
        return _basic(accounts, delta)
    slack = remaining / 2 if unbudgeted else remaining
    spent = [account.spent_at(slack / max(unbudgeted, 1)) for account in accounts]
    basic = _basic(accounts, delta)
    advanced = advanced_of(spent, slack=slack).epsilon
    return advanced if basic is None else min(basic, advanced)


def _remaining_delta(accounts: Sequence[Account], delta: float) -> tuple[float, int]:
    """Return the δ that remains after known budgets, and the number of unbudgeted releases."""
    unbudgeted = sum(account.count for account in accounts if account.budget is None)
    return delta - float(_known_delta(accounts)), unbudgeted


def _known_delta(accounts: Sequence[Account]) -> Fraction:
    """Return the sum of the δ of all known budgets."""
    known = [(account.count, account.budget.delta) for account in accounts if account.budget]
    return sum((count * Fraction(delta) for count, delta in known), Fraction(0))


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
