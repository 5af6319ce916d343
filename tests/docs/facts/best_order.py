"""The exact δ of scales, the looseness of bounds, and the best order (Figures S1, S3, S4)."""

from functools import cache
from itertools import chain, product
from math import exp, floor, log, log1p

import numpy as np
import pytest
from conftest import load_study
from marks import Bold
from scipy.optimize import brentq
from scipy.special import exp1, psi

from facts import fact
from facts.library import GRID, coarse, scale, sd
from ggexp import best_order
from ggexp.companions.figures import tabulate_loss_curves
from ggexp.figures import tabulate_best_order

compared = cache(tabulate_best_order.compare)


@fact
def delta_delivered():
    """The exact δ of the paper's mechanisms under approximate DP, in percent of the stated δ."""
    curves = tabulate_loss_curves.tabulate("s1")
    curves = curves[curves["at_epsilon"] == curves["epsilon"]]
    exact = curves.set_index(["epsilon", "delta", "mechanism"])["exact_delta"]
    names = ("gaussian-adp", "gaussian-pdp", "ggm-3")
    shares = [100 * exact[*point, name] / point[1] for point in GRID for name in names]
    return {"shares": (min(shares), max(shares))}


def over_exact(rule, order, epsilon, delta):
    return scale(rule, order, epsilon, delta) / scale("adp-exact", order, epsilon, delta)


@fact
def looseness():
    """Ratios of scales to that of adp-exact, and the ε above which two bounds exceed their δ."""
    rules = [(rule, 2) for rule in ("adp-classical", "adp-lecture", "zcdp", "pdp", "pdp-exact")]
    points = [(0.5, 1e-6), (0.5, 0.01), (0.5, 0.25), (2, 0.25), (6, 0.1)]
    rows = [[None, *(rule for rule, _ in rules), 3]]
    for point in points:
        ratios = [over_exact(*rule, *point) for rule in [*rules, ("pdp", 3)]]
        rows.append([point, *(ratio if ratio > 1 else Bold(ratio) for ratio in ratios)])
    deltas = (1e-6, 0.01, 0.1, 0.25)
    false_from = [[None, *deltas]]
    for rule in ("adp-classical", "adp-lecture"):
        epsilons = [
            brentq(lambda e, d=d, r=rule: over_exact(r, 2, e, d) - 1, 1, 99) for d in deltas
        ]
        false_from.append([rule, *epsilons])
    return {"table": rows, "false-from": false_from}


@fact
def one_release():
    """Standard deviations at the same (ε, δ), and the dependence of the best order on ε and δ."""
    names = ("sd", "sd_laplace", "sd_gaussian", "sd_truncated")
    points = [(0.1, 1e-6), (0.1, 0.25), (0.5, 0.1), (1, 1e-6), (1, 0.1), (2, 0.4), (5, 0.4)]
    rows = []
    for point in points:
        row = compared(1, *point)
        # sd_laplace equals sd if the best order is 1; then the first of both is in bold
        smallest = min(["sd", "sd_truncated", *names], key=row.get)
        values = [Bold(row[name]) if name == smallest else row[name] for name in names]
        rows.append([point, row["order"], *values])

    def gain(point):
        """Return the sd divided by that of the better of Laplace and Gaussian noise."""
        row = compared(1, *point)
        return row["sd"] / min(row["sd_laplace"], row["sd_gaussian"])

    largest = min([*product((0.02, 0.1, 0.5), (0.1, 0.2, 0.3, 0.4)), (0.02, 0.25)], key=gain)
    small_epsilon = compared(1, 0.1, 0.25)
    orders = {
        e: [best_order(epsilon=e, delta=d).order for d in (1e-6, 0.01, 0.4)] for e in (2, 3, 5)
    }
    tiny = [(best_order(epsilon=e, delta=1e-6).order, e) for e in (0.02, 0.001, 1e-6)]
    return {
        "table": rows,
        "small-epsilon": (
            small_epsilon["order"],
            small_epsilon["sd"] / small_epsilon["sd_laplace"],
            small_epsilon["sd"] / small_epsilon["sd_gaussian"],
        ),
        "largest-gain": (100 * (1 - gain(largest)), *largest),
        "tiny-epsilon": list(chain(*tiny)),  # at δ = 10⁻⁶, each order with its ε
        "small-delta": tiny[0][0],  # the largest on the map, as it rises with δ and as ε falls
        "order-1-from": min(e for e, values in orders.items() if set(values) == {1}),
    }


