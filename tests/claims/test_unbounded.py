"""Numbers in the claims about unbounded noise and sensitivities, compared with closed forms."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gennorm, norm

from ggexp import calibration
from ggexp.claims import inequalities, sensitivities, unbounded
from ggexp.claims.evidence import Results

POINT = Results(
    pd.DataFrame(), pd.DataFrame({"epsilon": [1.0], "delta": [0.05], "order": [2]}), seed=1
)


def test_the_largest_loss_of_order_2():
    (comparison,) = unbounded.no_scale_is_enough(POINT, orders=[2], largest_scale=10)
    assert comparison.difference + 1 == pytest.approx(
        (2 * unbounded.LARGEST_NOISE + 1) / 100, rel=1e-3
    )


def test_below_order_1_a_scale_is_enough():
    """With b = Δ/ε^(1/p) the largest loss is ε."""
    (comparison,) = unbounded.no_scale_is_enough(POINT, orders=[0.5], largest_scale=1)
    assert comparison.difference == pytest.approx(0)


def test_noisy_max_of_two_normal_counts():
    (comparison,) = unbounded.noisy_max(order=2, rule="pdp", points=[(1, 0.05)], beyond=True)
    sigma = calibration.calibrate("pdp", order=2, epsilon=1, delta=0.05).scale / sqrt(2)
    m = np.ceil(4 * sigma**2)
    assert f"counts 0 and {m:g}" in comparison.what
    loss = norm.logsf(m / (sigma * sqrt(2))) - norm.logsf((m + 1) / (sigma * sqrt(2)))
    assert comparison.difference == pytest.approx(loss - 1, rel=1e-6)


@pytest.mark.parametrize("moved", [1, 10])
def test_corollary_8_of_order_2(moved):
    g = norm.isf(0.025) / sqrt(2)
    expected = moved * (g + sqrt(g**2 + 1))  # 2gΔ/b + Δ²/b² = 1
    scale = unbounded._corollary_8_scale(2, 1, 0.05, moved, power=True)
    assert scale == pytest.approx(expected)
    printed = moved * g + sqrt(moved**2 * g**2 + moved)
    assert unbounded._corollary_8_scale(2, 1, 0.05, moved, power=False) == pytest.approx(printed)


def test_corollary_7_of_one_statistic_is_corollary_8():
    """From 40,000 draws each for the scale and the losses, within 5 standard errors.

    This fails by chance once in two million runs.
    """
    (comparison,) = unbounded.corollary_7(
        POINT, orders=[2], sensitivities=[1], points=[(1, 0.05)], draws=40_000
    )
    b = calibration.calibrate("pdp", order=2, epsilon=1, delta=0.05).scale
    probability = sum(gennorm.sf([(b**2 - 1) / 2, (b**2 + 1) / 2], 2, scale=b))
    assert abs(comparison.difference - (0.05 - probability)) < 5 * sqrt(2) * comparison.error


def test_the_mean_loss():
    assert unbounded._mean_loss(3.0) == pytest.approx(1 / 9)


def test_loss_on_a_bound():
    on_bound = inequalities._bound_loss(2, 4.0, 0, 20, 1)
    assert on_bound == pytest.approx(gennorm.logsf(19 / 4, 2) - gennorm.logsf(20 / 4, 2))
    inside = inequalities._inside_loss(2, 4.0, 0, 20, 1)
    assert inside == pytest.approx((20**2 - 19**2) / 16)


def test_eqn_17():
    (comparison,) = sensitivities.eqn_17(bins=[64], records=100, epsilon=1)
    squares = [2 * (2 * 64 * 100 + square) for square in (1, 64)]
    assert comparison.difference == pytest.approx(sqrt(squares[0]) - sqrt(squares[1]))


def test_the_maximum_attains_the_bound_of_claim_3():
    comparisons = sensitivities.claim_3(orders=[2], bounds=[(0, 1), (-3, 8)], sizes=[1, 3])
    differences = {c.what.split()[4]: c.difference for c in comparisons}
    assert differences["maximum"] == pytest.approx(0, abs=1e-8)
    comparisons = sensitivities.claim_3(orders=[2], bounds=[(0, 1)], sizes=[4])
    differences = {c.what.split()[4]: c.difference for c in comparisons}
    assert differences["mean"] == pytest.approx(3 / 4)
