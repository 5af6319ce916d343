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
    """On presence and on answers (R = 1 and 2), with the worst prior and others."""

    def of(epsilons, prior=None, radius=1):
        return [advantage.of(epsilon=e, prior=prior, radius=radius) for e in epsilons]

    epsilons = (0.1, 0.5, 1, 2, 4)
    rows = [[prior or (), *of(epsilons, prior, r)] for r in (1, 2) for prior in (None, 0.01)]
    return {
        "table": [[None, *epsilons], *rows],
        "presence": of(EPSILONS),
        "answers": of(EPSILONS, radius=2),
        "at-1": (*of([1]), *of([1], radius=2), 1),
        "epsilons": [
            advantage.epsilon_for(advantage=0.1, prior=None, radius=radius) for radius in (1, 2)
        ],
    }


@fact
def advantages_with_delta():
    """The bound on the mean after pDP; and what follows from (1, δ)-aDP with a probability."""
    rows = [[None, (), *DELTAS]]
    for epsilon in EPSILONS:
        means = [of_pdp(epsilon=epsilon, delta=d, prior=None).average for d in DELTAS]
        assert np.allclose(means, [(1 - d) * tanh(epsilon / 4) + d for d in DELTAS])
        rows.append([epsilon, tanh(epsilon / 4), *means])

    def probable(delta, probability):
        found = of_adp(epsilon=1, delta=delta, prior=None, probability=probability)
        return found.advantage, probability

    return {
        "means": rows,
        "large": (*probable(0.05, 0.9), *probable(0.05, 0.5)),
        "without": tanh(1 / 4),
        "small": probable(1e-6, 0.999),
    }


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
def within_a_precision():
    """Prior, the paper's ε and the advantage at it, the best radius, its ε, and the exact ε.

    And the largest advantage for true salaries up to 600 from the mean, rounded up.
    """
    rows = []
    for example, spread, within, printed in ((6.2, SALARIES, 100, 0.0038), (6.3, SHIPS, 10, 0.063)):
        best = best_radius(advantage=0.1, prior=Normal(spread), precision=within)
        # by the symmetry of the prior the peak in the middle is the best for the guesser
        peaks = np.linspace(0, within, 5)
        reached = [after_laplace(printed, spread, within, 0, peak) for peak in peaks]
        assert np.argmax(reached) == 0

        def excess(epsilon, spread=spread, within=within):
            return after_laplace(epsilon, spread, within) - 0.1

        exact = brentq(excess, best.epsilon, printed)
        prior = erf(within / spread / sqrt(2))
        rows.append([example, prior, printed, reached[0], best.radius, best.epsilon, exact])
    of_salaries = rows[0][5]
    largest = max(
        after_laplace(of_salaries, SALARIES, 100, truth, truth + off)
        for truth in range(0, 601, 50)
        for off in (-100, -50, 0, 50, 100)
    )
    return {"table": rows, "off-the-mean": (600, np.ceil(1000 * largest) / 1000)}
