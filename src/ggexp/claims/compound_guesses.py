"""Tests of Laud and Pankova's claims about compound guesses, and of their appendices A and B.

Each returns the comparisons of a claim.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import expit, gammainc, logit
from scipy.stats import norm

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.guarantees import approximate_advantage, compound_guesses, continuous_guesses
from ggexp.mechanisms import calibration, cauchy, lp_ball
from ggexp.mechanisms.distribution import GeneralizedGaussian

SLACK = 1e-9  # relative tolerance of equalities, for rounding


@claim_test
def theorem_of_attributes(
    *,
    first: Mapping[str, float],
    second: Mapping[str, float],
    either: bool,
    advantage_at_most: float,
) -> list[Comparison]:
    """Return whether the ε of Theorem 1, or 2, bounds the advantage in guessing two attributes.

    first, second: the probabilities of their independent values. either: whether one right guess
    is enough, which is Theorem 2. For each true value the bound is tested on the two mechanisms
    that separate right from wrong guesses as well as ε allows: one raises the probability of a
    right guess the most, the other lowers it the most.
    """
    rises, falls = {}, {}
    for a, p in first.items():
        for b, q in second.items():
            epsilon = _theorem(advantage_at_most, [p, q], either)
            name, prior = f"{a} {b}", compound_guesses.prior([p, q], either=either)
            rises[f"{name}, ε={epsilon:.4f}"] = expit(logit(prior) + epsilon) - prior
            falls[f"{name}, ε={epsilon:.4f}"] = prior - expit(logit(prior) - epsilon)
    limit = advantage_at_most + SLACK
    return [
        Comparison(f"{what} in probability <= {advantage_at_most:g}", worst, limit - by[worst])
        for what, by in (("increase", rises), ("decrease", falls))
        for worst in [max(by, key=lambda name: by[name])]
    ]


def _theorem(advantage: float, inside: list[float], either: bool) -> float:
    """Return the ε of Theorem 1, or of Theorem 2 as printed if one right guess is enough.

    All values are at distance 1 from each other, and the whole prior lies within that distance.
    """
    whole = [1.0] * len(inside)
    if not either:
        return compound_guesses.epsilon_for_all(
            advantage=advantage, inside=inside, within=whole, radius=1
        )
    hits = [compound_guesses.prior(inside, either=True), *inside]
    return min(
        continuous_guesses.epsilon_within(advantage=advantage, inside=hit, within=1, radius=1)
        for hit in hits
    )


@claim_test
def theorem_2_is_sharper(
    *, variance: float, guess_within: float, advantage_at_most: float, values: Sequence[int]
) -> list[Comparison]:
    """Return whether an ε above Theorem 2's bounds the advantage in guessing one of several values.

    variance: of the normal values, each at its mean. guess_within: the precision. values: the
    numbers of values. Both ε use their own best radius. The advantage is the largest after three
    outcomes that the larger ε allows (`_rise`).
    """
    prior = continuous_guesses.Normal(sqrt(variance))
    near = prior.mass(guess_within)
    comparisons = []
    for number in values:
        best = compound_guesses.best_radius(
            advantage=advantage_at_most,
            priors=[prior] * number,
            precision=guess_within,
            either=True,
        )

        def theorem(radius: float, number: int = number) -> float:
            far = prior.mass(radius)
            hit = far**number - (far - near) ** number
            return min(
                continuous_guesses.epsilon_within(
                    advantage=advantage_at_most, inside=p, within=q, radius=radius
                )
                for p, q in ((hit, far**number), (near, far))
            )

        stated = continuous_guesses.best_of_scan(theorem, guess_within, prior.largest).epsilon
        found = _rise(prior, guess_within, number, best.epsilon)
        where = f"{number} values, ε={best.epsilon:.3g} against {stated:.3g},"
        comparisons += [
            Comparison("ε / ε of Theorem 2 > 1", where, best.epsilon / stated - 1),
            Comparison(f"advantage <= {advantage_at_most:g}", where, advantage_at_most - found),
        ]
    return comparisons


def _rise(
    prior: continuous_guesses.Prior, guess_within: float, number: int, epsilon: float
) -> float:
    """Return the largest increase in the probability of guessing one of several values.

    The values x_i are independent, of one prior around their true values. With g its mass, r the
    precision and likelihoods exp(-ε D), E exp(-ε D) is ∫ ε e^(-εm) Pr(D <= m) dm, of three D:
    the largest |x_i|, as after noise that is released at the truth; the distance to a right guess,
    min |x_i| - r; and the first |x_i| alone. All change by as much as the values at most.
    """
    g, near = prior.mass, prior.mass(guess_within)
    outside, others = (1 - near) ** number, (1 - near) ** (number - 1)

    def mean(probability: Callable[[float], float], *ends: float) -> float:
        inner = (
            quad(lambda m: epsilon * exp(-epsilon * m) * probability(m), a, b)[0]
            for a, b in pairwise([*ends, prior.largest])
        )
        return sum(inner) + exp(-epsilon * prior.largest) * probability(prior.largest)

    whole = (0.0, guess_within)
    away = exp(epsilon * guess_within) * mean(
        lambda m: outside - (1 - g(m)) ** number, guess_within
    )
    wrong_and_all = (
        (
            mean(lambda m: (g(m) - near) ** number, guess_within),
            mean(lambda m: g(m) ** number, *whole),
        ),
        (away, away + 1 - outside),
        (others * mean(lambda m: g(m) - near, guess_within), mean(g, *whole)),
    )
    return max(outside - wrong / every for wrong, every in wrong_and_all)


@claim_test
def together_for_norm(*, epsilons: Sequence[float], norms: Sequence[float]) -> list[Comparison]:
    """Return whether the largest privacy loss of two releases together is the dual norm of their ε.

    epsilons: of two releases, each with Laplace noise on its own value. norms: the norms in which
    the changes of both values have length 1. The loss is the largest over changes and outcomes.
    """
    first, second = epsilons
    angles = np.linspace(0, np.pi / 2, 20_001)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    comparisons = []
    for order in norms:
        a, b = directions / np.linalg.norm(directions, order, axis=0)
        largest = float((_largest_loss(first, a) + _largest_loss(second, b)).max())
        stated = compound_guesses.together([first, second], norm=order)
        where = f"l_{order:g} norm, ε={stated:.4f},"
        comparisons += [
            Comparison("loss / ε <= 1", where, 1 + SLACK - largest / stated),
            Comparison("loss / ε within 0.1 % of 1", where, 1e-3 - abs(largest / stated - 1)),
        ]
    return comparisons


def _largest_loss(epsilon: float, moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest log ratio of Laplace noise's density over outcomes, for each move."""
    outcomes = np.linspace(-3, 3, 61)[:, None]
    losses = epsilon * (np.abs(outcomes) - np.abs(outcomes - moved))
    return np.asarray(losses.max(axis=0))


