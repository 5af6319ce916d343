"""Two cells that change at once: brute force over tables with two cells, and known values."""

import warnings
from itertools import pairwise
from math import exp, gamma, isinf

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaincc
from test_integer_valued import probabilities

from ggexp.companions.rules import RULES, noise_by
from ggexp.mechanisms import convolution
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, delta_of, epsilon_of, of_release, pdp_delta_of
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.mechanisms.several_coordinates import draw_scales, quantile
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace


def calibrated(rule, order, epsilon, delta, cells=2):
    return Mechanism(order, rule).noise(epsilon=epsilon, delta=delta, cells=cells)


@pytest.mark.parametrize("epsilon", [0.5, 1.5])
@pytest.mark.parametrize(
    "noise", [Geometric(1.0), Canonical(0.9, 0.05), DiscreteGeneralizedGaussian(2, 1.5)], ids=str
)
def test_integer_valued_noise_agrees_with_all_pairs_of_values(noise, epsilon):
    p = probabilities(noise, 40)
    q = np.append(0, p[:-1])
    here, there = np.outer(p, p), np.outer(q, q)  # a symmetric second cell may be mirrored
    delta = np.maximum(0, here - exp(epsilon) * there).sum()
    pdp = here[(here > exp(epsilon) * there) | (here < exp(-epsilon) * there)].sum()
    assert delta_of(noise, epsilon=epsilon, cells=2) == pytest.approx(delta, abs=1e-11)
    assert pdp_delta_of(noise, epsilon=epsilon, cells=2) == pytest.approx(pdp, abs=1e-11)


def test_two_cells_may_each_use_the_whole_epsilon():
    """At a large δ, the truncated noise of the smallest standard deviation has ε' = ε."""
    noise = calibrated("adp-truncated", 1, 0.5, 0.5)
    assert noise.scale == pytest.approx(1 / 0.5)
    for share in (0.5, 0.7, 0.9):
        bounds = np.linspace(0.5, 2, 200)
        found = [TruncatedLaplace(1 / (0.5 * share), bound) for bound in bounds]
        quieter = [one for one in found if one.sd < noise.sd]
        assert quieter
        assert all(delta_of(one, epsilon=0.5, cells=2) > 0.5 for one in quieter)


def brute_force(order, b, epsilon):
    """Return δ and Pr(|L| > ε) of two cells by a double integral: adaptive, of the two densities.

    The inner integral is over the second cell's noise above the point at which both losses together
    reach ε.
    """
    end = b * 40 ** (1 / order)

    def density(u):
        return order / (2 * b * gamma(1 / order)) * exp(-(abs(u / b) ** order))

    def upper_tail(u):
        tail = gammaincc(1 / order, abs(u / b) ** order) / 2
        return tail if u > 0 else 1 - tail

    def loss(u):
        return (abs(u + 1) ** order - abs(u) ** order) / b**order

    def point(x):
        """Return the noise above which the loss of the second cell exceeds x."""
        if loss(end) <= x:
            return end
        return brentq(lambda u: loss(u) - x, -end - 1, end) if loss(-end - 1) <= x else -end - 1

    def excess(u):
        t = point(epsilon - loss(u))
        return density(u) * upper_tail(t) - exp(epsilon) * density(u + 1) * upper_tail(t + 1)

    def beyond(u):
        t = point(epsilon - loss(u))
        return density(u) * upper_tail(t) + density(u + 1) * upper_tail(t + 1)

    kinks = sorted({-1, 0, point(epsilon - loss(0)), point(epsilon - loss(-1))})
    edges = [-end - 1, *(x for x in kinks if -end - 1 < x < end), end]
    options = {"epsabs": 1e-11, "epsrel": 1e-9, "limit": 400}
    return [sum(quad(f, *ends, **options)[0] for ends in pairwise(edges)) for f in (excess, beyond)]


@pytest.mark.parametrize(("order", "epsilon", "delta"), [(3, 0.5, 0.01), (1.25, 1.0, 0.05)])
def test_generalized_gaussian_noise_agrees_with_brute_force(order, epsilon, delta):
    noise = calibrated("adp-exact", order, epsilon, delta)
    brute_delta, brute_pdp = brute_force(order, noise.scale, epsilon)
    assert brute_delta == pytest.approx(delta, abs=1e-9)
    assert brute_delta <= delta * (1 + 1e-10)
    assert pdp_delta_of(noise, epsilon=epsilon, cells=2) == pytest.approx(brute_pdp, abs=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "delta", "deviations"),
    [
        (0.5, 0.25, [1.841, 1.582, 1.458, 1.374, 1.383]),
        (2.0, 0.01, [1.386, 1.349, 1.406, 1.579, 2.022]),
    ],
)
def test_known_standard_deviations(epsilon, delta, deviations):
    """Of orders 1, 1.25, 1.5, 2 and 3, by another program."""
    noises = [calibrated("adp-exact", order, epsilon, delta) for order in (1, 1.25, 1.5, 2, 3)]
    assert [noise.sd for noise in noises] == pytest.approx(deviations, abs=6e-4)
    for noise in noises:
        assert delta * (1 - 1e-8) < delta_of(noise, epsilon=epsilon, cells=2) <= delta


