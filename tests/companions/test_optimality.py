"""Certificates of optimal integer-valued noise, in rational arithmetic and by a linear program."""

from fractions import Fraction
from math import exp, nextafter

import numpy as np
import pytest
from scipy.optimize import linprog

from ggexp.companions import least_integer
from ggexp.companions.least_integer import certify_adp, mean_absolute, variance
from ggexp.mechanisms.optimal_integer import Canonical

POINTS = [(e, d) for e in (0.5, 1, 2) for d in (0.01, 0.05, 0.1, 0.25)]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_the_papers_points(epsilon, delta):
    """At the largest double that is at most e^ε: the guarantee is not weaker than (ε, δ)."""
    r = exp(epsilon)
    exact = Fraction(epsilon).limit_denominator(10)
    # e^ε from its series, whose remainder after 40 terms is below 1e-30
    series, term = Fraction(1), Fraction(1)
    for n in range(1, 40):
        term *= exact / n
        series += term
    while Fraction(r) > series:
        r = nextafter(r, 0)
    assert Fraction(nextafter(r, 9)) > series
    noise = Canonical(epsilon, delta)
    for weight, value in ((mean_absolute, noise.mean_absolute), (variance, noise.sd**2)):
        certificate = certify_adp(Fraction(r), Fraction(delta), weight)
        assert certificate.cost == certificate.bound
        assert float(certificate.cost) == pytest.approx(value, rel=1e-12)


def test_random_points():
    rng = np.random.default_rng(20261123)
    for _ in range(1000):
        a, b = sorted(int(x) for x in rng.choice(np.arange(1, 101), 2, replace=False))
        delta = Fraction(int(rng.integers(1, 1000)), 1000)
        for weight in (mean_absolute, variance):
            certificate = certify_adp(Fraction(b, a), delta, weight)
            assert certificate.cost == certificate.bound > 0


def test_a_linear_program_has_the_same_minimum():
    """The minimum is over all noise on -40, …, 40, including asymmetric noise."""
    k = np.arange(-40, 41)
    n = k.size
    for epsilon, delta in ((0.5, 0.1), (2, 0.05)):
        # the variables: p_k, and the excesses of p_k over e^ε p_(k-1) and over e^ε p_(k+1)
        shift = np.eye(n + 1, n) - exp(epsilon) * np.eye(n + 1, n, -1)
        opposite = shift[::-1, ::-1]
        excess = np.eye(n + 1)
        zero = np.zeros((n + 1, n + 1))
        upper = np.vstack([np.hstack([shift, -excess, zero]), np.hstack([opposite, zero, -excess])])
        sums = np.zeros((2, n + 2 * (n + 1)))
        sums[0, n : 2 * n + 1] = sums[1, 2 * n + 1 :] = 1
        total = np.concatenate([np.ones(n), np.zeros(2 * n + 2)])[None]
        for power, weight in ((1, mean_absolute), (2, variance)):
            result = linprog(
                np.concatenate([abs(k) ** power, np.zeros(2 * n + 2)]),
                A_ub=np.vstack([upper, sums]),
                b_ub=np.concatenate([np.zeros(2 * n + 2), [delta, delta]]),
                A_eq=total,
                b_eq=[1],
            )
            bound = certify_adp(Fraction(exp(epsilon)), Fraction(delta), weight).bound
            assert result.fun == pytest.approx(float(bound), rel=1e-7)


def test_suboptimal_tails_are_rejected(monkeypatch):
    tails = least_integer.canonical_tails
    monkeypatch.setattr(
        least_integer, "canonical_tails", lambda r, d: [tail * 99 / 100 for tail in tails(r, d)]
    )
    with pytest.raises(ValueError, match="different delta"):
        certify_adp(Fraction(2), Fraction(1, 10), mean_absolute)
