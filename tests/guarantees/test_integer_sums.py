"""Sums of whole numbers, against recurrences and convolutions with only positive terms."""

import numpy as np
import pytest

from ggexp.guarantees import integer_sums
from ggexp.guarantees.integer_sums import IntegerSum
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.optimal_integer import Canonical, Geometric


def convolved(tails, terms):
    """Pr(sum > t) for t = 0, 1, …, by products of polynomials with positive coefficients."""
    power = -np.diff(tails, prepend=1.0)
    result = np.ones(1)
    while terms:
        if terms % 2:
            result = np.convolve(result, power)
        terms //= 2
        if terms:
            power = np.convolve(power, power)
    return np.append(np.cumsum(result[:0:-1])[::-1], 0.0)


@pytest.mark.parametrize(
    "noise",
    [
        Canonical(1.0, 0.01),
        Canonical(0.1, 0.25),
        Canonical(1e-300, 0.2),
        Canonical(0.05, 1e-6),
        DiscreteGeneralizedGaussian(2, 3.0),
        DiscreteGeneralizedGaussian(4, 0.3),
    ],
    ids=str,
)
@pytest.mark.parametrize("terms", [1, 2, 37])
def test_other_noise(noise, terms):
    tails = 2 * noise.tails[: int(np.argmax(noise.tails < 1e-16)) + 1]
    tails[-1] = 0
    expected = convolved(tails, terms)
    integer_sum = IntegerSum(2 * noise.tails, terms)
    points = np.unique(np.linspace(0, expected.size - 1, 50).astype(int))
    assert [integer_sum.tail(t) for t in points] == pytest.approx(expected[points], abs=1e-11)
    assert integer_sum.mean == pytest.approx(expected.sum(), abs=1e-9)
    for odds in (0.95, 0.5, 0.1, 0.01):
        assert integer_sum.upper_point(odds) == np.argmax(expected <= odds)


@pytest.mark.parametrize(("epsilon", "terms"), [(0.5, 64), (0.05, 3000), (1, 10**6)])
def test_single_frequencies_agree_with_a_transform(monkeypatch, epsilon, terms):
    by_transform = IntegerSum(2 * Geometric(1 / epsilon).tails, terms)
    points = [by_transform.upper_point(odds) for odds in (0.999, 0.95, 0.5, 0.05, 0.01, 1e-6)]
    expected = [by_transform.tail(t) for t in points]
    monkeypatch.setattr(integer_sums, "SMALL_WINDOW", 1)
    monkeypatch.delattr(np.fft, "rfft")
    by_frequencies = IntegerSum(by_transform.tails, terms)
    assert [by_frequencies.tail(t) for t in points] == pytest.approx(expected, abs=1e-12)


def test_a_large_rounding_error_is_rejected(monkeypatch):
    monkeypatch.setattr(integer_sums, "ROUNDING", 1e-9)
    with pytest.raises(ValueError, match=r"1,000 terms .*error .*1e-09"):
        IntegerSum(2 * Geometric(1.0).tails, 1000).tail(800)
