"""The guessing advantage under ε-DP: how much a release helps an adversary to guess a record.

The *prior* is the probability with which the adversary guesses right before the release, the
*posterior* the probability afterwards, and the *advantage* the largest absolute change from one to
the other. ε-DP over a distance R bounds the factor of the odds by e^(εR), so that with a prior v

    posterior <= v / (v + e^(-εR) (1 - v)),   advantage = v (1-v) (1-e^(-εR)) / (v + (1-v) e^(-εR)).

The same holds for 1 - v, the guess of the opposite. Randomized response attains it.
Source: Laud and Pankova, section 3.2 and, for the priors, 4.1.

R depends on the attribute that is guessed. For a histogram that satisfies ε-DP for neighbours that
differ by one record more or less, R is 1 for a person's presence in the table, and 2 for the answer
of a person known to be in the table: another answer is one record less and another one more.
"""

from collections.abc import Sequence
from math import atanh, exp, expm1, inf, log1p, tanh

import numpy as np
from numpy.typing import NDArray

from ggexp import checks

#: The probability of the guess. The worst of several counts; None is the worst of all.
Prior = float | Sequence[float] | NDArray[np.float64] | None


def of(*, epsilon: float, prior: Prior, radius: float = 1.0) -> float:
    """Return the largest advantage in guessing that ε-DP allows, in [0, 1].

    epsilon: ε >= 0, over a distance of 1.
    prior: the probability of a right guess before the release, in [0, 1]. For a sequence, such as a
        discrete distribution, the result is the largest advantage over it. None is the worst prior,
        1/(1 + e^(ε radius/2)), at which the advantage is tanh(ε radius/4).
    radius: the distance R > 0 between the data that are distinguished (see above).
    Raises ValueError naming the argument, its value and what is allowed.
    """
    loss = checks.not_negative("epsilon", epsilon) * checks.positive("radius", radius)
    if prior is None:
        return tanh(loss / 4)
    return max(
        v * (1 - v) * -expm1(-loss) / (v + (1 - v) * exp(-loss)) if v else 0.0
        for v in _both_sides(prior)
    )


def epsilon_for(*, advantage: float, prior: Prior, radius: float = 1.0) -> float:
    """Return the largest ε whose advantage in guessing is at most this one: the inverse of `of`.

    advantage: δ in (0, 1). prior, radius: as for `of`; the worst prior is (1 - δ)/2. The result is
    the least of ln(1 + δ/(v (1 - v - δ)))/R over each prior v and 1 - v. It equals the paper's
    -ln(v/(1-v) · (1/(δ+v) - 1))/R without its loss of digits. It is infinite if no prior allows
    such an advantage.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.open_unit("advantage", advantage)
    checks.positive("radius", radius)
    if prior is None:
        return 4 * atanh(advantage) / radius
    # the least is at the v nearest to (1 - δ)/2, because v (1 - v - δ) is symmetric around it
    room = max(v * (1 - v - advantage) for v in _both_sides(prior))
    return log1p(advantage / room) / radius if room > 0 else inf


def _both_sides(prior: float | Sequence[float] | NDArray[np.float64]) -> list[float]:
    """Return each prior and its complement; raise ValueError for one that is not a probability."""
    priors = np.ravel(np.asarray(prior, dtype=float)).tolist()
    if not priors:
        raise ValueError("prior must be a probability, or at least one of them, got none")
    return [v for probability in priors for v in (check_probability(probability), 1 - probability)]


def check_probability(prior: float) -> float:
    """Return a prior if it is a probability, else raise ValueError."""
    if not 0 <= prior <= 1:
        raise ValueError(f"prior must be None or probabilities in [0, 1], got {prior!r}")
    return prior
