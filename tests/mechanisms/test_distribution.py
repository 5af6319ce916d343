"""The GG distribution against scipy's gennorm and closed forms."""

from math import gamma

import numpy as np
import pytest
from scipy.stats import gennorm

from ggexp import GeneralizedGaussian


@pytest.mark.parametrize(
    ("order", "variance"),
    [(1, 2 * 3**2), (2, 3**2 / 2), (1e6, 3**2 / 3), (1.5, gennorm.var(1.5, scale=3))],
    ids=["Laplace: 2b²", "normal: b²/2", "p → ∞, uniform(-b, b): b²/3", "1.5, by scipy"],
)
def test_variance_of_known_members(order, variance):
    assert GeneralizedGaussian(order, 3).sd ** 2 == pytest.approx(variance, rel=1e-5)


def test_scipy_is_the_density_of_the_paper():
    order, b, x = 3.0, 2.0, np.linspace(-5, 5, 11)
    density = order / (2 * b * gamma(1 / order)) * np.exp(-((np.abs(x) / b) ** order))
    np.testing.assert_allclose(GeneralizedGaussian(order, b).scipy.pdf(x), density)
