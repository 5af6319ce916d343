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

compared = cache(tabulate_best_order.compared)


# ---- Figure S1


@cache
def delivered():
    """(ε, δ) -> the δ of approximate DP of the paper's three mechanisms that claim a δ."""
    made = tabulate_loss_curves.tabulate("s1", seed=1)
    made = made[made["at_epsilon"] == made["epsilon"]]
    at = made.set_index(["epsilon", "delta", "mechanism"])["exact_delta"]
    names = ("gaussian-adp", "gaussian-pdp", "ggm-3")
    return {point: [at[*point, name] for name in names] for point in GRID}


@fact
def delta_delivered():
    return [[point, *deltas] for point, deltas in delivered().items()]


@fact
def share_of_delta_delivered():
    shares = [100 * one / delta for (_, delta), deltas in delivered().items() for one in deltas]
    return min(shares), max(shares)


# ---- Figure S4


def over_exact(rule, order, epsilon, delta):
    return scale(rule, order, epsilon, delta) / scale("adp-exact", order, epsilon, delta)


@fact
def looseness():
    rules = [(rule, 2) for rule in ("adp-classical", "adp-lecture", "zcdp", "pdp", "pdp-exact")]
    points = [(0.1, 1e-6), (0.5, 1e-6), (0.5, 0.01), (0.5, 0.25), (1, 0.05), (2, 0.01), (2, 0.25)]
    rows = [[None, *(rule for rule, _ in rules), 3]]
    for point in [*points, (6, 0.1)]:
        ratios = [over_exact(*rule, *point) for rule in [*rules, ("pdp", 3)]]
        rows.append([point, *(one if one > 1 else Bold(one) for one in ratios)])
    return rows


@fact
def bounds_false_from():
    """The ε from which two bounds have a larger δ than they claim."""
    deltas = (1e-9, 1e-6, 0.01, 0.1, 0.25, 0.4)
    rows = [[None, *deltas]]
    for rule in ("adp-classical", "adp-lecture"):
        ends = [brentq(lambda e, d=d, r=rule: over_exact(r, 2, e, d) - 1, 1, 99) for d in deltas]
        rows.append([rule, *ends])
    return rows


# ---- Figure S3, one release


@fact
def least_noise_of_one_release():
    points = [*((0.1, d) for d in (1e-6, 0.01, 0.25)), (0.5, 0.01), (0.5, 0.1)]
    points += [(1, 1e-6), (1, 0.01), (1, 0.1), (2, 0.1), (2, 0.4), (5, 0.1), (5, 0.4)]
    rows = []
    for point in points:
        found = compared(1, *point)
        names = ("sd", "sd_pure", "sd_laplace", "sd_gaussian", "sd_truncated")
        # the best order's, and that of order 1 if that is the best, are the same
        least = min(["sd", "sd_truncated", *names], key=found.get)
        values = [Bold(found[name]) if name == least else found[name] for name in names]
        rows.append([point, found["order"], *values])
    return rows


def gain(point):
    """The best order's noise over the better of Laplace and Gaussian noise of exactly (ε, δ)."""
    found = compared(1, *point)
    return found["sd"] / min(found["sd_laplace"], found["sd_gaussian"])


@fact
def best_order_at_small_epsilon():
    """The best order at (0.1, 0.25), and its noise over that of Laplace and of the Gaussian."""
    found = compared(1, 0.1, 0.25)
    return found["order"], found["sd"] / found["sd_laplace"], found["sd"] / found["sd_gaussian"]


@fact
def largest_gain_of_the_best_order():
    """In percent, and the ε and δ where it is."""
    points = [*product((0.02, 0.03, 0.1, 0.5), (0.1, 0.2, 0.3, 0.4)), (0.02, 0.25)]
    best = min(points, key=gain)
    return 100 * (1 - gain(best)), *best


@fact
def best_order_at_tiny_epsilon():
    """At δ = 10⁻⁶, each with its ε: the least of the map, and smaller ones."""
    orders = [(best_order(epsilon=e, delta=1e-6).order, e) for e in (0.02, 0.001, 1e-6)]
    return list(chain(*orders))


@fact
def best_order_at_small_delta():
    """The largest on the map at δ up to 10⁻⁶, as the best order rises with δ and as ε falls."""
    return best_order(epsilon=0.02, delta=1e-6).order


@fact
def epsilon_of_order_1():
    """The least ε of some at which the best order is 1 for every δ."""
    deltas = (1e-6, 0.01, 0.4)
    return min(
        e for e in (1, 2, 3, 5) if all(best_order(epsilon=e, delta=d).order == 1 for d in deltas)
    )


# ---- truncated Laplace noise


def of_best(epsilon, delta):
    """The sd of truncated Laplace noise over the best order's."""
    found = compared(1, epsilon, delta)
    return found["sd_truncated"] / found["sd"]


