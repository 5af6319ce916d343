"""The smallest integer-valued noise: certificates in rational arithmetic, and linear programs.

For probabilistic DP, the noise is symmetric and the program a mixed-integer one.
"""

from fractions import Fraction
from math import exp, nextafter, sqrt

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linprog, milp

from ggexp.companions import least_integer
from ggexp.companions.least_integer import (
    bound,
    certify_adp,
    certify_pdp,
    mean_absolute,
    truncated_geometric,
    variance,
)
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.optimal_integer import Canonical

POINTS = [(e, d) for e in (0.5, 1, 2) for d in (0.01, 0.05, 0.1, 0.25)]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_the_papers_points_of_approximate_dp(epsilon, delta):
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
    for _ in range(200):
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


SDS = {  # at the paper's δ
    0.5: (2.409, 1.847, 1.551, 1.187),
    1: (1.241, 1.135, 0.952, 0.651),
    2: (0.593, 0.565, 0.565, 0.462),
}
PDP_POINTS = [
    (e, d, sd) for e in SDS for d, sd in zip((0.01, 0.05, 0.1, 0.25), SDS[e], strict=True)
]


def root_mean_square(epsilon, delta, end):
    """The smallest root mean square of noise on -end, …, end, by a mixed-integer program.

    The variables are p_k; z, whether the step into k, for k from -end to end + 1, is broken; and u
    and v, the contributions p_k and p_(k-1) of a broken step to δ in the two directions.
    """
    values = np.arange(-end, end + 1)
    n, steps, r = values.size, values.size + 1, exp(epsilon)
    after, before = np.eye(steps, n), np.eye(steps, n, -1)
    one, zero, none = np.eye(steps), np.zeros((steps, steps)), np.zeros((steps, n))
    matrix = np.block(
        [
            [after - r * before, -one, zero, zero],
            [before - r * after, -one, zero, zero],
            [after, one, -one, zero],
            [before, one, zero, -one],
            [none, zero, np.ones((steps, steps)), zero],
            [none, zero, zero, np.ones((steps, steps))],
        ]
    )
    most = np.repeat([0, 0, 1, 1, delta, delta], steps)
    of_p = np.vstack([np.ones(n), np.eye(n) - np.eye(n)[::-1]])  # the sum, and asymmetries
    exact = np.hstack([of_p, np.zeros((n + 1, 3 * steps))])
    target = np.arange(n + 1) == 0
    result = milp(
        np.concatenate([values**2, np.zeros(3 * steps)]),
        integrality=np.repeat([0, 1, 0], [n, steps, 2 * steps]),
        bounds=(0, 1),
        constraints=[LinearConstraint(matrix, -np.inf, most), (exact, target, target)],
        options={"mip_rel_gap": 1e-7},
    )
    return sqrt(result.fun)


@pytest.mark.parametrize(("epsilon", "delta", "sd"), PDP_POINTS)
def test_the_papers_points_of_probabilistic_dp(epsilon, delta, sd):
    r, d = Fraction(exp(epsilon)), Fraction(delta)
    for weight in (mean_absolute, variance):
        certificate = certify_pdp(r, d, weight)
        assert certificate.cost == certificate.bound
    assert sqrt(certificate.cost) == pytest.approx(sd, abs=5e-4)
    p = truncated_geometric(r, d)
    assert p[-1] <= d  # and truncation at one value less violates this
    assert 1 / (1 / p[-1] - 2) * r > d
    program = root_mean_square(epsilon, delta, 10)
    assert program == pytest.approx(sqrt(certificate.cost), rel=1e-6)


def test_the_bound_is_the_largest_over_all_levels():
    """By the formula in the module's docstring, on a grid of μ."""
    r, delta = Fraction(3, 2), Fraction(1, 20)
    for end in range(3):
        k = np.arange(60.0)
        size = np.where(k > 0, 2, 1) * float(r) ** np.where(k > end, k - end - 1, end - k)

        def value(level, end=end, k=k, size=size):
            parts = np.maximum(0, level - k**2) * size
            return level - float(delta) * max(parts[k <= end].sum(), parts[k > end].sum())

        largest = max(value(level) for level in np.linspace(0, 60, 6001))
        assert float(bound(r, delta, variance, end)) == pytest.approx(largest, rel=2e-3)
        assert float(bound(r, delta, variance, end)) >= largest * (1 - 1e-12)


def test_a_wrong_noise_is_rejected(monkeypatch):
    """The wrong noise is truncated geometric noise that is truncated too early."""
    right = truncated_geometric
    monkeypatch.setattr(least_integer, "truncated_geometric", lambda r, delta: right(r, 2 * delta))
    with pytest.raises(ValueError, match="larger delta"):
        certify_pdp(Fraction(3, 2), Fraction(1, 20), variance)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.666, 0.25), (0.248, 0.1), (2.0764, 0.1)])
def test_truncated_geometric_noise_is_not_optimal_just_below_a_last_probability(epsilon, delta):
    """The program's noise then has more modes. The bound holds for it too."""
    certificate = certify_pdp(Fraction(exp(epsilon)), Fraction(delta), variance)
    program = root_mean_square(epsilon, delta, 14)
    assert sqrt(certificate.bound) * (1 - 1e-6) < program < 0.95 * sqrt(certificate.cost)
    least = least_integer.with_broken_steps(Budget(epsilon, delta), values=15)
    assert sqrt(certificate.bound) * (1 - 1e-6) < least < program * (1 + 1e-6)
