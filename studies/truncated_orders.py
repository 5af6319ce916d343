"""Which order of truncated GG noise needs the least of it: for docs/best-order.md.

    python studies/truncated_orders.py

Truncated Laplace noise has the scale 1/ε and the bound that then gives (ε, δ)-approximate DP. Here
order p >= 1, scale b and bound A are free together: for each order the least standard deviation of
noise of density ∝ exp(-|x/b|^p) on [-A, A] which is exactly of (ε, δ)-approximate DP. A rough
search, of orders on a grid. It takes two seconds.
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
    """Truncated GG noise, its standard deviation first."""

    sd: float
    scale: float
    bound: float


def truncated_sd(order: float, scale: float, bound: float) -> float:
    """Return the standard deviation of GG(0, b, p) within [-bound, bound]."""
    q = (bound / scale) ** order
    second = gamma(3 / order) * gammainc(3 / order, q)
    return scale * sqrt(second / (gamma(1 / order) * gammainc(1 / order, q)))


def delta_of(order: float, scale: float, bound: float, epsilon: float, near: float) -> float:
    """Return the exact δ at ε; near: u/b at which the loss of the noise without bounds is ε.

    Beyond A - 1 the loss is infinite, as the neighbour's noise does not reach there. Below, it is
    that of the noise without bounds.
    """
    h, end = 1 / scale, bound / scale
    u = min(near, end - h)
    inside = float(inner(order, end))
    return (between(order, u, end) - exp(epsilon) * between(order, u + h, end)) / inside


def with_scale(order: float, scale: float, epsilon: float, delta: float) -> Noise:
    """Return the noise of that scale with the smallest bound of (ε, δ)-approximate DP."""
    near = where_loss_is(epsilon, order, 1 / scale)

    def excess(log_bound: float) -> float:
        return delta_of(order, scale, exp(log_bound), epsilon, near) - delta

    # below 1/2 neighbours share no outcome
    bound = exp(brentq(excess, log(0.5 + 1e-9), log(100 * scale + 100 / epsilon), xtol=1e-12))
    return Noise(truncated_sd(order, scale, bound), scale, bound)


def least(order: float, epsilon: float, delta: float) -> Noise:
    """Return the noise of that order with the least standard deviation."""
    smallest = calibration.scale("adp-exact", order=order, epsilon=epsilon, delta=delta)
    shares = np.geomspace(1 + 1e-6, 100, 25)  # more, and it is as good as uniform

    def sd(share: float) -> float:
        return with_scale(order, share * smallest, epsilon, delta).sd

    i = int(np.argmin([sd(share) for share in shares]))
    ends = shares[max(i - 1, 0)], shares[min(i + 1, len(shares) - 1)]
    found = minimize_scalar(sd, bounds=ends, method="bounded", options={"xatol": 1e-7})
    return with_scale(order, found.x * smallest, epsilon, delta)


def search() -> Iterator[tuple[float, float, dict[float, Noise]]]:
    """Yield ε, δ and the best noise of each order."""
    for epsilon, delta in POINTS:
        yield epsilon, delta, {order: least(order, epsilon, delta) for order in ORDERS}


if __name__ == "__main__":
    for epsilon, delta, found in search():
        print(f"({epsilon}, {delta})")
        for order, noise in found.items():
            print(
                f"  order {order:<5g} sd {noise.sd:.5f}  b {noise.scale:.4g}  A {noise.bound:.4g}"
            )