@fact
def truncated_laplace_of_best():
    ratios = [of_best(*point) for point in GRID]
    assert max(ratios) < 1
    return min(ratios), max(ratios)


@fact
def truncated_laplace_at_half():
    """At (0.5, 0.1), beside the best order."""
    return compared(1, 0.5, 0.1)["sd_truncated"], compared(1, 0.5, 0.1)["sd"]


@fact
def truncated_laplace_at_large_epsilon():
    return of_best(5, 0.4)


@fact
def truncated_orders():
    """The least sd of truncated noise by order; the study's other orders need more than order 1."""
    study = load_study("truncated_orders")
    shown = (1, 1.25, 1.5, 2, 3)
    rows = [[None, *shown]]
    for epsilon, delta, found in study.search():
        assert min(found, key=lambda order: found[order].sd) == 1
        best = compared(1, epsilon, delta)
        assert found[1].sd <= min(best["sd"], best["sd_truncated"]) * (1 + 1e-5)
        rows.append([(epsilon, delta), *(found[order].sd for order in shown)])
    return rows


# ---- Figure S3, many releases


@cache
def best_of_many(k, epsilon, delta):
    return coarse(tabulate_best_order.best_of_many, k, epsilon, delta)


def of_gaussian(k, epsilon, delta):
    """The best order's noise over the Gaussian's."""
    gaussian = tabulate_best_order.noise(2, k, epsilon, delta)
    return best_of_many(k, epsilon, delta).sd / gaussian.sd


@fact
def orders_of_ten_releases():
    return best_of_many(10, 0.1, 1e-6).order, 0.1, best_of_many(10, 5, 1e-6).order, 5


@fact
def gaussian_of_ten_releases():
    return of_gaussian(10, 0.1, 1e-6), of_gaussian(10, 5, 1e-6)


@fact
def order_of_a_hundred_releases():
    return best_of_many(100, 5, 1e-6).order


def gaussian_above(*point):
    """How much more noise than the best order's the Gaussian's is for 100 releases, in percent."""
    return 100 / of_gaussian(100, *point) - 100


@fact
def gaussian_of_a_hundred_releases():
    points = [(5, 1e-6), (5, 1e-9), (5, 1e-12), (50, 1e-3)]
    return [[None, *points], [None, *(gaussian_above(*point) for point in points)]]


@fact
def gaussian_of_a_hundred_releases_in_short():
    least, most = (5, 1e-6), (50, 1e-3)
    return gaussian_above(*least), *least, gaussian_above(*most), *most


@fact
@pytest.mark.slow  # 20 s
def truncated_releases():
    """The study's sd of ten releases, on a coarser grid, beside the best order's without bounds."""
    study = load_study("truncated_releases")
    study.CELLS, study.LOSSES = 3000, 2**10  # right to 1e-3
    rows = [[None, None, *study.ORDERS]]
    for point in study.POINTS:
        best = best_of_many(study.RELEASES, *point).sd
        within = [study.least(order, study.RELEASES, *point)[0] for order in study.ORDERS]
        assert best <= min(within)
        rows.append([point, best, *within])
    return rows


# ---- order 1, by the slope there


def slope_at_order_1(epsilon, delta):
    """The slope of ln sd in p at p = 1, as docs/guarantees.md has it."""
    h = epsilon - 2 * log1p(-delta)
    u, v = (h - epsilon) / 2, (h + epsilon) / 2

    def s(x):
        tail = (x + 1) * log(x) * exp(-x) + exp(-x) + exp1(x)
        return ((1 - np.euler_gamma) * exp(-x) - tail) / 2

    fall = 2 * (s(u) + exp(epsilon) * s(v)) / (h * exp(epsilon - v))
    return -fall - (3 * psi(3) - psi(1)) / 2


def difference_at_order_1(epsilon, delta):
    """The same slope from the noise of three orders."""
    step = 1e-5
    logs = [log(sd("adp-exact", 1 + k * step, epsilon, delta)) for k in range(3)]
    return (4 * logs[1] - logs[2] - 3 * logs[0]) / (2 * step)


@fact
def slope_of_order_1():
    for point in ((0.5, 0.1), (1, 0.01), (3, 0.4), (5, 0.4)):
        assert abs(slope_at_order_1(*point) - difference_at_order_1(*point)) < 1e-5
    return slope_at_order_1(0.5, 0.1)


@fact
def order_1_is_not_the_best_below():
    """The ε where the slope changes its sign, for δ → 0, and for two more δ."""
    ends = [brentq(slope_at_order_1, 2, 4, args=(delta,)) for delta in (1e-9, 0.1, 0.25)]
    return ends[0], 0, ends[1], 0.1, ends[2], 0.25


@fact
def order_1_is_never_the_best_below():
    """For δ up to 0.4, rounded down."""
    ends = [brentq(slope_at_order_1, 2, 4, args=(d,)) for d in (1e-9, 1e-6, 0.01, 0.1, 0.25, 0.4)]
    return floor(100 * min(ends)) / 100
