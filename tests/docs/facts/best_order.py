"""What scales deliver, how loose bounds are, and which order needs the least noise (S1, S3, S4)."""

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
from ggexp.figures import tabulate_best_order, tabulate_loss_curves

compared = cache(tabulate_best_order.compare)


@fact
def delta_delivered():
    """The δ of approximate DP of the paper's mechanisms, and in percent of any δ claimed."""
    made = tabulate_loss_curves.tabulate("s1")
    made = made[made["at_epsilon"] == made["epsilon"]]
    at = made.set_index(["epsilon", "delta", "mechanism"])["exact_delta"]
    names = ("gaussian-adp", "gaussian-pdp", "ggm-3")
    rows = [[point, *(at[*point, name] for name in names)] for point in GRID]
    shares = [100 * one / delta for (_, delta), *deltas in rows for one in deltas]
    table = [row for row in rows if row[0][1] in (0.01, 0.25)]
    return {"table": table, "shares": (min(shares), max(shares))}


def over_exact(rule, order, epsilon, delta):
    return scale(rule, order, epsilon, delta) / scale("adp-exact", order, epsilon, delta)


@fact
def looseness():
    """Scales over those of adp-exact, and the ε from which two bounds have a larger δ."""
    rules = [(rule, 2) for rule in ("adp-classical", "adp-lecture", "zcdp", "pdp", "pdp-exact")]
    points = [(0.5, 1e-6), (0.5, 0.01), (0.5, 0.25), (2, 0.25), (6, 0.1)]
    rows = [[None, *(rule for rule, _ in rules), 3]]
    for point in points:
        ratios = [over_exact(*rule, *point) for rule in [*rules, ("pdp", 3)]]
        rows.append([point, *(one if one > 1 else Bold(one) for one in ratios)])
    deltas = (1e-6, 0.01, 0.1, 0.25)
    false = [[None, *deltas]]
    for rule in ("adp-classical", "adp-lecture"):
        ends = [brentq(lambda e, d=d, r=rule: over_exact(r, 2, e, d) - 1, 1, 99) for d in deltas]
        false.append([rule, *ends])
    return {"table": rows, "false-from": false}


@fact
def one_release():
    """Standard deviations at the same (ε, δ), and how the best order depends on them."""
    names = ("sd", "sd_laplace", "sd_gaussian", "sd_truncated")
    points = [(0.1, 1e-6), (0.1, 0.25), (0.5, 0.1), (1, 1e-6), (1, 0.1), (2, 0.4), (5, 0.4)]
    rows = []
    for point in points:
        found = compared(1, *point)
        # before sd_laplace, which is the same if the best order is 1
        least = min(["sd", "sd_truncated", *names], key=found.get)
        values = [Bold(found[name]) if name == least else found[name] for name in names]
        rows.append([point, found["order"], *values])

    def gain(point):
        """Over the better of Laplace and Gaussian noise of exactly (ε, δ)."""
        found = compared(1, *point)
        return found["sd"] / min(found["sd_laplace"], found["sd_gaussian"])

    largest = min([*product((0.02, 0.1, 0.5), (0.1, 0.2, 0.3, 0.4)), (0.02, 0.25)], key=gain)
    at = compared(1, 0.1, 0.25)
    orders = {
        e: [best_order(epsilon=e, delta=d).order for d in (1e-6, 0.01, 0.4)] for e in (2, 3, 5)
    }
    tiny = [(best_order(epsilon=e, delta=1e-6).order, e) for e in (0.02, 0.001, 1e-6)]
    return {
        "table": rows,
        "small-epsilon": (at["order"], at["sd"] / at["sd_laplace"], at["sd"] / at["sd_gaussian"]),
        "largest-gain": (100 * (1 - gain(largest)), *largest),
        "tiny-epsilon": list(chain(*tiny)),  # at δ = 10⁻⁶, each order with its ε
        "small-delta": tiny[0][0],  # the largest on the map, as it rises with δ and as ε falls
        "order-1-from": min(e for e, found in orders.items() if set(found) == {1}),
    }


