"""The guessing advantage under (ε, δ): Laud and Pankova, appendix B.

With δ > 0, some outcomes may tell the adversary everything. Therefore the bound of
`ggexp.guarantees.advantage` holds with a probability, over the outcomes of the true data. This
probability is computed for the guess whether the data are these or one of some *alternatives*. A
bound for one pair of neighbours may fail at other outcomes for each of the alternatives. The
probabilities of failure add up, which the paper omits (docs/errata.md).
"""

from math import exp, expm1, inf, log
from typing import NamedTuple

import numpy as np

from ggexp import checks
from ggexp.guarantees.advantage import Prior, epsilon_for, of


class Probable(NamedTuple):
    """An advantage, and the probability with which it is not exceeded."""

    advantage: float
    probability: float

    @property
    def average(self) -> float:
        """An upper bound of the mean advantage over all outcomes, including revealing ones."""
        return 1 + (self.advantage - 1) * self.probability


def of_pdp(*, epsilon: float, delta: float, prior: Prior, alternatives: int = 1) -> Probable:
    """Return the advantage under (ε, δ)-probabilistic DP: that of ε-DP but for δ per alternative.

    epsilon: ε >= 0. delta: δ in (0, 1). prior: as for `advantage.of`. alternatives: >= 1, the
    number
        of other data that are possible.
    The probability is 0 if δ leaves nothing. Raises ValueError naming the argument.
    """
    checks.open_unit("delta", delta)
    kept = max(0.0, 1 - checks.at_least_one("alternatives", alternatives) * delta)
    return Probable(of(epsilon=epsilon, prior=prior), kept)


def mean(*, epsilon: float, delta: float, prior: Prior) -> float:
    """Return a bound of the mean advantage under (ε, δ)-approximate DP: (1 - δ) of(ε) + δ.

    epsilon: ε >= 0. delta: δ in [0, 1). prior: as for `advantage.of`.

    The mean is over releases of the true data and of the alternative, weighted by the prior. A
    release that satisfies (ε, δ)-approximate DP can be simulated by a mechanism that reveals all
    data with probability δ, and otherwise satisfies ε-DP (Kairouz, Oh and Viswanath 2015, "The
    composition theorem for differential privacy"). An adversary who sees less guesses no better on
    average. The advantage from a single release may be larger, and not only with probability δ: see
    `of_adp`. Raises ValueError naming the argument, its value and what is allowed.
    """
    return of(epsilon=epsilon, prior=prior) * (1 - checks.below_one("delta", delta)) + delta


def of_adp(
    *, epsilon: float, delta: float, prior: Prior, probability: float, alternatives: int = 1
) -> Probable:
    """Return the advantage under (ε, δ)-approximate DP that holds with a probability.

    epsilon, delta, prior, alternatives: as for `of_pdp`. probability: in (0, 1); its complement,
        divided by the number of alternatives, must exceed δ.

    Approximate DP implies probabilistic DP with a larger ε' and δ'. Consider the outcomes that are
    more than e^ε' times as likely under x as under x', and their probabilities P and P'. P <= e^ε
    P' + δ and P' < e^-ε' P give P < δ/(1 - e^(ε-ε')). In the same way, the outcomes that are as
    much less likely have at most e^-ε' times that probability. Therefore Pr(|L| > ε') <= δ' for ε'
    = ln((δ + δ' e^ε)/(δ' - δ)).
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.not_negative("epsilon", epsilon)
    checks.open_unit("delta", delta)
    checks.open_unit("probability", probability)
    failure = (1 - probability) / checks.at_least_one("alternatives", alternatives)
    if not failure > delta:
        raise ValueError(
            f"probability must leave more than delta = {delta!r} to each of {alternatives} "
            f"alternatives, got {probability!r}"
        )
    larger = float(np.logaddexp(log(delta), log(failure) + epsilon)) - log(failure - delta)
    return Probable(of(epsilon=larger, prior=prior), probability)


def probability_of_adp(
    *, epsilon: float, delta: float, prior: Prior, advantage: float, alternatives: int = 1
) -> float:
    """Return a probability with which (ε, δ)-approximate DP bounds an advantage: `of_adp` inverted.

    epsilon, delta, prior, alternatives: as for `of_adp`. advantage: in (0, 1).

    With ε' from `advantage.epsilon_for`, a release fails with a probability of at most δ' = δ (1 +
    e^-ε') / (1 - e^(ε - ε')) per alternative. The result is 0 if ε' <= ε, or if the sum over the
    alternatives exceeds 1. It is 1 if the prior does not allow the advantage.
    Raises ValueError naming the argument, its value and what is allowed.
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


def epsilon_for_mean(*, advantage: float, delta: float, prior: Prior) -> float:
    """Return the largest ε whose mean advantage at a δ is at most this one: the inverse of `mean`.

    advantage: in (0, 1). delta: δ in [0, 1), less than the advantage. prior: as for `mean`. Each δ
    below the advantage has its own ε. The result is infinite if the prior does not allow such an
    advantage. Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.open_unit("advantage", advantage)
    if not checks.below_one("delta", delta) < advantage:
        raise ValueError(f"delta must be less than the advantage {advantage!r}, got {delta!r}")
    return epsilon_for(advantage=(advantage - delta) / (1 - delta), prior=prior)
