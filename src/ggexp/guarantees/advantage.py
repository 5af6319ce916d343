"""The guessing advantage: how much a release helps an adversary to guess a record.

The *prior* is the probability of a right guess before the release, and the *posterior* is this
probability after the release. The *advantage* is the largest absolute difference between them. ε-DP
over a distance R limits the factor by which the odds change to e^(εR). With a prior v, this gives

    posterior <= v / (v + e^(-εR) (1 - v)),   advantage = v (1-v) (1-e^(-εR)) / (v + (1-v) e^(-εR)).

The same holds for 1 - v, the guess that the opposite is true. Randomized response attains this
advantage. Source: Laud and Pankova, section 3.2 and, for the priors, section 4.1.

If a histogram satisfies ε-DP for add-remove neighbours, R is 1 for a guess whether a person is in
the table, and 2 for a guess of the answer of a person who is known to be in the table.

If δ > 0, some outcomes may reveal everything to the adversary. Therefore the bound of `of` holds
only with a certain probability over the outcomes of the true data (appendix B). The adversary
guesses whether the data are the true data or one of several *alternatives*. For each alternative,
the bound may fail at different outcomes. Therefore the probabilities of failure add up, which the
paper omits (docs/errata.md).
"""

from collections.abc import Sequence
from math import atanh, exp, expm1, inf, log, log1p, tanh
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.ranges import Advantage, Delta, DeltaOrZero, EpsilonOrZero

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
        for v in _both_sides(prior)
    )


def epsilon_for(*, advantage: Advantage, prior: Prior, radius: float = 1.0) -> float:
    """Return the largest ε with a guessing advantage of at most ``advantage``: the inverse of `of`.

    advantage: δ in the formulas. prior, radius: as for `of`; the worst prior is (1 - δ)/2.
    The result is the minimum of ln(1 + δ/(v (1 - v - δ)))/R over each prior v and 1 - v. It equals
    the paper's -ln(v/(1-v) · (1/(δ+v) - 1))/R but loses no digits. It is infinite if no prior
    allows such an advantage.
    """
    checks.open_unit("advantage", advantage)
    checks.positive("radius", radius)
    if prior is None:
        return 4 * atanh(advantage) / radius
    # the minimum is at the v nearest to (1 - δ)/2, because v (1 - v - δ) is symmetric around it
    room = max(v * (1 - v - advantage) for v in _both_sides(prior))
    return log1p(advantage / room) / radius if room > 0 else inf


def _both_sides(prior: float | Sequence[float] | NDArray[np.float64]) -> list[float]:
    """Return each prior and its complement, or raise ValueError if one is not a probability."""
    priors = np.ravel(np.asarray(prior, dtype=float)).tolist()
    if not priors:
        raise ValueError("prior must be one or more probabilities, got none")
    return [v for probability in priors for v in (check_probability(probability), 1 - probability)]


def check_probability(prior: float) -> float:
    """Return a prior if it is a probability."""
    if not 0 <= prior <= 1:
        raise ValueError(f"prior must be None or probabilities in [0, 1], got {prior!r}")
    return prior


class Probable(NamedTuple):
    """An advantage, and the probability with which it is not exceeded."""

    advantage: float
    probability: float

    @property
    def average(self) -> float:
        """An upper bound on the mean advantage over all outcomes, including revealing ones."""
        return 1 + (self.advantage - 1) * self.probability


def mean(*, epsilon: EpsilonOrZero, delta: DeltaOrZero, prior: Prior) -> float:
    """Return a bound on the mean advantage under (ε, δ)-approximate DP: (1 - δ) of(ε) + δ.

    prior: as for `of`.

    The mean is over releases of the true data and of the alternative, weighted by the prior. A
    release that satisfies (ε, δ)-approximate DP can be simulated by a mechanism that reveals all
    data with probability δ, and otherwise satisfies ε-DP (Kairouz, Oh and Viswanath 2015). The
    advantage from a single release may be larger with a probability above δ: see `of_adp`.
    """
    return of(epsilon=epsilon, prior=prior) * (1 - checks.below_one("delta", delta)) + delta


def best_guess(*, epsilon: EpsilonOrZero, delta: DeltaOrZero) -> float:
    """Return the largest probability of a right guess under (ε, δ)-aDP if the prior is 1/2.

    It is (1 + δ e^-ε)/(1 + e^-ε), which the mechanism that `mean` describes attains.
    """
    odds = exp(-checks.not_negative("epsilon", epsilon))
    return (1 + checks.below_one("delta", delta) * odds) / (1 + odds)


def of_adp(
    *, epsilon: EpsilonOrZero, delta: Delta, prior: Prior, probability: float, alternatives: int = 1
) -> Probable:
    """Return the advantage that (ε, δ)-approximate DP guarantees with a given probability.

    probability: in (0, 1); its complement, divided by the number of alternatives, must exceed δ.

    Approximate DP implies probabilistic DP with a larger ε' and δ'. Let P and P' be the
    probabilities, under x and under x', of the outcomes that are more than e^ε' times as likely
    under x as under x'. Then P <= e^ε P' + δ and P' < e^-ε' P give P < δ/(1 - e^(ε-ε')). By the
    same argument, the outcomes that are less than e^-ε' times as likely have at most e^-ε' times
    this probability. Therefore Pr(|L| > ε') <= δ' for ε' = ln((δ + δ' e^ε)/(δ' - δ)).
    """
    checks.not_negative("epsilon", epsilon)
    checks.open_unit("delta", delta)
    checks.open_unit("probability", probability)
    failure = (1 - probability) / checks.at_least_one("alternatives", alternatives)
    if not failure > delta:
        raise ValueError(
            f"probability must allow a failure probability of more than delta = {delta!r} for each "
            f"of {alternatives} alternatives, got {probability!r}"
        )
    larger = float(np.logaddexp(log(delta), log(failure) + epsilon)) - log(failure - delta)
    return Probable(of(epsilon=larger, prior=prior), probability)


def probability_of_adp(
    *,
    epsilon: EpsilonOrZero,
    delta: Delta,
    prior: Prior,
    advantage: Advantage,
    alternatives: int = 1,
) -> float:
    """Return the probability that (ε, δ)-aDP limits the advantage to a value: inverse of `of_adp`.

    With ε' from `epsilon_for`, the bound fails with a probability of at most δ' = δ (1 +
    e^-ε') / (1 - e^(ε - ε')) per alternative. The result is 0 if ε' <= ε, or if the sum over the
    alternatives exceeds 1. It is 1 if the prior does not allow the advantage.
    """
    checks.not_negative("epsilon", epsilon)
    checks.open_unit("delta", delta)
    checks.at_least_one("alternatives", alternatives)
    larger = epsilon_for(advantage=advantage, prior=prior)
    if larger <= epsilon:
        return 0.0
    if larger == inf:
        return 1.0
    failure = delta * (1 + exp(-larger)) / -expm1(epsilon - larger)
    return max(0.0, 1 - alternatives * failure)


def epsilon_for_mean(*, advantage: Advantage, delta: DeltaOrZero, prior: Prior) -> float:
    """Return the largest ε with a mean advantage of at most ``advantage``: the inverse of `mean`.

    delta: less than the advantage. The result is infinite if the prior allows no such advantage.
    """
    checks.open_unit("advantage", advantage)
    if not checks.below_one("delta", delta) < advantage:
        raise ValueError(f"delta must be less than the advantage {advantage!r}, got {delta!r}")
    return epsilon_for(advantage=(advantage - delta) / (1 - delta), prior=prior)
