"""Whether the noise of a calibration rule contradicts its formulas, its guarantee or a lower bound.

A run checks its rules at one grid point before it starts. `ggexp.companions.rule_audit` adds an
audit.
"""

from collections.abc import Iterator
from contextlib import suppress
from math import exp, sqrt
from typing import Any

import numpy as np

from ggexp.mechanisms.calibration import LEAST_NOISE, Rule, calibrate, rule
from ggexp.mechanisms.guarantee import of_release
from ggexp.mechanisms.integer_valued import TooManyValuesError
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import Delta, Epsilon, Order

DRAWS = 20_000
#: A share of the draws differs more from its probability with probability 2e-13 (Hoeffding).
MARGIN = sqrt(15 / DRAWS)
TOLERANCE = 1e-6  #: relative, of two derivations of the same number
TAILS = 0.5 ** np.arange(1.0, 24.0, 0.25)  #: of the points at which tails are compared


def faults(
    calibration: str | Rule, *, order: Order | None, epsilon: Epsilon, delta: Delta | None
) -> Iterator[str]:
    """Yield a sentence on each fault of the rule's noise at sensitivity 1.

    The draws must agree with the tails and the moments, and the tails, the δ and the privacy loss
    with each other and with the guarantee. E|e| must be at least the smallest possible. Numbers
    that the family lacks are not compared.
    """
    chosen = rule(calibration)
    noise = calibrate(chosen, order=order, epsilon=epsilon, delta=delta)
    yield from _faults_of_draws(noise)
    if noise.lacks("loss", "upper_tail", "upper_point"):
        return
    stated, derived = noise.delta(epsilon=epsilon), noise.loss().delta(epsilon)
    points = [noise.upper_point(tail) for tail in TAILS]
    # δ is at least Pr(e > t) - e^ε Pr(e > t + 1) for each t
    least = max(noise.upper_tail(t) - exp(epsilon) * noise.upper_tail(t + 1) for t in points)
    if abs(stated - derived) > TOLERANCE * derived + 1e-15:
        yield f"its method delta returns {stated:g}, but its loss has a delta of {derived:g}"
    if least > derived * (1 + TOLERANCE) + 1e-14:
        yield f"its loss has a delta of {derived:g}, but its tails have one of {least:g} or more"
    if epsilon >= chosen.proven_below:
        return
    at: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta if chosen.guarantee.has_delta else None,
    }
    if of_release(chosen.guarantee, noise, **at, processed=False) is not chosen.guarantee:
        yield f"it does not satisfy {chosen.guarantee}"
    with suppress(TooManyValuesError):
        bound = calibrate(LEAST_NOISE[chosen.guarantee.has_delta], order=None, **at).mean_absolute
        if noise.mean_absolute < bound * (1 - TOLERANCE):
            yield f"its E|e| is {noise.mean_absolute:g}, but {bound:g} is the smallest possible"


def _faults_of_draws(noise: Noise) -> Iterator[str]:
    """Yield a sentence on each number that draws contradict; each is a false alarm in 1e-11."""
    draws = noise.sample(np.random.default_rng(1), DRAWS)
    numbers = {"sd": (draws**2, 2)}
    if not noise.lacks("mean_absolute"):
        numbers["mean_absolute"] = (np.abs(draws), 1)
    for name, (values, power) in numbers.items():
        error = 7 * float(values.std()) / sqrt(DRAWS)
        if abs(values.mean() - getattr(noise, name) ** power) > error:
            drawn = float(values.mean()) ** (1 / power)
            yield f"its {name} is {getattr(noise, name):g}, but that of draws is {drawn:g}"
    for tail in TAILS[::4] if not noise.lacks("upper_tail", "upper_point") else ():
        x = noise.upper_point(tail)
        expected, shares = noise.upper_tail(x), [(draws > x).mean(), (draws < -x).mean()]
        if np.abs(np.subtract(shares, expected)).max() > MARGIN:
            yield f"its tail at {x:g} is {expected:g}, but that of draws is {max(shares):g}"
