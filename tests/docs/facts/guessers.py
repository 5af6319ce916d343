"""What ε and δ mean to a guesser (Figure S6)."""

from itertools import pairwise
from math import erf, exp, sqrt, tanh

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from facts import fact
from facts.library import DELTAS, EPSILONS
from ggexp.guarantees import advantage
from ggexp.guarantees.precision import Normal, best_radius
from ggexp.guarantees.relaxed import of_adp, of_pdp

SALARIES, SHIPS = sqrt(55556), sqrt(1250)


@fact
def advantages():
    epsilons = (0.1, 0.5, 1, 2, 4)
    rows = [[None, *epsilons]]
    for radius in (1, 2):
        for prior in (None, 0.01):
            found = [advantage.of(epsilon=e, prior=prior, radius=radius) for e in epsilons]
            rows.append([prior or (), *found])
    return rows


@fact
def mean_advantages():
    rows = [[None, (), *DELTAS]]
    for epsilon in EPSILONS:
        means = [of_pdp(epsilon=epsilon, delta=d, prior=None).average for d in DELTAS]
        assert np.allclose(means, [(1 - d) * tanh(epsilon / 4) + d for d in DELTAS])
        rows.append([epsilon, tanh(epsilon / 4), *means])
    return rows


@fact
def advantage_at_1():
    return tanh(1 / 4)


def probable(delta, probability):
    """The advantage that follows from (1, δ)-approximate DP with a probability."""
    return of_adp(epsilon=1, delta=delta, prior=None, probability=probability).advantage


@fact
def advantages_with_a_large_delta():
    return probable(0.05, 0.9), 0.9, probable(0.05, 0.5), 0.5


@fact
def advantage_with_a_small_delta():
    return probable(1e-6, 0.999), 0.999


def after_laplace(epsilon, sd, within, truth=0.0, peak=0.0):
    """The advantage after Laplace noise of ε per unit on a normal value, released at the peak."""
    ends = (truth - within, truth + within)
    cuts = sorted({-9 * sd, *ends, peak, 9 * sd})
    parts = {
        (a, b): quad(lambda x: exp(-epsilon * abs(x - peak) - (x / sd) ** 2 / 2), a, b)[0]
        for a, b in pairwise(cuts)
    }
    hit = sum(part for (a, b), part in parts.items() if ends[0] <= a and b <= ends[1])
    return hit / sum(parts.values()) - norm.cdf(ends[1] / sd) + norm.cdf(ends[0] / sd)


@fact
def guesses_within_a_precision():
    """Prior, the paper's ε and the advantage at it, the best radius, its ε, and the exact ε."""
    rows = []
    for example, sd, within, printed in ((6.2, SALARIES, 100, 0.0038), (6.3, SHIPS, 10, 0.063)):
        prior = erf(within / sd / sqrt(2))
        best = best_radius(advantage=0.1, prior=Normal(sd), precision=within)
        # by the symmetry of the prior the peak in the middle is the best for the guesser
        peaks = np.linspace(0, within, 5)
        reached = [after_laplace(printed, sd, within, 0, peak) for peak in peaks]
        assert np.argmax(reached) == 0

        def excess(epsilon, sd=sd, within=within):
            return after_laplace(epsilon, sd, within) - 0.1

        exact = brentq(excess, best.epsilon, printed)
        rows.append([example, prior, printed, reached[0], best.radius, best.epsilon, exact])
    return rows


@fact
def advantage_off_the_mean():
    """At the ε of the radius, for true salaries up to 600 from the mean, rounded up."""
    epsilon = best_radius(advantage=0.1, prior=Normal(SALARIES), precision=100).epsilon
    largest = max(
        after_laplace(epsilon, SALARIES, 100, truth, truth + off)
        for truth in range(0, 601, 50)
        for off in (-100, -50, 0, 50, 100)
    )
    return 600, np.ceil(1000 * largest) / 1000


@fact
def advantages_at_1():
    """Whether somebody is in the table, and what they answered; ε = 1 at last."""
    return *(advantage.of(epsilon=1, prior=None, radius=radius) for radius in (1, 2)), 1
