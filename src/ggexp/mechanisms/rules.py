"""The calibration rules: formulas for scales, the noise at a sensitivity, and several cells.

The table `ggexp.mechanisms.calibration.RULES` lists their names and guarantees. The functions are:

- (order, budget) -> the scale of noise at sensitivity 1;
- `Alone`: (order, budget, sensitivity) -> noise on one statistic. Integer-valued noise is for
  counts, whose sensitivity is a whole number;
- `Jointly`: (alone, order, budget, cells) -> noise on each of several cells that change by 1,
  from the function for one cell; see `ggexp.mechanisms.guarantee`.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from math import exp, expm1, inf, log, log1p, nextafter, sqrt
from typing import Any

import numpy as np
import scipy  # scipy.special, loaded when it is first used (0.2 s)

from ggexp import checks
from ggexp.mechanisms import guarantee
from ggexp.mechanisms.budget import Budget, rounded_up
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.integer_valued import MAX_EXPONENT
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.mechanisms.privacy_loss import delta_at, relative_sensitivity
from ggexp.mechanisms.solver import DELTA_ERROR, least, log_ratio, raised, solve
from ggexp.mechanisms.tails import density, upper_point, upper_tail
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

Alone = Callable[[Any, Budget, float], Noise]
Jointly = Callable[[Alone, Any, Budget, int], Noise]
#: A function (noise, epsilon, sensitivity, cells) -> the exact δ of a guarantee at ε, rounded up.
Exact = Callable[..., float]

#: The scan for the scale of integer-valued noise: its step, and the error of the resulting scale.
STEP, SCALE_ERROR = 0.01, 1e-10
#: Integer-valued noise is calibrated to an ε and δ that are smaller than requested by this share,
#: because of rounding errors. `ggexp.mechanisms.calibration` checks noise on one cell exactly.
MARGIN = 1e-11
#: The same share for `by_scale`, because the δ of probabilistic DP may jump where the loss is ε.
JUMP_MARGIN = 1e-12
#: The scan for several cells starts at this share of the scale of continuous noise.
START = 0.8
#: Error of the scale of integer-valued noise on more than two cells, whose δ takes long to compute.
JOINT_SCALE_ERROR = 1e-6
#: `by_budget`: the number of intervals of each search for the best ε', and of searches,
#: each in the neighbourhood of the last one's best share.
SHARES, REFINEMENTS = 8, 3

# ---- scales at sensitivity 1


def pure(order: float, budget: Budget) -> float:
    """Return b = 1/ε, the Laplace mechanism; no other order satisfies ε-DP (paper, Claim 4).

    It is rounded up, because at any smaller b the loss exceeds ε for half of the noise.
    """
    return rounded_up(1 / Fraction(float(budget.epsilon)))


def pdp(order: float, budget: Budget) -> float:
    """Return a scale b for (ε, δ)-probabilistic DP, in closed form for every real order p >= 1.

    The paper's sufficient condition (Corollary 8) is Pr((|e| + 1)^p - |e|^p > ε b^p) <= δ. It holds
    with equality if the privacy loss reaches ε at the t = b u with Pr(|e| > t) = δ. For order 2 the
    scale is that of Lemma 10 (Eqn 18); for order 1 it is `pure`.
    """
    if order == 1:
        return pure(order, budget)
    return _pdp_scale(upper_point(order, budget.delta / 2), order, budget)


def pdp_exact(order: float, budget: Budget) -> float:
    """Return the smallest b for (ε, δ)-probabilistic DP: Pr(|L| > ε) = δ for the privacy loss L.

    If L = ε at t, then Pr(L > ε) = Pr(e > t), and Pr(L < -ε) = Pr(e > t + 1) because L(-1 - e) =
    -L(e). The paper's Eqn (3) counts both probabilities, and other authors count only the first.
    `pdp` counts 2 Pr(e > t). For order 1 the result is `pure`.
    """
    if order == 1:
        return pure(order, budget)
    delta = budget.delta

    def two_sided(u: float) -> float:
        further = u + relative_sensitivity(u, order, budget.epsilon)
        return upper_tail(order, u) + upper_tail(order, further)

    low, high = upper_point(order, delta) - 1, upper_point(order, delta / 2) + 1
    return _pdp_scale(solve(two_sided, delta, low, high), order, budget)


def _pdp_scale(u: float, order: float, budget: Budget) -> float:
    """Return the scale b for probabilistic DP at which the privacy loss reaches ε at t = b u."""
    h = relative_sensitivity(u, order, budget.epsilon)
    # |dδ / d ln h| <= 2 f(u) |du / d ln h| = 2 f(u) h / (1 - (u / (u + h))^(p-1)) for u >= 0
    slope = 4 * density(order, u) * (u + h) / min(order - 1, 1)
    return raised(1 / h, order, slope, budget.delta)


def adp_classical(order: float, budget: Budget) -> float:
    """Return b = √2 σ with σ = √(2 ln(1.25/δ)) / ε, the classical Gaussian mechanism.

    Source: paper, Eqn (19), from Dwork and Roth (2014), whose proof requires ε < 1. The paper also
    uses it at ε = 1 and 2, where the noise does satisfy (ε, δ)-approximate DP.
    """
    return 2 * sqrt(log(1.25 / budget.delta)) / budget.epsilon


def adp_exact(order: float, budget: Budget) -> float:
    """Return the smallest b for (ε, δ)-approximate DP, the inverse of its exact δ.

    Order 1 has the closed form 1 / (ε - 2 ln(1 - δ)); order 2 is the analytic Gaussian mechanism.
    """
    epsilon, delta = budget.epsilon, budget.delta
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


def adp_truncated_bound(order: float, budget: Budget) -> float:
    """Return A = ln(1 + (e^ε - 1) / (2δ)) / ε, the smallest bound of truncated Laplace noise.

    The noise has the scale of `pure`. Releases that are possible under both neighbours have a loss
    of at most ε. The others have the probability Pr(e > A - 1) = δ, if δ <= 1/2, so that A >= 1.
    Source: Geng, Ding, Guo and Kumar, arXiv 1810.00877; approximate-DP lecture, Exercise 1.5.
    """
    epsilon, delta = budget.epsilon, budget.delta
    # in logarithms, because e^ε may overflow
    log_excess = epsilon + log(-expm1(-epsilon)) - log(2 * delta)
    bound = float(np.logaddexp(0, log_excess)) / epsilon
    return raised(bound, order, bound * epsilon * delta, delta)


# ---- noise on one statistic


def from_scale(function: Callable[[float, Budget], float]) -> Alone:
    """Return a rule's function for generalized Gaussian noise, from a function for its scale."""

    def alone(order: float, budget: Budget, sensitivity: float) -> Noise:
        return GeneralizedGaussian(order, at_sensitivity(function(order, budget), sensitivity))

    return alone


