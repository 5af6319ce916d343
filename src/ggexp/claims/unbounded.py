"""Tests of the paper's claims about GG noise without bounds (sections 2.4 to 3), or bounded later.

Comparisons are at the (ε, δ) of the run, unless the claim names others. Either one statistic
changes by Δ, or several statistics change together, each by its Δ_{1,k}.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product, starmap
from math import ceil, comb, exp, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.claims.theory import noise_of
from ggexp.mechanisms import privacy_loss, selection, sensitivity, several_coordinates
from ggexp.mechanisms.bounded import clamped_pdp_delta, redrawn_pdp_delta
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.tails import upper_tail

ROUNDING = 1e-9
LARGEST_NOISE = 1e12  # largest noise that is tried, in units of Δ


@claim_test
def no_scale_is_enough(
    results: Results, *, orders: Sequence[float], largest_scale: float
) -> Comparisons:
    """Test whether the largest loss of noise of each order exceeds ε, at each ε of the run.

    largest_scale: b in units of Δ/ε; smaller scales have larger losses. Orders may be below 1.
    """
    e = np.concatenate([[0], np.geomspace(1e-3, LARGEST_NOISE, 1000)])
    for order, epsilon in product(orders, results.epsilons):
        b = largest_scale / epsilon
        largest = float((((e + 1) / b) ** order - (e / b) ** order).max())
        what = f"p={order:g}: largest loss > ε"
        where = f"ε={epsilon:g}, b={b:g} (loss {largest:.3g})"
        yield Comparison(what, where, largest - epsilon)


@claim_test
def laplace_scale(results: Results, *, sensitivities: Sequence[float]) -> Comparisons:
    """Test whether Δ_1/ε is the smallest scale at which Laplace noise has no loss above ε."""
    changes = np.array(sensitivities)
    e = np.array(list(product((-2.0, -0.5, 0.0, 0.5, 2.0), repeat=len(sensitivities))))
    largest = float(np.abs(np.abs(e + changes) - np.abs(e)).sum(axis=1).max())
    total = sensitivity.of_coordinates(1, sensitivities)
    for epsilon in results.epsilons:
        b = total * noise_of("pure", 1, Budget(epsilon)).scale
        where = f"ε={epsilon:g}, b={b:.4g}"
        yield Comparison("largest loss <= ε", where, epsilon - largest / b + ROUNDING)
        yield Comparison("largest loss > ε with 0.99 b", where, largest / (0.99 * b) - epsilon)


@claim_test
def corollary_7(
    results: Results,
    *,
    orders: Sequence[float],
    sensitivities: Sequence[float],
    points: Sequence[tuple[float, float]],
    draws: int,
) -> Comparisons:
    """Test whether noise with the scale of Corollary 7 has Pr(|L| > ε) <= δ.

    The scale and the losses are from ``draws`` draws each. The comparison is for the larger share
    of losses above ε: if all statistics change, and if only the first one changes.
    """
    rng = results.stream("corollary 7")
    changes = np.array(sensitivities)
    for order, budget in product(orders, [*starmap(Budget, points)]):
        epsilon, delta = budget.epsilon, budget.delta
        scales = several_coordinates.draw_scales(order, sensitivities, epsilon, rng, draws)
        b = several_coordinates.quantile(scales, delta).scale
        e = GeneralizedGaussian(order, b).sample(rng, draws * changes.size).reshape(draws, -1)
        share = 0.0
        for change in (changes, changes * (np.arange(changes.size) == 0)):
            losses = (np.abs((e + change) / b) ** order - np.abs(e / b) ** order).sum(axis=1)
            share = max(share, float((np.abs(losses) > epsilon).mean()))
        what = f"p={order:g}: Pr(|L| > ε) <= δ"
        where = f"{place(budget)} with Pr = {share:.3g}"
        error = sqrt(delta * (1 - delta) / draws)
        yield Comparison(what, where, delta - share, error)


@claim_test
def corollary_8(
    results: Results, *, orders: Sequence[int], moved: float, power: bool
) -> Comparisons:
    """Test whether noise with the scale of Corollary 8 has Pr(|L| > ε) <= δ, for one statistic.

    moved: Δ. power: True if the condition has Δ^j, False if it has Δ, as printed.
    """
    for order, budget in product(orders, results.budgets):
        noise = GeneralizedGaussian(order, _corollary_8_scale(order, budget, moved, power))
        yield _exceedance(f"p={order:g}: Pr(|L| > ε) <= δ", noise, moved, budget)


def _corollary_8_scale(order: int, budget: Budget, change: float, power: bool) -> float:
    """Return the b with Pr(Σ_j C(p, j) |e|^(p-j) Δ^j > b^p ε) = δ, or with Δ instead of Δ^j."""
    # the sum increases with |e|: evaluate it where |e| exceeds a point with probability δ
    g = GeneralizedGaussian(order).upper_point(budget.delta / 2)  # |e| / b

    def excess(b: float) -> float:
        steps = (change ** (j if power else 1) / b**j for j in range(1, order + 1))
        total = sum(comb(order, j) * g ** (order - j) * s for j, s in enumerate(steps, 1))
        return total - budget.epsilon

    return float(brentq(excess, 1e-3, 1e6, xtol=1e-12))


@claim_test
def lemma_10(results: Results, *, sensitivities: Sequence[float], less: float = 0.0) -> Comparisons:
    """Test whether Gaussian noise with the scale of Lemma 10 has Pr(|L| > ε) <= δ.

    sensitivities: Δ_{1,k}, from which Lemma 2 gives Δ_2, the only length that matters for Gaussian
    noise. less: if above 0, test whether Pr(|L| > ε) > δ for a scale smaller by this share.
    """
    delta_2 = sensitivity.of_coordinates(2, sensitivities)
    for budget in results.budgets:
        noise = GeneralizedGaussian(2, (1 - less) * delta_2 * noise_of("pdp", 2, budget).scale)
        sign, relation = (-1, ">") if less else (1, "<=")
        yield _exceedance(f"Pr(|L| > ε) {relation} δ", noise, delta_2, budget, sign)


def _exceedance(
    what: str, noise: GeneralizedGaussian, moved: float, budget: Budget, sign: int = 1
) -> Comparison:
    """Return the comparison of Pr(|L| > ε) with δ. sign: -1 if it should be above δ."""
    probability = noise.pdp_delta(epsilon=budget.epsilon, sensitivity=moved)
    where = f"{place(budget)} with Pr = {probability:.3g}"
    return Comparison(what, where, sign * (budget.delta - probability))


@claim_test
def concentrated(results: Results, *, rule: str) -> Comparisons:
    """Test whether the loss of Gaussian noise has mean ε and the tails of (ε, τ)-concentrated DP.

    ε = Δ²/(2σ²) and τ = Δ/σ, for the noise of the run with this rule. Pr(L > ε + a) must be at most
    exp(-(a/τ)²/2), at the worst a from τ/100 to 20 τ.
    """
    scales = results.scales
    selected = (scales["order"] == 2) & (scales["calibration"] == rule)
    for row in scales[selected].to_dict("records"):
        b, sd = row["scale"], row["sd"]
        mean, tau = 1 / (2 * sd**2), 1 / sd
        mean_loss = _mean_loss(b)
        ratios = [
            upper_tail(2, privacy_loss.where_loss_is(mean + a * tau, 2, 1 / b)) * exp(a * a / 2)
            for a in np.geomspace(0.01, 20, 20).tolist()
        ]
        where = f"ε={mean:.3g}, τ={tau:.3g}"
        yield Comparison("mean loss = ε", where, 1e-6 - abs(mean_loss / mean - 1))
        yield Comparison("tail / bound < 1", where, 1 - max(ratios))


def _mean_loss(b: float) -> float:
    """Return the mean of the loss L of Gaussian noise with the scale b, for Δ = 1."""
    density = GeneralizedGaussian(2, b).scipy.pdf
    reach = 20 * b
    return float(
        quad(lambda e: density(e) * ((e + 1) ** 2 - e**2) / b**2, -reach, reach, epsrel=1e-10)[0]
    )


@claim_test
def noisy_max(
    *, order: float, rule: str, points: Sequence[tuple[float, float]], beyond: bool
) -> Comparisons:
    """Test whether the index of the largest of two noisy counts has a privacy loss above ε.

    The loss is the log ratio of the probabilities of the first index, for counts 0 and m or m + 1,
    with m such that it is about 2ε. beyond: False to test whether it is at most ε.
    """
    for budget in starmap(Budget, points):
        noise, epsilon = noise_of(rule, order, budget), budget.epsilon
        m = ceil(4 * epsilon * noise.sd**2)
        probabilities = [selection.wrong_probability([0, lead], noise) for lead in (m, m + 1)]
        loss = log(probabilities[0] / probabilities[1])
        what = f"loss {'>' if beyond else '<='} ε for counts 0 and {m} (loss {loss:.3g})"
        margin = loss - epsilon if beyond else epsilon - loss
        yield Comparison(what, place(budget), margin)


@claim_test
def clamping(results: Results, *, counts: int) -> Comparisons:
    """Test whether counts with Gaussian noise, clamped at 0, satisfy (ε, δ)-pDP.

    The comparison is for the worst point (ε, δ) of the run and the worst of the neighbouring counts
    up to ``counts``. The noise has the paper's conservative scale, or the smallest one.
    """
    cases = {f"count {count} against {count + 1}": {"count": count} for count in range(counts)}
    for rule in ("pdp", "pdp-exact"):
        what = f"{rule}: Pr(|loss| > ε) <= δ after clamping"
        yield from _worst(what, rule, 2, results.budgets, clamped_pdp_delta, cases)


@claim_test
def redrawing(
    results: Results,
    *,
    orders: Sequence[float],
    counts: int,
    bounds: Sequence[int],
    points: Sequence[Sequence[float]] | None = None,
) -> Comparisons:
    """Test whether (ε, δ)-pDP holds if noise is redrawn until the release lies within [0, bound].

    The noise has the paper's scale. For each order, the comparison is for the worst combination of
    a point (ε, δ), a bound and neighbouring counts up to ``counts``. points: None for the run's.
    """
    budgets = results.budgets if points is None else [*starmap(Budget, points)]
    cases = {
        f"[0, {bound}], count {count} against {count + 1}": {"count": count, "bound": bound}
        for bound in bounds
        for count in range(min(counts, bound))
    }
    for order in orders:
        what = f"p={order:g}: Pr(|loss| > ε) <= δ after redrawing"
        yield from _worst(what, "pdp", order, budgets, redrawn_pdp_delta, cases)


def _worst(
    what: str,
    rule: str,
    order: float,
    budgets: Sequence[Budget],
    exceedance: Callable[..., float],
    cases: Mapping[str, Mapping[str, int]],
) -> Comparisons:
    """Yield the comparison for the largest Pr(|loss| > ε) as a share of δ, none without budgets.

    cases: name -> arguments of ``exceedance``, besides the order, the scale and ε.
    """
    shares = {}
    for budget in budgets:
        b = noise_of(rule, order, budget).scale
        for name, case in cases.items():
            probability = exceedance(order=order, scale=b, epsilon=budget.epsilon, **case)
            shares[budget, name] = probability / budget.delta
    # far from the bounds the shares of different counts differ only by rounding: take the first
    if shares:
        budget, name = max(shares, key=lambda case: round(shares[case], 9))
        share, delta = shares[budget, name], budget.delta
        where = f"{place(budget)}, {name}, probability {share * delta:.4f} ({share:.3f} δ)"
        yield Comparison(what, where, delta * (1 - share))
