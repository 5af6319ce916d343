"""Many releases and many queries (Figure S5)."""

from functools import cache
from math import log

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincc, ndtr, roots_genlaguerre
from scipy.stats import binom

from facts import fact
from facts.library import coarse
from ggexp.guarantees import composition, queries


@fact
def composition_of_laplace():
    rows = []
    for k in (10, 35, 100, 1000):
        found = (
            composition.basic(epsilon=0.1, delta=0, k=k)[0],
            composition.advanced(epsilon=0.1, delta=0, k=k, slack=1e-6)[0],
            composition.zcdp(rho=0.005, delta=1e-6, k=k),
            composition.exact(order=1, scale=10, k=k, delta=1e-6),
        )
        rows.append([k, *found])
    return rows


@cache
def largest_error(way, delta, k):
    return coarse(queries.largest_error, way, epsilon=1, delta=delta, k=k)


@fact
def largest_errors():
    points = [(1e-6, k) for k in (1, 10, 100, 1000)] + [(1e-3, k) for k in (10, 100)]
    return [[*point, *(largest_error(way, *point) for way in queries.WAYS)] for point in points]


@cache
def crossings(one, other):
    """The least k, and δ, from which the other way has the smaller largest error."""
    found = []
    for delta in (1e-6, 1e-3):
        found += [coarse(queries.crossing, one, other, epsilon=1, delta=delta), delta]
    return found


@fact
def gaussian_wins_from_in_short():
    """At δ = 10⁻⁶."""
    return crossings("laplace", "gaussian")[0], crossings("laplace-exact", "gaussian-exact")[0]


@fact
def gaussian_wins_from():
    return crossings("laplace", "gaussian")


@fact
def gaussian_wins_from_exactly():
    return crossings("laplace-exact", "gaussian-exact")


@fact
def laplace_scale_of_pure():
    point = {"epsilon": 1, "delta": 1e-6, "k": 100}
    return queries.scale("laplace-exact", **point) / queries.scale("laplace", **point)


@fact
def laplace_behind_gaussian():
    return largest_error("laplace-exact", 1e-6, 100) / largest_error("gaussian-exact", 1e-6, 100)


def noise_beyond(x):
    """Pr(Z > x) of the sum Z of four Laplace(2) variables, a difference of two Gamma variables."""
    node, weight = roots_genlaguerre(60, 3)
    above = gammaincc(4, np.abs(x)[:, None] / 2 + node) @ weight / 6
    return np.where(x >= 0, above, 1 - above)


@fact
def exercise_5_2():
    """The 95 % points: of the records in the four bins, and of their noisy counts together."""
    rows = [[(), 11, 11, 1001, 1001]]
    for n in (100, 1000, 10_000):
        row = [n]
        for bins in (11, 1001):
            share = 2 * (ndtr(1) - ndtr(1 - 4 / bins))  # two bins at each end, of width 2/bins
            counts = np.arange(*binom.ppf([1e-14, 1 - 1e-14], n, share))
            chances = binom.pmf(counts, n, share)

            def excess(x, counts=counts, chances=chances):
                return chances @ noise_beyond(x - counts) - 0.05

            row += [binom.ppf(0.95, n, share), round(brentq(excess, 0, n + 100))]
        rows.append(row)
    return rows


@fact
def lectures_condition():
    """The least k with k ln k >= ln(1/δ)."""
    return [next(k for k in range(1, 99) if k * log(k) >= log(1 / d)) for d in (1e-6, 1e-3)]
