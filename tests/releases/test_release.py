"""The release of a repeat is made by `sanitize`, on the grid point's stream and with its noise."""

import numpy as np
import pytest

from ggexp import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release, sanitize

COUNTS = np.array([16, 0, 7, 3, 0, 1, 11, 0, 2, 4])
POINTS = [
    GridPoint("mildew", "laplace", 1, "pure", 0.5, None),
    GridPoint("mildew", "gaussian-pdp", 2, "pdp", 1, 0.05),
    GridPoint("mildew", "ggm-3", 3, "pdp", 2, 0.01),
]


def noisy(point, scale=1.7):
    return NoisyPoint(point, GeneralizedGaussian(point.order, scale))


each_point = pytest.mark.parametrize("point", POINTS, ids=lambda point: point.mechanism)


@each_point
def test_a_release_is_made_by_sanitize_on_the_stream_of_the_point(point):
    for repeat in (0, 7):
        expected = sanitize(COUNTS, GeneralizedGaussian(point.order, 1.7), point.stream(3, repeat))
        released = release(COUNTS, noisy(point), seed=3, repeat=repeat)
        np.testing.assert_array_equal(released, expected)
