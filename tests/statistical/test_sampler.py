"""The sampler against scipy's distribution function.

A Kolmogorov–Smirnov test at level 1e-6 per order: a right sampler fails one of the seven with
probability 7e-6 over the seeds. The seed is fixed, so a pass stays a pass. Each test must also
reject a scale that is off by 30 %.
"""

import numpy as np
import pytest
from scipy.stats import gennorm, kstest

from ggexp import GeneralizedGaussian

FALSE_ALARM = 1e-6
DRAWS = 20_000


def p_value(noise, order, scale, location):
    draws = noise.sample(np.random.default_rng(20160817), DRAWS)
    return kstest(draws, gennorm(order, loc=location, scale=scale).cdf).pvalue


@pytest.mark.parametrize("order", [1, 1.25, 1.5, 2, 3, 4, 10])
def test_draws_follow_gennorm_and_a_wrong_scale_is_seen(order):
    scale, location = 2.5, -1.0
    noise = GeneralizedGaussian(order, scale, location)
    assert p_value(noise, order, scale, location) > FALSE_ALARM
    assert p_value(noise, order, 1.3 * scale, location) < FALSE_ALARM
    assert p_value(noise, order, scale / 1.3, location) < FALSE_ALARM


@pytest.mark.parametrize("order", [1, 2, 3])
def test_draws_are_independent_of_their_neighbours(order):
    """The correlation of size and sign of successive draws is within 5 of its standard errors.

    False alarm 6e-7 for each of the six.
    """
    x = GeneralizedGaussian(order).sample(np.random.default_rng(8), 100_001)
    for y in (x, np.abs(x)):
        assert abs(np.corrcoef(y[1:], y[:-1])[0, 1]) < 5 / np.sqrt(100_000)
