"""Sensitivities, and the scale of Corollary 7 for several statistics against quadrature values.

Intervals have 95 % confidence. Each test allows at least three times their half width, which is
about six standard errors. Therefore it fails by chance with probability below 1e-8 per seed.
"""

import numpy as np
import pytest
from formulas import COROLLARY_7

from ggexp import sensitivity
from ggexp.mechanisms.several_coordinates import draw_scales, quantile


def neighbours_of(counts, relation):
    cells = np.eye(len(counts))
    if relation == "add-remove":
        return [counts + sign * cell for cell in cells for sign in (1, -1)]
    return [counts - a + b for a in cells for b in cells]


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("order", [1, 1.5, 10])
def test_histogram_is_the_largest_distance_to_a_neighbour(order, relation):
    counts = np.array([4.0, 1.0, 7.0])
    distances = [np.linalg.norm(counts - n, order) for n in neighbours_of(counts, relation)]
    assert sensitivity.histogram(order, relation) == pytest.approx(max(distances))


def test_lemma_2_is_the_norm_of_the_coordinates():
    assert sensitivity.of_coordinates(2, [1, 0.1, 0.05]) == pytest.approx(np.sqrt(1.0125))
    assert sensitivity.of_coordinates(1, [1, 2]) == 3
    assert sensitivity.of_coordinates(100, [1e10, 1]) == pytest.approx(1e10)
    assert sensitivity.of_coordinates(3, (step for step in [2.0])) == 2


def test_claim_3_uses_the_ranges():
    assert sensitivity.of_bounds(2, [(-1, 2), (0, 4)]) == pytest.approx(5)


def test_bad_coordinates_and_bounds():
    with pytest.raises(ValueError, match=r"neighbours .*'add-remove'.*'replace-one', got 'swap'"):
        sensitivity.histogram(1, "swap")
    with pytest.raises(ValueError, match=r"sensitivities .*at least one.* none"):
        sensitivity.of_coordinates(2, [])
    with pytest.raises(ValueError, match=r"bounds .*low < high, got 3 and 3"):
        sensitivity.of_bounds(2, [(3, 3)])


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


def test_bad_arguments_of_corollary_7():
    good = {"order": 3, "epsilon": 1, "rng": np.random.default_rng(0)}
    with pytest.raises(ValueError, match=r"sensitivities .*at least one.* none"):
        draw_scales(**good, sensitivities=[], draws=1000)
    with pytest.raises(ValueError, match=r"draws .*larger.* delta 0\.05, got 50"):
        quantile(draw_scales(**good, sensitivities=PAPER, draws=50), 0.05)
