"""Which guarantee a release satisfies, against densities that are summed and closed forms."""

import warnings
from math import exp, log

import numpy as np
import pytest
from scipy.stats import gennorm, norm

from ggexp import GeneralizedGaussian, Mechanism, calibration
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.mechanisms.whole_noise import WholeNoise

PURE, PDP, ADP = Guarantee
PAPER = [(epsilon, delta) for epsilon in (0.5, 1, 2) for delta in (0.01, 0.05, 0.1, 0.25)]
NOISES = [
    *(GeneralizedGaussian(order, 2.5) for order in (1, 1.5, 2, 3)),
    TruncatedLaplace(2.0, 7.0),
    TruncatedLaplace(0.4, 0.6),
]


def noise_of(rule: str, order: float, epsilon: float, delta: float, sensitivity: float = 1.0):
    with warnings.catch_warnings(action="ignore"):  # of noise that falls short of its rule
        return Mechanism(order, rule).noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity)


def density(noise, x):
    """The density, from scipy's."""
    if isinstance(noise, GeneralizedGaussian):
        return gennorm.pdf(x, noise.order, scale=noise.scale)
    inside = 1 - 2 * gennorm.sf(noise.bound, 1, scale=noise.scale)
    return np.where(np.abs(x) <= noise.bound, gennorm.pdf(x, 1, scale=noise.scale) / inside, 0)


def test_each_guarantee_implies_the_weaker_ones():
    assert [[one.implies(other) for other in Guarantee] for one in Guarantee] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]
    assert [one.has_delta for one in Guarantee] == [False, True, True]


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.1, 1), (0.6, 1), (0.9, 2), (3, 1)])
def test_deltas_by_integrating_densities(noise, epsilon, sensitivity):
    x = np.arange(-60, 60, 1e-4) + 5e-5  # midpoints
    one, other = density(noise, x), density(noise, x + sensitivity)
    at = {"epsilon": epsilon, "sensitivity": sensitivity}
    excess = np.maximum(one - exp(epsilon) * other, 0).sum() * 1e-4
    beyond = one[(one > exp(epsilon) * other) | (one < exp(-epsilon) * other)].sum() * 1e-4
    # half a step of the densest noise, 1.6, at each of two jumps
    assert noise.delta(**at) == pytest.approx(excess, abs=2e-4)
    assert noise.pdp_delta(**at) == pytest.approx(beyond, abs=2e-4)
    assert noise.pdp_delta(**at) >= noise.delta(**at)  # pDP implies approximate DP


def test_noise_whose_neighbours_never_meet_has_a_delta_of_one():
    assert TruncatedLaplace(1.0, 0.4).delta(epsilon=1) == 1
    assert TruncatedLaplace(1.0, 0.4).pdp_delta(epsilon=1) == 1


@pytest.mark.parametrize(
    ("rule", "sensitivity"),
    [
        pytest.param(rule, sensitivity, marks=[pytest.mark.slow] * (sensitivity == 3))
        for rule in calibration.RULES.values()
        # whole noise has a table of its probabilities, the longer the larger Δ
        for sensitivity in (1, 2, 3 if issubclass(rule.family, WholeNoise) else 7.3)
    ],
)
def test_noise_satisfies_what_its_rule_states_and_pdp_does_not_survive_processing(
    rule, sensitivity
):
    orders = [rule.order] if rule.order != "any" else [1, 1.0000001, 1.001, 1.5, 2, 3, 50]
    points = [*PAPER, (0.01, 0.4), (0.3, 1e-6), (0.99, 0.5)]
    if issubclass(rule.family, WholeNoise):
        orders = orders[::3]
    else:
        points.append((1e-6, 1e-15))
    if rule.proven_below == np.inf:
        points += [(10, 1e-9), (30.34, 0.5), (700, 1e-6)]
    for order in orders:
        for epsilon, delta in points:
            noise = noise_of(rule.name, order, epsilon, delta, sensitivity)
            at = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
            assert of_release(rule.guarantee, noise, **at, processed=False) is rule.guarantee
            processed = of_release(rule.guarantee, noise, **at, processed=True)
            assert processed is (PURE if rule.guarantee is PURE else ADP)


