"""Tests of Laud and Pankova's claims about compound guesses, and of their appendices A and B."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, product
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import betainc, expit, gammainc, logit
from scipy.stats import norm

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test
from ggexp.claims.theory import noise_of
from ggexp.companions import approximate_guesses, guesses, lp_ball
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian

SLACK = 1e-9  # relative tolerance of equalities, for rounding


@claim_test
def theorem_of_attributes(
    *,
    first: Mapping[str, float],
    second: Mapping[str, float],
    either: bool,
    advantage_at_most: float,
) -> Comparisons:
    """Test whether guesses of two attributes have a limited advantage at the ε of Theorem 1 or 2.

    first, second: the probabilities of the values of each attribute, which are independent.
    either: whether one right guess is enough (Theorem 2). For each pair of true values, the two
    worst mechanisms multiply or divide the odds of a right guess by e^ε.
    """
    increases, decreases = {}, {}
    for (a, p), (b, q) in product(first.items(), second.items()):
        epsilon = _epsilon_of_theorem(advantage_at_most, [p, q], either)
        prior, case = guesses.prior([p, q], either=either), f"{a} {b}, ε={epsilon:.4f}"
        increases[case] = expit(logit(prior) + epsilon) - prior
        decreases[case] = prior - expit(logit(prior) - epsilon)
    limit = advantage_at_most + SLACK
    for direction, changes in (("increase", increases), ("decrease", decreases)):
        worst, change = max(changes.items(), key=lambda item: item[1])
        what = f"{direction} in probability <= {advantage_at_most:g}"
        yield Comparison(what, worst, limit - change)


def _epsilon_of_theorem(advantage: float, inside: list[float], either: bool) -> float:
    """Return the ε of Theorem 1, or of Theorem 2 as printed if one right guess is enough."""
    # values are at distance 1 from each other: the radius 1 contains the whole prior
    within = [1.0] * len(inside)
    if not either:
        return guesses.epsilon_for_all(advantage=advantage, inside=inside, within=within, radius=1)
    events = [guesses.prior(inside, either=True), *inside]
    return min(
        guesses.epsilon_within(advantage=advantage, inside=event, within=1, radius=1)
        for event in events
    )


@claim_test
def theorem_2_is_sharper(
    *, variance: float, guess_within: float, advantage_at_most: float, values: Sequence[int]
) -> Comparisons:
    """Test whether guesses of one of several values allow a larger ε than Theorem 2 states.

    variance: of the normally distributed values, whose truth is the mean. guess_within: largest
    error of a right guess. values: numbers of values. At the larger ε, which like the stated one is
    for its best radius, the advantage must be limited after three outcomes (`_largest_increase`).
    """
    prior = guesses.Normal(sqrt(variance))
    inside = prior.mass(guess_within)
    for number in values:
        best = guesses.best_joint_radius(
            advantage=advantage_at_most,
            priors=[prior] * number,
            precision=guess_within,
            either=True,
        )

        def theorem(radius: float, number: int = number) -> float:
            within = prior.mass(radius)
            one_inside = within**number - (within - inside) ** number
            return min(
                guesses.epsilon_within(
                    advantage=advantage_at_most, inside=p, within=q, radius=radius
                )
                for p, q in ((one_inside, within**number), (inside, within))
            )

        stated = guesses.best_of_scan(theorem, guess_within, prior.largest).epsilon
        increase = _largest_increase(prior, guess_within, number, best.epsilon)
        where = f"{number} values, ε={best.epsilon:.3g} against {stated:.3g}"
        yield Comparison("ε / ε of Theorem 2 > 1", where, best.epsilon / stated - 1)
        yield Comparison(f"advantage <= {advantage_at_most:g}", where, advantage_at_most - increase)


def _largest_increase(
    prior: guesses.Prior, guess_within: float, number: int, epsilon: float
) -> float:
    """Return the largest increase in the probability of guessing one of several values.

    An outcome with likelihood exp(-ε D) has the expected likelihood ∫ ε e^(-εm) Pr(D <= m) dm. For
    three distances D, none of which changes by more than the values change: the largest |x_i|,
    for a release that equals the true values; min |x_i| - r if all |x_i| exceed the error r of a
    right guess, otherwise 0; and |x_1| alone.
    """
    g, inside = prior.mass, prior.mass(guess_within)
    none_inside, no_other_inside = (1 - inside) ** number, (1 - inside) ** (number - 1)

    def likelihood(probability: Callable[[float], float], *ends: float) -> float:
        pieces = (
            quad(lambda m: epsilon * exp(-epsilon * m) * probability(m), a, b)[0]
            for a, b in pairwise([*ends, prior.largest])
        )
        return sum(pieces) + exp(-epsilon * prior.largest) * probability(prior.largest)

    breakpoints = (0.0, guess_within)
    wrong_guess = exp(epsilon * guess_within) * likelihood(
        lambda m: none_inside - (1 - g(m)) ** number, guess_within
    )
    likelihoods = (
        (
            likelihood(lambda m: (g(m) - inside) ** number, guess_within),
            likelihood(lambda m: g(m) ** number, *breakpoints),
        ),
        (wrong_guess, wrong_guess + 1 - none_inside),
        (
            no_other_inside * likelihood(lambda m: g(m) - inside, guess_within),
            likelihood(g, *breakpoints),
        ),
    )
    return max(none_inside - wrong / total for wrong, total in likelihoods)


@claim_test
def together_for_norm(*, epsilons: Sequence[float], norms: Sequence[float]) -> Comparisons:
    """Test whether the largest privacy loss of two releases together is the dual norm of their ε.

    epsilons: the ε of the releases, with Laplace noise on a value each. norms: the norms in which
    the change of both values has length 1. The loss is the largest over changes and outcomes.
    """
    first, second = epsilons
    angles = np.linspace(0, np.pi / 2, 20_001)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    for order in norms:
        a, b = directions / np.linalg.norm(directions, order, axis=0)
        largest = float((_largest_loss(first, a) + _largest_loss(second, b)).max())
        stated = guesses.together([first, second], norm=order)
        where = f"l_{order:g} norm, ε={stated:.4f}"
        yield Comparison("loss / ε <= 1", where, 1 + SLACK - largest / stated)
        yield Comparison("loss / ε within 0.1 % of 1", where, 1e-3 - abs(largest / stated - 1))


def _largest_loss(epsilon: float, changes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each change of a value, the largest privacy loss of Laplace noise."""
    outcomes = np.linspace(-3, 3, 61)[:, None]
    losses = epsilon * (np.abs(outcomes) - np.abs(outcomes - changes))
    return np.asarray(losses.max(axis=0))


