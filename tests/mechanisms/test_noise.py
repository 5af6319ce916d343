"""What every family of noise can do, against quadrature, and what one that lacks it says."""

import json
from dataclasses import dataclass
from math import exp, expm1, log, pi, sqrt
from typing import ClassVar

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gennorm, kstest

from ggexp.mechanisms import calibration, noise
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

NOISES = [
    *(GeneralizedGaussian(order, 2.5) for order in (1, 1.5, 2, 3)),
    TruncatedLaplace(2.0, 7.0),
    TruncatedLaplace(0.4, 0.6),
]
each_noise = pytest.mark.parametrize("made", NOISES, ids=repr)


@dataclass(frozen=True)
class Logistic(Noise):
    """A family with a sampler and an exact δ of approximate DP alone."""

    family: ClassVar[str] = "logistic"
    scale: float

    @property
    def sd(self):
        return self.scale * pi / sqrt(3)

    def sample(self, rng, size):
        return rng.logistic(0, self.scale, size)

    def delta(self, *, epsilon, sensitivity=1.0):
        h = sensitivity / self.scale
        return expm1(min(0, (epsilon - h) / 2)) ** 2 / -expm1(-h)


@each_noise
def test_noise_goes_through_parameters_of_numbers_and_texts(made):
    assert noise.from_parameters(json.loads(json.dumps(made.parameters()))) == made
    assert noise.module_of(made.parameters()) == type(made).__module__


@each_noise
def test_tails_and_mean_absolute_by_quadrature(made):
    bound = getattr(made, "bound", 150.0)

    def density(x):
        if abs(x) > bound:
            return 0.0
        weight = 1 - 2 * gennorm.sf(bound, made.order, scale=made.scale)
        return gennorm.pdf(x, made.order, scale=made.scale) / weight

    def integral(function, low, high):
        return quad(function, low, high, epsabs=1e-14, epsrel=1e-12, limit=200)[0]

    absolute = 2 * integral(lambda x: x * density(x), 0, bound)
    assert made.mean_absolute == pytest.approx(absolute, rel=1e-9)
    for x in (0.0, 0.3, 0.55, 3.0):
        tail = integral(density, min(x, bound), bound)
        assert made.upper_tail(x) == pytest.approx(tail, rel=1e-8, abs=1e-12)
        assert made.upper_tail(-x) == pytest.approx(1 - tail, rel=1e-8)
    for probability in (0.9, 0.5, 0.2, 1e-3):
        at = made.upper_point(probability)
        assert made.upper_tail(at) == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize("order", [1, 1.5, 2, 3])
@pytest.mark.parametrize("threshold", [0.0, 4.0])
def test_draws_above_a_threshold_are_those_of_the_noise(order, threshold):
    """Kolmogorov's test at 1e-6, each of eight; a scale that is off by 30 % is found out."""
    drawn = GeneralizedGaussian(order, 2.5).sample_above(
        threshold, np.random.default_rng(3), 20_000
    )

    def p_value(scale):
        law = gennorm(order, scale=scale)
        return kstest(drawn, lambda x: 1 - law.sf(x) / law.sf(threshold)).pvalue

    assert drawn.min() >= threshold
    assert p_value(2.5) > 1e-6
    assert p_value(1.3 * 2.5) < 1e-6


@pytest.mark.parametrize("made", [*NOISES, Logistic(1.5)], ids=repr)
@pytest.mark.parametrize("sensitivity", [0.5, 1.0])
def test_the_smallest_epsilon_of_a_delta(made, sensitivity):
    for epsilon in (0.0, 0.05, 0.15):
        at = {"sensitivity": sensitivity}
        delta = made.delta(epsilon=epsilon, **at)
        if 0 < delta < 1:
            found = made.epsilon(delta=delta, **at)
            assert found == pytest.approx(epsilon, rel=1e-6, abs=1e-7)


def test_truncated_laplace_noise_has_no_epsilon_below_its_infinite_loss():
    made = TruncatedLaplace(2.0, 3.0)
    infinite = made.delta(epsilon=50)
    assert made.epsilon(delta=infinite) == 0.5  # its largest loss that is finite
    with pytest.raises(ValueError, match="delta must be one that TruncatedLaplace"):
        made.epsilon(delta=0.99 * infinite)


def test_what_a_family_lacks_it_refuses_by_name():
    made = Logistic(2.0)
    calls = {
        "scipy": lambda: made.scipy,
        "mean_absolute": lambda: made.mean_absolute,
        "upper_tail": lambda: made.upper_tail(1.0),
        "upper_point": lambda: made.upper_point(0.1),
        "sample_above": lambda: made.sample_above(1.0, np.random.default_rng(1), 2),
        "pdp_delta": lambda: made.pdp_delta(epsilon=1),
        "delta": lambda: Noise.delta(made, epsilon=1),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=r"^logistic noise has no "):
            call()
        assert len(TruncatedLaplace.lacks(name)) == (name in ("scipy", "sample_above"))
        assert not GeneralizedGaussian.lacks(name)
    assert len(Logistic.lacks(*calls)) == len(calls) - 1
    assert made.delta(epsilon=0) == pytest.approx((1 - exp(-0.25)) / (1 + exp(-0.25)))


def test_cuts_of_an_audit_are_quantiles_up_to_the_bound():
    tails = [0.5, 0.3, 1e-4]
    for order in (1, 2, 3):
        cuts = GeneralizedGaussian(order, 2.0).cuts(tails)
        np.testing.assert_allclose(cuts, gennorm.isf(tails, order, scale=2), rtol=1e-12)
    cuts = TruncatedLaplace(2.0, 3.0).cuts(tails)
    np.testing.assert_allclose(cuts, [0, -2 * log(0.6), 3.0], rtol=1e-12)


@pytest.mark.parametrize("rule", calibration.RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_gives_noise_of_its_family(rule):
    order = 3 if rule.order == "any" else rule.order
    made = calibration.noise(rule.name, order=order, epsilon=0.5, delta=0.01)
    assert type(made) is rule.family
    if "scale" in made.numbers:
        assert calibration.scale(rule.name, order=order, epsilon=0.5, delta=0.01) == made.scale