@pytest.mark.parametrize(
    ("rule", "order", "factor", "left"),
    [
        ("pure", 1, 0.9999, None),
        ("pdp-exact", 2, 0.9999, ADP),  # whose δ of approximate DP is far smaller
        ("pdp-exact", 3, 0.5, None),
        ("adp-exact", 1, 0.9999, None),
        ("adp-exact", 2, 0.9999, None),
        ("adp-exact", 3, 0.9999, None),
    ],
)
def test_less_noise_does_not(rule, order, factor, left):
    noise = noise_of(rule, order, 0.5, 0.01)
    less = GeneralizedGaussian(order, factor * noise.scale)
    stated, delta = calibration.RULES[rule].guarantee, None if rule == "pure" else 0.01
    assert of_release(stated, less, epsilon=0.5, delta=delta, processed=False) is left


def test_a_smaller_bound_does_not():
    noise = noise_of("adp-truncated", 1, 0.5, 0.01)
    assert noise.delta(epsilon=0.5) == pytest.approx(0.01, rel=1e-12)
    less = TruncatedLaplace(noise.scale, 0.9999 * noise.bound)
    assert of_release(ADP, less, epsilon=0.5, delta=0.01, processed=True) is None


@pytest.mark.parametrize(
    ("rule", "epsilon", "delta", "exact"),
    [("adp-classical", 6.5, 0.1, 0.1379), ("adp-lecture", 8, 0.1, 0.1414)],
)
def test_beyond_its_proof_a_rule_is_held_to_the_exact_delta(rule, epsilon, delta, exact):
    noise = noise_of(rule, 2, epsilon, delta)
    sigma = noise.sd  # analytic Gaussian mechanism (Balle and Wang 2018, Theorem 8)
    a, b = 1 / (2 * sigma), epsilon * sigma
    closed_form = norm.cdf(a - b) - exp(epsilon) * norm.cdf(-a - b)
    assert closed_form == pytest.approx(exact, abs=5e-5)
    assert noise.delta(epsilon=epsilon) == pytest.approx(closed_form, rel=1e-9)
    at = {"epsilon": epsilon, "processed": True}
    assert of_release(ADP, noise, delta=delta, **at) is None
    assert of_release(ADP, noise, delta=closed_form, **at) is ADP  # what it does satisfy


def test_a_clamped_count_exceeds_epsilon_more_often_than_delta():
    """A count of 12 with Gaussian noise of rule "pdp": at 0 the loss exceeds ε = 0.5."""
    noise = noise_of("pdp", 2, 0.5, 0.01)
    normal = norm(scale=noise.sd)
    at_zero, of_neighbour = normal.cdf(-12), normal.cdf(-13)
    assert at_zero == pytest.approx(0.01230, abs=5e-6)
    assert log(at_zero / of_neighbour) == pytest.approx(0.5017, abs=5e-5)
    assert at_zero > 0.01
    at = {"epsilon": 0.5, "delta": 0.01}
    assert noise.pdp_delta(epsilon=0.5) <= 0.01
    assert of_release(PDP, noise, **at, processed=False) is PDP
    assert of_release(PDP, noise, **at, processed=True) is ADP
    # approximate DP of all events of the clamped count: {0}, and the values above a point
    x = np.linspace(0, 60, 6001)
    events = [normal.sf(x - 12), normal.cdf(x - 12)], [normal.sf(x - 13), normal.cdf(x - 13)]
    for one, other in (events, events[::-1]):
        assert (np.array(one) - exp(0.5) * np.array(other)).max() <= 0.01


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"epsilon": 0}, "epsilon"), ({"delta": 1}, "delta"), ({"delta": None}, "delta")],
)
def test_bad_arguments_are_named(wrong, named):
    with pytest.raises(ValueError, match=f"{named} must be"):
        of_release(ADP, NOISES[2], **({"epsilon": 1, "delta": 0.1} | wrong), processed=True)