def truncated_laplace(order: float, budget: Budget, sensitivity: float) -> Noise:
    """Return Laplace noise with scale Δ/ε, truncated at the smallest bound that δ allows."""
    scale = at_sensitivity(pure(order, budget), sensitivity)
    return TruncatedLaplace(scale, sensitivity * adp_truncated_bound(order, budget))


def geometric(order: None, budget: Budget, sensitivity: float) -> Noise:
    """Return geometric noise that satisfies ε-DP, with b = Δ/ε, rounded up."""
    shift = checks.whole("sensitivity", sensitivity)
    return Geometric(rounded_up(shift / Fraction(float(budget.epsilon))))


def canonical(order: None, budget: Budget, sensitivity: float) -> Noise:
    """Return discrete canonical noise that satisfies (ε, δ)-approximate DP.

    At sensitivity 1 it is the smallest integer-valued noise. For a larger Δ, it satisfies
    (ε/Δ, δ (e^(ε/Δ) - 1)/(e^ε - 1)) at sensitivity 1. This is sufficient because a change of a
    count by Δ consists of Δ changes by 1, but smaller noise may exist: at Δ = 2, ε = 1 and a δ near
    0, E|K| is 1.919, and 1.863 for integer-valued staircase noise (arXiv 1212.1186).
    """
    epsilon, delta = budget.epsilon, budget.delta
    if (shift := checks.whole("sensitivity", sensitivity)) == 1:
        return Canonical(epsilon, delta)  # without rounding
    unit_epsilon = nextafter(epsilon / shift, 0)
    unit_delta = delta * exp(unit_epsilon - epsilon) * expm1(-unit_epsilon) / expm1(-epsilon)
    return Canonical(unit_epsilon, unit_delta * (1 - MARGIN))


