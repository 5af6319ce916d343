"""The numbers of Figure S3: the best order over ε and δ, and the mechanism with the least noise."""

from functools import cache
from itertools import chain, product
from math import exp, log, sqrt

import pandas as pd
from scipy.optimize import minimize_scalar

from ggexp.guarantees import composition
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_order import best_order
from ggexp.progress import log_progress

FIGURES = {"s3": "best order"}

EPSILONS = (0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5)
SMALL_DELTAS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3)
DELTAS = (*SMALL_DELTAS, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
RELEASES = (10, 100)  # with a coarser grid: a convolution for each scale that is tried
COMPOSED_EPSILONS = (0.1, 0.5, 1, 2, 5)
COMPOSED_DELTAS = (1e-6, 0.01, 0.1)
MAX_ORDER = 4.0  # of many releases, whose best orders lie near 2 and below
WITHIN = 0.02  # ln p of many releases, where the noise hardly depends on it


def tabulate() -> pd.DataFrame:
    """Return the numbers of Figure S3, which have no chance in them.

    releases: how many have (epsilon, delta) together, each by noise of the order and scale.
    sd: its standard deviation, in units of the sensitivity; and those of others: sd_laplace and
    sd_gaussian of orders 1 and 2 with the same guarantee, sd_pure of Laplace noise for ε-DP, and
    sd_truncated of truncated Laplace noise, by basic composition where there are several releases.
    of_laplace, of_gaussian, of_pure, of_truncated: sd over each of these.
    """
    one, many = (
        [*product([1], EPSILONS, DELTAS)],
        [*product(RELEASES, COMPOSED_EPSILONS, COMPOSED_DELTAS)],
    )
    points = chain(one, log_progress(many, "points of many releases"))
    table = pd.DataFrame(
        [{"releases": k, "epsilon": e, "delta": d, **compared(k, e, d)} for k, e, d in points]
    )
    for other in ("laplace", "gaussian", "pure", "truncated"):
        table[f"of_{other}"] = table["sd"] / table[f"sd_{other}"]
    return table


def compared(releases: int, epsilon: float, delta: float) -> dict[str, float]:
    """Return order, scale and sd of the best noise of so many releases, and the sd of others."""
    best = best_of_one(epsilon, delta) if releases == 1 else best_of_many(releases, epsilon, delta)
    return {
        "order": best.order,
        "scale": best.scale,
        "sd": best.sd,
        "sd_laplace": noise(1, releases, epsilon, delta).sd,
        "sd_gaussian": noise(2, releases, epsilon, delta).sd,
        "sd_pure": sqrt(2) * releases / epsilon,
        "sd_truncated": truncated_laplace_sd(epsilon / releases, delta / releases),
    }


def best_of_one(epsilon: float, delta: float) -> GeneralizedGaussian:
    """Return the best noise of one release."""
    return best_order(epsilon=epsilon, delta=delta)


def best_of_many(releases: int, epsilon: float, delta: float) -> GeneralizedGaussian:
    """Return the best noise of many releases, its order found to 2 %."""
    found = minimize_scalar(
        lambda x: noise(exp(x), releases, epsilon, delta).sd,
        bounds=(0, log(MAX_ORDER)),
        method="bounded",
        options={"xatol": WITHIN},
    )
    candidates = [noise(order, releases, epsilon, delta) for order in (1, 2, exp(found.x))]
    return min(candidates, key=lambda one: one.sd)


@cache  # orders 1 and 2, and the best one, are asked for again
def noise(order: float, releases: int, epsilon: float, delta: float) -> GeneralizedGaussian:
    """Return the noise of an order of which so many releases are exactly of (ε, δ) together."""
    b = composition.exact_scale(order=order, epsilon=epsilon, delta=delta, k=releases)
    return GeneralizedGaussian(order, b)


def truncated_laplace_sd(epsilon: float, delta: float) -> float:
    """Return the standard deviation of truncated Laplace noise for (ε, δ)-approximate DP."""
    return Mechanism(1, "adp-truncated").noise(epsilon=epsilon, delta=delta).sd
