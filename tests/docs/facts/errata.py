"""What is wrong in the paper, by numbers: docs/errata.md."""

from functools import cache
from math import exp, gamma, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.special import gammainc, ndtr, ndtri
from scipy.stats import gennorm

from facts import fact
from facts.library import DELTAS, scale
from ggexp import bounded, privacy_loss
from ggexp.claims.noise import LEMMA_11
from ggexp.mechanisms.bounded import truncated_scale

Z = ndtri(0.05 / 2)  # at (1, 0.05)


def lower(a, x):
    """The lower incomplete gamma function, not regularized."""
    return gammainc(a, x) * gamma(a)


# ---- formulas


@fact
def mean_of_order_2():
    """The integral of x times the density with b = √2 and μ = 3."""
    noise = gennorm(2, loc=3, scale=sqrt(2))
    return quad(lambda x: x * noise.pdf(x), -20, 26, points=[3])[0]


@fact
def variance_as_printed():
    """Of order 1 with b = √2, and the 4 that 2b² is."""
    b = sqrt(2)
    return b**2 * gamma(3 / b) / gamma(1 / b), 2, b**2 * gamma(3) / gamma(1)


def at_4():
    """Order, scale, count and bounds of the example, and its noise."""
    return 2, 2, 1, 0, 4, gennorm(2, loc=1, scale=2)


@fact
def normalizer_of_definition_5():
    """As printed, and right."""
    p, b, s, low, high, noise = at_4()
    printed = (lower(1 / p, (high - s) / b) + lower(1 / p, (s - low) / b)) / gamma(1 / p)
    right = sum(lower(1 / p, (abs(c - s) / b) ** p) for c in (low, high)) / gamma(1 / p) / 2
    assert np.isclose(right, noise.cdf(high) - noise.cdf(low))
    return printed, right


@fact
def tail_of_definition_6():
    p, b, s, _, high, noise = at_4()
    printed, right = (
        0.5 - lower(1 / p, x) / (2 * gamma(1 / p))
        for x in ((high - s) / b**p, ((high - s) / b) ** p)
    )
    assert np.isclose(right, noise.sf(high))
    return printed, right


@fact
def corollary_8_without_the_power():
    """The scale of its printed condition, Pr(4 |e| + 2 > b²) = δ, how often the loss is beyond."""
    g = gennorm.isf(0.025, 2)
    b = (4 * g + sqrt(16 * g**2 + 8)) / 2  # |e| = b g
    return b, 2 * gennorm.sf((b**2 - 4) / 4, 2, scale=b)


@fact
def corollary_8_with_the_power():
    return scale("pdp", 2, 1, 0.05, sensitivity=2)


@fact
def appendix_f_at_sensitivity_2():
    """The tail beyond the printed point (b² ε/Δ - Δ²)/2, and beyond the right one."""
    b = corollary_8_with_the_power()
    return [2 * gennorm.sf((b**2 / 2 - step) / 2, 2, scale=b) for step in (4, 2)]


@fact
def tails_of_laplace():
    """Both tails at t = 1/ε, and one."""
    return exp(-1), gennorm.sf(1, 1)


@fact
def ratio_of_figure_3():
    """At (0.5, 0.01)."""
    return scale("pdp", 2, 0.5, 0.01) / scale("adp-classical", 2, 0.5, 0.01)


@fact
def threshold_of_lemma_11():
    return LEMMA_11


@fact
def threshold_of_lemma_11_as_printed():
    return 2 * ndtr(sqrt(2))


@fact
def f_14():
    """As printed, and right; at (1, 0.05)."""
    root = sqrt(Z**2 + 2)
    return root / sqrt(2) - Z, (root - Z) / sqrt(2)


@fact
def g_15():
    """The square, and what is printed; at (1, 0.05)."""
    root = sqrt(Z**2 + 2)
    square = (root - Z) ** 2 / 8
    assert np.isclose((Z**2 + 1 - Z * root) / 4, square)
    return square, Z**2 / 4 + 1 - Z * root


# ---- arguments


@fact
def e_13_and_e_12():
    """At m = 5 and Δ = 1; E.13 by enumeration."""
    m, step = 5, 1
    s = np.linspace(-m, m, 101)
    second = np.abs(s[:, None] ** 2 - s**2)[np.abs(s[:, None] - s) <= step + 1e-12].max()
    assert np.isclose(second, 2 * m * step - step**2)
    return second + 2 * step * m, bounded.lemma_9(2, [(-m, m)], [step]), m, step


@fact
def exact_utility_sensitivity():
    return bounded.utility_sensitivity(2, [10], [1])


