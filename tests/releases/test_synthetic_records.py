"""Synthetic records: rounding, random draws, the bias of clamping, and the records."""

from functools import partial
from math import exp

import numpy as np
import pandas as pd
import pytest

from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases import records
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.simulate import release

POINT = GridPoint("made-up", "laplace", 1, "pure", 0.5, None)
COUNTS = np.array([0, 1, 2, 5, 30, 0, 12])
N = int(COUNTS.sum())


def make(method, repeat=0, seed=1, scale=2.0, counts=COUNTS, point=POINT):
    noisy = NoisyPoint(point, GeneralizedGaussian(point.order, scale))
    kind = records.Records(counts.size, method)
    return kind.release(counts, noisy, seed=seed, repeat=repeat).counts


@pytest.mark.parametrize(
    ("counts", "n", "expected"),
    [
        ([2.5, 0.2, 1.4, 0.9], 5, [3, 0, 1, 1]),
        ([0.5] * 4, 2, [1, 1, 0, 0]),  # of equal remainders, the first receives the record
        ([0, 0], 0, [0, 0]),
    ],
)
def test_largest_remainders_by_hand(counts, n, expected):
    assert records.largest_remainder(np.array(counts), n).tolist() == expected


def test_a_multinomial_count_has_the_mean_and_variance_of_its_share():
    """6000 draws: each of 8 statistics is off by 5 standard errors with probability 6e-7."""
    counts, draws = np.array([10.0, 6.0, 3.5, 0.5]), 6000
    draw = partial(records.draw_records, counts, 20, "made-up", seed=4)
    drawn = np.array([draw(repeat=repeat) for repeat in range(draws)])
    assert (drawn.sum(axis=1) == 20).all()
    variance = counts * (1 - counts / 20)
    deviations = (drawn.mean(axis=0) - counts) / np.sqrt(variance / draws)
    assert np.abs(deviations).max() < 5
    squares = (drawn - counts) ** 2
    error = squares.std(axis=0) / np.sqrt(draws)
    assert (np.abs(squares.mean(axis=0) - variance) < 5 * error).all()
    # not the variance of independent Poisson counts
    assert (np.abs(squares.mean(axis=0) - counts) > 5 * error)[0]


def test_an_unknown_method_is_refused_before_records_are_made():
    with pytest.raises(ValueError, match=r"method must be one of largest-.* got 'poisson'"):
        records.Records(4, "poisson")


@pytest.mark.parametrize("method", records.METHODS)
def test_methods_share_the_noise_of_the_release(method):
    noise = GeneralizedGaussian(1, 2.0)
    for repeat in range(100):
        released = release(COUNTS, NoisyPoint(POINT, noise), seed=1, repeat=repeat)
        made = make(method, repeat)
        assert made.dtype == np.int64
        assert (made >= 0).all()
        if method == "largest-remainder":
            assert made.sum() == N
            assert np.abs(made - released).max() < 1
        elif method == "multinomial":
            assert made.sum() == N
            assert (made[released == 0] == 0).all()
        else:
            noisy = COUNTS + noise.sample(POINT.stream(1, repeat), COUNTS.size)
            np.testing.assert_array_equal(made, np.floor(np.clip(noisy, 0, None) + 0.5))


@pytest.mark.parametrize(("count", "scale"), [(0, 0.5), (1, 2), (7, 4)])
def test_what_clamping_adds_with_laplace_noise(count, scale):
    """At count 1 and scale 2 it is e^(-1/2) = 0.6065 (CS208, section 5.2)."""
    real = scale / 2 * exp(-count / scale)
    rounded = exp(-(count + 0.5) / scale) / (1 - exp(-1 / scale)) / 2
    bias = partial(records.clamping_bias, count, GeneralizedGaussian(1, scale))
    assert bias(rounded=False) == pytest.approx(real, rel=1e-9)
    assert bias(rounded=True) == pytest.approx(rounded, rel=1e-12)


@pytest.mark.parametrize("order", [1, 3])
def test_records_of_counts_gain_what_is_computed(order):
    """4000 repeats of 7 counts: each is off by 5 standard errors with probability 6e-7."""
    point = GridPoint("made-up", "own", order, "pdp", 0.5, 0.05)
    made = np.array([make("counts", k, point=point, scale=3.0) for k in range(4000)])
    error = made.std(axis=0) / np.sqrt(len(made))

    def deviations(scale):
        noise = GeneralizedGaussian(order, scale)
        expected = [records.clamping_bias(int(s), noise, rounded=True) for s in COUNTS]
        return np.abs(made.mean(axis=0) - COUNTS - expected) / error

    assert deviations(3.0).max() < 5
    assert deviations(2.1).max() > 5  # a scale that is 30 % too small is noticed


def test_each_cell_is_listed_once_for_each_record():
    cells = pd.DataFrame({"age": [1.5, 2.5, 9.0], "sex": ["f", "m", "f"], "count": [3, 4, 5]})
    listed = records.list_records(cells, np.array([2, 0, 1]))
    expected = pd.DataFrame({"age": [1.5, 1.5, 9.0], "sex": ["f", "f", "f"]})
    pd.testing.assert_frame_equal(listed, expected)
    assert list(records.list_records(cells, np.zeros(3, dtype=int))) == ["age", "sex"]
