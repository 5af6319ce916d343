"""The errors of a grid point are the errors of its releases, repeat by repeat."""

import numpy as np
import pytest

from ggexp.experiment.metrics import METRICS, Metric, kl_dirichlet, l1, measure_releases
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import Listed, release

COUNTS = np.array([16, 0, 7, 3, 0, 1, 11, 0, 2, 4])
POINT = GridPoint("mildew", "gaussian-pdp", 2, "pdp", 1, 0.05)
ARGUMENTS = {"seed": 3, "repeats": range(6), "pseudo_count": 0.5}


def noisy(point):
    return NoisyPoint(point, GeneralizedGaussian(point.order, 1.7))


def measure(*points, **changes):
    noise = [*map(noisy, points or [POINT])]
    return measure_releases(
        COUNTS, Listed(COUNTS.size, total="public"), noise, **ARGUMENTS | changes
    )


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


def test_each_metric_of_the_table_is_a_column(monkeypatch):
    largest = Metric("largest error", "records", lambda y, s: float(np.abs(s - y).max()))
    monkeypatch.setitem(METRICS, "largest", largest)
    table = measure()
    assert {*table} >= {"l1", "kl", "kl_reverse", "largest"}
    for repeat, value in enumerate(table["largest"]):
        released = release(COUNTS, noisy(POINT), seed=3, repeat=repeat)
        assert value == np.abs(released - COUNTS).max()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_metric_that_is_not_finite_is_an_error_with_its_point(value, monkeypatch):
    # as a metric that is undefined for some of the releases
    values = iter([1.0, 2.0, value, 3.0, 4.0, 5.0])
    broken = Metric("broken", "records", lambda y, s: next(values))
    monkeypatch.setitem(METRICS, "broken", broken)
    with pytest.raises(ValueError, match=rf"{POINT.path}: broken .* got {value}"):
        measure()
    assert next(values) == 3  # the two values before it were accepted
