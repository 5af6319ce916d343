"""Samplers against distribution functions: GG noise, bounded and exponential mechanisms.

Each comparison is made at level 1e-6, with a fixed seed, therefore a test that passes always
passes. Over random seeds, correct samplers fail at least one of the 18 comparisons with probability
1.8e-5. A scale that is off by 30 % must be rejected.
"""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, gennorm, kstest

from ggexp import GeneralizedGaussian
from ggexp.mechanisms.bounded import Inflated, Truncated
from ggexp.mechanisms.selection import choose, probabilities

FALSE_ALARM = 1e-6
DRAWS = 20_000


LOW, HIGH = 0.0, 5.0
#: The order, and the value to which noise is added that is truncated at LOW and HIGH, if it is.
CASES = [*((order, None) for order in (1, 1.25, 2, 3, 10)), (1, 0.0), (1.5, 1.5), (10, 1.5)]


@pytest.mark.parametrize(("order", "value"), CASES)
def test_draws_follow_gennorm_and_a_wrong_scale_is_seen(order, value):
    expected = gennorm(order, loc=value or 0, scale=1.5)
    low, high = (0, 1) if value is None else expected.cdf([LOW, HIGH])

    def p_value(scale):
        rng = np.random.default_rng(9)
        if value is None:
            drawn = GeneralizedGaussian(order, scale).sample(rng, DRAWS)
        else:
            drawn = Truncated(order, scale, LOW, HIGH).release([value] * DRAWS, rng)
        return kstest(drawn, lambda x: (expected.cdf(x) - low) / (high - low)).pvalue

    assert p_value(1.5) > FALSE_ALARM
    assert p_value(1.3 * 1.5) < FALSE_ALARM
    assert p_value(1.5 / 1.3) < FALSE_ALARM


@pytest.mark.parametrize("order", [1, 2, 3])
def test_draws_are_independent_of_their_neighbours(order):
    """Successive draws, and their sizes, have a correlation within 5 standard errors of 0.

    Each of the six comparisons has a false alarm with probability 6e-7.
    """
    x = GeneralizedGaussian(order).sample(np.random.default_rng(8), 100_001)
    for y in (x, np.abs(x)):
        assert abs(np.corrcoef(y[1:], y[:-1])[0, 1]) < 5 / np.sqrt(100_000)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_inflated(order):
    value, scale = 1.0, 4.0
    noise = gennorm(order, loc=value, scale=scale)

    def p_values(sampled_scale):
        rng = np.random.default_rng(10)
        drawn = Inflated(order, sampled_scale, LOW, HIGH).release([value] * DRAWS, rng)
        inside = drawn[(drawn > LOW) & (drawn < HIGH)]
        low, high = noise.cdf(LOW), noise.sf(HIGH)
        return [
            binomtest(int((drawn == LOW).sum()), DRAWS, low).pvalue,
            binomtest(int((drawn == HIGH).sum()), DRAWS, high).pvalue,
            kstest(inside, lambda x: (noise.cdf(x) - low) / (1 - low - high)).pvalue,
        ]

    assert min(p_values(scale)) > FALSE_ALARM
    assert min(p_values(1.3 * scale)) < FALSE_ALARM


def test_choose():
    utilities = [0, 1, 2, 5, 5.5]
    drawn = choose(utilities, np.random.default_rng(12), epsilon=1, sensitivity=1, size=DRAWS)
    counts = np.bincount(drawn, minlength=5)
    expected = DRAWS * probabilities(utilities, epsilon=1, sensitivity=1)
    assert chisquare(counts, expected).pvalue > FALSE_ALARM
    wrong = DRAWS * probabilities(utilities, epsilon=1.3, sensitivity=1)
    assert chisquare(counts, wrong).pvalue < FALSE_ALARM
