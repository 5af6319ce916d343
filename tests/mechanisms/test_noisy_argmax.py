"""The largest noisy count: its probabilities from closed forms, mpmath and simulation."""

from math import erfc, exp

import numpy as np
import pytest

from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.selection import noisy_argmax, wrong_probability


@pytest.mark.parametrize("gap", [0.5, 12, 200])
def test_two_counts(gap):
    """The difference of two Laplace draws exceeds g with probability ½ e^(-g/b) (1 + g/(2b)).

    The difference of two normal draws is normal: the probability is Φ(-g / (σ√2)).
    """
    x = gap / 2.5
    wrong = wrong_probability([0, gap], GeneralizedGaussian(1, 2.5))
    assert wrong == pytest.approx(exp(-x) * (1 + x / 2) / 2, rel=1e-7, abs=0)
    if gap < 100:
        wrong = wrong_probability([gap, 0], GeneralizedGaussian(2, 2.5 * 2**0.5))
        assert wrong == pytest.approx(erfc(x / 2) / 2, rel=1e-7, abs=0)


@pytest.mark.parametrize("order", [1, 3])
def test_the_probability_is_the_frequency_of_draws(order):
    """The difference exceeds 5 standard errors with probability 6e-7, and at each wrong scale."""
    counts, noise, draws = [10, 8, 8, 5, 0, 0, 0], GeneralizedGaussian(order, 3.0), 100_000
    indices = noisy_argmax(counts, noise, np.random.default_rng(order), size=draws)
    assert indices.shape == (draws,)

    def standard_errors(scale):
        wrong = wrong_probability(counts, GeneralizedGaussian(order, scale))
        return abs((indices != 0).mean() - wrong) / (wrong * (1 - wrong) / draws) ** 0.5

    assert standard_errors(3.0) < 5
    assert standard_errors(2.7) > 5
    assert standard_errors(3.3) > 5


@pytest.mark.parametrize("counts", [[], [[1, 2]], [1, np.nan]])
def test_bad_counts(counts):
    with pytest.raises(ValueError, match="counts must be"):
        wrong_probability(counts, GeneralizedGaussian(1))
    with pytest.raises(ValueError, match="counts must be"):
        noisy_argmax(counts, GeneralizedGaussian(1), np.random.default_rng(0), size=1)
