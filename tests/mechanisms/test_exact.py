"""Draws from random bits: their exact probabilities, and that they agree with the others."""

from fractions import Fraction

import numpy as np
import pytest
from test_whole_noise import FAMILIES, chi_square, probabilities

from ggexp.mechanisms import exact
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.exact import ExactSampler, bounds_of


@pytest.mark.parametrize("noise", FAMILIES, ids=str)
def test_bounds_enclose_the_probabilities(noise):
    """Of 64 bits those of double precision, and of 200 bits those of 64."""
    few, many = bounds_of(noise, 64), bounds_of(noise, 200)
    middle = 400
    p = probabilities(noise)
    cdf = np.cumsum([p[middle], *2 * p[middle + 1 :]])
    low = np.array([one / 2**64 for one in few.low])
    assert low == pytest.approx(cdf[: low.size], abs=1e-13)
    for narrow, wide in zip(zip(*many, strict=True), zip(*few, strict=True), strict=False):
        assert wide[0] << 136 <= narrow[0] <= narrow[1] <= wide[1] << 136
        assert narrow[1] - narrow[0] <= 2
        assert wide[1] - wide[0] <= 2


@pytest.mark.parametrize(
    "noise", [Canonical(0.5, 0.1), DiscreteGeneralizedGaussian(2.5, 1.2)], ids=str
)
def test_a_walk_through_all_bits(noise, monkeypatch):
    """Words of 4 bits decide all but 2^-40; each value gets its probability."""
    monkeypatch.setattr(exact, "WORD", 4)
    found: dict[int, Fraction] = {}
    open_ = {0: 1}  # prefixes that do not decide yet
    bits = 0
    while Fraction(len(open_), 2**bits) > Fraction(1, 2**40):
        bits += 4
        bounds = bounds_of(noise, bits)
        left = {}
        for prefix in open_:
            for drawn in range(prefix << 4, (prefix + 1) << 4):
                k = bounds.decided(drawn)
                if k is None:
                    left[drawn] = 1
                else:
                    found[k] = found.get(k, Fraction(0)) + Fraction(1, 2**bits)
        open_ = left
    p = probabilities(noise)[400:]
    for k, probability in found.items():
        assert float(probability) == pytest.approx(p[k] * (2 if k else 1), abs=1e-11)
    assert sum(found.values()) >= 1 - Fraction(1, 2**40)


@pytest.mark.parametrize("noise", FAMILIES, ids=str)
@pytest.mark.parametrize("word", [64, 3])
def test_draws_have_the_distribution(noise, word, monkeypatch):
    """With few bits at a time nearly all draws are refined; a χ² test as in test_whole_noise."""
    rng = np.random.default_rng(5)
    sampler = ExactSampler(noise, rng.bytes)
    if word == 64:
        draws = sampler.sample(100_000)
    else:
        monkeypatch.setattr(exact, "WORD", 8)
        draws = np.array(
            [s * sampler._refined(int(rng.integers(256))) for s in rng.choice((-1, 1), 5000)]
        )
    assert chi_square(noise, draws) > 1e-6


def test_the_operating_systems_bits():
    draws = ExactSampler(Canonical(0.5, 0.1)).sample(1000)
    assert draws.dtype == np.int64
    assert 0 < abs(draws).mean() < 2
    assert (draws != ExactSampler(Canonical(0.5, 0.1)).sample(1000)).any()
