"""Corollary 7 against quadrature values, and single coordinates.

Intervals have 95 % confidence. Each test allows at least three times their half width, which is
about six standard errors. Therefore it fails by chance with probability below 1e-8 per seed.
"""

import numpy as np
import pytest
from formulas import COROLLARY_7

from ggexp.mechanisms.several_coordinates import draw_scales, quantile

PAPER = (1, 0.1, 0.05)  # Δ_{1,k} of Figure 2


def within(estimate, expected, slack=1e-4):
    return abs(estimate.scale - expected) < 3 * (estimate.high - estimate.low) / 2 + slack


@pytest.mark.parametrize(("order", "epsilon", "delta", "expected"), COROLLARY_7)
def test_the_papers_example_is_the_quadratures(order, epsilon, delta, expected):
    scales = draw_scales(order, PAPER, epsilon, np.random.default_rng(4), draws=100_000)
    estimate = quantile(scales, delta)
    assert estimate.low < estimate.scale < estimate.high
    assert within(estimate, expected)
    assert not within(estimate, 1.3 * expected)


def test_order_1_is_the_laplace_mechanism_without_error():
    scales = draw_scales(1, PAPER, 0.5, np.random.default_rng(0), draws=1000)
    assert quantile(scales, 0.05) == (sum(PAPER) / 0.5,) * 3


def test_the_interval_has_its_nominal_coverage():
    """About 95 % of 1,000 intervals cover a known quantile.

    Fewer than 910 or more than 985 do so with probability 1e-7. (The coverage of order statistics
    is slightly above the nominal one.)
    """
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(1000):
        estimate = quantile(rng.random(1000), 0.1)
        covered += estimate.low < 0.9 < estimate.high
    assert 910 < covered < 985


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensitivities": []}, "sensitivities .*at least one.* none"),
        ({"sensitivities": [1, -1]}, "sensitivities.* > 0, got -1"),
        ({"draws": 50}, r"draws .*larger.* delta 0\.05, got 50"),
    ],
)
def test_bad_arguments(arguments, message):
    good = {"order": 3, "sensitivities": PAPER, "epsilon": 1, "draws": 1000}
    with pytest.raises(ValueError, match=message):
        quantile(draw_scales(**good | arguments, rng=np.random.default_rng(0)), 0.05)