@fact
def utility_sensitivities():
    """Of p = 2, 3, 4 at w = 5."""
    return [bounded.utility_sensitivity(order, [5], [1]) for order in (2, 3, 4)]


@fact
def utility_sensitivities_of_lemma_9():
    return [bounded.lemma_9(order, [(0, 5)], [1]) for order in (2, 3, 4)]


@fact
def utility_sensitivities_of_definition_5():
    width = {"widths": [5], "sensitivities": [1]}
    return [truncated_scale(order=p, epsilon=1, **width) ** p / 2 for p in (2, 3, 4)]


@fact
def pdp_beside_adp():
    """Of Gaussian noise at ε = 1: how much more pDP takes, and the δ that its noise has."""
    deltas = (0.1, 0.01, 1e-6, 1e-12, 1e-100)
    more, shares = [None], [None]
    for delta in deltas:
        b = scale("pdp-exact", 2, 1, delta)
        more.append(b / scale("adp-exact", 2, 1, delta))
        shares.append(privacy_loss.delta(order=2, scale=b, epsilon=1) / delta)
    return [[(), *deltas], more, shares]


def sds_of_lemma_11(epsilon):
    """Gaussian and Laplace, at δ = 0.25."""
    z = ndtri(0.25 / 2)
    return (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon), sqrt(2) / epsilon


@fact
def epsilon_below_which_lemma_11_turns_round():
    """At δ = 0.25."""
    end = 4 + 2 * sqrt(2) * ndtri(0.25 / 2)
    assert np.isclose(*sds_of_lemma_11(end))
    assert sds_of_lemma_11(0.99 * end)[0] < sds_of_lemma_11(0.99 * end)[1]
    # the paper's threshold is where this reaches ε = 0
    assert abs(4 + 2 * sqrt(2) * ndtri(LEMMA_11 / 2)) < 1e-12
    return end


@fact
def sds_of_lemma_11_at_half():
    return sds_of_lemma_11(0.5)


@fact
def sds_of_lemma_11_at_1():
    return 1, *sds_of_lemma_11(1)


@fact
def scales_by_order():
    orders, points = (2, 3, 4, 10), [(1, 0.05), (0.5, 0.25), (0.25, 0.25), (0.1, 0.4)]
    return [[(), *orders]] + [[at, *(scale("pdp", p, *at) for p in orders)] for at in points]


def variance(p):
    """In b²."""
    return gamma(3 / p) / gamma(1 / p)


@fact
def variances_by_order():
    return [variance(p) for p in (1, 2, 3, 4)]


@fact
def variance_of_order_10():
    return variance(10)


@fact
def order_of_the_least_variance():
    assert variance(10) < variance(20) < variance(1000) < 1 / 3
    return min(range(1, 100), key=variance)


@cache
def ratios_at_0_9():
    """δ up to 0.5, and the ratio of Figure 3 there."""
    deltas = np.linspace(0.3, 0.5, 2001)
    z = ndtri(deltas / 2)
    return deltas, (np.sqrt(z**2 + 1.8) - z) / (2 * np.sqrt(2 * np.log(1.25 / deltas)))


@fact
def minimum_of_figure_3():
    deltas, ratios = ratios_at_0_9()
    return ratios.min(), deltas[ratios.argmin()]


@fact
def end_of_figure_3():
    return ratios_at_0_9()[1][-1], 0.5


@fact
def classical_bound_outside_its_proof():
    """The exact δ; it is larger than δ at ε = 6 and δ >= 0.1 alone."""
    rows = [[(), *DELTAS]]
    for epsilon in (0.5, 1, 2, 5, 6):
        found = []
        for delta in DELTAS:
            b = scale("adp-classical", 2, epsilon, delta)
            found.append(privacy_loss.delta(order=2, scale=b, epsilon=epsilon))
            assert (found[-1] > delta) == (epsilon == 6 and delta >= 0.1)
        rows.append([epsilon, *found])
    return rows


@fact
def sigma_by_rule():
    rules = ("adp-classical", "pdp", "pdp-exact", "adp-exact")
    points = [(0.5, 0.01), (1, 0.05), (2, 0.25)]
    rows = [[at, *(scale(rule, 2, *at) / sqrt(2) for rule in rules)] for at in points]
    return [[(), 19, 10, (), ()], *rows]


@fact
def cost_of_corollary_12():
    """At ε = 1 and n = 1, 10, 1000."""
    half = exp(0.5)
    return [log(half * (1 + n * half) / (half + n)) for n in (1, 10, 1000)]
