"""The guessing advantage: how much a release helps an adversary to guess a record.

The *prior* is the probability of a right guess before the release, and the *posterior* is this
probability after the release. The *advantage* is the largest absolute difference between them. ε-DP
over a distance R limits the factor by which the odds change to e^(εR). With a prior v, this gives

    posterior <= v / (v + e^(-εR) (1 - v)),   advantage = v (1-v) (1-e^(-εR)) / (v + (1-v) e^(-εR)).

The same holds for 1 - v, the guess that the opposite is true. Randomized response attains this
advantage. Source: Laud and Pankova, section 3.2 and, for the priors, section 4.1.

If a histogram satisfies ε-DP for add-remove neighbours, R is 1 for a guess whether a person is in
the table, and 2 for a guess of the answer of a person who is known to be in the table.

If δ > 0, `mean` is a bound on the mean over the outcomes, some of which may reveal everything, and
the bound of `of` holds with a certain probability (`ggexp.companions.approximate_guesses`).
"""

from collections.abc import Sequence
from math import exp, expm1, tanh

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.budget import Budget
from ggexp.ranges import EpsilonOrZero

#: The prior probability of a guess, or several, of which the worst is used, or None for the worst
#: of all priors.
Prior = float | Sequence[float] | NDArray[np.float64] | None


def of(*, epsilon: EpsilonOrZero, prior: Prior, radius: float = 1.0) -> float:
    """Return the largest advantage in guessing that ε-DP allows, in [0, 1].

    prior: the probability of a right guess before the release. For a sequence, the result is the
        largest advantage over its values. None is the worst prior, 1/(1 + e^(ε radius/2)), for
        which the advantage is tanh(ε radius/4).
    radius: the distance R > 0 between the data that the adversary distinguishes (see above).
    """
    loss = checks.not_negative("epsilon", epsilon) * checks.positive("radius", radius)
    if prior is None:
        return tanh(loss / 4)
    return max(
        v * (1 - v) * -expm1(-loss) / (v + (1 - v) * exp(-loss)) if v else 0.0
        for v in both_sides(prior)
    )


def both_sides(prior: float | Sequence[float] | NDArray[np.float64]) -> list[float]:
    """Return each prior and its complement, or raise ValueError if one is not a probability."""
    priors = np.ravel(np.asarray(prior, dtype=float)).tolist()
    if not priors:
        raise ValueError("prior must be one or more probabilities, got none")
    return [v for p in priors for v in (checks.unit("prior", p), 1 - p)]


def mean(budget: Budget, *, prior: Prior) -> float:
    """Return a bound on the mean advantage under (ε, δ)-approximate DP: (1 - δ) of(ε) + δ.

    prior: as for `of`.

    The mean is over releases of the true data and of the alternative, weighted by the prior. A
    release that satisfies (ε, δ)-approximate DP can be simulated by a mechanism that reveals all
    data with probability δ, and otherwise satisfies ε-DP (Kairouz, Oh and Viswanath 2015). The
    advantage from a single release may be larger with a probability above δ.
    """
    return of(epsilon=budget.epsilon, prior=prior) * (1 - budget.delta) + budget.delta


def best_guess(budget: Budget) -> float:
    """Return the largest probability of a right guess under (ε, δ)-aDP if the prior is 1/2.

    It is (1 + δ e^-ε)/(1 + e^-ε), which the mechanism that `mean` describes attains.
    """
    odds = exp(-budget.epsilon)
    return (1 + budget.delta * odds) / (1 + odds)