@claim_test
def ball_of_norm(
    results: Results, *, order: float, coordinates: Sequence[int], draws: int, share: float
) -> list[Comparison]:
    """Return whether one release in the ball of a norm needs less noise than Theorem 4's releases.

    order: p of the l_p norm, in which one record moves several statistics by at most 1.
    coordinates: the numbers of statistics. Both satisfy 1-DP: the noise of `lp_ball`, which is
    drawn, and Laplace noise with an equal ε on each statistic. For two statistics, of which a
    record moves the first by 1, the loss in the ball is estimated from the event that it exceeds
    this share of ε.
    """
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for number in coordinates:
        separate = sqrt(2) * compound_guesses.together([1.0] * number, norm=order)
        squares = lp_ball.sample(rng, draws, coordinates=number, order=order, epsilon=1) ** 2
        sd = sqrt(squares.mean())
        error = float(squares.mean(axis=1).std()) / sqrt(draws) / (2 * sd)
        where = f"{number} statistics"
        comparisons.append(
            Comparison("sd of one release < sd of separate releases", where, separate - sd, error)
        )
    moved, still = (_share_above(rng, draws, order, move, share) for move in (1.0, 0.0))
    loss = log(moved / still)
    error = sqrt((1 / moved + 1 / still - 2) / draws)
    return [
        *comparisons,
        Comparison(f"loss of an event > {share:g}", "", loss - share, error),
        Comparison("loss of an event <= 1", "", 1 - loss, error),
    ]