@fact
def truncated_laplace():
    """Its noise over the best order's: at the paper's points, and where ε and δ are large."""
    ratios = [compared(1, *at)["sd_truncated"] / compared(1, *at)["sd"] for at in [*GRID, (5, 0.4)]]
    assert max(ratios[:-1]) < 1
    return {"of-best": (min(ratios[:-1]), max(ratios[:-1])), "at-5": ratios[-1]}


@fact
@pytest.mark.slow
def truncated_orders():
    """The least sd by order, at two points; the study's other orders need more than order 1."""
    shown, at = (1, 2, 3), {}
    for epsilon, delta, found in load_study("truncated_orders").search():
        assert min(found, key=lambda order: found[order].sd) == 1
        best = compared(1, epsilon, delta)
        assert found[1].sd <= min(best["sd"], best["sd_truncated"]) * (1 + 1e-5)
        at[epsilon, delta] = [found[order].sd for order in shown]
    return [*shown, *at[0.5, 0.1], 0.5, 0.1, *at[5, 0.4], 5, 0.4]


@fact
@pytest.mark.slow
def many_releases():
    """The best order of 10 and 100 releases, its noise over the Gaussian's, and the reverse."""

    def best(k, *point):
        found = coarse(tabulate_best_order.best_of_many, k, *point)
        return found.order, found.sd / tabulate_best_order.noise(2, k, *point).sd

    (order, share), (other, its_share) = (best(10, epsilon, 1e-6) for epsilon in (0.1, 5))
    points = [(5, 1e-6), (50, 1e-3)]
    hundred = [best(100, *point) for point in points]
    above = [(100 / share - 100, *at) for at, (_, share) in zip(points, hundred, strict=True)]
    return {
        "ten": (order, 0.1, other, 5),
        "ten-of-gaussian": (share, its_share),
        "hundred": hundred[0][0],
        "gaussian": list(chain(*above)),
    }


@fact
@pytest.mark.slow
def truncated_releases():
    """The best order's sd of ten releases without bounds, and the study's, on a coarser grid."""
    study = load_study("truncated_releases")
    study.CELLS, study.LOSSES = 3000, 2**10
    at = {}
    for point in study.POINTS:
        best = coarse(tabulate_best_order.best_of_many, study.RELEASES, *point).sd
        within = [study.least(order, study.RELEASES, *point)[0] for order in study.ORDERS]
        assert best <= min(within)
        at[point] = [best, *study.ORDERS, *within]
    return at[1, 1e-6]


def slope_at_order_1(epsilon, delta):
    """The slope of ln sd in p at p = 1, as docs/best-order.md has it."""
    h = epsilon - 2 * log1p(-delta)
    u, v = (h - epsilon) / 2, (h + epsilon) / 2

    def s(x):
        tail = (x + 1) * log(x) * exp(-x) + exp(-x) + exp1(x)
        return ((1 - np.euler_gamma) * exp(-x) - tail) / 2

    fall = 2 * (s(u) + exp(epsilon) * s(v)) / (h * exp(epsilon - v))
    return -fall - (3 * psi(3) - psi(1)) / 2


@fact
def slope_of_order_1():
    """The slope; the ε where it changes its sign, each with its δ; and the least of them."""
    step = 1e-5
    for point in ((0.5, 0.1), (1, 0.01), (3, 0.4), (5, 0.4)):
        logs = [log(sd("adp-exact", 1 + k * step, *point)) for k in range(3)]
        difference = (4 * logs[1] - logs[2] - 3 * logs[0]) / (2 * step)
        assert abs(slope_at_order_1(*point) - difference) < 1e-5
    deltas = (1e-9, 0.1, 0.25, 1e-6, 0.01, 0.4)
    ends = [brentq(slope_at_order_1, 2, 4, args=(delta,)) for delta in deltas]
    return {
        "at-half": slope_at_order_1(0.5, 0.1),
        "is-0": (ends[0], 0, ends[1], 0.1, ends[2], 0.25),
        "is-negative-below": floor(100 * min(ends)) / 100,
    }
