"""Grid points: their streams, which depend only on their fields, seed and repeat; releases."""

import dataclasses

import numpy as np
import pytest

from ggexp import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release, sanitize

POINT = GridPoint("mildew", "ggm-3", 3, "pdp", 1.0, 0.05)


def first_draws(point, seed=1, repeat=0):
    return point.stream(seed, repeat).standard_normal(4)


def test_a_release_is_made_by_sanitize_on_the_stream_of_the_point():
    counts, noise = np.array([16, 0, 7, 3, 0, 1, 11]), GeneralizedGaussian(3, 1.7)
    for repeat in (0, 7):
        expected = sanitize(counts, noise, POINT.stream(3, repeat))
        released = release(counts, NoisyPoint(POINT, noise), seed=3, repeat=repeat)
        np.testing.assert_array_equal(released, expected)


@pytest.mark.parametrize(
    "change",
    [
        {"mechanism": "ggm-three"},
        {"order": 2},
        {"calibration": "pdp-exact"},
        {"epsilon": 1.0000000000000002},
        {"delta": None},
        # fields are distinguished by name, not concatenated
        {"dataset": "mildewggm-3", "mechanism": ""},
        {"epsilon": 0.05, "delta": 1.0},
    ],
    ids=str,
)
def test_a_change_of_any_field_changes_the_stream(change):
    other = dataclasses.replace(POINT, **change)
    assert not np.isin(first_draws(other), first_draws(POINT)).any()


def test_the_stream_is_that_of_the_published_results():
    """A change of these numbers changes every published result; announce it if it is intended."""
    np.testing.assert_array_equal(
        POINT.stream(1, 0).integers(0, 1000, 5), [160, 954, 719, 266, 798]
    )
    other = GridPoint("mildew", "ggm-3", 3.0, "pdp", 1, np.float64(0.05))
    np.testing.assert_array_equal(first_draws(POINT), first_draws(other))
