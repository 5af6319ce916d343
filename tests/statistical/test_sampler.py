"""The sampler against scipy's distribution function.

Each order has a Kolmogorov–Smirnov test at level 1e-6: over random seeds, a correct sampler fails
at least one of the five with probability 5e-6. The seed is fixed, therefore a test that passes
always passes. Each test must also reject a scale that is off by 30 %.
"""

import numpy as np
import pytest
from scipy.stats import gennorm, kstest

from ggexp import GeneralizedGaussian

FALSE_ALARM = 1e-6
DRAWS = 20_000


def p_value(noise, scale):
    draws = noise.sample(np.random.default_rng(20160817), DRAWS)
    return kstest(draws, gennorm(noise.order, scale=scale).cdf).pvalue


@pytest.mark.parametrize("order", [1, 1.25, 2, 3, 10])
def test_draws_follow_gennorm_and_a_wrong_scale_is_seen(order):
    noise = GeneralizedGaussian(order, 2.5)
    assert p_value(noise, 2.5) > FALSE_ALARM
    assert p_value(noise, 1.3 * 2.5) < FALSE_ALARM
    assert p_value(noise, 2.5 / 1.3) < FALSE_ALARM


@pytest.mark.parametrize("order", [1, 2, 3])
def test_draws_are_independent_of_their_neighbours(order):
    """Successive draws, and their sizes, have a correlation within 5 standard errors of 0.

    Each of the six comparisons has a false alarm with probability 6e-7.
    """
    x = GeneralizedGaussian(order).sample(np.random.default_rng(8), 100_001)
    for y in (x, np.abs(x)):
        assert abs(np.corrcoef(y[1:], y[:-1])[0, 1]) < 5 / np.sqrt(100_000)
