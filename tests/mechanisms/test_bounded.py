"""Bounded mechanisms satisfy ε-DP: the largest log ratio over neighbours and outputs."""

from itertools import pairwise
from math import inf, log

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gennorm

from ggexp import Mechanism, calibration, sensitivity
from ggexp.mechanisms.bounded import (
    Inflated,
    Truncated,
    bounded_gg,
    clamp,
    inflated_scale,
    truncated_scale,
)
from ggexp.mechanisms.post_hoc import redrawn_pdp_delta

WIDTH, STEP = 5.0, 1.0
CASES = [(order, epsilon) for order in (1, 1.5, 2, 3, 6) for epsilon in (0.1, 1, 4)]


def worst_loss(log_probability, width, step):
    """Return the largest |log ratio| over outputs and statistics in [0, width] within one step.

    log_probability: returns, for a statistic, an array over a fixed set of outputs.
    """
    grid = np.linspace(0, width, 41)
    logs = np.array([log_probability(s) for s in grid])
    are_neighbours = np.abs(grid[:, None] - grid) <= step + 1e-12
    ratios = np.abs(logs[:, None, :] - logs[None, :, :]).max(axis=2)
    return ratios[are_neighbours].max()


def truncated_loss(order, b, width=WIDTH, step=STEP):
    x = np.linspace(0, width, 401)

    def log_density(s):
        noise = gennorm(order, loc=s, scale=b)
        return noise.logpdf(x) - log(noise.cdf(width) - noise.cdf(0))

    return worst_loss(log_density, width, step)


def inflated_loss(order, b, width=WIDTH, step=STEP):
    x = np.linspace(0, width, 401)[1:-1]

    def log_probability(s):
        noise = gennorm(order, loc=s, scale=b)
        return np.concatenate([[noise.logcdf(0)], noise.logpdf(x), [noise.logsf(width)]])

    return worst_loss(log_probability, width, step)


@pytest.mark.parametrize(("order", "epsilon"), CASES)
def test_definition_5_satisfies_epsilon_dp(order, epsilon):
    b = truncated_scale(order=order, epsilon=epsilon, widths=[WIDTH], sensitivities=[STEP])
    assert truncated_loss(order, b) <= epsilon


@pytest.mark.parametrize(("order", "epsilon"), CASES)
def test_the_smaller_scale_satisfies_epsilon_dp_as_the_exponential_mechanism(order, epsilon):
    mechanism = bounded_gg(order=order, epsilon=epsilon, low=0, high=WIDTH, sensitivity=STEP)
    definition_5 = truncated_scale(
        order=order, epsilon=epsilon, widths=[WIDTH], sensitivities=[STEP]
    )
    assert truncated_loss(order, mechanism.scale) <= epsilon
    if order == 1:
        assert mechanism.scale == pytest.approx(definition_5, rel=1e-14)
    else:
        assert mechanism.scale < definition_5


@pytest.mark.parametrize(("order", "epsilon"), CASES)
@pytest.mark.parametrize("step", [STEP, WIDTH])
def test_inflated_scale_satisfies_epsilon_dp_tightly(order, epsilon, step):
    b = inflated_scale(order=order, epsilon=epsilon, width=WIDTH, sensitivity=step)
    assert inflated_loss(order, b, step=step) == pytest.approx(epsilon, rel=1e-9)
    assert inflated_loss(order, 0.99 * b, step=step) > epsilon


