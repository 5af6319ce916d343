"""Tests of claims of two sets of lecture notes: guarantees, Gaussian noise and composition.

The notes are CS208's on the Gaussian mechanism, synthetic data and the exponential mechanism, and
those on approximate DP; the module `exercises` tests the exercises. Each test returns the
comparisons of a claim. The only result of a run that a test may use is the seed, for a simulation.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr
from scipy.stats import binom

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.companions import renyi
from ggexp.guarantees import composition
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.tails import upper_tail

ROUNDING = 1e-9


@claim_test
def gaussian_bound(*, rule: str, epsilons: Sequence[float], deltas: Sequence[float]) -> Comparisons:
    """Test whether Gaussian noise calibrated by a rule has at most the claimed δ."""
    for epsilon in epsilons:
        for delta in deltas:
            b = calibration.calibrate(rule, order=2, epsilon=epsilon, delta=delta).scale
            exact = privacy_loss.delta(order=2, scale=b, epsilon=epsilon)
            yield Comparison("δ / claimed δ < 1", place(epsilon, delta), 1 - exact / delta)


@claim_test
def loss_beyond_epsilon(*, epsilon: float, delta: float, at_most_delta: bool) -> Comparisons:
    """Test whether the smallest Gaussian noise that satisfies (ε, δ)-aDP has Pr(L > ε) <= δ.

    at_most_delta: False to test whether this probability exceeds δ.
    """
    b = calibration.calibrate("adp-exact", order=2, epsilon=epsilon, delta=delta).scale
    probability = upper_tail(2, privacy_loss.where_loss_is(epsilon, 2, 1 / b))
    what = f"Pr(L > ε) {'<=' if at_most_delta else '>'} δ"
    where = f"{place(epsilon, delta)} with Pr = {probability:.3g}"
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
        b = calibration.zcdp_scale(rho)
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
        epsilon_of_theorem, delta = composition.advanced_of([(epsilon, 0.0, k)], slack=slack)
        right_answers = np.arange(k + 1)
        losses = (2 * right_answers - k) * epsilon
        probabilities = binom.pmf(right_answers, k, 1 / (1 + exp(-epsilon)))
        exact = float(probabilities @ -np.expm1(np.minimum(0, epsilon_of_theorem - losses)))
        what = "randomized response: exact δ <= δ of Theorem 4.5"
        yield Comparison(what, f"k={k}", delta - exact)
        laplace = composition.Composition([(GeneralizedGaussian(1, 1 / epsilon), k)])
        exact_epsilon = laplace.sufficient_epsilon(delta=delta)
        what = "Laplace noise: exact ε <= ε of Theorem 4.5"
        yield Comparison(what, f"k={k}", epsilon_of_theorem - exact_epsilon)


@claim_test
def advanced_from(*, epsilon: float, slack: float, k: int) -> Comparisons:
    """Test whether advanced composition has the smaller ε from k releases on, and not before."""

    def gain(k: int) -> float:
        return (
            composition.basic_of([(epsilon, 0.0, k)]).epsilon
            - composition.advanced_of([(epsilon, 0.0, k)], slack=slack).epsilon
        )

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
