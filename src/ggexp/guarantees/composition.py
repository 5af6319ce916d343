"""The guarantee of many releases together, each with a guarantee of its own.

`basic` and `advanced` know of each release its (ε, δ) alone, `zcdp` its ρ, and `exact` and
`Composition` the noise itself: each knows more than the one before, and promises a smaller ε at the
same δ. All hold for releases that are chosen one by one, each in view of those before it (adaptive
composition), if their noise, or their (ε, δ), is chosen before the first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import exp, expm1, gamma, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.guarantees import convolution
from ggexp.guarantees.convolution import Enclosure
from ggexp.guarantees.loss_distribution import LossDistribution
from ggexp.guarantees.noise_losses import of_noise
from ggexp.guarantees.real_losses import Laplace, Smooth
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.noise import ROUNDING, Noise
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA
from ggexp.mechanisms.tails import upper_point, upper_tail

#: No more releases are composed.
MAX_RELEASES = 10**6


class Budget(NamedTuple):
    """An ε and a δ of releases together."""

    epsilon: float
    delta: float


def basic(*, epsilon: float, delta: float, k: int) -> Budget:
    """Return the (ε, δ) of k releases of (ε, δ)-approximate DP each: (kε, kδ).

    epsilon: ε >= 0. delta: δ in [0, 1). k: how many. A δ of 1 or more promises nothing. Source:
    approximate-DP lecture notes, Lemma 1.2.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    return basic_of([(epsilon, delta, k)])


def basic_of(budgets: Iterable[tuple[float, float, int]]) -> Budget:
    """Return the (ε, δ) of releases of different (ε, δ)-approximate DP: (Σε, Σδ).

    budgets: ε, δ and number of releases, as in `basic`, of each.
    """
    checked = _checked(budgets)
    return Budget(
        sum(k * epsilon for epsilon, _, k in checked), sum(k * delta for _, delta, k in checked)
    )


