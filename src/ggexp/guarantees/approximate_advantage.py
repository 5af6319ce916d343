"""What (ε, δ) means to an adversary: Laud and Pankova, appendix B.

With δ > 0 there are outcomes after which the adversary may know all. So the bound of
`ggexp.guarantees.advantage` is kept with a probability, over the outcomes of the true data, and
this is computed for the guess whether the data are these or one of some *alternatives*. What holds
of one pair of neighbours may fail elsewhere with each of the alternatives: their probabilities add
up, which the paper leaves out (docs/errata.md).
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
        """A bound on the mean advantage over all outcomes, those included that tell all."""
        return 1 + (self.advantage - 1) * self.probability


def of_pdp(*, epsilon: float, delta: float, prior: Prior, alternatives: int = 1) -> Probable:
    """Return the advantage of (ε, δ)-probabilistic DP: that of ε-DP, but for δ per alternative.

    epsilon: ε >= 0. delta: δ in (0, 1). prior: as for `advantage.of`. alternatives: >= 1, how many
        other data there might be.
    The probability is 0 where δ leaves nothing. Raises ValueError naming the argument.
    """
    checks.open_unit("delta", delta)
    kept = max(0.0, 1 - checks.at_least_one("alternatives", alternatives) * delta)
    return Probable(of(epsilon=epsilon, prior=prior), kept)


def mean(*, epsilon: float, delta: float, prior: Prior) -> float:
    """Return a bound on the mean advantage of (ε, δ)-approximate DP: (1 - δ) of(ε) + δ.

    epsilon: ε >= 0. delta: δ in [0, 1). prior: as for `advantage.of`.

    The mean is over releases, of the true data and of the alternative as often as the prior says.
    A release of (ε, δ)-approximate DP can be made by somebody who sees all of the data with
    probability δ, and else a release of ε-DP (Kairouz, Oh and Viswanath 2015, "The composition
    theorem for differential privacy"); and whoever sees less guesses no better on average. Of a
    single release the advantage may be larger, and not only with probability δ: see `of_adp`.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    return of(epsilon=epsilon, prior=prior) * (1 - checks.below_one("delta", delta)) + delta


def of_adp(
    *, epsilon: float, delta: float, prior: Prior, probability: float, alternatives: int = 1
) -> Probable:
    """Return the advantage of (ε, δ)-approximate DP that is kept with a probability.

    epsilon, delta, prior, alternatives: as for `of_pdp`. probability: in (0, 1); what it leaves, by
        alternative, must exceed δ.

    Approximate DP is probabilistic DP with a larger ε' and δ'. Of the outcomes that are more than
    e^ε' times as likely under x as under x' let P and P' be the probabilities: P <= e^ε P' + δ and
    P' < e^-ε' P give P < δ/(1 - e^(ε-ε')). Those that are as much less likely have, by the same,
    at most e^-ε' times that. So Pr(|L| > ε') <= δ' for ε' = ln((δ + δ' e^ε)/(δ' - δ)).
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
    """Return a probability with which (ε, δ)-approximate DP keeps an advantage: `of_adp` turned.

    epsilon, delta, prior, alternatives: as for `of_adp`. advantage: in (0, 1).

    With ε' of `advantage.epsilon_for`, a release fails with probability δ' = δ (1 + e^-ε') /
    (1 - e^(ε - ε')) per alternative at most. Where ε' <= ε, and where that exceeds 1, the
    probability is 0. Where the prior leaves no room for the advantage, it is 1.
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
    """Return the largest ε whose mean advantage with a δ is at most this: the inverse of `mean`.

    advantage: in (0, 1). delta: δ in [0, 1), less than the advantage. prior: as for `mean`.
    δ may be chosen: each below the advantage has its ε. It is infinite where the prior leaves no
    room for such an advantage. Raises ValueError naming the argument, its value and what is
    allowed.
    """
    checks.open_unit("advantage", advantage)
    if not checks.below_one("delta", delta) < advantage:
        raise ValueError(f"delta must be less than the advantage {advantage!r}, got {delta!r}")
    return epsilon_for(advantage=(advantage - delta) / (1 - delta), prior=prior)
