"""Metrics by hand and by scipy, and the errors of a grid point, which are those of its releases."""

import re
from itertools import product
from math import log

import numpy as np
import pytest
from scipy.special import rel_entr

from ggexp.experiment.metrics import METRICS, Metric, kl_dirichlet, l1, measure_releases
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.simulate import Listed, release


def test_l1_by_hand():
    assert l1([3, 5, 2], [4.5, 0, 2]) == 6.5
    assert l1(np.arange(4), np.arange(4)) == 0


def test_kl_is_rs_kl_dirichlet_by_hand():
    # entropy::KL.Dirichlet(c(1, 3), c(2, 2), 0.5, 0.5): frequencies (1.5, 3.5)/5 and (2.5, 2.5)/5
    forward, reverse = kl_dirichlet([1, 3], [2, 2], 0.5)
    assert forward == pytest.approx(0.3 * log(0.3 / 0.5) + 0.7 * log(0.7 / 0.5), rel=1e-14)
    assert reverse == pytest.approx(0.5 * log(0.5 / 0.3) + 0.5 * log(0.5 / 0.7), rel=1e-14)
    # (δ, -δ) added to equal frequencies 1/2: KL = 4δ²/2 + O(δ⁴)
    forward, reverse = kl_dirichlet([99.5, 99.5], [99.5 + 2e-7, 99.5 - 2e-7])
    assert forward == pytest.approx(2 * 1e-9**2, rel=1e-6)
    assert reverse == pytest.approx(2 * 1e-9**2, rel=1e-6)


@pytest.mark.parametrize(
    ("pseudo_count", "spread"), [(1e-300, 100), (1e-6, 100), (0.5, 1e-3), (1, 1), (10, 100)]
)
def test_kl_is_scipys_rel_entr(pseudo_count, spread):
    rng = np.random.default_rng(11)
    original = rng.poisson(5, 200)
    sanitized = np.maximum(0, original + spread * rng.standard_normal(200))
    f = [(y + pseudo_count) / (y + pseudo_count).sum() for y in (original, sanitized)]
    expected = rel_entr(f[0], f[1]).sum(), rel_entr(f[1], f[0]).sum()
    assert kl_dirichlet(original, sanitized, pseudo_count) == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("measure", [l1, kl_dirichlet])
def test_invalid_arguments_are_refused(measure):
    for original, sanitized, shapes in (
        ([1, 2, 3], [1], "(3,), got (1,)"),  # numpy would broadcast it
        (np.ones((2, 2)), [1, 2], "(2, 2), got (2,)"),
        ([1, 2, 3], [1, 2], "(3,), got (2,)"),  # numpy refuses it
    ):
        with pytest.raises(ValueError, match=f"sanitized .*original, {re.escape(shapes)}$"):
            measure(original, sanitized)
    for value in (float("nan"), -float("inf")):
        message = f"{{}} .*finite.* got {value} at {{}}"
        with pytest.raises(ValueError, match=message.format("original", 1)):
            measure([1, value, 3], [1, 2, 3])
        with pytest.raises(ValueError, match=r"sanitized .*finite.* got .* at \(1, 0\)"):
            measure(np.ones((2, 2)), [[1, 2], [value, 3]])
    for value in (0, float("nan")):
        with pytest.raises(ValueError, match=f"pseudo_count.* > 0, got {value}"):
            kl_dirichlet([1, 2], [2, 1], value)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_counts_far_below_0_have_no_divergence():
    with pytest.raises(ValueError, match=r"original .*sanitized .*>= 0"):
        kl_dirichlet([1, 2, 3], [1, -2, 3])


COUNTS = np.array([16, 0, 7, 3, 0, 1, 11, 0, 2, 4])
POINT = GridPoint("mildew", "gaussian-pdp", 2, "pdp", 1, 0.05)
ARGUMENTS = {"seed": 3, "repeats": range(6), "pseudo_count": 0.5}


def noisy(point):
    return NoisyPoint(point, GeneralizedGaussian(point.order, 1.7))


def measure(*points, **changes):
    noise = [*map(noisy, points or [POINT])]
    kind = Listed(COUNTS.size, total="public")
    return measure_releases(COUNTS, kind, noise, **ARGUMENTS | changes)


def test_each_repeat_has_the_errors_of_its_release():
    table = measure()
    for repeat in range(6):
        released = release(COUNTS, noisy(POINT), seed=3, repeat=repeat)
        forward, reverse = kl_dirichlet(COUNTS, released, 0.5)
        assert table["l1"][repeat] == l1(COUNTS, released)
        assert table["kl"][repeat] == forward
        assert table["kl_reverse"][repeat] == reverse
    for name in ("l1", "kl", "kl_reverse"):
        assert len(set(table[name])) == 6  # no repeat is a copy of another
    assert table["kl"][0] != measure(pseudo_count=2)["kl"][0]
    other = GridPoint("other", "other", 2, "", 1, 1)
    for another in (measure(seed=4), measure(other)):
        assert not np.isin(another["l1"], table["l1"]).any()
    for name, column in measure(POINT, other, repeats=range(9)).items():
        np.testing.assert_array_equal(column[:6], table[name])  # more repeats begin with the same
        np.testing.assert_array_equal(column[9:15], measure(other)[name])
        np.testing.assert_array_equal(column[3:9], measure(repeats=range(3, 9))[name])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_metric_that_is_not_finite_is_an_error_with_its_point(value, monkeypatch):
    # as a metric that is undefined for some of the releases
    values = iter([1.0, 2.0, value, 3.0, 4.0, 5.0])
    broken = Metric("broken", "records", lambda y, s: next(values))
    monkeypatch.setitem(METRICS, "broken", broken)
    with pytest.raises(ValueError, match=rf"{POINT.path}: broken .* got {value}"):
        measure()
    assert next(values) == 3  # the two values before it were accepted


@pytest.mark.filterwarnings("error")
def test_errors_are_finite_for_the_smallest_and_largest_scales_orders_and_counts():
    orders, scales = [1.0, 1.5, 3.0, 100.0], [1e-300, 1.0, 1e12, 1e300]
    extreme_counts = [[0], [1], [10**12], [0, 0, 0], [10**12, 0, 1], [2**53 - 1, 1]]
    totals = ["private", "public"]
    for order, scale, cells, total in product(orders, scales, extreme_counts, totals):
        counts, point = np.array(cells, np.int64), GridPoint("t", "ggm", order, "pdp", 1.0, 0.05)
        noise = [NoisyPoint(point, GeneralizedGaussian(order, scale))]
        kind, arguments = Listed(counts.size, total=total), ARGUMENTS | {"repeats": range(3)}
        columns = measure_releases(counts, kind, noise, **arguments)
        for metric in ("l1", "kl", "kl_reverse"):
            is_error = np.isfinite(columns[metric]) & (columns[metric] >= 0)
            assert is_error.all(), (order, scale, counts, metric, columns[metric])
        if len(counts) == 1 and total == "public":  # a single cell is released as n
            assert columns["l1"] == pytest.approx([0, 0, 0], abs=1e-3), (order, scale, counts)