def by_scan(exact: Exact) -> Callable[..., Noise]:
    """Return a function for discrete GG noise, of the smallest scale that a scan finds.

    The δ of the noise may increase with its scale. For example, at order 4 the scale 0.82 is
    sufficient for (2, 0.25), 1.2 is not, and all scales from 1.43 on are. Therefore the scan tries
    scales in steps of `STEP`, and bisects the step before the first sufficient scale. It starts at
    the scale whose E|K| is that of discrete canonical noise at sensitivity 1. No smaller scale is
    sufficient, because E|K| increases with the scale. For more than two cells, it starts below the
    scale of continuous noise.
    """

    def alone(order: float, budget: Budget, sensitivity: float, cells: int = 1) -> Noise:
        smallest_mean = Canonical(budget.epsilon, budget.delta).mean_absolute
        target = budget.reduced(MARGIN)

        def is_wide(b: float) -> bool:
            return DiscreteGeneralizedGaussian(order, b).mean_absolute >= smallest_mean

        def is_sufficient(b: float) -> bool:
            noise = DiscreteGeneralizedGaussian(order, b)
            found = exact(noise, epsilon=target.epsilon, sensitivity=sensitivity, cells=cells)
            return found <= target.delta

        if cells > 2:
            continuous = by_scale(exact)(from_scale(adp_exact), order, budget, cells)
            low, error = START * continuous.scale, JOINT_SCALE_ERROR
        else:
            high, error = 1.0, SCALE_ERROR
            while not is_wide(high):
                high *= 2
            low, _ = _bisect(is_wide, MAX_EXPONENT ** (-1 / order), high, STEP)
        high = low
        while not is_sufficient(high):
            low, high = high, high * (1 + STEP)
        b = _bisect(is_sufficient, low, high, error)[1]
        return DiscreteGeneralizedGaussian(order, b)

    return alone


