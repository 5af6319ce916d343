"""Bounded mechanisms satisfy ε-DP: the largest log ratio over neighbours and outputs."""

from math import inf, log

import numpy as np
import pytest
from scipy.stats import gennorm

from ggexp import calibration
from ggexp.claims import inequalities
from ggexp.mechanisms import bounded
from ggexp.mechanisms.tails import between

WIDTH, STEP = 5.0, 1.0
CASES = [(1, 0.1), (1.5, 1), (2, 4), (3, 1), (6, 0.1)]


def truncated_loss(order, b, width=WIDTH):
    return inequalities._truncated_loss(order, b, 0, width, STEP)


def inflated_loss(order, b, width=WIDTH, step=STEP):
    losses = (inequalities._inside_loss, inequalities._bound_loss)
    return max(loss(order, b, 0, width, step) for loss in losses)


@pytest.mark.parametrize(("order", "epsilon"), CASES)
def test_definition_5_satisfies_epsilon_dp(order, epsilon):
    """`bounded_gg` has the smaller scale of the exponential mechanism."""
    definition_5 = bounded.truncated_scale(
        order=order, epsilon=epsilon, widths=[WIDTH], sensitivities=[STEP]
    )
    assert truncated_loss(order, definition_5) <= epsilon
    b = bounded.bounded_gg(order=order, epsilon=epsilon, low=0, high=WIDTH, sensitivity=STEP).scale
    assert truncated_loss(order, b) <= epsilon
    assert b == pytest.approx(definition_5, rel=1e-14) if order == 1 else b < definition_5


@pytest.mark.parametrize(("order", "epsilon"), CASES)
@pytest.mark.parametrize("step", [STEP, WIDTH])
def test_inflated_scale_satisfies_epsilon_dp_tightly(order, epsilon, step):
    b = bounded.inflated_scale(order=order, epsilon=epsilon, width=WIDTH, sensitivity=step)
    assert inflated_loss(order, b, step=step) == pytest.approx(epsilon, rel=1e-9)
    assert inflated_loss(order, 0.99 * b, step=step) > epsilon


def test_redrawing_does_not_preserve_the_pure_dp_of_laplace():
    """Laplace(1/ε) redrawn into [0, 20] has the loss ln(2 e^ε - 1), not ε (docs/bounding.md)."""
    for epsilon, loss in ((0.5, 0.832), (1, 1.490), (2, 2.623)):
        assert truncated_loss(1, 1 / epsilon, width=20) == pytest.approx(loss, abs=5e-4)
    assert inflated_loss(1, 1 / epsilon, width=20) == pytest.approx(epsilon)


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
        (3, (2, 0.25), 2, 5),
        (4, (1, 0.05), 0, 70),
        (1.5, (1, 0.1), 3, 9),
        (3, (0.1, 0.5), 0, 60),  # the factor alone is above ε
    ],
)
def test_redrawing_by_quadrature(order, guarantee, count, bound):
    epsilon, delta = guarantee
    b = calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=delta).scale
    arguments = {"order": order, "scale": b, "epsilon": epsilon, "count": count, "bound": bound}
    computed = bounded.redrawn_pdp_delta(**arguments)
    expected = redrawn_loss_exceeds(order, b, epsilon, count, bound)
    assert computed == pytest.approx(expected, abs=2e-4)
    # reflecting the counts at the middle of the bounds does not change the probability
    arguments["count"] = bound - 1 - count
    assert bounded.redrawn_pdp_delta(**arguments) == pytest.approx(computed, rel=1e-9, abs=1e-15)


def test_redrawing_at_the_logarithm_of_its_factor():
    """At this ε, outcomes are unlikely from the point on at which the densities are equal."""
    epsilon = log(between(3, -1.8, 0.2) / between(3, -2.0, 0.0))
    computed = bounded.redrawn_pdp_delta(order=3, scale=5, epsilon=epsilon, count=0, bound=10)
    assert computed == pytest.approx(redrawn_loss_exceeds(3, 5, epsilon, 0, 10), abs=2e-4)


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"bound .*count \+ 1, got 3\.5"):
        bounded.redrawn_pdp_delta(order=2, scale=1, epsilon=1, count=3, bound=3.5)
    with pytest.raises(ValueError, match=r"bounds .*low < high, got -inf"):
        bounded.Inflated(order=2, scale=1, low=-inf, high=5.0)
    with pytest.raises(ValueError, match=r"values .*\[0, 5.0\], got \[6\]"):
        bounded.Truncated(order=2, scale=1, low=0, high=5.0).release([6], None)
    with pytest.raises(ValueError, match=r"sensitivities .*widths, got 9 > 5"):
        bounded.inflated_scale(order=2, epsilon=1, width=5, sensitivity=9)
    with pytest.raises(ValueError, match=r"widths .*sensitivities .*length .*2 and 1"):
        bounded.truncated_scale(order=2, epsilon=1, widths=[1, 2], sensitivities=[1])