def test_the_papers_mechanisms_under_replacement():
    known = {
        (2, "pdp"): [0.003856, 0.02695, 0.19036],
        (2, "adp-classical"): [0.001431, 0.01293, 0.16881],
        (3, "pdp"): [0.001771, 0.0179, 0.1656],
        (1, "pure"): [0.124, 0.242, 0.448],
    }
    for (order, rule), deltas in known.items():
        for (epsilon, delta), expected in zip(
            [(0.5, 0.01), (1, 0.05), (2, 0.25)], deltas, strict=True
        ):
            noise = calibrated(rule, order, epsilon, delta, cells=1)
            assert delta_of(noise, epsilon=epsilon, cells=2) == pytest.approx(expected, rel=3e-3)
    laplace = GeneralizedGaussian(1, 2.0)
    assert epsilon_of(laplace, delta=None, cells=2) == 1.0
    assert of_release(Guarantee.PURE, laplace, Budget(1.0), processed=True, cells=2)
    assert not of_release(Guarantee.PURE, laplace, Budget(0.99), processed=True, cells=2)


def test_three_cells_agree_with_a_sum_over_all_values():
    noise = DiscreteGeneralizedGaussian(1.5, 2.0)
    p = probabilities(noise, 60)
    loss = np.log(p) - np.log(np.roll(p, 1))
    loss[0] = 0
    sums = loss[:, None] + loss
    masses = p[:, None] * p
    excess = [
        p[i] * (masses * -np.expm1(np.minimum(0, 0.5 - loss[i] - sums))).sum()
        for i in range(p.size)
    ]
    assert delta_of(noise, epsilon=0.5, cells=3) == pytest.approx(sum(excess), rel=1e-6)


@pytest.mark.parametrize("order", [1.5, 6])
def test_corollary_7_agrees_with_monte_carlo(order):
    """Within an interval of 95 % from 400,000 draws: a false alarm has probability 0.05."""
    scales = draw_scales(order, [1, 1], 1, np.random.default_rng(8), draws=400_000)
    estimate = quantile(scales, 0.05)
    assert estimate.low < calibrated("pdp", order, 1.0, 0.05).scale < estimate.high


@pytest.mark.parametrize("name", RULES)
def test_every_rule_satisfies_its_guarantee_for_two_cells(name):
    rule = RULES[name]
    for order in {"any": (1, 3)}.get(rule.order, (rule.order,)):
        for epsilon, delta in [(0.5, 0.01), (2.0, 0.25)]:
            parameters = {"epsilon": epsilon, "delta": delta, "cells": 2}
            with warnings.catch_warnings(action="ignore"):
                noise = noise_by(name, order, **parameters)
            if epsilon >= rule.proven_below and rule.guarantee is Guarantee.APPROXIMATE:
                continue
            at = {"noise": noise, "processed": False, "cells": 2}
            satisfied = of_release(rule.guarantee, budget=Budget(epsilon, delta), **at)
            assert satisfied is rule.guarantee, (noise, epsilon, delta)
            if rule.is_tight:  # an ε that is smaller by 1 % is not satisfied
                satisfied = of_release(rule.guarantee, budget=Budget(0.99 * epsilon, delta), **at)
                assert satisfied is not rule.guarantee, (noise, epsilon, delta)


def test_sensitivity_and_several_cells_exclude_each_other():
    with pytest.raises(ValueError, match="sensitivity must be 1 for 2 cells"):
        Mechanism(1, "pure").noise(epsilon=1, cells=2, sensitivity=3)
    with pytest.raises(ValueError, match=r"1 or 2 .*table.* probabilistic DP .*got 3"):
        calibrated("pdp-exact", 3, 1.0, 0.1, cells=3)


def test_impossible_outcomes_may_be_as_likely_as_delta_allows():
    """Their probability exceeds δ by less than the tolerance: the largest finite loss suffices."""
    for noise in (TruncatedLaplace(1.0, 5.0), Canonical(1.0, 0.01)):
        impossible = convolution.infinite([(noise.loss(), 2)])
        found = epsilon_of(noise, delta=impossible * (1 - ROUNDING / 2), cells=2)
        assert found == convolution.largest([(noise.loss(), 2)])
    assert isinf(epsilon_of(Canonical(0.5, 0.1), delta=None, cells=2))
    assert isinf(epsilon_of(TruncatedLaplace(2.0, 3.0), delta=0.1, cells=2))
