"""Numbers about errors in the paper: docs/errata.md."""

from math import exp, gamma, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.special import gammainc, ndtr, ndtri
from scipy.stats import gennorm

from facts import fact
from facts.library import DELTAS, scale
from ggexp import bounded, privacy_loss
from ggexp.claims.noise import LEMMA_11_DELTA
from ggexp.mechanisms.bounded import truncated_scale


def lower(a, x):
    """Return the lower incomplete gamma function, not regularized."""
    return gammainc(a, x) * gamma(a)


@fact
def densities():
    """The mean, variance and tails of distributions, and the order with the smallest variance."""
    off_centre, b = gennorm(2, loc=3, scale=sqrt(2)), sqrt(2)
    spread = {p: gamma(3 / p) / gamma(1 / p) for p in range(1, 1001)}
    assert spread[10] < spread[20] < spread[1000] < 1 / 3
    return {
        "mean": quad(lambda x: x * off_centre.pdf(x), -20, 26, points=[3])[0],
        "variance": (b**2 * gamma(3 / b) / gamma(1 / b), 2, b**2 * spread[1]),  # 2b² = 4
        "tails": (exp(-1), gennorm.sf(1, 1)),  # two-sided and one-sided, at t = 1/ε
        "least-variance": min(spread, key=spread.get),
    }


@fact
def claim_4():
    """The largest loss at p = ½, ε = 2 and b = Δ/ε^(1/p)."""
    b, e = 1 / 2**2, np.linspace(-3, 3, 6001)
    assert b == 0.25
    return np.abs(np.sqrt(np.abs(e + 1) / b) - np.sqrt(np.abs(e) / b)).max()


@fact
def definitions_5_and_6():
    """At p = 2, b = 2, s = 1 within [0, 4]: the normalizer and a tail, as printed and correct."""
    p, b, s, low, high, noise = 2, 2, 1, 0, 4, gennorm(2, loc=1, scale=2)
    printed = (lower(1 / p, (high - s) / b) + lower(1 / p, (s - low) / b)) / gamma(1 / p)
    correct = sum(lower(1 / p, (abs(c - s) / b) ** p) for c in (low, high)) / gamma(1 / p) / 2
    assert np.isclose(correct, noise.cdf(high) - noise.cdf(low))
    tails = [
        0.5 - lower(1 / p, x) / (2 * gamma(1 / p))
        for x in ((high - s) / b**p, ((high - s) / b) ** p)
    ]
    assert np.isclose(tails[1], noise.sf(high))
    return {"normalizer": (printed, correct), "tail": tails}


@fact
def corollary_8():
    """At p = 2, Δ = 2, (1, 0.05): the scale by the printed condition Pr(4 |e| + 2 > b²) = δ.

    Also the correct scale, and the tails of appendix F.
    """
    g = gennorm.isf(0.025, 2)
    printed = (4 * g + sqrt(16 * g**2 + 8)) / 2  # |e| = b g
    correct = scale("pdp", 2, 1, 0.05, sensitivity=2)
    # appendix F: the tail beyond (b² ε/Δ - Δ²)/2, as printed, and beyond (b² ε/Δ - Δ)/2
    tails = [2 * gennorm.sf((correct**2 / 2 - step) / 2, 2, scale=correct) for step in (4, 2)]
    # Δ = 10 at (0.5, 0.05): 20 |e| + 10 = b²/2, and L = (20 e + 100) / b²
    b = 20 * g + sqrt(400 * g**2 + 20)
    far_tails = [gennorm.sf((0.5 * b**2 - sign * 100) / 20, 2, scale=b) for sign in (1, -1)]
    return {
        "printed": (printed, 2 * gennorm.sf((printed**2 - 4) / 4, 2, scale=printed)),
        "right": correct,
        "appendix-f": tails,
        "far": sum(far_tails),
    }


@fact
def f_14_and_g_15():
    """At (1, 0.05): F.14 as printed and correct, and the square of G.15, correct and as printed."""
    z = ndtri(0.05 / 2)
    root = sqrt(z**2 + 2)
    square = (root - z) ** 2 / 8
    assert np.isclose((z**2 + 1 - z * root) / 4, square)
    return {
        "f-14": (root / sqrt(2) - z, (root - z) / sqrt(2)),
        "g-15": (square, z**2 / 4 + 1 - z * root),
    }


