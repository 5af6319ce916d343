"""Bounds on the guessing advantage that hold with a probability, and the ε for an advantage.

If δ > 0, some outcomes may reveal everything to the adversary. Therefore the bound of
`ggexp.guarantees.advantage.of` holds only with a certain probability over the outcomes of the true
data (Laud and Pankova, appendix B). The adversary guesses whether the data are the true data or one
of several *alternatives*. For each alternative, the bound may fail at different outcomes. Therefore
the probabilities of failure add up, which the paper omits (docs/errata.md).
"""

from math import atanh, exp, expm1, inf, log, log1p
from typing import NamedTuple

import numpy as np

from ggexp import checks
from ggexp.guarantees.advantage import Prior, both_sides, of
from ggexp.ranges import Advantage, Delta, DeltaOrZero, EpsilonOrZero


class Probable(NamedTuple):
    """An advantage, and the probability with which it is not exceeded."""

    advantage: float
    probability: float

    @property
    def average(self) -> float:
        """An upper bound on the mean advantage over all outcomes, including revealing ones."""
        return 1 + (self.advantage - 1) * self.probability


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
    room = max(v * (1 - v - advantage) for v in both_sides(prior))
    return log1p(advantage / room) / radius if room > 0 else inf


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


def of_pdp(
    *, epsilon: EpsilonOrZero, delta: Delta, prior: Prior, alternatives: int = 1
) -> Probable:
    """Return the advantage under (ε, δ)-probabilistic DP, and the probability that it holds.

    prior: as for `ggexp.guarantees.advantage.of`. alternatives: >= 1, the number of alternative
        data sets.
    The advantage is that of ε-DP. It may be exceeded with probability δ for each alternative. The
    result has probability 0 if these probabilities sum to 1 or more.
    """
    checks.open_unit("delta", delta)
    probability = max(0.0, 1 - checks.at_least_one("alternatives", alternatives) * delta)
    return Probable(of(epsilon=epsilon, prior=prior), probability)
