"""The methods of every family of noise, against quadrature, and the errors of missing methods."""

import json
from functools import partial

import numpy as np
import pytest
from formulas import density
from scipy.integrate import quad

from ggexp.mechanisms import calibration, noise
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

NOISES = [
    *(GeneralizedGaussian(order, 2.5) for order in (1, 1.5, 2, 3)),
    TruncatedLaplace(2.0, 7.0),
    TruncatedLaplace(0.4, 0.6),
]


@pytest.mark.parametrize("example", NOISES, ids=repr)
def test_tails_and_mean_absolute_by_quadrature(example):
    bound = getattr(example, "bound", 150.0)

    def integral(function, low, high):
        return quad(function, low, high, epsabs=1e-14, epsrel=1e-12, limit=200)[0]

    absolute = 2 * integral(lambda x: x * density(example, x), 0, bound)
    assert example.mean_absolute == pytest.approx(absolute, rel=1e-9)
    for x in (0.0, 0.3, 0.55, 3.0):
        tail = integral(partial(density, example), min(x, bound), bound)
        assert example.upper_tail(x) == pytest.approx(tail, rel=1e-8, abs=1e-12)
        assert example.upper_tail(-x) == pytest.approx(1 - tail, rel=1e-8)
    for probability in (0.9, 0.5, 0.2, 1e-3):
        x = example.upper_point(probability)
        assert example.upper_tail(x) == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize("example", NOISES, ids=repr)
@pytest.mark.parametrize("sensitivity", [0.5, 1.0])
def test_the_smallest_epsilon_of_a_delta(example, sensitivity):
    for epsilon in (0.0, 0.05, 0.15):
        delta = example.delta(epsilon=epsilon, sensitivity=sensitivity)
        smallest = example.epsilon(delta=delta, sensitivity=sensitivity)
        assert smallest == pytest.approx(epsilon, rel=1e-6, abs=1e-7)
    if isinstance(example, TruncatedLaplace):  # δ is the probability of an infinite loss
        infinite = example.delta(epsilon=50)
        assert example.epsilon(delta=infinite) == pytest.approx(1 / example.scale)
        with pytest.raises(ValueError, match="delta must be one that the noise reaches"):
            example.epsilon(delta=0.99 * infinite)


def test_missing_methods_raise_errors():
    example = TruncatedLaplace(2.0, 7.0)
    calls = {
        "scipy": lambda: example.scipy,
        "sample_above": lambda: example.sample_above(1.0, np.random.default_rng(1), 2),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=r"^truncated Laplace noise has no "):
            call()
        assert example.lacks(name)
        assert not GeneralizedGaussian.lacks(name)


@pytest.mark.parametrize("rule", calibration.RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_gives_noise_of_its_family_which_is_rebuilt_from_parameters_in_json(rule):
    order = 3 if rule.order == "any" else rule.order
    calibrated = calibration.calibrate(rule.name, order=order, epsilon=0.5, delta=0.01)
    assert type(calibrated) is rule.family
    parameters = json.loads(json.dumps(calibrated.parameters()))
    assert noise.from_parameters(parameters) == calibrated
    assert noise.module_of(parameters) == rule.family.__module__