@fact
def lemma_9():
    """E.13 and E.12 at m = 5, Δ = 1, and Δ_u at w = 5: exact, by Lemma 9 and by Definition 5."""
    m, step, orders = 5, 1, (2, 3, 4)
    s = np.linspace(-m, m, 101)
    second = np.abs(s[:, None] ** 2 - s**2)[np.abs(s[:, None] - s) <= step + 1e-12].max()
    assert np.isclose(second, 2 * m * step - step**2)
    width = {"widths": [5], "sensitivities": [1]}
    return {
        "e-13": (second + 2 * step * m, bounded.lemma_9(2, [(-m, m)], [step]), m, step),
        "e-13-exact": bounded.utility_sensitivity(2, [2 * m], [step]),
        "exact": [bounded.utility_sensitivity(order, [5], [1]) for order in orders],
        "printed": [bounded.lemma_9(order, [(0, 5)], [1]) for order in orders],
        "definition-5": [truncated_scale(order=p, epsilon=1, **width) ** p / 2 for p in orders],
    }


@fact
def lemma_11():
    """The threshold, correct and as printed; the ε below which Lemma 11 is reversed at δ = 0.25."""
    z = ndtri(0.25 / 2)

    def sds(epsilon):
        return (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon), sqrt(2) / epsilon

    limit = 4 + 2 * sqrt(2) * z
    assert np.isclose(*sds(limit))
    assert sds(0.99 * limit)[0] < sds(0.99 * limit)[1]
    # at the paper's threshold for δ, this limit is ε = 0
    assert abs(4 + 2 * sqrt(2) * ndtri(LEMMA_11_DELTA / 2)) < 1e-12
    assert sds(1)[0] > sds(1)[1]
    assert sds(2)[0] > sds(2)[1]
    return {
        "threshold": LEMMA_11_DELTA,
        "printed": 2 * ndtr(sqrt(2)),
        "turns-round": limit,
    }


@fact
def pdp_beside_adp():
    """For Gaussian noise at ε = 1: the scale for pDP divided by that for aDP.

    The last row is the exact δ of the noise for pDP, divided by δ.
    """
    deltas = (0.1, 0.01, 1e-6, 1e-12, 1e-100)
    scale_ratios, delta_ratios = [None], [None]
    for delta in deltas:
        b = scale("pdp-exact", 2, 1, delta)
        scale_ratios.append(b / scale("adp-exact", 2, 1, delta))
        delta_ratios.append(privacy_loss.delta(order=2, scale=b, epsilon=1) / delta)
    return [[(), *deltas], scale_ratios, delta_ratios]


@fact
def scales_by_order():
    """Scales of rule `pdp`: at (0.25, 0.25) for orders 2, 3, 4, 10; at (0.1, 0.4) for 2 and 10."""
    points = ((0.25, 0.25), (0.1, 0.4))
    turning, falling = ([scale("pdp", p, *point) for p in (2, 3, 4, 10)] for point in points)
    assert falling == sorted(falling, reverse=True)
    return {"turns": turning, "falls": (falling[0], falling[-1])}


@fact
def ratio_of_figure_3():
    """The ratio at (0.5, 0.01), and at ε = 0.9 its minimum and its value at δ = 0.5."""
    deltas = np.linspace(0.3, 0.5, 2001)
    z = ndtri(deltas / 2)
    ratios = (np.sqrt(z**2 + 1.8) - z) / (2 * np.sqrt(2 * np.log(1.25 / deltas)))
    return {
        "at-half": scale("pdp", 2, 0.5, 0.01) / scale("adp-classical", 2, 0.5, 0.01),
        "minimum": (ratios.min(), deltas[ratios.argmin()]),
        "end": (ratios[-1], 0.5),
    }


@fact
def classical_bound():
    """The exact δ of the classical bound, which exceeds δ only at ε = 6 and δ >= 0.1.

    "sigmas": σ at (0.5, 0.01) by four rules.
    """
    exact_deltas = {}
    for epsilon in (0.5, 1, 2, 5, 6):
        scales = [scale("adp-classical", 2, epsilon, delta) for delta in DELTAS]
        exact = [privacy_loss.delta(order=2, scale=b, epsilon=epsilon) for b in scales]
        exceeds = [value > delta for value, delta in zip(exact, DELTAS, strict=True)]
        assert exceeds == [epsilon == 6 and delta >= 0.1 for delta in DELTAS]
        exact_deltas[epsilon] = exact[DELTAS.index(0.1)]
    rules = ("adp-classical", "pdp", "pdp-exact", "adp-exact")
    b = scale("adp-classical", 2, 6.5, 0.1)
    return {
        "deltas": [exact_deltas[epsilon] for epsilon in (1, 2, 5, 6)],
        "sigmas": [scale(rule, 2, 0.5, 0.01) / sqrt(2) for rule in rules],
        "beyond": (6.5, 0.1, privacy_loss.delta(order=2, scale=b, epsilon=6.5)),
    }


@fact
def cost_of_corollary_12():
    """The largest loss at ε = 1 for n = 1, 10, 1000."""
    half = exp(0.5)
    return [log(half * (1 + n * half) / (half + n)) for n in (1, 10, 1000)]
