"""The GG distribution against scipy's gennorm and closed forms."""

from math import gamma

import numpy as np
import pytest
from scipy.stats import gennorm

from ggexp import GeneralizedGaussian


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, 4, 10])
@pytest.mark.parametrize("scale", [0.2, 1.0, 7.5])
def test_sd_is_gennorms(order, scale):
    assert GeneralizedGaussian(order, scale).sd == pytest.approx(
        gennorm.std(order, scale=scale), rel=1e-12
    )


@pytest.mark.parametrize(
    ("order", "variance"),
    [(1, 2 * 3**2), (2, 3**2 / 2), (1e6, 3**2 / 3)],
    ids=["Laplace: 2b²", "normal: b²/2", "p → ∞, uniform(-b, b): b²/3"],
)
def test_variance_of_known_members(order, variance):
    assert GeneralizedGaussian(order, 3).sd ** 2 == pytest.approx(variance, rel=1e-5)


def test_scipy_is_the_density_of_the_paper():
    order, b, location, x = 3.0, 2.0, 0.7, np.linspace(-5, 5, 11)
    density = order / (2 * b * gamma(1 / order)) * np.exp(-((np.abs(x - location) / b) ** order))
    np.testing.assert_allclose(GeneralizedGaussian(order, b, location).scipy.pdf(x), density)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_samples_are_reproducible_and_depend_linearly_on_location_and_scale(order):
    def draw(noise):
        return noise.sample(np.random.default_rng(5), 100)

    standard = draw(GeneralizedGaussian(order))
    assert standard.shape == (100,)
    assert standard.dtype == np.float64
    np.testing.assert_array_equal(standard, draw(GeneralizedGaussian(order)))
    np.testing.assert_allclose(draw(GeneralizedGaussian(order, 3.0)), 3 * standard)
    np.testing.assert_allclose(draw(GeneralizedGaussian(order, 3.0, 2.0)), 3 * standard + 2)


def test_empty_samples():
    for order in (1, 2, 3):
        assert GeneralizedGaussian(order).sample(np.random.default_rng(0), 0).shape == (0,)


def test_a_location_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match=r"location.* finite.* got nan"):
        GeneralizedGaussian(2, 1, float("nan"))