@claim_test
def ball_of_norm(
    results: Results, *, order: float, coordinates: Sequence[int], draws: int, share: float
) -> Comparisons:
    """Test whether one release with `lp_ball` noise has less noise than Theorem 4's releases.

    order: of the norm in which a record moves the statistics by at most 1. coordinates: their
    numbers. Both methods satisfy 1-DP; separate releases have Laplace noise with an equal ε each.
    The loss of `lp_ball` noise is estimated from the event that it exceeds ``share`` times ε, for
    two statistics of which a record moves the first.
    """
    rng = np.random.default_rng(results.seed)
    for number in coordinates:
        separate = sqrt(2) * guesses.together([1.0] * number, norm=order)
        squares = lp_ball.sample(rng, draws, coordinates=number, order=order, epsilon=1) ** 2
        sd = sqrt(squares.mean())
        error = float(squares.mean(axis=1).std()) / sqrt(draws) / (2 * sd)
        what = "sd of one release < sd of separate releases"
        yield Comparison(what, f"{number} statistics", separate - sd, error)
    with_record, without_record = (
        _share_above(rng, draws, order, value, share) for value in (1.0, 0.0)
    )
    loss = log(with_record / without_record)
    error = sqrt((1 / with_record + 1 / without_record - 2) / draws)
    yield Comparison(f"loss of an event > {share:g}", "", loss - share, error)
    yield Comparison("loss of an event <= 1", "", 1 - loss, error)


