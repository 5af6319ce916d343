"""One guarantee for several tables, against numbers of another program."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from formulas import gaussian_delta

from ggexp.mechanisms import convolution
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import delta_of
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.tables.joint import weighted


@pytest.mark.parametrize(
    ("tables", "order", "expected"),
    [
        (30, 2, 23.14),
        pytest.param(10, 1, 14.13, marks=pytest.mark.slow),
        pytest.param(10, 1.5, 12.61, marks=pytest.mark.slow),
        pytest.param(91, 1.5, 41.76, marks=pytest.mark.slow),
    ],
)
def test_calibrated_noise_has_the_standard_deviation(tables, order, expected):
    """At (1, 1e-6), by a convolution in another program."""
    for calibration in ("adp-exact", "adp-exact-integer"):
        noise = Mechanism(order, calibration).noise(epsilon=1, delta=1e-6, cells=tables)
        # integer-valued noise of order 1 differs by 1/(6 sd)
        is_larger = calibration == "adp-exact-integer" and order == 1
        assert noise.sd == pytest.approx(expected, abs=2e-2 if is_larger else 6e-3)


def test_tables_share_out_epsilon_and_multiply_the_cells():
    for calibration, family in (("pure", GeneralizedGaussian), ("pure-integer", Geometric)):
        order = 1 if calibration == "pure" else None
        noise = Mechanism(order, calibration).noise(epsilon=1, cells=91)
        assert isinstance(noise, family)
        assert noise.scale == pytest.approx(91)
    mechanism = Mechanism(2, "adp-exact")
    noise = mechanism.noise(epsilon=1, delta=1e-6, cells=10)
    assert gaussian_delta(noise.sd / sqrt(10), 1.0) == pytest.approx(1e-6, rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "delta", "tables"), [(2, 0.1, 3), pytest.param(1, 1e-6, 10, marks=pytest.mark.slow)]
)
def test_canonical_noise_of_several_tables(epsilon, delta, tables):
    """It uses nearly all of δ, and no other ε' of one cell gives a smaller standard deviation."""
    noise = Mechanism(None, "adp-optimal").noise(epsilon=epsilon, delta=delta, cells=tables)
    assert 0.5 * delta < delta_of(noise, epsilon=epsilon, cells=tables) <= delta
    compared = 0
    for share in np.geomspace(1 / tables, 1, 8):
        with_largest = None
        for excess in delta * np.geomspace(1e-6, 1, 25):
            if delta_of(Canonical(share * epsilon, excess), epsilon=epsilon, cells=tables) > delta:
                break
            with_largest = Canonical(share * epsilon, excess)
        if with_largest is not None:
            assert with_largest.sd > 0.985 * noise.sd
            compared += 1
    assert compared


@pytest.mark.parametrize(
    ("order", "calibration"),
    [
        *[(2, "adp-exact-integer"), (None, "adp-optimal")],
        *(pytest.param(order, "adp-exact", marks=pytest.mark.slow) for order in (1.5, 2)),
    ],
)
def test_weighted_tables_satisfy_the_guarantee(order, calibration):
    weights, epsilon, delta = [1, 1, 4], 1.0, 0.01
    noises = weighted(Mechanism(order, calibration), Budget(epsilon, delta), weights=weights)
    assert noises[0] == noises[1]
    assert noises[0].sd == pytest.approx(4 * noises[2].sd, rel=0.2)
    spent = convolution.delta([(noise.loss(), 1) for noise in noises], epsilon).pessimistic
    assert 0.9 * delta < spent <= delta
    if order == 2 and calibration == "adp-exact":
        sd = 1 / sqrt(sum(1 / noise.sd**2 for noise in noises))
        assert gaussian_delta(sd, epsilon) == pytest.approx(spent, rel=1e-6)


def test_pure_privacy_is_shared_out_by_weight(monkeypatch):
    noises = weighted(Mechanism(None, "pure-integer"), Budget(2), weights=[1, 3])
    assert [noise.scale for noise in noises] == pytest.approx([2, 2 / 3])
    assert sum(1 / noise.scale for noise in noises) <= 2
    with pytest.raises(ValueError, match="weights"):
        weighted(Mechanism(None, "pure-integer"), Budget(2), weights=[1, 0])
    spent = []
    monkeypatch.setattr(Mechanism, "noise", lambda _, epsilon: spent.append(Fraction(epsilon)))
    epsilon = 1.9520629109751853
    weighted(Mechanism(1, "pure"), Budget(epsilon), weights=[9, 1, 9])
    assert Fraction(epsilon) * (1 - Fraction(1, 10**15)) < sum(spent) <= Fraction(epsilon)
