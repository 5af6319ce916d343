"""The guarantee of many releases together, each with a guarantee of its own.

`basic` and `advanced` know of each release its (ε, δ) alone, `zcdp` its ρ, and `exact` the noise
itself: each knows more than the one before, and promises a smaller ε at the same δ. All hold for
releases that are chosen one by one, each in view of those before it (adaptive composition).
"""

from functools import cache
from math import exp, expm1, gamma, log, sqrt

from ggexp import checks
from ggexp.guarantees import loss_sums
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.privacy_loss import SMALLEST_DELTA


def basic(*, epsilon: float, delta: float, k: int) -> tuple[float, float]:
    """Return the (ε, δ) of k releases of (ε, δ)-approximate DP each: (kε, kδ).

    epsilon: ε >= 0. delta: δ in [0, 1). k: how many. A δ of 1 or more promises nothing. Source:
    approximate-DP lecture notes, Lemma 1.2.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.not_negative("epsilon", epsilon)
    checks.below_one("delta", delta)
    checks.count("k", k)
    return k * epsilon, k * delta


def advanced(*, epsilon: float, delta: float, k: int, slack: float) -> tuple[float, float]:
    """Return the (ε, δ) of k releases of (ε, δ)-approximate DP each, by advanced composition.

    It is (ε√(2k ln(1/δ')) + kε(e^ε - 1), kδ + δ'), with the slack δ' in (0, 1), or that of `basic`
    where its ε is not larger. Other arguments are those of `basic`. Source: CS208 notes, Theorem
    4.5.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    simple = basic(epsilon=epsilon, delta=delta, k=k)
    checks.open_unit("slack", slack)
    if epsilon >= 700:  # exp overflows
        return simple
    together = epsilon * sqrt(2 * k * log(1 / slack)) + k * epsilon * expm1(epsilon)
    return simple if simple[0] <= together else (together, k * delta + slack)


def zcdp(*, rho: float, delta: float, k: int) -> float:
    """Return the ε of k releases of ρ-zCDP each, at δ: kρ + 2√(kρ ln(1/δ)).

    They are of kρ-zCDP together. rho: ρ >= 0; that of Gaussian noise is Δ²/(2σ²) = (Δ/b)². delta: δ
    in (0, 1). Source: Bun and Steinke (2016), Lemma 1.7 and Proposition 1.3.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    together = checks.count("k", k) * checks.not_negative("rho", rho)
    return together + 2 * sqrt(together * -log(checks.open_unit("delta", delta)))


def exact(*, order: float, scale: float, k: int, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest ε for which k releases with GG noise are of (ε, δ)-approximate DP.

    order: p >= 1. scale: b > 0 of the noise of each. k: how many. delta: δ in (0, 1) of them
    together. sensitivity: Δ > 0, by how much one record may move each of the k statistics, in the
    units of b.
    Of one release, and of order 2, whose sum of losses is normal, it is exact as
    `privacy_loss.epsilon` is. Otherwise it comes from a numerical convolution, which errs upwards
    alone: by some 1e-7 of ε, and below 1e-6 of it, where ε exceeds 1e-3 and k is at most 1e5, and
    by some 2e-6 at k = 1e6 (`ggexp.guarantees.loss_sums`). It needs δ >= k 1e-302: smaller tails
    have no digits.
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
    return loss_sums.epsilon(order=order, h=sensitivity / scale, k=k, delta=delta)


def exact_scale(
    *, order: float, epsilon: float, delta: float, k: int, sensitivity: float = 1.0
) -> float:
    """Return the smallest scale b for which k releases are of (ε, δ)-approximate DP by `exact`.

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