def advanced(*, epsilon: float, delta: float, k: int, slack: float) -> Budget:
    """Return the (ε, δ) of k releases of (ε, δ)-approximate DP each, by advanced composition.

    It is (ε√(2k ln(1/δ')) + kε(e^ε - 1), kδ + δ'), with the slack δ' in (0, 1), or that of `basic`
    where its ε is not larger. Other arguments are those of `basic`. Source: CS208 notes, Theorem
    4.5.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    return advanced_of([(epsilon, delta, k)], slack=slack)


def advanced_of(budgets: Iterable[tuple[float, float, int]], *, slack: float) -> Budget:
    """Return the (ε, δ) of releases of different (ε, δ)-approximate DP, by advanced composition.

    It is (√(2 ln(1/δ') Σε²) + Σε(e^ε - 1), Σδ + δ'), or that of `basic_of` where its ε is not
    larger. budgets: those of `basic_of`. slack: δ' in (0, 1). Source: Kairouz, Oh and Viswanath
    2015, Theorem 3.5, where e^ε - 1 is a smaller number.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checked = _checked(budgets)
    simple = basic_of(checked)
    checks.open_unit("slack", slack)
    if max(epsilon for epsilon, _, _ in checked) >= 700:  # exp overflows
        return simple
    squares = sum(k * epsilon**2 for epsilon, _, k in checked)
    drift = sum(k * epsilon * expm1(epsilon) for epsilon, _, k in checked)
    together = sqrt(2 * log(1 / slack) * squares) + drift
    return simple if simple.epsilon <= together else Budget(together, simple.delta + slack)


def _checked(budgets: Iterable[tuple[float, float, int]]) -> list[tuple[float, float, int]]:
    """Return checked budgets."""
    checked = [
        (
            checks.not_negative("epsilon", epsilon),
            checks.below_one("delta", delta),
            checks.count("k", k),
        )
        for epsilon, delta, k in budgets
    ]
    if not checked:
        raise ValueError("releases must be at least one, got none")
    return checked


def zcdp(*, rho: float, delta: float, k: int) -> float:
    """Return the ε of k releases of ρ-zCDP each, at δ: kρ + 2√(kρ ln(1/δ)).

    They are of kρ-zCDP together. rho: ρ >= 0; that of Gaussian noise is Δ²/(2σ²) = (Δ/b)². delta: δ
    in (0, 1). Source: Bun and Steinke (2016), Lemma 1.7 and Proposition 1.3.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    together = checks.count("k", k) * checks.not_negative("rho", rho)
    return together + 2 * sqrt(together * -log(checks.open_unit("delta", delta)))


@dataclass(frozen=True, eq=False)
class Composition:
    """The exact guarantee of releases with any noise, by their privacy loss distributions.

    releases: noise on a statistic that moves by 1, or a privacy loss distribution (those of other
        sensitivities are `ggexp.guarantees.noise_losses.of_noise`, those of an (ε, δ) without its
        noise `randomized_response`), each with the number of its releases. At most 10^6 together.
    Raises ValueError naming the argument, its value and what is allowed.

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
            checks.count("k", k)
        if not 1 <= self.count <= MAX_RELEASES:
            raise ValueError(f"releases must be 1 to {MAX_RELEASES:,} together, got {self.count:,}")
        _ = self._parts

    @cached_property
    def _parts(self) -> list[tuple[LossDistribution, int]]:
        """Privacy loss distributions, each with how often it occurs."""
        return _merged(self.releases)

    @property
    def count(self) -> int:
        """How many releases they are."""
        return sum(k for _, k in self.releases)

    def epsilon(self, *, delta: float) -> Enclosure:
        """Return bounds of the smallest ε for which they satisfy (ε, δ)-approximate DP together.

        delta: δ in (0, 1), at least 1e-302 for each release. ε is infinite if a loss is infinite
        with a probability above δ.
        If all losses are multiples of one number the bounds differ by rounding. Otherwise they
        differ by less than 1e-6 of ε if ε exceeds 1e-3 and the releases are at most 10^4
        (`ggexp.guarantees.convolution`).
        """
        _check_delta(checks.open_unit("delta", delta), self.count)
        always = self.infinite
        if always > delta * (1 - ROUNDING) and always <= delta * (1 + ROUNDING):
            return Enclosure(*[max(0.0, convolution.largest(self._parts))] * 2)
        if (normal := self._normal) is not None:
            return Enclosure(*[normal.basic(delta)] * 2)
        return convolution.epsilon(self._parts, delta)

    def delta(self, *, epsilon: float) -> Enclosure:
        """Return bounds of the smallest δ for which they satisfy (ε, δ)-approximate DP together.

        epsilon: ε >= 0.
        If all losses are multiples of one number the bounds differ by at most 1e-12, and beyond
        5000 releases by 2e-16 for each.
        """
        checks.not_negative("epsilon", epsilon)
        if (normal := self._normal) is not None:
            at = {"order": normal.order, "scale": 1.0, "sensitivity": normal.h}
            return Enclosure(*[float(privacy_loss.delta(epsilon=epsilon, **at))] * 2)
        return convolution.delta(self._parts, epsilon)

    def trade_off(self, false_positive: ArrayLike) -> NDArray[np.float64]:
        """Return the smallest false negative rate of a test whether a record is there.

        false_positive: the rates, in [0, 1], with which the test finds a record that is not there.

        No test has a smaller rate than the result, and the smallest is above it by less than 1e-6
        if the releases are at most 10^4. Of one release of generalized Gaussian noise, and of any
        number with Gaussian noise, the result is exact (f-DP: Dong, Roth and Su 2022).
        Raises ValueError naming the argument, its value and what is allowed.
        """
        checks.all_finite("false_positive", false_positive)
        rates = np.asarray(false_positive, dtype=np.float64)
        if rates.size and not 0 <= rates.min() <= rates.max() <= 1:
            raise ValueError(f"false_positive must be in [0, 1], got {false_positive!r}")
        if (normal := self._normal) is not None:
            found = [_false_negative(normal, rate) for rate in rates.ravel().tolist()]
            return np.reshape(found, rates.shape)
        if self.infinite == 1:
            return np.zeros(rates.shape)
        return np.asarray(np.interp(rates, *convolution.trade_off(self._parts)))

    @property
    def infinite(self) -> float:
        """The probability of an infinite loss: δ is never less."""
        return convolution.infinite(self._parts)

    @property
    def _normal(self) -> Smooth | None:
        """The loss of all releases if it has a closed form, that of one release of GG noise."""
        (loss, k), *others = self._parts
        return loss if not others and k == 1 and isinstance(loss, Smooth) else None


def _false_negative(loss: Smooth, false_positive: float) -> float:
    """Return the smallest false negative rate of one release of generalized Gaussian noise."""
    if false_positive in (0, 1):
        return 1.0 - false_positive
    threshold = upper_point(loss.order, false_positive)
    return upper_tail(loss.order, loss.h - threshold)


def _merged(
    releases: Iterable[tuple[Noise | LossDistribution, int]],
) -> list[tuple[LossDistribution, int]]:
    """Return privacy loss distributions, the normal ones as that of a single release."""
    counts: dict[Noise | LossDistribution, int] = {}
    for release, k in releases:
        counts[release] = counts.get(release, 0) + k
    parts, squares = [], 0.0
    for release, k in counts.items():
        loss = of_noise(release) if isinstance(release, Noise) else release
        if isinstance(loss, Smooth) and loss.order == 2:
            squares += k * loss.h**2
        else:
            parts.append((loss, k))
    return [*parts, (Smooth(2.0, sqrt(squares)), 1)] if squares else parts


def exact(*, order: float, scale: float, k: int, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest ε for which k releases with GG noise satisfy (ε, δ)-approximate DP.

    order: p >= 1. scale: b > 0 of the noise of each. k: how many. delta: δ in (0, 1) of them
    together. sensitivity: Δ > 0, by how much one record may move each of the k statistics, in the
    units of b.
    Of one release, and of order 2, whose sum of losses is normal, it is exact as
    `privacy_loss.epsilon` is. Otherwise it comes from a numerical convolution, which errs upwards
    alone: by some 1e-7 of ε, and below 1e-6 of it, where ε exceeds 1e-3 and k is at most 1e5, and
    by some 2e-6 at k = 1e6 (`ggexp.guarantees.convolution`), at every δ >= k 1e-302. Smaller tails
    have no digits. `Composition` has a lower bound too.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.at_least_one("order", order)
    checks.positive("scale", scale)
    checks.count("k", k)
    checks.open_unit("delta", delta)
    checks.positive("sensitivity", sensitivity)
    if order == 2:
        scale, k = scale / sqrt(k), 1
    if k == 1:
        return privacy_loss.epsilon(order=order, scale=scale, delta=delta, sensitivity=sensitivity)
    _check_delta(delta, k)
    h = sensitivity / scale
    loss = Laplace(h) if order == 1 else Smooth(order, h)
    return convolution.epsilon([(loss, k)], delta, both=False).upper


def exact_scale(
    *, order: float, epsilon: float, delta: float, k: int, sensitivity: float = 1.0
) -> float:
    """Return the smallest scale b for which k releases satisfy (ε, δ)-approximate DP by `exact`.

    epsilon: ε > 0. The other arguments are those of `exact`; the scale is in the sensitivity's
    units. Its relative error is some 1e-7.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    from scipy.optimize import brentq

    def of_one(releases: int) -> float:
        return calibration.scale(
            "adp-exact", order=order, epsilon=epsilon / releases, delta=delta / releases
        )

    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    checks.positive("sensitivity", sensitivity)
    if checks.count("k", k) == 1 or order == 2:
        return sensitivity * sqrt(k) * of_one(1)
    _check_delta(delta, k)

    @cache
    def excess(log_scale: float) -> float:
        found = exact(order=order, scale=exp(log_scale), k=k, delta=delta) / epsilon
        return log(max(found, 1e-3))  # almost linear

    # one release needs less, and basic composition more
    low, high = log(of_one(1)) - 1e-6, log(of_one(k)) + 1e-6
    near = min(max(low, log(_normal_scale(order, epsilon, delta, k))), high)
    # ε falls as fast as 1/b at least, so that the scale lies between
    far = min(max(low, near + excess(near)), high)
    if excess(near) * excess(far) <= 0:
        low, high = sorted((near, far))
    return sensitivity * exp(float(brentq(excess, low, high, xtol=1e-9)))


def _normal_scale(order: float, epsilon: float, delta: float, k: int) -> float:
    """Return the scale of `exact_scale` for k → ∞, at sensitivity 1.

    The sum of the losses is normal then, with the variance of that of Gaussian noise which has the
    same Fisher information p² Γ(2 - 1/p) / (Γ(1/p) b²).
    """
    gaussian = sqrt(k) * calibration.scale("adp-exact", order=2, epsilon=epsilon, delta=delta)
    return gaussian * order * sqrt(gamma(2 - 1 / order) / gamma(1 / order) / 2)


def _check_delta(delta: float, k: int) -> None:
    """Raise ValueError for a δ that is too small for the tails of k releases."""
    if delta < k * SMALLEST_DELTA:
        raise ValueError(
            f"delta must be at least {k * SMALLEST_DELTA:g} for k = {k} releases, got {delta!r}"
        )
