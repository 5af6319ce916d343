"""Search for the order at which truncated GG noise is smallest, for docs/best-order.md.

    python studies/truncated_orders.py

Truncated Laplace noise has the scale 1/ε, and the smallest bound for (ε, δ)-approximate DP at that
scale. Here the order p >= 1, the scale b and the bound A are all free. The noise has density ∝
exp(-|x/b|^p) on [-A, A] and satisfies (ε, δ)-approximate DP exactly; the search finds the smallest
standard deviation for each order on a grid. It is a rough search and takes two seconds.
"""

from collections.abc import Iterator
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gamma, gammainc

from ggexp.mechanisms import calibration
from ggexp.mechanisms.privacy_loss import where_loss_is
from ggexp.mechanisms.tails import between, inner

ORDERS = (1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5)
POINTS = [(0.5, 0.1), (1, 0.05), (0.1, 0.25), (0.5, 0.01), (2, 0.4), (5, 0.1), (5, 0.4)]


class Noise(NamedTuple):
    """The standard deviation, scale and bound of truncated GG noise."""

    sd: float
    scale: float
    bound: float


def truncated_sd(order: float, scale: float, bound: float) -> float:
    """Return the standard deviation of GG(0, b, p) within [-bound, bound]."""
    q = (bound / scale) ** order
    second_moment = gamma(3 / order) * gammainc(3 / order, q)
    return scale * sqrt(second_moment / (gamma(1 / order) * gammainc(1 / order, q)))


def delta_of(order: float, scale: float, bound: float, epsilon: float, unbounded: float) -> float:
    """Return the exact δ at ε; unbounded: the u/b at which noise without a bound has the loss ε.

    Above A - 1 the loss is infinite, because the neighbour's noise does not reach this far. Below,
    the loss is the same as without a bound.
    """
    h, end = 1 / scale, bound / scale
    u = min(unbounded, end - h)
    normalizer = float(inner(order, end))
    return (between(order, u, end) - exp(epsilon) * between(order, u + h, end)) / normalizer


def with_scale(order: float, scale: float, epsilon: float, delta: float) -> Noise:
    """Return the noise with this scale and the smallest bound for (ε, δ)-approximate DP."""
    unbounded = where_loss_is(epsilon, order, 1 / scale)

    def excess(log_bound: float) -> float:
        return delta_of(order, scale, exp(log_bound), epsilon, unbounded) - delta

    # if the bound is below 1/2, neighbours share no outcome
    bound = exp(brentq(excess, log(0.5 + 1e-9), log(100 * scale + 100 / epsilon), xtol=1e-12))
    return Noise(truncated_sd(order, scale, bound), scale, bound)


def least(order: float, epsilon: float, delta: float) -> Noise:
    """Return the noise of this order with the smallest standard deviation."""
    smallest = calibration.calibrate("adp-exact", order=order, epsilon=epsilon, delta=delta).scale
    multiples = np.geomspace(1 + 1e-6, 100, 25)  # noise of a larger scale is nearly uniform

    def sd(multiple: float) -> float:
        return with_scale(order, multiple * smallest, epsilon, delta).sd

    i = int(np.argmin([sd(multiple) for multiple in multiples]))
    bracket = multiples[max(i - 1, 0)], multiples[min(i + 1, len(multiples) - 1)]
    minimum = minimize_scalar(sd, bounds=bracket, method="bounded", options={"xatol": 1e-7})
    return with_scale(order, minimum.x * smallest, epsilon, delta)


def search() -> Iterator[tuple[float, float, dict[float, Noise]]]:
    """Yield ε, δ and the best noise of each order."""
    for epsilon, delta in POINTS:
        yield epsilon, delta, {order: least(order, epsilon, delta) for order in ORDERS}


if __name__ == "__main__":
    for epsilon, delta, noises in search():
        print(f"({epsilon}, {delta})")
        for order, noise in noises.items():
            print(
                f"  order {order:<5g} sd {noise.sd:.5f}  b {noise.scale:.4g}  A {noise.bound:.4g}"
            )
