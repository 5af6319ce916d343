"""Bounded releases: docs/bounding.md."""

from functools import cache
from math import exp, log

import numpy as np
from marks import Bold
from scipy.integrate import quad
from scipy.stats import gennorm

from facts import fact
from facts.library import GRID, scale
from ggexp import bounded, privacy_loss
from ggexp.mechanisms.post_hoc import clamped_pdp_delta, redrawn_pdp_delta

SIZES = (70, 1841, 20_009)
WIDTH = 20


# ---- redrawing


@cache
def largest_share(order, epsilon, delta):
    """The largest Pr(|loss| > ε) : δ of redrawn counts below 60."""
    point = {"order": order, "scale": scale("pdp", order, epsilon, delta), "epsilon": epsilon}
    shares = [
        redrawn_pdp_delta(**point, count=c, bound=n) / delta for n in SIZES for c in range(60)
    ]
    return max(shares)


@fact
def redrawn_pdp():
    points = [(0.5, 0.01), (0.5, 0.25), (1, 0.05), (2, 0.25), (0.1, 0.4), (0.1, 0.5)]
    rows = [[(), *points]]
    for order in (2, 3, 4):
        shares = [largest_share(order, *point) for point in points]
        rows.append([order, *(Bold(one) if one > 1 else one for one in shares)])
    return rows


@fact
def largest_share_of_redrawn_pdp():
    """At the points of the experiments, where it is the share far from the bounds."""
    shares = {
        (order, *point): largest_share(order, *point) for order in (2, 3, 4) for point in GRID
    }
    for (order, epsilon, delta), share in shares.items():
        b = scale("pdp", order, epsilon, delta)
        t = gennorm.isf(delta / 2, order, scale=b)
        free = gennorm.sf(t, order, scale=b) + gennorm.sf(t + 1, order, scale=b)
        assert np.isclose(share, free / delta, rtol=1e-6)
    return max(shares.values())


@fact
def redrawn_pdp_that_fails():
    """Of order 3 at (0.1, 0.5), within [0, 1841]."""
    b = scale("pdp", 3, 0.1, 0.5)
    return redrawn_pdp_delta(order=3, scale=b, epsilon=0.1, count=0, bound=1841), 0.5


@fact
def factor_of_redrawing():
    """The logarithm of it, for a count of 1 beside 0."""
    b = scale("pdp", 3, 0.1, 0.5)
    return gennorm.logsf(0, 3, loc=1, scale=b) - gennorm.logsf(0, 3, scale=b)


@fact
def laplace_redrawn():
    epsilons = (0.5, 1, 2)
    return [[(), *epsilons], [None, *(log(2 * exp(e) - 1) for e in epsilons)], [(), *epsilons]]


# ---- clamping: 12 and 13, order 2, (0.5, 0.01)


def gaussian_pdp():
    """The scale, and the outcomes between which the loss is at most ε."""
    b = scale("pdp", 2, 0.5, 0.01)
    reach = 0.5 * b**2 / 2
    return b, 12.5 - reach, 12.5 + reach


@fact
def scale_of_gaussian_pdp():
    return gaussian_pdp()[0]


@fact
def outcomes_of_small_loss():
    return gaussian_pdp()[1:]


@fact
def probability_of_a_large_loss():
    b, low, high = gaussian_pdp()
    noise = gennorm(2, loc=12, scale=b)
    return noise.cdf(low) + noise.sf(high)


@fact
def probability_of_a_large_loss_after_clamping():
    return clamped_pdp_delta(order=2, scale=gaussian_pdp()[0], epsilon=0.5, count=12)


@fact
def delta_of_gaussian_pdp():
    return privacy_loss.delta(order=2, scale=gaussian_pdp()[0], epsilon=0.5)


# ---- ε-DP on bounded support


def error(order, b, count, *, inflated):
    """The root mean squared error of a release in [0, 20], by quadrature."""
    noise = gennorm(order, loc=count, scale=b)
    square = sum(
        quad(lambda x: (x - count) ** 2 * noise.pdf(x), *ends)[0]
        for ends in ((0, count), (count, WIDTH))
    )
    if inflated:
        square += count**2 * noise.cdf(0) + (WIDTH - count) ** 2 * noise.sf(WIDTH)
    else:
        square /= noise.cdf(WIDTH) - noise.cdf(0)
    return square**0.5


def scales(order):
    """Of Definition 5, of the exponential mechanism with Lemma 9 and with the exact Δ_u, of BIT."""
    utilities = (
        bounded.lemma_9(order, [(0, WIDTH)], [1]),
        bounded.utility_sensitivity(order, [WIDTH], [1]),
    )
    return (
        bounded.truncated_scale(order=order, epsilon=1, widths=[WIDTH], sensitivities=[1]),
        *(bounded.gg_scale(order=order, epsilon=1, utility_sensitivity=u) for u in utilities),
        bounded.inflated_scale(order=order, epsilon=1, width=WIDTH, sensitivity=1),
    )


@fact
def pure_dp_on_bounded_support():
    rows = [[(), 5, 9, (), (10, 1), (), (10, 1)]]
    for order in (1, 2, 3, 4):
        *three, inflated = scales(order)
        truncated_errors = tuple(error(order, three[-1], at, inflated=False) for at in (10, 1))
        inflated_errors = tuple(error(order, inflated, at, inflated=True) for at in (10, 1))
        rows.append([order, *three, truncated_errors, inflated, inflated_errors])
    return rows


@fact
def true_costs_on_bounded_support():
    """Of orders 1 to 4 at the scale by the exact Δ_u."""
    s = np.linspace(0, WIDTH, 201)  # the worst pairs are a step apart
    x = np.linspace(0, WIDTH, 2001)
    costs = []
    for order in (1, 2, 3, 4):
        noise = gennorm(order, loc=s[:, None], scale=scales(order)[2])
        logs = noise.logpdf(x) - np.log(noise.cdf(WIDTH) - noise.cdf(0))
        costs.append(max(np.abs(logs[k:] - logs[: len(s) - k]).max() for k in range(1, 11)))
    return costs


@fact
def bounds_of_truncated_laplace():
    return [bounded.truncated_laplace(epsilon=e, delta=0.01).high for e in (0.5, 1, 2)]
