"""The meaning of ε and δ for an adversary (Figure S6)."""

from itertools import pairwise
from math import atanh, erf, exp, log, pi, sqrt, tanh

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from facts import fact
from facts.library import DELTAS, EPSILONS
from ggexp.companions import compound_guesses as compound
from ggexp.companions.continuous_guesses import Normal, Uniform, ball_epsilon, best_radius
from ggexp.guarantees import advantage
from ggexp.guarantees.approximate_advantage import of_adp, of_pdp

SALARIES, SHIPS = sqrt(55556), sqrt(1250)


@fact
def advantages():
    """Advantages for presence and for answers (R = 1 and 2), with the worst and other priors."""

    def advantages_of(epsilons, prior=None, radius=1):
        return [advantage.of(epsilon=e, prior=prior, radius=radius) for e in epsilons]

    epsilons = (0.1, 0.5, 1, 2, 4)
    rows = [
        [prior or (), *advantages_of(epsilons, prior, r)] for r in (1, 2) for prior in (None, 0.01)
    ]
    return {
        "table": [[None, *epsilons], *rows],
        "epsilons": [
            advantage.epsilon_for(advantage=0.1, prior=None, radius=radius) for radius in (1, 2)
        ],
    }


@fact
def advantages_with_delta():
    """Bounds on the mean advantage under pDP, and on the advantage under (1, δ)-aDP.

    The latter hold with the given probability.
    """
    rows = [[None, (), *DELTAS]]
    for epsilon in EPSILONS:
        means = [of_pdp(epsilon=epsilon, delta=d, prior=None).average for d in DELTAS]
        assert np.allclose(means, [(1 - d) * tanh(epsilon / 4) + d for d in DELTAS])
        rows.append([epsilon, tanh(epsilon / 4), *means])

    def probable(delta, probability):
        found = of_adp(epsilon=1, delta=delta, prior=None, probability=probability)
        return found.advantage, probability

    deltas = [0.01, 0.05, 0.1]
    return {
        "backwards": (
            0.3,
            4 * atanh(0.3),
            *deltas,
            *(4 * atanh((0.3 - d) / (1 - d)) for d in deltas),
        ),
        "means": rows,
        "large": (*probable(0.05, 0.9), *probable(0.05, 0.5)),
        "small": probable(1e-6, 0.999),
    }


def after_laplace(epsilon, sd, within, truth=0.0, peak=0.0):
    """Return the advantage for a normal value after a release at `peak` with Laplace noise.

    epsilon: ε per unit. within: the precision of a correct guess of `truth`.
    """
    low, high = truth - within, truth + within
    cuts = sorted({-9 * sd, low, high, peak, 9 * sd})
    parts = {
        (a, b): quad(lambda x: exp(-epsilon * abs(x - peak) - (x / sd) ** 2 / 2), a, b)[0]
        for a, b in pairwise(cuts)
    }
    correct = sum(part for (a, b), part in parts.items() if low <= a and b <= high)
    return correct / sum(parts.values()) - norm.cdf(high / sd) + norm.cdf(low / sd)


@fact
def within_a_precision():
    """The prior, the paper's ε and its advantage, the best radius and its ε, and the exact ε.

    "off-the-mean": the largest advantage for true salaries up to 600 from the mean, rounded up.
    """
    rows = []
    for example, spread, within, printed in ((6.2, SALARIES, 100, 0.0038), (6.3, SHIPS, 10, 0.063)):
        best = best_radius(advantage=0.1, prior=Normal(spread), precision=within)
        # the prior is symmetric, therefore a release at the mean is the best for the adversary
        peaks = np.linspace(0, within, 5)
        advantages = [after_laplace(printed, spread, within, 0, peak) for peak in peaks]
        assert np.argmax(advantages) == 0

        def excess(epsilon, spread=spread, within=within):
            return after_laplace(epsilon, spread, within) - 0.1

        exact = brentq(excess, best.epsilon, printed)
        prior = erf(within / spread / sqrt(2))
        rows.append([example, prior, printed, advantages[0], best.radius, best.epsilon, exact])
    epsilon = rows[0][5]
    largest = max(
        after_laplace(epsilon, SALARIES, 100, truth, truth + offset)
        for truth in range(0, 601, 50)
        for offset in (-100, -50, 0, 50, 100)
    )
    return {"table": rows, "off-the-mean": (600, np.ceil(1000 * largest) / 1000)}


@fact
def compound_guesses():
    """ε for guesses of any or all of five salaries within 100, and of three bits.

    The first ε for any salary is by Theorem 2; the second is the best one.
    """
    all_of, any_of = (
        compound.best_radius(
            advantage=0.1, priors=[Normal(SALARIES)] * 5, precision=100, either=either
        ).epsilon
        for either in (False, True)
    )
    a = np.arange(101, 2000)
    p, q = erf(100 / SALARIES / sqrt(2)), 1 - 2 * norm.sf(a / SALARIES)
    pairs = ((q**5 - (q - p) ** 5, q**5), (p, q))
    parts = [np.log((y - x) / x * (0.1 + x) / (0.9 - x)) / a for x, y in pairs]
    return {
        "salaries": (np.min(parts, axis=0).max(), any_of, all_of),
        "three-bits": (log(7 * 0.225 / 0.775), 0.25 / (0.25 + 0.75 * 0.775 / 1.575) - 0.25),
    }


@fact
def uniform_in_dimensions():
    """The advantage; ε by Eqn 1 and by Eqn 2, with the number of dimensions; r = 1 and R = 10."""
    numbers = [0.1]
    for n in (1, 5):
        by_eqn_2 = ball_epsilon(advantage=0.1, largest=10, precision=1, dimensions=n)
        by_eqn_1 = best_radius(advantage=0.1, prior=Uniform(10, n), precision=1)
        numbers += [by_eqn_1.epsilon, by_eqn_2.epsilon, n]
    return numbers


@fact
def eqn_2_without_its_condition():
    """ε = n (r/R + δ)^(1/n) / (e r) at n = 1, r = 1, R = 10 and δ = 0.1."""
    return 0.2 / exp(1)


@fact
def size_of_noise():
    """The probability that generalized Cauchy noise of order 4 is within its scale."""
    return sqrt(2) / pi * quad(lambda x: 1 / (1 + x**4), -1, 1)[0]


@fact
def noise_in_a_ball():
    """Dimensions, and the sd of noise in the l_2 ball and of Laplace releases; ε = Δ_2 = 1."""
    return 16, sqrt(17), sqrt(2) * compound.together([1.0] * 16, norm=2)