def _share_above(
    rng: np.random.Generator, draws: int, order: float, move: float, loss: float
) -> float:
    """Return the share of releases of (move, 0) with a log ratio of (1, 0) to (0, 0) above this."""
    noise = lp_ball.sample(rng, draws, coordinates=2, order=order, epsilon=1)
    released = noise + np.array([move, 0])
    from_still, from_moved = (
        np.linalg.norm(released - [to, 0], order, axis=1) for to in (0.0, 1.0)
    )
    return float((from_still - from_moved > loss).mean())


@claim_test
def uniform_in_dimensions(
    *, dimensions: Sequence[int], largest: float, guess_within: float, advantage_at_most: float
) -> list[Comparison]:
    """Return whether Eqn 2 bounds an advantage for a uniform prior, and has the best radius.

    dimensions: n. largest: R, within which the value lies. The advantage is the one after noise of
    density proportional to exp(-ε‖x‖), in the norm of the prior's ball, which happens to be
    released at the truth: the distance to it is of Gamma(n, 1/ε), cut at R.
    """
    comparisons = []
    for n in dimensions:
        found = _eqn_2(n, largest, guess_within, advantage_at_most)
        near, far = gammainc(n, found.epsilon * np.array([guess_within, largest]))
        rise = near / far - (guess_within / largest) ** n
        radii = np.linspace(guess_within, largest, 10_001)
        bounds = np.exp(radii * found.epsilon) * (guess_within / radii) ** n
        stated = (found.epsilon * exp(1) * guess_within / n) ** n
        where = f"n={n}, ε={found.epsilon:.4f}"
        comparisons += [
            Comparison(f"advantage <= {advantage_at_most:g}", where, advantage_at_most - rise),
            Comparison(
                "no radius gives a smaller bound", where, float(bounds.min()) / stated - 1 + SLACK
            ),
            Comparison(
                "some radius gives the same bound", where, 1e-6 - (float(bounds.min()) / stated - 1)
            ),
        ]
    return comparisons


@claim_test
def eqn_1_allows_more(
    *, dimensions: Sequence[int], largest: float, guess_within: float, advantage_at_most: float
) -> list[Comparison]:
    """Return whether Eqn 1 at its best radius allows a larger ε than Eqn 2 does."""
    comparisons = []
    for n in dimensions:
        second = _eqn_2(n, largest, guess_within, advantage_at_most)
        first = continuous_guesses.best_radius(
            advantage=advantage_at_most,
            prior=continuous_guesses.Uniform(largest, n),
            precision=guess_within,
        )
        where = f"n={n}, {first.epsilon:.4f} against {second.epsilon:.4f},"
        comparisons.append(
            Comparison("ε of Eqn 1 > ε of Eqn 2", where, first.epsilon - second.epsilon)
        )
    return comparisons


def _eqn_2(
    n: int, largest: float, guess_within: float, advantage: float
) -> continuous_guesses.Best:
    """Return the radius and the ε of Eqn 2."""
    return continuous_guesses.ball_epsilon(
        advantage=advantage, largest=largest, precision=guess_within, dimensions=n
    )


@claim_test
def cauchy_noise(*, order: float, size: float, printed: float, digits: int) -> list[Comparison]:
    """Return whether generalized Cauchy noise is below a size with the printed probability.

    digits: the number printed after the decimal point.
    """
    found = cauchy.within(size, order=order)
    what = f"probability {found:.4f}, {printed:g} printed"
    return [Comparison(what, "", 0.5 * 10.0**-digits - abs(found - printed))]


