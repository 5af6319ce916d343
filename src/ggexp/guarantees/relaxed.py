"""What (ε, δ) means to a guesser: Laud and Pankova, appendix B, and A.1 on the size of noise.

With δ > 0 there are outcomes after which the guesser may know all. So the bound of
`ggexp.guarantees.advantage` is kept with a probability, over the outcomes of the true data, and
this is computed for the guess whether the data are these or one of some *alternatives*. What holds
of one pair of neighbours may fail elsewhere with each of the alternatives: their probabilities add
up, which the paper leaves out (docs/errata.md).
"""

from math import inf, log
from typing import NamedTuple

import numpy as np

from ggexp import checks
from ggexp.guarantees.advantage import Prior, of
from ggexp.mechanisms.tails import upper_point


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


def epsilon_at(*, epsilon: float, delta: float, probability: float) -> float:
    """Return ln(e^ε + δ/χ), the ε that approximate DP gives to an outcome of probability χ.

    epsilon: ε >= 0. delta: δ in [0, 1]. probability: χ in [0, 1], the least under an alternative.
    With it `advantage.of` is the bound of appendix B after that outcome, on the rise of a right
    guess's probability. It is of outcomes that have probabilities, such as counts: the paper uses
    it with densities, whose values depend on the units (docs/errata.md). Infinite where χ is 0.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.not_negative("epsilon", epsilon)
    for name, value in (("delta", delta), ("probability", probability)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be a number in [0, 1], got {value!r}")
    if delta == 0:
        return epsilon
    if probability == 0:
        return inf
    return float(np.logaddexp(epsilon, log(delta) - log(probability)))


def noise_reach(*, scale: float, probability: float, order: float = 1.0) -> float:
    """Return the size that GG noise stays below with a probability (paper, App. A.1).

    scale: b > 0. probability: v in (0, 1). order: p >= 1; of Laplace noise, order 1, the size is
    b ln(1/(1 - v)). Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.positive("scale", scale)
    checks.open_unit("probability", probability)
    return scale * upper_point(checks.at_least_one("order", order), (1 - probability) / 2)
