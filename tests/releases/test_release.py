"""The release of a repeat is made by `sanitize`, on the grid point's stream and with its noise."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gennorm, kstest, truncexpon

from ggexp import GeneralizedGaussian
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
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
def test_a_release_does_not_depend_on_earlier_releases(point):
    first = release(COUNTS, noisy(point), seed=3, repeat=5)
    release(COUNTS, noisy(point, 2.0), seed=3, repeat=4)
    assert release(COUNTS, noisy(point), seed=3, repeat=5).tobytes() == first.tobytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat": 6},
        {"seed": 4},
        {"noisy": noisy(POINTS[1], 1.8)},
        *(
            {"noisy": noisy(replace(POINTS[1], **{field: value}))}
            for field, value in [
                ("dataset", "czech"),
                ("mechanism", "gaussian-2"),
                ("calibration", "adp-classical"),
                ("epsilon", 2),
                ("delta", 0.1),
            ]
        ),
    ],
    ids=str,
)
def test_other_arguments_give_other_releases(changes):
    arguments = {"noisy": noisy(POINTS[1]), "seed": 3, "repeat": 5}
    first, second = (release(COUNTS, **named) for named in (arguments, arguments | changes))
    assert not np.isin(second, first[first > 0]).any()


def test_noise_with_a_bound_never_exceeds_it():
    point = GridPoint("mildew", "truncated-laplace", 1, "adp-truncated", 0.5, 0.1)
    counts = np.append(np.full(10_000, 1000), 10**12)
    truncated = NoisyPoint(point, TruncatedLaplace(2.0, 2.5))
    noise = (release(counts, truncated, seed=1, repeat=0) - counts)[:-1]
    assert 2.4 < np.abs(noise).max() <= 2.5 + 1e-4  # rescaling changes counts slightly
    assert kstest(np.abs(noise), truncexpon(1.25, scale=2).cdf).pvalue > 1e-9
    unbounded = (release(counts, noisy(point, 2.0), seed=1, repeat=0) - counts)[:-1]
    assert np.abs(unbounded).max() > 10


def test_the_original_counts_are_not_modified():
    counts = COUNTS.copy()
    release(counts, noisy(POINTS[0]), seed=3, repeat=0)
    np.testing.assert_array_equal(counts, COUNTS)


@each_point
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.7])
def test_the_noise_has_the_scale_of_the_point(point, scale):
    """Kolmogorov tests on 10,000 cells; each rejects a correct scale with probability 1e-9.

    Counts of 1,000 reach no bound. Rescaling changes them by less than 1e-5, because another cell
    has a count of 10^12. Therefore their change is the noise.
    """
    counts = np.append(np.full(10_000, 1000), 10**12)
    noise = (release(counts, noisy(point, scale), seed=2016, repeat=1) - counts)[:-1]
    assert kstest(noise, gennorm(point.order, scale=scale).cdf).pvalue > 1e-9
    for wrong in (1.3, 1 / 1.3):
        assert kstest(noise, gennorm(point.order, scale=wrong * scale).cdf).pvalue < 1e-9
