"""The numbers of Figures S3 and S9: the best order for one release, and for several together."""

from functools import cache
from itertools import chain, product
from math import exp, log, sqrt

import pandas as pd
from scipy.optimize import minimize_scalar

from ggexp.guarantees import composition
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism, best_order
from ggexp.progress import log_progress

EPSILONS = (0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5)
SMALL_DELTAS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3)
DELTAS = (*SMALL_DELTAS, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
RELEASES = (10, 100)  # on a coarser grid, because each scale that is tried needs a convolution
COMPOSED_EPSILONS = (0.1, 0.5, 1, 2, 5)
COMPOSED_DELTAS = (1e-6, 0.01, 0.1)
MAX_ORDER = 4.0  # for many releases, whose best orders are near 2 or below
# tolerance of ln p for many releases, because near the best order p the sd hardly depends on p
TOLERANCE = 0.02

# ---- Figure S9
JOINT_EPSILON, JOINT_DELTAS = 1.0, (1e-9, 1e-6, 0.01)  # of all tables together
TABLES = (*range(1, 17), 20, 30, 91)
ORDERS = (1.0, 1.5, 2.0, 3.0)
BASIC, BEST = "Laplace, ε/m", "best order"


def tabulate() -> pd.DataFrame:
    """Return the numbers of Figure S3, which do not depend on random draws."""
    single = product([1], EPSILONS, DELTAS)
    composed = [*product(RELEASES, COMPOSED_EPSILONS, COMPOSED_DELTAS)]
    points = chain(single, log_progress(composed, "points of many releases"))
    rows = []
    for k, epsilon, delta in points:
        point = {"releases": k, "epsilon": epsilon, "delta": delta}
        rows.append(point | compare(k, Budget(epsilon, delta)))
    table = pd.DataFrame(rows)
    for other in ("laplace", "gaussian", "pure", "truncated"):
        table[f"of_{other}"] = table["sd"] / table[f"sd_{other}"]
    return table


def compare(releases: int, budget: Budget) -> dict[str, float]:
    """Return order, scale and sd of the best noise for these releases, and sd of other noise."""
    best = best_noise(releases, budget)
    part = Budget(budget.epsilon / releases, budget.delta / releases)
    truncated = Mechanism(1, "adp-truncated").noise(epsilon=part.epsilon, delta=part.delta)
    return {
        "order": best.order,
        "scale": best.scale,
        "sd": best.sd,
        "sd_laplace": noise(1, releases, budget).sd,
        "sd_gaussian": noise(2, releases, budget).sd,
        "sd_pure": sqrt(2) * releases / budget.epsilon,
        "sd_truncated": truncated.sd,
    }


def best_noise(releases: int, budget: Budget) -> GeneralizedGaussian:
    """Return the noise of the best order with which the releases satisfy (ε, δ) together.

    The order for several releases is accurate to 2 %.
    """
    if releases == 1:
        return best_order(epsilon=budget.epsilon, delta=budget.delta)
    optimum = minimize_scalar(
        lambda x: noise(exp(x), releases, budget).sd,
        bounds=(0, log(MAX_ORDER)),
        options={"xatol": TOLERANCE},
    )
    candidates = [noise(order, releases, budget) for order in (1, 2, exp(optimum.x))]
    return min(candidates, key=lambda candidate: candidate.sd)


@cache  # called again for orders 1 and 2, and for the best order
def noise(order: float, releases: int, budget: Budget) -> GeneralizedGaussian:
    """Return the noise of an order with which the releases satisfy exactly (ε, δ) together."""
    b = composition.exact_scale(order=order, budget=budget, k=releases)
    return GeneralizedGaussian(order, b)


def noise_of_tables() -> pd.DataFrame:
    """Return the numbers of Figure S9, which do not depend on data."""
    rows: list[tuple[float, float, int, str, float, float]] = []
    points = [*product(JOINT_DELTAS, TABLES)]
    for delta, tables in log_progress(points, "numbers of tables"):
        point, budget = (JOINT_EPSILON, delta, tables), Budget(JOINT_EPSILON, delta)
        rows.append((*point, BASIC, 1.0, sqrt(2) * tables / JOINT_EPSILON))
        for order in ORDERS:
            sd = noise(order, tables, budget).sd
            rows.append((*point, f"order {order:g}", order, sd))
        best = best_noise(tables, budget)
        rows.append((*point, BEST, best.order, best.sd))
    return pd.DataFrame(rows, columns=["epsilon", "delta", "tables", "noise", "order", "sd"])
