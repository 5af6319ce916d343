"""Calibration rules: from the guarantee that is wanted to the scale b of GG noise that gives it.

Each rule is one function of (order, epsilon, delta) for a statistic of which one coordinate moves
by at most 1 between neighbours; `scale` finds it in `RULES` by its name, checks the arguments and
multiplies by another sensitivity.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, log, sqrt

import numpy as np

from ggexp import checks
from ggexp.distribution import upper_point


@dataclass(frozen=True)
class Rule:
    """A calibration rule and where it applies.

    name: as written in a configuration.
    guarantee: what the noise then satisfies.
    function: (order, epsilon, delta) -> scale at sensitivity 1.
    order: the only order it fits, None for every real order >= 1.
    uses_delta: whether the guarantee has a δ.
    instead: what to do with another order, for the message.
    """

    name: str
    guarantee: str
    function: Callable[[float, float, float], float]
    order: float | None = None
    uses_delta: bool = True
    instead: str = ""

    def check_order(self, order: float) -> None:
        """Raise ValueError where the rule does not fit the order, and say what does."""
        checks.at_least_one("order", order)
        if self.order is not None and order != self.order:
            raise ValueError(
                f"calibration {self.name!r} fits order {self.order:g} only, got order {order!r}: "
                + self.instead
            )


def pure(order: float, epsilon: float, delta: float) -> float:
    """Return b = 1/ε, the Laplace mechanism of ε-DP (paper, Claim 4: order 1 alone has one)."""
    return 1 / epsilon


def pdp(order: float, epsilon: float, delta: float) -> float:
    """Return the b of (ε, δ)-probabilistic DP, in closed form for every real order p >= 1.

    The paper's sufficient condition (Corollary 8, Eqn 13 with one coordinate) is
    Pr((|e| + 1)^p - |e|^p > ε b^p) <= δ. It holds with equality where the privacy loss reaches ε
    at the t with Pr(|e| > t) = δ. Order 2 is Lemma 10 (Eqn 18), order 1 is 1/ε.
    """
    return 1 / step(order, epsilon, upper_point(order, delta / 2))


def step(order: float, epsilon: float, u: float) -> float:
    """Return the 1/b for which the privacy loss reaches ε at t = b u.

    The loss (|t + 1|^p - |t|^p) / b^p is ε where |u + 1/b|^p = |u|^p + ε. For u > 0 that is the
    difference of two numbers that may agree in many digits, or whose powers overflow: hence expm1
    and logaddexp.
    """
    if u == 0:
        return epsilon ** (1 / order)
    log_ratio = float(np.logaddexp(0, log(epsilon) - order * log(abs(u)))) / order
    return u * expm1(log_ratio) if u > 0 else -u * (exp(log_ratio) + 1)


def adp_classical(order: float, epsilon: float, delta: float) -> float:
    """Return b = √2 σ with σ = √(2 ln(1.25/δ)) / ε, the classical Gaussian mechanism.

    Source: paper, Eqn (19), from Dwork and Roth (2014), whose proof needs ε < 1; the paper uses it
    at ε = 1 and 2 too, and so may you, with a warning.
    """
    if epsilon >= 1:
        warnings.warn(
            f"the proof of 'adp-classical' needs epsilon < 1, got {epsilon!r}", stacklevel=3
        )
    return 2 * sqrt(log(1.25 / delta)) / epsilon


RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "pure",
            "ε-DP",
            pure,
            order=1,
            uses_delta=False,
            instead="no scale gives pure DP with another order (paper, Claim 4); use 'pdp'",
        ),
        Rule("pdp", "(ε, δ)-pDP", pdp),
        Rule(
            "adp-classical",
            "(ε, δ)-aDP",
            adp_classical,
            order=2,
            instead="its bound is for the Gaussian; use 'pdp'",
        ),
    )
}


def rule(calibration: str) -> Rule:
    """Return the rule of that name; ValueError names the known ones."""
    try:
        return RULES[calibration]
    except KeyError:
        known = ", ".join(RULES)
        raise ValueError(f"unknown calibration {calibration!r}, known are: {known}") from None


def scale(
    calibration: str,
    *,
    order: float,
    epsilon: float,
    delta: float | None = None,
    sensitivity: float = 1.0,
) -> float:
    """Return the scale b of GG noise of that order that meets the rule's guarantee.

    calibration: a name in `RULES`.
    order: p >= 1; some rules fit one order only.
    epsilon: ε > 0.
    delta: δ in (0, 1); ignored by rules whose guarantee has none.
    sensitivity: Δ > 0, by how much the one coordinate that changes may move.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    chosen = rule(calibration)
    chosen.check_order(order)
    checks.positive("epsilon", epsilon)
    checks.positive("sensitivity", sensitivity)
    if chosen.uses_delta:
        delta = checks.open_unit("delta", delta)
    return sensitivity * chosen.function(order, epsilon, delta or 0.0)