@pytest.mark.parametrize("order", [1.5, 2, 3])
def test_a_scale_for_the_inside_is_too_small_for_the_inflated_mechanism(order):
    """The paper allows Eqn (7) only inside the bounds; on the bounds, half of it is too small."""
    b = inflated_scale(order=order, epsilon=1, width=WIDTH, sensitivity=STEP)
    inside = (WIDTH**order - (WIDTH - STEP) ** order) ** (1 / order)  # ε-DP inside the bounds
    assert inside < b
    assert inflated_loss(order, inside) > 1


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 1000])
def test_inflated_of_order_1_is_the_laplace_mechanism(epsilon):
    b = inflated_scale(order=1, epsilon=epsilon, width=20, sensitivity=2)
    assert b == pytest.approx(2 / epsilon, rel=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("order", [1, 1.5, 3, 100])
@pytest.mark.parametrize("epsilon", [1e-6, 1000])
@pytest.mark.parametrize("width", [1, 1e6])
def test_scales_at_extremes(order, epsilon, width):
    for b in (
        inflated_scale(order=order, epsilon=epsilon, width=width, sensitivity=1),
        truncated_scale(order=order, epsilon=epsilon, widths=[width], sensitivities=[1]),
    ):
        assert 0 < b < inf


def test_definition_5_by_the_papers_binomial_sum():
    # p = 3, two coordinates: Σ_k (3 w² Δ + 3 w Δ²) + Δ_p³
    b = truncated_scale(order=3, epsilon=0.5, widths=[4, 2], sensitivities=[1, 0.5])
    total = (
        (3 * 16 + 3 * 4)
        + (3 * 4 * 0.5 + 3 * 2 * 0.25)
        + sensitivity.of_coordinates(3, [1, 0.5]) ** 3
    )
    assert b == pytest.approx((2 / 0.5 * total) ** (1 / 3), rel=1e-13)
    smaller = truncated_scale(
        order=3, epsilon=0.5, widths=[4, 2], sensitivities=[1, 0.5], sensitivity_p=1
    )
    assert smaller == pytest.approx((2 / 0.5 * (total - 0.125)) ** (1 / 3), rel=1e-13)


def delta_of(noise, epsilon):
    """Return ∫ max(0, f(x) - e^ε f(x - Δ)) dx for a truncated Laplace density f and Δ = 1."""
    scale, bound = noise.scale, noise.high
    weight = 2 * scale * (1 - np.exp(-bound / scale))

    def density(x):
        return np.exp(-abs(x) / scale) / weight * (abs(x) <= bound)

    def excess(x):
        return max(0.0, density(x) - np.exp(epsilon) * density(x + 1))

    points = np.sort([-bound, bound, 0, bound - 1, -bound - 1, -1])
    return sum(quad(excess, a + 1e-13, b - 1e-13, epsabs=1e-13)[0] for a, b in pairwise(points))


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.3, 0.5])
def test_truncated_laplace_is_tight(epsilon, delta):
    calibrated = Mechanism(1, "adp-truncated").noise(epsilon=epsilon, delta=delta)
    noise = Truncated(1, calibrated.scale, -calibrated.bound, calibrated.bound)
    assert noise.scale == pytest.approx(1 / epsilon, rel=1e-15)
    assert delta_of(noise, epsilon) == pytest.approx(delta, rel=1e-6)
    shorter = Truncated(1, noise.scale, 0.99 * noise.low, 0.99 * noise.high)
    assert delta_of(shorter, epsilon) > delta


def test_truncated_laplace_scales_and_does_not_overflow():
    mechanism, point = Mechanism(1, "adp-truncated"), {"epsilon": 1000, "delta": 1e-15}
    unit = mechanism.noise(**point).bound
    assert unit == pytest.approx((1000 - log(2e-15)) / 1000)
    assert mechanism.noise(**point, sensitivity=3).bound == 3 * unit


@pytest.mark.parametrize("mechanism", [Truncated, Inflated])
@pytest.mark.parametrize("order", [1, 2, 3, 100])
def test_releases_keep_shape_and_bounds(mechanism, order):
    values = np.array([[0.0, 2.0, 5.0], [5.0, 1.0, 0.0]])
    bounded = mechanism(order, 3.0, 0.0, 5.0)
    released = bounded.release(values, np.random.default_rng(0))
    assert released.shape == values.shape
    assert ((released >= 0) & (released <= 5)).all()
    np.testing.assert_array_equal(released, bounded.release(values, np.random.default_rng(0)))


@pytest.mark.parametrize("epsilon", [0.5, 1, 2])
def test_redrawing_does_not_preserve_the_pure_dp_of_laplace(epsilon):
    """Laplace(1/ε) redrawn into [0, 20] has the loss ln(2 e^ε - 1), not ε (docs/bounding.md)."""
    loss = truncated_loss(1, 1 / epsilon, width=20)
    assert loss == pytest.approx(log(2 * np.exp(epsilon) - 1), abs=1e-4)
    assert loss == pytest.approx({0.5: 0.832, 1: 1.490, 2: 2.623}[epsilon], abs=5e-4)
    # clamping does not increase the loss
    assert inflated_loss(1, 1 / epsilon, width=20) == pytest.approx(epsilon)


def test_clamping_does_not_keep_probabilistic_dp():
    """The neighbouring counts 12 and 13, rule "pdp" at (0.5, 0.01), order 2, clamped at 0."""
    b = calibration.calibrate("pdp", order=2, epsilon=0.5, delta=0.01).scale
    twelve, thirteen = (gennorm(2, loc=count, scale=b) for count in (12, 13))

    def loss(x):
        return twelve.logpdf(x) - thirteen.logpdf(x)

    # before clamping: the two tails in which the loss exceeds ε
    upper, lower = 12.5 + 0.5 * b**2 / 2, 12.5 - 0.5 * b**2 / 2
    assert loss(lower) == pytest.approx(0.5)
    before = twelve.cdf(lower) + twelve.sf(upper)
    assert before == pytest.approx(0.0079, abs=5e-5)
    # after clamping: all values below 0 are one outcome, and its loss also exceeds ε
    assert twelve.logcdf(0) - thirteen.logcdf(0) > 0.5
    assert lower < 0
    after = twelve.cdf(0) + twelve.sf(upper)
    assert after == pytest.approx(0.0152, abs=1e-4)


