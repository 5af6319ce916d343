"""Tests of claims of two sets of lecture notes: definitions, Gaussian noise, composition.

The notes are those on approximate DP, and CS208's on differential privacy, the Gaussian mechanism,
synthetic data and the exponential mechanism; the module `cs208` tests their exercises. Comparisons
are computed from sets of outcomes and from densities independently of the library, for a statistic
of sensitivity 1. The only result of a run that a test may use is the seed, for a simulation.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from math import exp, expm1, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import logsumexp, ndtr
from scipy.stats import binom

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.claims.theory import noise_of
from ggexp.companions import renyi
from ggexp.companions.rules import noise_by
from ggexp.guarantees import composition
from ggexp.mechanisms import privacy_loss, sensitivity
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.tails import inner, upper_tail

ROUNDING = 1e-9


@claim_test
def gaussian_bound(*, rule: str, epsilons: Sequence[float], deltas: Sequence[float]) -> Comparisons:
    """Test whether Gaussian noise calibrated by a rule has at most the claimed δ."""
    for epsilon, delta in product(epsilons, deltas):
        exact = noise_by(rule, 2, epsilon=epsilon, delta=delta).delta(epsilon=epsilon)
        where = place(Budget(epsilon, delta))
        yield Comparison("δ / claimed δ < 1", where, 1 - exact / delta)


@claim_test
def loss_beyond_epsilon(*, epsilon: float, delta: float, at_most_delta: bool) -> Comparisons:
    """Test whether the smallest Gaussian noise that satisfies (ε, δ)-aDP has Pr(L > ε) <= δ.

    at_most_delta: False to test whether this probability exceeds δ.
    """
    budget = Budget(epsilon, delta)
    b = noise_of("adp-exact", 2, budget).scale
    probability = upper_tail(2, privacy_loss.where_loss_is(epsilon, 2, 1 / b))
    what = f"Pr(L > ε) {'<=' if at_most_delta else '>'} δ"
    where = f"{place(budget)} with Pr = {probability:.3g}"
    difference = delta - probability if at_most_delta else probability - delta
    yield Comparison(what, where, difference)


@claim_test
def normal_tail() -> Comparisons:
    """Test whether Pr(|Z| > t) <= exp(-t²/2), two-sided as CS208 uses it in Exercise 4.3."""
    t = np.linspace(0.01, 30, 3000)
    ratios = 2 * ndtr(-t) * np.exp(t**2 / 2)
    i = int(ratios.argmax())
    yield Comparison("tail / bound < 1", f"t={t[i]:.3g}", float(1 - ratios[i]))


@claim_test
def zcdp_tail(results: Results, *, rhos: Sequence[float], mechanisms: int) -> Comparisons:
    """Test whether Pr(L > λ + ρ) <= exp(-λ²/(4ρ)) for the loss under ρ-zCDP, at the worst λ.

    This is for Gaussian noise with these ρ, and for random mechanisms with two to six outcomes,
    each with the smallest ρ that its Rényi divergences allow.
    """
    for rho in rhos:
        b = renyi.zcdp_scale(rho)
        shift = np.linspace(0.01, 10, 500) * sqrt(2 * rho)
        points = [privacy_loss.where_loss_is(float(x) + rho, 2, 1 / b) for x in shift]
        tails = np.array([upper_tail(2, u) for u in points])
        worst = float((tails * np.exp(shift**2 / (4 * rho))).max())
        yield Comparison("Gaussian noise: tail / bound < 1", f"ρ={rho:g}", 1 - worst)
    rng = np.random.default_rng(results.seed)
    for outcomes in range(2, 7):
        p, q = np.log(rng.dirichlet(np.full(outcomes, 0.5), (2, mechanisms // 5)))
        margin = 1 - _tail_to_bound(p, q) + 1e-5  # the last term is the accuracy of the smallest ρ
        yield Comparison("random mechanisms: tail / bound < 1", f"{outcomes} outcomes", margin)


def _tail_to_bound(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return the largest ratio of Pr(L >= l) to its bound at λ = l - ρ > 0, over the losses l.

    p, q: log probabilities of the outcomes under one neighbour and under the other, with one row
    per mechanism. L is the loss of the first neighbour.
    """
    rho = _smallest_rho(p, q)[:, None]
    losses = p - q
    tails = (np.exp(p)[:, None, :] * (losses[:, None, :] >= losses[:, :, None])).sum(axis=2)
    ratios = tails * np.exp((losses - rho) ** 2 / (4 * rho))
    return float(ratios[losses > rho].max(initial=0))


