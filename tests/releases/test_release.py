"""The release of a repeat is made by `sanitize`, on the grid point's stream and with its noise."""

import numpy as np
import pytest
from scipy.stats import gennorm, kstest

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


@each_point
def test_the_noise_has_the_scale_of_the_point(point):
    """Kolmogorov tests on 10,000 cells; each rejects a correct scale with probability 1e-9.

    Counts of 1,000 reach no bound. Rescaling changes them by less than 1e-5, because another cell
    has a count of 10^12. Therefore their change is the noise.
    """
    counts = np.append(np.full(10_000, 1000), 10**12)
    scale = 3.7
    noise = (release(counts, noisy(point, scale), seed=2016, repeat=1) - counts)[:-1]
    assert kstest(noise, gennorm(point.order, scale=scale).cdf).pvalue > 1e-9
    for wrong in (1.3, 1 / 1.3):
        assert kstest(noise, gennorm(point.order, scale=wrong * scale).cdf).pvalue < 1e-9