def _bisect(
    is_enough: Callable[[float], bool], low: float, high: float, error: float
) -> tuple[float, float]:
    """Return two scales around the smallest that is enough, with this relative difference."""
    while high > low * (1 + error):
        middle = sqrt(low * high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return low, high


def at_sensitivity(b: float, sensitivity: float) -> float:
    """Return the scale at the given sensitivity, rounded up, from the scale b at sensitivity 1."""
    checks.positive("scale", b)  # 1/ε overflows below 6e-309
    return checks.positive("scale", rounded_up(Fraction(float(sensitivity)) * Fraction(b)))


# ---- noise on several cells


def with_cells(alone: Callable[..., Noise], order: float, budget: Budget, cells: int) -> Noise:
    """Return the noise of a function that also takes the number of cells, such as `by_scan`."""
    return alone(order, budget, 1.0, cells)


def by_share(alone: Alone, order: Any, budget: Budget, cells: int) -> Noise:
    """Return noise with which each cell satisfies the guarantee with ε/k and δ/k.

    This basic composition is sufficient for every noise and guarantee, and exact for ε-DP.
    """
    return alone(order, budget.divided(cells), 1.0)


def by_norm(alone: Alone, order: Any, budget: Budget, cells: int) -> Noise:
    """Return Gaussian noise for the l_2 sensitivity √k, which alone determines its loss."""
    norm = sqrt(cells)
    if Fraction(norm) ** 2 < cells:
        norm = nextafter(norm, inf)
    return alone(order, budget, norm)


def corollary_7(alone: Alone, order: float, budget: Budget, cells: int) -> Noise:
    """Return noise for probabilistic DP by the paper's sufficient condition for several cells.

    At order 1 the bound on the loss is k/b. At order 2, Lemma 10 with Δ_2 = √k needs less noise.
    """
    if order == 1:
        return by_share(alone, order, budget, cells)
    return by_scale(guarantee.sufficient_delta_of)(alone, order, budget, cells)


def by_scale(exact: Exact) -> Jointly:
    """Return a function for generalized Gaussian noise of the smallest sufficient scale."""

    def jointly(alone: Alone, order: float, budget: Budget, cells: int) -> Noise:
        @cache
        def excess(log_scale: float) -> float:
            noise = GeneralizedGaussian(order, exp(log_scale))
            return log_ratio(exact(noise, epsilon=target, cells=cells), budget.delta)

        target = budget.epsilon * (1 - JUMP_MARGIN)
        if order == 2:
            return by_norm(alone, order, budget, cells)
        # basic composition needs a larger scale
        parts = (Budget(budget.epsilon / k, budget.delta / k) for k in (1, cells))
        low, high = (log(alone(order, part, 1.0).scale) for part in parts)
        while excess(low) <= 0:
            low -= 0.1
        return GeneralizedGaussian(order, exp(least(excess, low, high)))

    return jointly


def by_budget(exact: Exact) -> Jointly:
    """Return a function for noise with two parameters, of the smallest standard deviation found.

    Candidates are calibrated for one cell, with an ε from ε/k to ε, and with the largest δ at which
    the cells jointly satisfy (ε, δ). The best ε is usually ε/k.
    """

    def jointly(alone: Alone, order: Any, budget: Budget, cells: int) -> Noise:
        def candidate(share: float) -> Noise | None:
            def noise(delta: float) -> Noise:
                return alone(order, Budget(share * budget.epsilon, delta), 1.0)

            return _with_largest_delta(exact, noise, budget, cells, -log(budget.delta) + 25)

        found: list[Noise] = []
        low, high = 1 / cells, 1.0
        for _ in range(REFINEMENTS):
            spaced = np.linspace if cells == 2 else np.geomspace
            shares = spaced(low, high, SHARES + 1).tolist()
            noises = [noise for noise in map(candidate, shares) if noise is not None]
            found.append(min(noises, key=lambda noise: noise.sd))
            best = noises.index(found[-1])
            low, high = shares[max(best - 1, 0)], shares[min(best + 1, SHARES)]
        return min(found, key=lambda noise: noise.sd)

    return jointly


def _with_largest_delta(
    exact: Exact, noise_at: Callable[[float], Noise], budget: Budget, cells: int, high: float
) -> Noise | None:
    """Return noise_at(δ') of the largest δ' of one cell, None if even exp(-high) is too large."""

    @cache
    def excess(log_odds: float) -> float:
        noise = noise_at(exp(-log_odds))
        return log_ratio(exact(noise, epsilon=budget.epsilon, cells=cells), budget.delta)

    low = -log(min(budget.delta, 0.5))
    if excess(high) > 0:
        return None
    log_odds = low if excess(low) <= 0 else least(excess, low, high)
    return noise_at(exp(-log_odds))


def by_response(alone: Alone, order: Any, budget: Budget, cells: int) -> Noise:
    """Return discrete canonical noise on more than two cells, as `by_budget` does on two.

    Its ε' is the best of (ε', δ')-randomized response. No other release exceeds its k-fold δ,
    1 - (1 - δ')^k (1 - δ_0) with δ_0 of (ε', 0) (Kairouz, Oh and Viswanath 2015). Then δ' is exact.
    """
    exact, epsilon, delta = guarantee.delta_of, budget.epsilon, budget.delta
    if cells == 2:
        return by_budget(exact)(alone, order, budget, cells)
    yes = np.arange(cells // 2 + 1, cells + 1)
    gammaln = scipy.special.gammaln
    log_ways = gammaln(cells + 1) - gammaln(yes + 1) - gammaln(cells - yes + 1)

    def remaining(unit: float) -> float:
        """Return the largest δ' of one cell at ε' = unit, negative if there is none."""
        excess = -np.expm1(np.minimum(epsilon - (2 * yes - cells) * unit, 0.0))
        logs = log_ways - (cells - yes) * unit - cells * log1p(exp(-unit))
        at_0 = float(np.exp(logs) @ excess)
        return -expm1((log1p(-delta) - log1p(-at_0)) / cells) if at_0 < delta else -1.0

    def noise(unit: float, delta: float) -> Noise:
        return alone(order, Budget(unit, delta), 1.0)

    def sufficient(unit: float) -> Noise:
        return noise(unit, remaining(unit) * (1 - MARGIN))

    low, high = budget.divided(cells).epsilon, epsilon
    for _ in range(REFINEMENTS):
        grid = np.geomspace(low, high, 4 * SHARES).tolist()
        units = [unit for unit in grid if remaining(unit) > 0]
        best = min(range(len(units)), key=lambda i: sufficient(units[i]).sd)
        low, high = units[max(best - 1, 0)], grid[best + 1]
    unit = units[best]
    high = -log(remaining(unit) * (1 - MARGIN))
    found = _with_largest_delta(exact, partial(noise, unit), budget, cells, high)
    return found or sufficient(unit)