def _smallest_rho(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each mechanism, the smallest ρ with D_α <= ρα for every α, in both directions."""

    def rho(alphas: NDArray[np.float64]) -> NDArray[np.float64]:  # one row per mechanism
        a = alphas[:, :, None]
        sums = [
            logsumexp(a * first + (1 - a) * second, axis=2) for first, second in ((p, q), (q, p))
        ]
        return np.maximum(*sums) / (alphas * (alphas - 1))

    p, q = p[:, None, :], q[:, None, :]
    alphas = 1 + np.geomspace(1e-6, 1e4, 200)
    worst = rho(alphas[None, :]).argmax(axis=1).clip(1, 198)
    finer_alphas = np.linspace(alphas[worst - 1], alphas[worst + 1], 100, axis=1)
    return rho(finer_alphas).max(axis=1)


@claim_test
def pure_as_alpha_grows(*, orders: Sequence[float], scale: float) -> Comparisons:
    """Test whether D_α of noise of these orders grows by less than 1 % from α = 100 to 1000.

    Under pure DP it stops growing. Noise of orders up to 2 satisfies ρ-zCDP for some ρ.
    """
    for order in orders:
        low, high = (renyi.divergence(order=order, scale=scale, alpha=a) for a in (1e2, 1e3))
        what = f"D_α grows by less than 1 % (from {low:.4g} to {high:.4g})"
        yield Comparison(what, f"p={order:g}", 1.01 - high / low)


@claim_test
def only_laplace_is_bounded(*, scale: float, alphas: Sequence[float]) -> Comparisons:
    """Test whether D_α of Laplace noise is at most its ε at each α, but D_α of Gaussian noise not.

    D_α of Gaussian noise must grow with α at least in proportion. alphas: ascending.
    """
    laplace, gaussian = (
        [renyi.divergence(order=order, scale=scale, alpha=alpha) for alpha in alphas]
        for order in (1, 2)
    )
    epsilon = 1 / scale
    for alpha, value in zip(alphas, laplace, strict=True):
        what = f"Laplace noise: D_α <= ε = {epsilon:g}"
        yield Comparison(what, f"α={alpha:g}", epsilon - value)
    for (a, before), (b, after) in pairwise(zip(alphas, gaussian, strict=True)):
        growth = after / before / (b / a) - 1 + ROUNDING
        what = "Gaussian noise: D_α grows in proportion to α"
        yield Comparison(what, f"α={a:g} to {b:g}", growth)


@claim_test
def advanced_holds(*, epsilon: float, slack: float, ks: Sequence[int]) -> Comparisons:
    """Test whether advanced composition holds for two mechanisms that satisfy ε-DP.

    Randomized response is the worst case: its exact δ at the ε of Theorem 4.5 is compared with the
    theorem's δ. For Laplace noise, the exact ε at this δ is compared. ks: numbers of releases at
    which advanced composition has a smaller ε than basic.
    """
    for k in ks:
        theorem = composition.advanced_of([(Budget(epsilon), k)], slack=slack)
        right_answers = np.arange(k + 1)
        losses = (2 * right_answers - k) * epsilon
        probabilities = binom.pmf(right_answers, k, 1 / (1 + exp(-epsilon)))
        exact = float(probabilities @ -np.expm1(np.minimum(0, theorem.epsilon - losses)))
        what = "randomized response: exact δ <= δ of Theorem 4.5"
        yield Comparison(what, f"k={k}", theorem.delta - exact)
        laplace = composition.Composition([(GeneralizedGaussian(1, 1 / epsilon), k)])
        exact_epsilon = laplace.sufficient_epsilon(delta=theorem.delta)
        what = "Laplace noise: exact ε <= ε of Theorem 4.5"
        yield Comparison(what, f"k={k}", theorem.epsilon - exact_epsilon)


@claim_test
def advanced_from(*, epsilon: float, slack: float, k: int) -> Comparisons:
    """Test whether advanced composition has the smaller ε from k releases on, and not before."""

    def gain(k: int) -> float:
        releases = [(Budget(epsilon), k)]
        advanced = composition.advanced_of(releases, slack=slack)
        return composition.basic_of(releases).epsilon - advanced.epsilon

    before = max(gain(releases) for releases in range(1, k))
    after = min(gain(releases) for releases in range(k, 20 * k))
    yield Comparison(f"ε not smaller before k={k}", "", 1e-12 - before)
    yield Comparison(f"ε smaller from k={k} on", "", after)


@claim_test
def lemma_2_3(results: Results, *, sigma: float, k: int, draws: int) -> Comparisons:
    """Test whether the moments of a normal vector are as stated, from draws of it.

    The bound O(√ln k) on the largest entry is tested as √(2 ln(2k)). Equalities must hold to within
    4 standard errors.
    """
    rng = np.random.default_rng(results.seed)
    z = rng.normal(0, sigma, (draws, k))
    v = np.linspace(-1, 2, k)
    squares, dots = (z**2).sum(axis=1), (z @ v) ** 2
    norms, largest = np.sqrt(squares), np.abs(z).max(axis=1)
    for what, values, expected in (
        ("E‖Z‖² = σ²k", squares, sigma**2 * k),
        ("Var(Z·v) = σ²‖v‖²", dots, sigma**2 * float(v @ v)),
    ):
        deviation = abs(values.mean() - expected) / (values.std() / sqrt(draws))
        yield Comparison(what, f"k={k}", 4 - float(deviation))
    for what, values, bound in (
        ("E‖Z‖ <= σ√k", norms, sigma * sqrt(k)),
        ("E max <= σ√(2 ln(2k))", largest, sigma * sqrt(2 * log(2 * k))),
    ):
        error = float(values.std() / sqrt(draws))
        yield Comparison(what, f"k={k}", float(bound - values.mean()), error)


OUTCOME_COUNTS = range(2, 7)  # numbers of outcomes of random mechanisms


@claim_test
def lemma_1_4(
    results: Results, *, orders: Sequence[float], scales: Sequence[float], mechanisms: int
) -> Comparisons:
    """Test whether δ is at most Pr(L > ε), for GG noise and for mechanisms with few outcomes.

    For each order, ε is 1 and b is the scale with the smallest margin. Random mechanisms,
    ``mechanisms`` per number of outcomes, are tested over all sets of outcomes.
    """
    for order in orders:
        shares = {
            b: GeneralizedGaussian(order, b).delta(epsilon=1)
            / upper_tail(order, privacy_loss.where_loss_is(1, order, 1 / b))
            for b in scales
        }
        b = max(shares, key=lambda b: shares[b])
        yield Comparison(f"p={order:g}: δ <= Pr(L > 1)", f"b={b:g}", 1 - shares[b])
    rng = np.random.default_rng(results.seed)
    for outcomes in OUTCOME_COUNTS:
        p, q = rng.dirichlet(np.full(outcomes, 0.5), (2, mechanisms))
        q *= np.exp(rng.uniform(0, 2, (mechanisms, 1)))  # times e^ε
        margin = (p * (p > q)).sum(axis=1) - _sums_over_sets(p - q).max(axis=1)
        yield Comparison("δ <= Pr(L > ε)", f"{outcomes} outcomes", float(margin.min()) + 1e-12)


@claim_test
def exercise_1_5(
    *, epsilons: Sequence[float], deltas: Sequence[float], constant: float
) -> Comparisons:
    """Test whether truncated Laplace noise has at most the claimed δ, and a bound of O(ln(1/δ)/ε).

    δ is integrated from the densities. constant: the largest allowed bound, in units of ln(1/δ)/ε.
    """
    for epsilon, delta in product(epsilons, deltas):
        noise = noise_of("adp-truncated", 1, budget := Budget(epsilon, delta))
        exact = _delta_of_truncated(epsilon, noise.largest)
        share = epsilon * noise.largest / log(1 / delta)
        where = place(budget)
        yield Comparison("δ / claimed δ <= 1", where, 1 + 1e-6 - exact / delta)
        yield Comparison(f"bound / (ln(1/δ)/ε) < {constant:g}", where, constant - share)


def _delta_of_truncated(epsilon: float, bound: float) -> float:
    """Return ∫ max(0, f(x) - e^ε f(x + 1)) dx for the density f ∝ e^(-ε|x|) within the bound."""

    def excess(x: float) -> float:
        neighbour = exp(epsilon - epsilon * abs(x + 1)) if abs(x + 1) <= bound else 0.0
        difference = exp(-epsilon * abs(x)) - neighbour
        # smaller differences are rounding errors
        return difference if difference > 1e-13 * neighbour else 0.0

    mass = -2 * expm1(-epsilon * bound) / epsilon
    edges = sorted({-bound, *(x for x in (-1.0, 0.0, bound - 1) if abs(x) < bound), bound})
    return sum(quad(excess, *ends, epsabs=0, epsrel=1e-9)[0] for ends in pairwise(edges)) / mass


@claim_test
def max_divergence(
    results: Results,
    *,
    orders: Sequence[float],
    scale: float,
    deltas: Sequence[float],
    mechanisms: int,
) -> Comparisons:
    """Test whether the smallest ε at δ is the smoothed max divergence of Definition 2.2.

    For GG noise it is the largest divergence over the sets {e > t}, on a grid of t; for random
    mechanisms it is the largest over all sets, and ε is found by bisection.
    """
    what = "smoothed max divergence = ε"
    for order, delta in product(orders, deltas):
        epsilon = GeneralizedGaussian(order, scale).epsilon(delta=delta)
        t = np.linspace(-5, GeneralizedGaussian(order).upper_point(delta), 20_000)[:-1]
        tails, neighbour_tails = (0.5 * (1 - inner(order, x)) for x in (t, t + 1 / scale))
        divergence = max(0.0, float(np.log((tails - delta) / neighbour_tails).max()))
        where = f"p={order:g}, δ={delta:g}"
        yield Comparison(what, where, 1e-5 - abs(divergence - epsilon))
    rng = np.random.default_rng(results.seed)
    for outcomes, delta in product(OUTCOME_COUNTS, deltas):
        p, q = rng.dirichlet(np.full(outcomes, 0.5), (2, mechanisms))
        ratios = np.maximum(_sums_over_sets(p) - delta, 1e-300) / _sums_over_sets(q)
        divergences = np.maximum(0, np.log(ratios.max(axis=1)))
        deviation = float(np.abs(divergences - _smallest_epsilon(p, q, delta)).max())
        yield Comparison(what, f"{outcomes} outcomes, δ={delta:g}", 1e-9 - deviation)


def _smallest_epsilon(
    p: NDArray[np.float64], q: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    """Return the smallest ε >= 0 with Σ max(0, p - e^ε q) <= δ for each row, by bisection."""
    low, high = np.zeros(len(p)), np.log(p / q).max(axis=1).clip(0)
    for _ in range(60):
        middle = (low + high) / 2
        enough = np.maximum(0, p - np.exp(middle)[:, None] * q).sum(axis=1) <= delta
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)


def _sums_over_sets(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums over all nonempty sets of outcomes, one row per mechanism."""
    outcomes = values.shape[1]
    sets = (np.arange(1, 2**outcomes)[:, None] >> np.arange(outcomes)) & 1
    return np.asarray(values @ sets.T)


@claim_test
def between_norms(results: Results, *, sizes: Sequence[int], records: int) -> Comparisons:
    """Test whether Δ_2 <= Δ_1 <= √k Δ_2, for k sums over records.

    The sums are random contributions of ``records`` records, or counting queries, all of which one
    record may change, with Δ_1 = k and Δ_2 = √k.
    """
    rng = results.stream("between norms")
    for k in sizes:
        drawn = np.abs(rng.uniform(-1, 1, (records, k)) * rng.exponential(size=k))
        # answers for one record: all combinations for k up to 8, otherwise all ones
        answers = np.array(list(product((0, 1), repeat=k))) if k <= 8 else np.ones((1, k))
        for name, contributions in (("random sums", drawn), ("counting queries", answers)):
            rows = [row[row > 0].tolist() for row in contributions if row.any()]
            d1, d2 = (
                max(sensitivity.of_coordinates(order, row) for row in rows) for order in (1, 2)
            )
            where = f"k={k}, {name}"
            yield Comparison("Δ_2 <= Δ_1", where, 1 - d2 / d1 + ROUNDING)
            yield Comparison("Δ_1 <= √k Δ_2", where, 1 - d1 / (sqrt(k) * d2) + ROUNDING)
        deviation = abs(d1 - k) + abs(d2 - sqrt(k))  # for the counting queries
        yield Comparison("Δ_1 = k and Δ_2 = √k", f"k={k} queries", ROUNDING * k - deviation)
