"""Whether the noise of a rule contradicts its formulas, its guarantee or a lower bound."""

from contextlib import suppress
from math import exp, inf, sqrt

import numpy as np

from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import LEAST_NOISE, Rule, calibrate, rule
from ggexp.mechanisms.guarantee import of_release
from ggexp.mechanisms.integer_valued import TooManyValuesError
from ggexp.ranges import Order

DRAWS = 20_000
MARGIN = sqrt(15 / DRAWS)  #: a share of the draws is so wrong with probability 2e-13 (Hoeffding)
RARE = 30.0  #: draws; none of an event has a probability of e^-30 if these are expected
MAX_EPSILON = 100.0  #: of a check, because probabilities may underflow at a larger ε
TOLERANCE = 1e-6  #: relative, of two derivations of the same number
TAILS = 0.5 ** np.arange(1.0, 24.0, 0.25)  #: of the points at which tails are compared


def faults(calibration: str | Rule, *, order: Order | None, budget: Budget) -> list[str]:
    """Return a sentence on each fault of the rule's noise at sensitivity 1.

    The draws must agree with the tails and moments, and the tails, the δ and the privacy loss with
    each other and the guarantee. E|e| must be at least its minimum. budget: ε <= `MAX_EPSILON`.
    """
    epsilon, delta = budget.epsilon, budget.delta
    chosen, found = rule(calibration), []
    noise = calibrate(chosen, order=order, epsilon=epsilon, delta=delta)
    draws = noise.sample(np.random.default_rng(1), DRAWS)
    absolute = inf  # an upper bound on E|e|
    for name, power in (("sd", 2), ("mean_absolute", 1)):
        powers = np.abs(draws) ** power
        # integers other than 0 may be rare, or absent
        error = 7 * powers.std() / sqrt(DRAWS) + noise.is_integer_valued * RARE / DRAWS
        stated = getattr(noise, name)
        if abs(powers.mean() - stated**power) > error:
            found.append(f"its {name} is {stated:g}, which its draws contradict")
        absolute = min(absolute, stated, float(powers.mean() + error) ** (1 / power))
    points = [noise.upper_point(tail) for tail in TAILS]
    for x in points[::4]:
        tail, drawn = noise.upper_tail(x), float((draws > x).mean())
        if abs(drawn - tail) > MARGIN:
            found.append(f"its probability above {x:g} is {tail:g}, but {drawn:g} among its draws")
    stated, derived = noise.delta(epsilon=epsilon), noise.loss().delta(epsilon)
    # δ is at least Pr(e > t) - e^ε Pr(e > t + 1) for each t
    tails = ([noise.upper_tail(t), noise.upper_tail(t + 1)] for t in points)
    least = max((above - exp(epsilon) * further for above, further in tails))
    error = TOLERANCE * derived + 1e-14
    if abs(stated - derived) > error or least > derived + error:
        found.append(
            f"its delta is {stated:g} by its method, {derived:g} by its privacy loss, and at least "
            f"{least:g} by its tails"
        )
    if epsilon >= chosen.proven_below:
        return found
    has_delta = chosen.guarantee.has_delta
    spent = budget if has_delta else Budget(epsilon)
    if of_release(chosen.guarantee, noise, spent, processed=False) is not chosen.guarantee:
        found.append(f"it does not satisfy {chosen.guarantee}")
    with suppress(TooManyValuesError):
        least_noise = calibrate(LEAST_NOISE[has_delta], order=None, epsilon=epsilon, delta=delta)
        bound = least_noise.mean_absolute
        if absolute < bound * (1 - TOLERANCE):
            found.append(f"its E|e| is {absolute:g}, but {bound:g} is the smallest possible")
    return found
