"""A repeat's release: sanitize on the stream of the grid point, with noise of the scale given."""

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
def test_it_is_sanitize_on_the_points_own_stream(point):
    for repeat in (0, 7):
        expected = sanitize(COUNTS, GeneralizedGaussian(point.order, 1.7), point.stream(3, repeat))
        released = release(COUNTS, noisy(point), seed=3, repeat=repeat)
        np.testing.assert_array_equal(released, expected)


@each_point
def test_the_same_bits_again_whatever_was_released_between(point):
    first = release(COUNTS, noisy(point), seed=3, repeat=5)
    release(COUNTS, noisy(point, 2.0), seed=3, repeat=4)
    assert release(COUNTS, noisy(point), seed=3, repeat=5).tobytes() == first.tobytes()


@pytest.mark.parametrize(
    "other",
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
def test_other_bits_for_anything_else(other):
    given = {"noisy": noisy(POINTS[1]), "seed": 3, "repeat": 5}
    first, second = (release(COUNTS, **arguments) for arguments in (given, given | other))
    assert not np.isin(second, first[first > 0]).any()


def test_noise_with_a_bound_never_exceeds_it():
    point = GridPoint("mildew", "truncated-laplace", 1, "adp-truncated", 0.5, 0.1)
    counts = np.append(np.full(10_000, 1000), 10**12)
    cut = NoisyPoint(point, TruncatedLaplace(2.0, 2.5))
    noise = (release(counts, cut, seed=1, repeat=0) - counts)[:-1]
    assert 2.4 < np.abs(noise).max() <= 2.5 + 1e-4  # as rescaling moves it
    assert kstest(np.abs(noise), truncexpon(1.25, scale=2).cdf).pvalue > 1e-9
    free = (release(counts, noisy(point, 2.0), seed=1, repeat=0) - counts)[:-1]
    assert np.abs(free).max() > 10


def test_the_counts_are_left_alone():
    counts = COUNTS.copy()
    release(counts, noisy(POINTS[0]), seed=3, repeat=0)
    np.testing.assert_array_equal(counts, COUNTS)


@each_point
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.7])
def test_the_noise_has_the_scale_given(point, scale):
    """Kolmogorov's test on 10,000 cells: each of the nine fails a right scale with 1e-9.

    Counts of 1,000 reach no bound, and beside a cell of 10^12 rescaling moves them by less than
    1e-5, so what was added to them is the noise.
    """
    counts = np.append(np.full(10_000, 1000), 10**12)
    noise = (release(counts, noisy(point, scale), seed=2016, repeat=1) - counts)[:-1]
    assert kstest(noise, gennorm(point.order, scale=scale).cdf).pvalue > 1e-9
    for wrong in (1.3, 1 / 1.3):
        assert kstest(noise, gennorm(point.order, scale=wrong * scale).cdf).pvalue < 1e-9