@fact
def truncated_laplace():
    """Ratios of truncated Laplace noise to the best order: at the paper's points, and at ε = 5."""
    ratios = [
        compared(1, *point)["sd_truncated"] / compared(1, *point)["sd"]
        for point in [*GRID, (5, 0.4)]
    ]
    assert max(ratios[:-1]) < 1
    return {"of-best": (min(ratios[:-1]), max(ratios[:-1])), "at-5": ratios[-1]}


@fact
@pytest.mark.slow
def truncated_orders():
    """The smallest sd by order, at two points; at all points of the study, order 1 is the best."""
    shown, sds = (1, 2, 3), {}
    for epsilon, delta, noises in load_study("truncated_orders").search():
        assert min(noises, key=lambda order: noises[order].sd) == 1
        best = compared(1, epsilon, delta)
        assert noises[1].sd <= min(best["sd"], best["sd_truncated"]) * (1 + 1e-5)
        sds[epsilon, delta] = [noises[order].sd for order in shown]
    return [*shown, *sds[0.5, 0.1], 0.5, 0.1, *sds[5, 0.4], 5, 0.4]


@fact
@pytest.mark.slow
def many_releases():
    """The best order for 10 and 100 releases, and ratios of its sd to that of Gaussian noise."""

    def best(k, *point):
        noise = coarse(tabulate_best_order.best_of_many, k, *point)
        return noise.order, noise.sd / tabulate_best_order.noise(2, k, *point).sd

    (order_1, ratio_1), (order_2, ratio_2) = (best(10, epsilon, 1e-6) for epsilon in (0.1, 5))
    points = [(5, 1e-6), (50, 1e-3)]
    hundred = [best(100, *point) for point in points]
    excesses = [
        (100 / ratio - 100, *point) for point, (_, ratio) in zip(points, hundred, strict=True)
    ]
    return {
        "ten": (order_1, 0.1, order_2, 5),
        "ten-of-gaussian": (ratio_1, ratio_2),
        "hundred": hundred[0][0],
        "gaussian": list(chain(*excesses)),
    }


@fact
@pytest.mark.slow
def truncated_releases():
    """The sds for ten releases: of the best order without bounds, and of bounded noise by order.

    The study computes the latter; here it uses a coarser grid.
    """
    study = load_study("truncated_releases")
    study.CELLS, study.LOSSES = 3000, 2**10
    sds = {}
    for point in study.POINTS:
        best = coarse(tabulate_best_order.best_of_many, study.RELEASES, *point).sd
        bounded = [study.least(order, study.RELEASES, *point)[0] for order in study.ORDERS]
        assert best <= min(bounded)
        sds[point] = [best, *study.ORDERS, *bounded]
    return sds[1, 1e-6]


def slope_at_order_1(epsilon, delta):
    """Return the derivative of ln sd by p at p = 1, by the formula of docs/best-order.md."""
    h = epsilon - 2 * log1p(-delta)
    u, v = (h - epsilon) / 2, (h + epsilon) / 2

    def s(x):
        tail = (x + 1) * log(x) * exp(-x) + exp(-x) + exp1(x)
        return ((1 - np.euler_gamma) * exp(-x) - tail) / 2

    decrease = 2 * (s(u) + exp(epsilon) * s(v)) / (h * exp(epsilon - v))
    return -decrease - (3 * psi(3) - psi(1)) / 2


@fact
def slope_of_order_1():
    """The slope; the ε at which its sign changes, each with its δ; and the smallest of these ε."""
    step = 1e-5
    for point in ((0.5, 0.1), (1, 0.01), (3, 0.4), (5, 0.4)):
        logs = [log(sd("adp-exact", 1 + k * step, *point)) for k in range(3)]
        difference = (4 * logs[1] - logs[2] - 3 * logs[0]) / (2 * step)
        assert abs(slope_at_order_1(*point) - difference) < 1e-5
    deltas = (1e-9, 0.1, 0.25, 1e-6, 0.01, 0.4)
    zeros = [brentq(slope_at_order_1, 2, 4, args=(delta,)) for delta in deltas]
    return {
        "at-half": slope_at_order_1(0.5, 0.1),
        "is-0": (zeros[0], 0, zeros[1], 0.1, zeros[2], 0.25),
        "is-negative-below": floor(100 * min(zeros)) / 100,
    }