def redrawn_loss_exceeds(order, b, epsilon, count, bound):
    """Return the larger Pr(|loss| > ε) of two neighbours, from densities on a grid of outcomes."""
    edges = np.linspace(0, bound, 100_001)
    x = (edges[1:] + edges[:-1]) / 2
    neighbours = [gennorm(order, loc=s, scale=b) for s in (count, count + 1)]
    logs = [noise.logpdf(x) - np.log(noise.cdf(bound) - noise.cdf(0)) for noise in neighbours]
    exceeds = np.abs(logs[0] - logs[1]) > epsilon
    return max(float(np.exp(log_density) @ exceeds) * bound / x.size for log_density in logs)


@pytest.mark.parametrize(
    ("order", "guarantee", "count", "bound"),
    [
        (2, (0.5, 0.01), 35, 70),
        (2, (0.5, 0.25), 10, 20),
        (3, (2, 0.25), 2, 5),
        (4, (1, 0.05), 0, 70),
        (4, (1, 0.05), 69, 70),
        (1.5, (1, 0.1), 3, 9),
        (3, (0.1, 0.5), 0, 60),  # the factor alone is above ε
    ],
)
def test_redrawing_by_quadrature(order, guarantee, count, bound):
    epsilon, delta = guarantee
    b = calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=delta).scale
    arguments = {"order": order, "scale": b, "epsilon": epsilon, "count": count, "bound": bound}
    computed = redrawn_pdp_delta(**arguments)
    expected = redrawn_loss_exceeds(order, b, epsilon, count, bound)
    assert computed == pytest.approx(expected, abs=2e-4)
    # reflecting the counts at the middle of the bounds does not change the probability
    arguments["count"] = bound - 1 - count
    assert redrawn_pdp_delta(**arguments) == pytest.approx(computed, rel=1e-9, abs=1e-15)


def test_redrawing_by_samples():
    epsilon, bound, draws = 0.1, 1841, 400_000
    b = calibration.calibrate("pdp", order=3, epsilon=epsilon, delta=0.5).scale
    zero, one = (gennorm(3, loc=count, scale=b) for count in (0, 1))
    factor = np.log(zero.sf(0) / one.sf(0))  # the upper bound is never exceeded
    shares = []
    for noisy in (zero, one):
        x = noisy.rvs(2 * draws, random_state=1)
        kept = x[x >= 0][: draws // 2]
        shares.append((np.abs(zero.logpdf(kept) - one.logpdf(kept) - factor) > epsilon).mean())
    expected = redrawn_pdp_delta(order=3, scale=b, epsilon=epsilon, count=0, bound=bound)
    assert expected == pytest.approx(0.5612, abs=5e-5)  # above the δ = 0.5 without redrawing
    assert abs(max(shares) - expected) < 5 * np.sqrt(0.25 / kept.size)


def test_redrawing_far_from_the_bounds_does_not_change_delta():
    b = calibration.calibrate("pdp-exact", order=2, epsilon=0.5, delta=0.01).scale
    arguments = {"order": 2, "scale": b, "epsilon": 0.5}
    redrawn = redrawn_pdp_delta(**arguments, count=900, bound=1841)
    assert redrawn == pytest.approx(0.01, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": -1}, "count.* >= 0, got -1"),
        ({"bound": 3.5}, r"bound .*at least count \+ 1, got 3\.5"),
        ({"bound": inf}, "bound .*finite .*got inf"),
    ],
)
def test_bad_arguments_of_redrawing(arguments, message):
    good = {"order": 2, "scale": 1, "epsilon": 1, "count": 3, "bound": 5}
    with pytest.raises(ValueError, match=message):
        redrawn_pdp_delta(**good | arguments)


def test_clamp():
    np.testing.assert_array_equal(clamp([-1, 0.5, 9], 0, 2), [0, 0.5, 2])


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (Truncated, {"low": 5}, "bounds .*low < high, got 5 and 5.0"),
        (Inflated, {"low": -inf}, "bounds .*low < high, got -inf"),
        (Truncated, {"low": float("nan")}, "bounds .*low < high, got nan"),
    ],
)
def test_bad_mechanisms(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(**{"order": 2, "scale": 1, "low": 0, "high": 5.0} | arguments)


def test_values_outside_the_bounds_are_refused():
    with pytest.raises(ValueError, match=r"values .*\[0, 5\], got \[6\]"):
        Truncated(2, 1, 0, 5).release([6], np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"bounds .*low < high, got 2 and 1"):
        clamp([1], 2, 1)


def test_bad_arguments_of_scales():
    with pytest.raises(ValueError, match=r"sensitivities .*widths, got 9 > 5"):
        inflated_scale(order=2, epsilon=1, width=5, sensitivity=9)
    with pytest.raises(ValueError, match=r"widths .*sensitivities .*length .*2 and 1"):
        truncated_scale(order=2, epsilon=1, widths=[1, 2], sensitivities=[1])
