"""The smallest integer-valued noise, against linear programs.

For probabilistic DP, the noise is symmetric and the program a mixed-integer one.
"""

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linprog, milp

from ggexp.companions import least_integer
from ggexp.companions.least_integer import bound, certify_pdp, truncated_geometric
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.optimal_integer import Canonical


def test_a_linear_program_finds_no_smaller_noise_for_approximate_dp():
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
        noise = Canonical(epsilon, delta)
        for power, smallest in ((1, noise.mean_absolute), (2, noise.sd**2)):
            result = linprog(
                np.concatenate([abs(k) ** power, np.zeros(2 * n + 2)]),
                A_ub=np.vstack([upper, sums]),
                b_ub=np.concatenate([np.zeros(2 * n + 2), [delta, delta]]),
                A_eq=total,
                b_eq=[1],
            )
            assert result.fun == pytest.approx(smallest, rel=1e-7)


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
    certificate = certify_pdp(r, d)
    assert certificate.variance == certificate.bound
    assert sqrt(certificate.variance) == pytest.approx(sd, abs=5e-4)
    p = truncated_geometric(r, d)
    assert p[-1] <= d  # and truncation at one value less violates this
    assert 1 / (1 / p[-1] - 2) * r > d
    program = root_mean_square(epsilon, delta, 10)
    assert program == pytest.approx(sqrt(certificate.variance), rel=1e-6)


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
        assert float(bound(r, delta, end)) == pytest.approx(largest, rel=2e-3)
        assert float(bound(r, delta, end)) >= largest * (1 - 1e-12)


def test_a_wrong_noise_is_rejected(monkeypatch):
    """The wrong noise is truncated geometric noise that is truncated too early."""
    right = truncated_geometric
    monkeypatch.setattr(least_integer, "truncated_geometric", lambda r, delta: right(r, 2 * delta))
    with pytest.raises(ValueError, match="larger delta"):
        certify_pdp(Fraction(3, 2), Fraction(1, 20))


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.666, 0.25), *(pytest.param(e, 0.1, marks=pytest.mark.slow) for e in (0.248, 2.0764))],
)
def test_truncated_geometric_noise_is_not_optimal_just_below_a_last_probability(epsilon, delta):
    """The program's noise then has more modes. The bound holds for it too."""
    certificate = certify_pdp(Fraction(exp(epsilon)), Fraction(delta))
    program = root_mean_square(epsilon, delta, 14)
    assert sqrt(certificate.bound) * (1 - 1e-6) < program < 0.95 * sqrt(certificate.variance)
    least = least_integer.with_broken_steps(Budget(epsilon, delta), values=15)
    assert sqrt(certificate.bound) * (1 - 1e-6) < least < program * (1 + 1e-6)