def _share_above(
    rng: np.random.Generator, draws: int, order: float, value: float, loss: float
) -> float:
    """Return the share of releases of (value, 0) with a log ratio for (1, 0) above ``loss``."""
    noise = lp_ball.sample(rng, draws, coordinates=2, order=order, epsilon=1)
    released = noise + np.array([value, 0])
    distance_to_0, distance_to_1 = (
        np.linalg.norm(released - [x, 0], order, axis=1) for x in (0.0, 1.0)
    )
    return float((distance_to_0 - distance_to_1 > loss).mean())


@claim_test
def uniform_in_dimensions(
    *, dimensions: Sequence[int], largest: float, guess_within: float, advantage_at_most: float
) -> Comparisons:
    """Test whether Eqn 2 bounds the advantage for a uniform prior, and uses the best radius.

    largest: R, the radius of the ball in which the value lies, in n dimensions. The release has
    noise of density ∝ exp(-ε‖x‖) and happens to equal the true value, whose posterior distance from
    it then has the distribution Gamma(n, 1/ε), truncated at R.
    """
    for n in dimensions:
        best = _eqn_2(n, largest, guess_within, advantage_at_most)
        inside, within = gammainc(n, best.epsilon * np.array([guess_within, largest]))
        increase = inside / within - (guess_within / largest) ** n
        radii = np.linspace(guess_within, largest, 10_001)
        bounds = np.exp(radii * best.epsilon) * (guess_within / radii) ** n
        stated = (best.epsilon * exp(1) * guess_within / n) ** n
        where = f"n={n}, ε={best.epsilon:.4f}"
        yield Comparison(f"advantage <= {advantage_at_most:g}", where, advantage_at_most - increase)
        excess = float(bounds.min()) / stated - 1
        yield Comparison("no radius gives a smaller bound", where, excess + SLACK)
        yield Comparison("some radius gives the same bound", where, 1e-6 - excess)


@claim_test
def eqn_1_allows_more(
    *, dimensions: Sequence[int], largest: float, guess_within: float, advantage_at_most: float
) -> Comparisons:
    """Test whether Eqn 1 at its best radius allows a larger ε than Eqn 2 does."""
    for n in dimensions:
        second = _eqn_2(n, largest, guess_within, advantage_at_most)
        first = guesses.best_radius(
            advantage=advantage_at_most,
            prior=guesses.Uniform(largest, n),
            precision=guess_within,
        )
        where = f"n={n}, {first.epsilon:.4f} against {second.epsilon:.4f}"
        yield Comparison("ε of Eqn 1 > ε of Eqn 2", where, first.epsilon - second.epsilon)


def _eqn_2(n: int, largest: float, guess_within: float, advantage: float) -> guesses.Best:
    """Return the radius of Eqn 2 and its ε."""
    return guesses.ball_epsilon(
        advantage=advantage, largest=largest, precision=guess_within, dimensions=n
    )


@claim_test
def cauchy_noise(*, order: float, size: float, printed: float, digits: int) -> Comparisons:
    """Test whether generalized Cauchy noise is smaller than a size with the printed probability."""
    probability = cauchy_within(size, order)
    what = f"probability {probability:.4f}, {printed:g} printed"
    yield Comparison(what, "", 0.5 * 10.0**-digits - abs(probability - printed))


def cauchy_within(size: float, order: float) -> float:
    """Return the probability that noise with density ∝ 1/(1 + |x|^order) is at most ``size`` > 0.

    With t = |x|^order, the ratio t/(1 + t) has the distribution Beta(1/order, 1 - 1/order).
    """
    return float(betainc(1 / order, 1 - 1 / order, 1 / (1 + size**-order)))


