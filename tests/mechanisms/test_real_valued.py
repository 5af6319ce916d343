"""Noise that is defined by formulas: what the base class derives, against other derivations."""

import re
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, pi, sqrt
from typing import ClassVar

import numpy as np
import pytest
from conftest import ROOT
from scipy.integrate import quad
from scipy.special import erf
from scipy.stats import kstest

from ggexp.guarantees.composition import Composition
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import delta_of
from ggexp.mechanisms.real_losses import MonotoneLoss
from ggexp.mechanisms.real_valued import RealValuedNoise
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace


def bisected(function, low, high):
    """The arguments at which an increasing function is 0, between arrays low and high."""
    for _ in range(80):
        middle = (low + high) / 2
        is_low = function(middle) < 0
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Huber(RealValuedNoise):
    """Normal in the middle and Laplace beyond u = 1: a kink, and atoms at the losses ±h."""

    family: ClassVar[str] = "Huber"
    kinks: ClassVar[tuple[float, ...]] = (1.0,)
    has_atoms: ClassVar[bool] = True
    scale: float

    @property
    def norm(self):
        return sqrt(2 * pi) * erf(sqrt(1 / 2)) + 2 * exp(-1 / 2)

    def log_densities(self, u):
        size = np.abs(u)
        return np.where(size < 1, -(size**2), 1 - 2 * size) / 2

    def tails(self, u):
        size = np.abs(u)
        erfs = erf(np.minimum(size, 1) / sqrt(2))
        inside = sqrt(pi / 2) * (erf(sqrt(1 / 2)) - erfs) + exp(-1 / 2)
        upper = np.where(size < 1, inside, np.exp(0.5 - size)) / self.norm
        return np.where(u < 0, 1 - upper, upper)

    def points(self, tails):
        zeros = np.zeros_like(tails)
        return bisected(lambda u: tails - self.tails(u), zeros - 40.0, zeros + 800)

    def noise_at(self, losses, h):
        def excess(u):
            return self.log_densities(u) - self.log_densities(u + h) - losses

        return bisected(excess, np.zeros_like(losses) - 1 - h, np.ones_like(losses))

    def largest_loss(self, h):
        return h


def of_page():
    """The class of docs/extending.md, whose noise has no kinks and no atoms."""
    page = (ROOT / "docs/extending.md").read_text("utf-8")
    (block,) = re.findall(r"logistic\.py`, a new file\n\n```python\n(.*?)```", page, re.DOTALL)
    names = {"__name__": __name__}
    exec(block, names)
    return names["Logistic"]


Logistic = of_page()
NOISES = [Logistic(1.5), Huber(0.8), Huber(3.0)]


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("sensitivity", [0.3, 2.0])
def test_delta_tails_and_moments_by_quadrature(noise, sensitivity):
    h = sensitivity / noise.scale

    def integral(function):
        edges = sorted({-1 - h, -h, 1 - h, -1, 0, 1, *(-h / 2 + np.arange(-60, 61, 4))})
        parts = (quad(function, *ends, epsabs=1e-15, limit=200) for ends in pairwise(edges))
        return sum(part for part, _ in parts)

    def f(u):
        return exp(noise.log_densities(np.array(u))) / noise.norm

    assert integral(f) == pytest.approx(1, rel=1e-12)
    assert noise.mean_absolute == pytest.approx(noise.scale * integral(lambda u: abs(u) * f(u)))
    assert noise.sd == pytest.approx(noise.scale * sqrt(integral(lambda u: u * u * f(u))))
    for epsilon in (0.0, 0.4 * h, 0.9 * h):
        ratio = exp(epsilon)
        by_parts = integral(lambda u, ratio=ratio: max(0.0, f(u) - ratio * f(u + h)))
        delta = noise.delta(epsilon=epsilon, sensitivity=sensitivity)
        assert delta == pytest.approx(by_parts, rel=1e-7)
        u = float(noise.noise_at(np.array(epsilon), h))
        tails = [noise.upper_tail(noise.scale * x) for x in (u, u + h)]
        assert delta == pytest.approx(tails[0] - ratio * tails[1], rel=1e-11)
    assert noise.delta(epsilon=h, sensitivity=sensitivity) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_compositions_enclose_the_delta_of_one_and_of_two_cells(noise):
    for share in (0.1, 0.4, 0.8):
        for cells in (1, 2):
            epsilon = share / noise.scale
            delta = delta_of(noise, epsilon=epsilon, cells=cells)
            low, high = Composition([(noise, cells)]).delta(epsilon=epsilon)
            assert delta > 0
            assert low - 1e-11 * delta <= delta <= high + 1e-11 * delta
            assert high <= low * (1 + 2e-6)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_draws_have_the_distribution(noise):
    """Each Kolmogorov test has level 1e-6, and detects a scale that is 30 % larger."""
    threshold, tails = 1.2, np.vectorize(noise.upper_tail)
    draws = noise.sample(np.random.default_rng(3), 5000)
    above = noise.sample_above(threshold, np.random.default_rng(3), 5000)
    assert above.min() >= threshold

    def p_values(factor):
        outside = tails(threshold / factor)
        yield kstest(draws, lambda x: 1 - tails(x / factor)).pvalue
        yield kstest(above, lambda x: 1 - tails(x / factor) / outside).pvalue

    assert min(p_values(1)) > 1e-6
    assert max(p_values(1.3)) < 1e-6
    assert noise.upper_tail(noise.upper_point(0.01)) == pytest.approx(0.01, rel=1e-12)


DERIVED = [
    *(GeneralizedGaussian(order, 0.7) for order in (1.2, 2, 3, 10)),
    TruncatedLaplace(0.7, inf),
    TruncatedLaplace(0.7, 2.0),
    TruncatedLaplace(0.7, 0.6),
]


@pytest.mark.parametrize("noise", DERIVED, ids=repr)
def test_derived_numbers_agree_with_closed_forms(noise):
    closed, derived = noise.loss(), MonotoneLoss(noise, 1.0)
    for epsilon in (0.2, 1.0, 1.3):
        assert derived.delta(epsilon) == pytest.approx(closed.delta(epsilon), rel=1e-11)
        assert derived.pdp_delta(epsilon) == pytest.approx(closed.pdp_delta(epsilon), rel=1e-11)
        if not isinstance(noise, GeneralizedGaussian):  # the weights of nodes in the noise
            x = np.array([-1.1, 0.3, epsilon])
            for kinks in (np.zeros(0), x):
                sums = [[w.sum() for w in loss.quadrature(kinks)[1:]] for loss in (closed, derived)]
                np.testing.assert_allclose(sums[0], sums[1], rtol=1e-12)
    edges = np.array([-0.8, -0.1, 0.2, 0.5])
    between = RealValuedNoise.probabilities(noise, edges)
    np.testing.assert_allclose(between, noise.probabilities(edges), rtol=1e-13)
    for tail in (0.999, 0.5, 1e-12):
        assert noise.tails(noise.points(np.array(tail))) == pytest.approx(tail, rel=1e-12)
    moments = [RealValuedNoise.sd.fget(noise), RealValuedNoise.mean_absolute.fget(noise)]
    assert moments == pytest.approx([noise.sd, noise.mean_absolute], rel=1e-9)


def test_a_family_without_a_formula_is_refused():
    @dataclass(frozen=True)
    class Incomplete(RealValuedNoise):
        family: ClassVar[str] = "incomplete"
        scale: float

    with pytest.raises(TypeError, match="noise_at"):
        Incomplete(1.0)