@claim_test
def laplace_noise(*, epsilons: Sequence[float], probabilities: Sequence[float]) -> list[Comparison]:
    """Return whether Laplace noise stays below -ln(1 - p)/ε with the probability p."""
    comparisons = []
    for epsilon in epsilons:
        for p in probabilities:
            ratio = GeneralizedGaussian(1, 1 / epsilon).upper_point((1 - p) / 2) / (
                -log(1 - p) / epsilon
            )
            where = f"ε={epsilon:g}, p={p:g}"
            comparisons.append(Comparison("quantile = -ln(1 - p)/ε", where, SLACK - abs(ratio - 1)))
    return comparisons


@claim_test
def probable_advantage(*, epsilon: float, delta: float, prior: float) -> list[Comparison]:
    """Return whether the advantage bound of ε holds with probability 1 - δ after (ε, δ)-pDP.

    Three data have the outcome probabilities (1 - 2δ, δ, δ), (1 - η, 0, η) and (1 - η, η, 0) with
    η = δ e^-ε; every pair satisfies (ε, δ)-pDP. The first is true and has the given prior. The rest
    of the prior belongs to the second, or to the second and the third in equal parts.
    """
    little = delta * exp(-epsilon)
    outcomes = np.array(
        [[1 - 2 * delta, delta, delta], [1 - little, 0, little], [1 - little, little, 0]]
    )
    kept = approximate_advantage.of_pdp(epsilon=epsilon, delta=delta, prior=prior)
    where = f"δ={delta:g}, advantage {kept.advantage:.4f}"
    comparisons = []
    for alternatives in (1, 2):
        priors = np.array([prior] + [(1 - prior) / alternatives] * alternatives)
        told = outcomes[: alternatives + 1]
        moved = np.abs(prior * told[0] / (priors @ told) - prior)
        failed = float(told[0][moved > kept.advantage + SLACK].sum())
        what = f"failure probability / δ <= 1 with {alternatives + 1} data"
        comparisons.append(Comparison(what, where, 1 + SLACK - failed / delta))
    return comparisons


@claim_test
def average_advantage(results: Results, *, mechanisms: int) -> list[Comparison]:
    """Return whether the mean advantage after (ε, δ)-pDP is at most 1 + (ε' - 1) δ'.

    ε' is the advantage of ε, and δ' = 1 - δ the probability with which it holds (appendix B).
    Mechanisms with a few outcomes on two data are drawn at random, each with an ε and a prior. The
    comparison is for the mechanism that comes closest to the bound at its δ.
    """
    rng = np.random.default_rng(results.seed)
    shares = []
    for _ in range(mechanisms):
        one, other = rng.dirichlet(np.full(5, 0.5), size=2)
        epsilon, prior = rng.uniform(0.2, 3), rng.uniform()
        beyond = np.abs(np.log(one) - np.log(other)) > epsilon
        delta = max(one[beyond].sum(), other[beyond].sum(), 1e-12)
        bound = approximate_advantage.of_pdp(
            epsilon=epsilon, delta=min(delta, 1 - 1e-12), prior=prior
        ).average
        posterior = prior * one / (prior * one + (1 - prior) * other)
        shares.append(float(one @ np.abs(posterior - prior)) / bound)
    where = f"the worst of {mechanisms} mechanisms"
    return [Comparison("mean advantage / bound <= 1", where, 1 + SLACK - max(shares))]


@claim_test
def excess_of_densities(
    *, epsilon: float, delta: float, units: Sequence[float]
) -> list[Comparison]:
    """Return whether densities under (ε, δ)-aDP satisfy f(y|x) <= e^ε f(y|x') + δ, as events do.

    units: the unit of the density of Gaussian noise, in records. Its scale is the smallest of aDP.
    """
    scale = calibration.scale("adp-exact", order=2, epsilon=epsilon, delta=delta)
    y = np.linspace(-10 * scale, 10 * scale, 100_001)
    comparisons = []
    for unit in units:
        density, moved = (norm.pdf(x / unit, scale=scale / sqrt(2) / unit) for x in (y, y - 1))
        excess = float((density - exp(epsilon) * moved).max())
        comparisons.append(
            Comparison("excess of the density <= δ", f"unit {unit:g}", delta - excess)
        )
    return comparisons
