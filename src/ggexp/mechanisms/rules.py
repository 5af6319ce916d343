"""The calibration rules: each is a function of (order, epsilon, delta) that returns a scale.

They assume that only one coordinate of the statistic differs between neighbours, by at most 1. The
table `ggexp.mechanisms.calibration.RULES` lists their names and guarantees.
"""

from fractions import Fraction
from math import expm1, log, log1p, nextafter, sqrt

import numpy as np

from ggexp.mechanisms.privacy_loss import delta_at, relative_sensitivity
from ggexp.mechanisms.solver import DELTA_ERROR, raised, rounded_up, solve
from ggexp.mechanisms.tails import density, upper_point, upper_tail


def pure(order: float, epsilon: float, delta: float) -> float:
    """Return b = 1/ε, the Laplace mechanism; no other order satisfies ε-DP (paper, Claim 4).

    It is rounded up, because at any smaller b the loss exceeds ε for half of the noise.
    """
    return rounded_up(1 / Fraction(float(epsilon)))


def pdp(order: float, epsilon: float, delta: float) -> float:
    """Return a scale b for (ε, δ)-probabilistic DP, in closed form for every real order p >= 1.

    The paper's sufficient condition (Corollary 8, Eqn 13 with one coordinate) is Pr((|e| + 1)^p -
    |e|^p > ε b^p) <= δ. It holds with equality if the privacy loss reaches ε at the t = b u with
    Pr(|e| > t) = δ. For order 2 the scale is that of Lemma 10 (Eqn 18); for order 1 it is `pure`.
    """
    if order == 1:
        return pure(order, epsilon, delta)
    return _pdp_scale(upper_point(order, delta / 2), order, epsilon, delta)


def pdp_exact(order: float, epsilon: float, delta: float) -> float:
    """Return the smallest b for (ε, δ)-probabilistic DP: Pr(|L| > ε) = δ for the privacy loss L.

    If L = ε at t, then Pr(L > ε) = Pr(e > t), and Pr(L < -ε) = Pr(e > t + 1) because L(-1 - e) =
    -L(e). The paper's Eqn (3) counts both probabilities, and other authors count only the first.
    `pdp` counts 2 Pr(e > t). For order 1 the result is `pure`.
    """
    if order == 1:
        return pure(order, epsilon, delta)

    def two_sided(u: float) -> float:
        return upper_tail(order, u) + upper_tail(order, u + relative_sensitivity(u, order, epsilon))

    low, high = upper_point(order, delta) - 1, upper_point(order, delta / 2) + 1
    return _pdp_scale(solve(two_sided, delta, low, high), order, epsilon, delta)


def _pdp_scale(u: float, order: float, epsilon: float, delta: float) -> float:
    """Return the scale b for probabilistic DP at which the privacy loss reaches ε at t = b u."""
    h = relative_sensitivity(u, order, epsilon)
    # |dδ / d ln h| <= 2 f(u) |du / d ln h| = 2 f(u) h / (1 - (u / (u + h))^(p-1)) for u >= 0
    slope = 4 * density(order, u) * (u + h) / min(order - 1, 1)
    return raised(1 / h, order, slope, delta)


def adp_classical(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ with σ = √(2 ln(1.25/δ)) / ε, the classical Gaussian mechanism.

    Source: paper, Eqn (19), from Dwork and Roth (2014), whose proof requires ε < 1. The paper also
    uses it at ε = 1 and 2, where the noise does satisfy (ε, δ)-approximate DP.
    """
    return 2 * sqrt(log(1.25 / delta)) / epsilon


def adp_lecture(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ with σ = √(2 ln(2/δ)) / ε, a Gaussian mechanism for approximate DP.

    Source: approximate-DP lecture notes, Theorem 2.1, for ε <= 1.
    """
    return 2 * sqrt(log(2 / delta)) / epsilon


def adp_exact(order: float, epsilon: float, delta: float) -> float:
    """Return the smallest b for (ε, δ)-approximate DP, the inverse of `privacy_loss.delta`.

    Order 1 has the closed form 1 / (ε - 2 ln(1 - δ)); order 2 is the analytic Gaussian mechanism.
    """
    if order == 1:
        slack = -2 * log1p(-delta)
        if epsilon * 2**-52 < DELTA_ERROR * slack:
            return 1 / (epsilon + slack)
        # the last bit of b changes δ by more than DELTA_ERROR
        return rounded_up(1 / (Fraction(float(epsilon)) + Fraction(nextafter(slack, 0))))

    def exact_delta(u: float) -> float:
        return delta_at(u, relative_sensitivity(u, order, epsilon), order, epsilon)

    # 1 - 2 Pr(e > -u) <= δ(u) for u < 0, and δ(u) < Pr(e > u)
    low, high = -upper_point(order, (1 - delta) / 2) - 1, upper_point(order, delta) + 1
    u = solve(exact_delta, delta, low, high)
    h = relative_sensitivity(u, order, epsilon)
    return raised(1 / h, order, h * density(order, u), delta)  # dδ/dh = f(u)


def adp_truncated_bound(order: float, epsilon: float, delta: float) -> float:
    """Return A = ln(1 + (e^ε - 1) / (2δ)) / ε, the smallest bound of truncated Laplace noise.

    The noise has the scale of `pure`. If a release is possible under both neighbours, its loss is
    at most ε, as without a bound. The releases that are possible under only one neighbour have
    probability Pr(e > A - 1). At this A, the probability is δ if A >= 1, that is, if δ <= 1/2.
    Source: Geng, Ding, Guo and Kumar, arXiv 1810.00877. In the approximate-DP lecture notes it is
    Exercise 1.5.
    """
    # in logarithms, because e^ε may overflow
    log_excess = epsilon + log(-expm1(-epsilon)) - log(2 * delta)
    bound = float(np.logaddexp(0, log_excess)) / epsilon
    return raised(bound, order, bound * epsilon * delta, delta)


def zcdp(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ = 1/√ρ for the ρ at which ρ-zCDP implies (ε, δ)-approximate DP.

    With a = ln(1/δ), ρ + 2 √(ρ a) = ε at √ρ = √(a + ε) - √a. Source: CS208 notes, Theorem 4.2.
    """
    a = -log(delta)
    return (sqrt(a + epsilon) + sqrt(a)) / epsilon
