"""Bounded releases: docs/bounding.md."""

from functools import cache
from math import exp, log

import numpy as np
import pytest
from marks import Bold
from scipy.integrate import quad
from scipy.stats import gennorm

from facts import fact
from facts.library import GRID, scale
from ggexp import Mechanism, bounded, privacy_loss
from ggexp.mechanisms.post_hoc import clamped_pdp_delta, redrawn_pdp_delta

SIZES = (70, 1841, 20_009)
WIDTH = 20


@fact
@pytest.mark.slow
def redrawing():
    """The largest ratio of Pr(|loss| > ε) to δ for redrawn counts, with ratios above 1 in bold."""

    @cache
    def largest(order, epsilon, delta):
        noise = {"order": order, "scale": scale("pdp", order, epsilon, delta), "epsilon": epsilon}
        deltas = (redrawn_pdp_delta(**noise, count=c, bound=n) for n in SIZES for c in range(60))
        return max(deltas) / delta

    points = [(0.5, 0.01), (0.5, 0.25), (1, 0.05), (2, 0.25), (0.1, 0.4), (0.1, 0.5)]
    rows = [[(), *points]]
    for order in (2, 3, 4):
        ratios = [largest(order, *point) for point in points]
        rows.append([order, *(Bold(ratio) if ratio > 1 else ratio for ratio in ratios)])
    experiments = {(order, *point): largest(order, *point) for order in (2, 3, 4) for point in GRID}
    for (order, epsilon, delta), ratio in experiments.items():  # equals the ratio without bounds
        b = scale("pdp", order, epsilon, delta)
        t = gennorm.isf(delta / 2, order, scale=b)
        unbounded = gennorm.sf(t, order, scale=b) + gennorm.sf(t + 1, order, scale=b)
        assert np.isclose(ratio, unbounded / delta, rtol=1e-6)
    b = scale("pdp", 3, 0.1, 0.5)
    return {
        "table": rows,
        "largest": max(experiments.values()),
        "fails": (redrawn_pdp_delta(order=3, scale=b, epsilon=0.1, count=0, bound=1841), 0.5),
        "factor": gennorm.logsf(0, 3, loc=1, scale=b) - gennorm.logsf(0, 3, scale=b),
    }


@fact
def laplace_redrawn():
    epsilons = (0.5, 1, 2)
    return [[(), *epsilons], [None, *(log(2 * exp(e) - 1) for e in epsilons)], [(), *epsilons]]


@fact
def clamping():
    """Counts 12 and 13, order 2, (0.5, 0.01): outcomes with a loss above ε, their probability."""
    b = scale("pdp", 2, 0.5, 0.01)
    low, high = 12.5 - 0.5 * b**2 / 2, 12.5 + 0.5 * b**2 / 2
    noise = gennorm(2, loc=12, scale=b)
    return {
        "scale": b,
        "outcomes": (low, high),
        "before": noise.cdf(low) + noise.sf(high),
        "after": clamped_pdp_delta(order=2, scale=b, epsilon=0.5, count=12),
        "delta": privacy_loss.delta(order=2, scale=b, epsilon=0.5),
    }


def error(order, b, count, *, inflated):
    """Return the root mean squared error of a release in [0, 20], by quadrature."""
    noise = gennorm(order, loc=count, scale=b)
    mean_square = sum(
        quad(lambda x: (x - count) ** 2 * noise.pdf(x), *interval)[0]
        for interval in ((0, count), (count, WIDTH))
    )
    if inflated:
        mean_square += count**2 * noise.cdf(0) + (WIDTH - count) ** 2 * noise.sf(WIDTH)
    else:
        mean_square /= noise.cdf(WIDTH) - noise.cdf(0)
    return mean_square**0.5


@fact
def pure_dp_on_bounded_support():
    """Scales, errors at counts of 10 and 1, and the true ε at the scale from the exact Δ_u."""
    s = np.linspace(0, WIDTH, 201)  # the worst pairs are a step apart
    x = np.linspace(0, WIDTH, 2001)
    rows, costs = [[(), 5, 9, (), (10, 1), (), (10, 1)]], []
    for order in (1, 2, 3, 4):
        lemma_9, exact = (
            bounded.gg_scale(order=order, epsilon=1, utility_sensitivity=sensitivity)
            for sensitivity in (
                bounded.lemma_9(order, [(0, WIDTH)], [1]),
                bounded.utility_sensitivity(order, [WIDTH], [1]),
            )
        )
        rows.append(
            [
                order,
                bounded.truncated_scale(order=order, epsilon=1, widths=[WIDTH], sensitivities=[1]),
                lemma_9,
                exact,
                tuple(error(order, exact, count, inflated=False) for count in (10, 1)),
                bit := bounded.inflated_scale(order=order, epsilon=1, width=WIDTH, sensitivity=1),
                tuple(error(order, bit, count, inflated=True) for count in (10, 1)),
            ]
        )
        noise = gennorm(order, loc=s[:, None], scale=exact)
        logs = noise.logpdf(x) - np.log(noise.cdf(WIDTH) - noise.cdf(0))
        costs.append(max(np.abs(logs[k:] - logs[: len(s) - k]).max() for k in range(1, 11)))
    return {"table": rows, "costs": costs}


@fact
def eqn_7_on_the_bounds():
    """At p = 2 and ε = 0.01: the scale of Definition 5, its loss on a bound, the smallest scale."""
    parameters = {"order": 2, "epsilon": 0.01}
    b = bounded.truncated_scale(**parameters, widths=[WIDTH], sensitivities=[1])
    tails = gennorm.logsf([WIDTH - 1, WIDTH], 2, scale=b)
    return {
        "one": (b, tails[0] - tails[1]),
        "least": bounded.inflated_scale(**parameters, width=WIDTH, sensitivity=1),
    }


@fact
def bounds_of_truncated_laplace():
    return [Mechanism(1, "adp-truncated").bound(epsilon=e, delta=0.01) for e in (0.5, 1, 2)]


@fact
def truncated_laplace_under_pdp():
    """At (0.5, 0.01) under pDP: the sd, and the loss of a clamped release for counts of 0 and 1."""
    noise = Mechanism(1, "pdp-truncated").noise(epsilon=0.5, delta=0.01)
    assert noise.pdp_delta(epsilon=0.5) == pytest.approx(0.01, rel=1e-9)
    from_0, from_1 = noise.upper_tail(0), noise.upper_tail(1)
    assert log(from_0 / from_1) > 0.5
    other_rules = [("pure", 1), ("pdp", 2), ("pdp", 3)]
    return {
        "sd": noise.sd,
        "others": [Mechanism(p, rule).noise(epsilon=0.5, delta=0.01).sd for rule, p in other_rules],
        "zero": from_0,
        "loss": log(from_0 / from_1),
    }