@claim_test
def laplace_noise(*, epsilons: Sequence[float], probabilities: Sequence[float]) -> Comparisons:
    """Test whether Laplace noise is within ±ln(1/(1 - p))/ε with probability p."""
    for epsilon, p in product(epsilons, probabilities):
        quantile = GeneralizedGaussian(1, 1 / epsilon).upper_point((1 - p) / 2)
        ratio = quantile / (-log(1 - p) / epsilon)
        where = f"ε={epsilon:g}, p={p:g}"
        yield Comparison("quantile = -ln(1 - p)/ε", where, SLACK - abs(ratio - 1))


@claim_test
def probable_advantage(*, epsilon: float, delta: float, prior: float) -> Comparisons:
    """Test whether the advantage bound for ε holds with probability 1 - δ under (ε, δ)-pDP.

    Three data sets have the outcome probabilities (1 - 2δ, δ, δ), (1 - η, 0, η) and (1 - η, η, 0)
    with η = δ e^-ε; every pair satisfies (ε, δ)-pDP. The first is the true one; the second, or it
    and the third in equal parts, has the remaining prior.
    """
    eta = delta * exp(-epsilon)
    outcomes = np.array([[1 - 2 * delta, delta, delta], [1 - eta, 0, eta], [1 - eta, eta, 0]])
    bound = approximate_guesses.of_pdp(epsilon=epsilon, delta=delta, prior=prior)
    where = f"δ={delta:g}, advantage {bound.advantage:.4f}"
    for alternatives in (1, 2):
        priors = np.array([prior] + [(1 - prior) / alternatives] * alternatives)
        probabilities = outcomes[: alternatives + 1]
        changes = np.abs(prior * probabilities[0] / (priors @ probabilities) - prior)
        failure = float(probabilities[0][changes > bound.advantage + SLACK].sum())
        what = f"failure probability / δ <= 1 with {alternatives + 1} data sets"
        yield Comparison(what, where, 1 + SLACK - failure / delta)


@claim_test
def average_advantage(results: Results, *, mechanisms: int) -> Comparisons:
    """Test whether the mean advantage under (ε, δ)-pDP is at most 1 + (ε' - 1) δ' (appendix B).

    ε' is the advantage bound for ε, which holds with probability δ' = 1 - δ. Of random mechanisms
    with five outcomes on two data sets, the one that comes closest to its bound is compared.
    """
    rng = np.random.default_rng(results.seed)
    shares = []
    for _ in range(mechanisms):
        p, q = rng.dirichlet(np.full(5, 0.5), size=2)
        epsilon, prior = rng.uniform(0.2, 3), rng.uniform()
        beyond = np.abs(np.log(p) - np.log(q)) > epsilon
        delta = max(p[beyond].sum(), q[beyond].sum(), 1e-12)
        bound = approximate_guesses.of_pdp(
            epsilon=epsilon, delta=min(delta, 1 - 1e-12), prior=prior
        ).average
        posterior = prior * p / (prior * p + (1 - prior) * q)
        shares.append(float(p @ np.abs(posterior - prior)) / bound)
    where = f"the worst of {mechanisms} mechanisms"
    yield Comparison("mean advantage / bound <= 1", where, 1 + SLACK - max(shares))


@claim_test
def excess_of_densities(*, epsilon: float, delta: float, units: Sequence[float]) -> Comparisons:
    """Test whether densities satisfy f(y|x) <= e^ε f(y|x') + δ under (ε, δ)-aDP, as events do.

    units: units of the density of the smallest Gaussian noise, in records.
    """
    scale = noise_of("adp-exact", 2, Budget(epsilon, delta)).scale
    y = np.linspace(-10 * scale, 10 * scale, 100_001)
    for unit in units:
        density, neighbour = (norm.pdf(x / unit, scale=scale / sqrt(2) / unit) for x in (y, y - 1))
        excess = float((density - exp(epsilon) * neighbour).max())
        yield Comparison("excess of the density <= δ", f"unit {unit:g}", delta - excess)
