"""The smallest real-valued noise: reference values, and bounds that do not rely on a solver."""

from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from ggexp import best_order
from ggexp.companions import least_real
from ggexp.companions.least_real import BITS, Solution, above, below, bounds, delta_of, solved
from ggexp.figures.tabulate_best_order import DELTAS
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_integer import Canonical

SMALL = Budget(1, 0.05), 5  # n


@pytest.fixture(scope="module")
def solution():
    return solved(*SMALL)


def integers(masses):
    return [int(mass * 2.0**BITS) for mass in np.maximum(masses, 0)]


@pytest.mark.parametrize(
    ("epsilon", "delta", "low", "high"),
    [
        pytest.param(0.5, 0.01, 2.3538, 2.3540, marks=pytest.mark.slow),
        (0.5, 0.1, 1.3446, 1.3449),
        (1, 0.05, 1.0489, 1.0493),
        (2, 0.25, 0.4427, 0.4437),
    ],
)
def test_reference_values(epsilon, delta, low, high):
    result = bounds(Budget(epsilon, delta), 20)
    assert result.below == pytest.approx(low, abs=5e-5)
    assert result.above == pytest.approx(high, abs=5e-5)
    truncated = Mechanism(1, "adp-truncated").noise(epsilon=epsilon, delta=delta)
    assert result.above < truncated.sd
    assert result.above < best_order(epsilon=epsilon, delta=delta).sd


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "deltas"),
    [*((epsilon, DELTAS[::4]) for epsilon in (0.02, 0.5, 1, 2)), (3, (1e-3, 0.25))],
)
def test_the_gap_on_the_map(epsilon, deltas):
    """On the map of Figure S3, including its ends: finer lattices reach a gap of a thousandth."""
    for delta in deltas:
        result, steps = bounds(Budget(epsilon, delta), 1), 1
        while result.gap > 1e-3:
            # the squares of the bounds differ by 1/(3 steps²)
            steps = max(ceil(1.1 * steps), ceil(1.02 / (result.above * sqrt(6e-3))))
            assert steps <= 150
            result = bounds(Budget(epsilon, delta), steps)
        assert 0 < result.below < result.above < result.below * 1.001


def test_the_step_density_satisfies_its_guarantee_at_every_shift(solution):
    """By integration of the density, also for shifts between lattice points; and its variance."""
    budget, n = SMALL
    epsilon, delta = budget.epsilon, budget.delta
    masses = np.concatenate([solution.masses[:0:-1], solution.masses])
    edges = (np.arange(masses.size + 1) - masses.size / 2) / n

    def density(x):
        i = np.searchsorted(edges, x) - 1
        return masses[i] * n if 0 <= i < masses.size else 0.0

    for shift in (0.07, 0.2, 0.55, 0.83, 0.999, 1):
        cuts = np.unique(np.round(np.concatenate([edges, edges + shift]), 12))
        shifted_delta = sum(
            (b - a) * max(0.0, density((a + b) / 2) - exp(epsilon) * density((a + b) / 2 - shift))
            for a, b in pairwise(cuts)
        )
        assert shifted_delta <= delta * (1 + 1e-9)
    square = sum(quad(lambda x: x**2 * density(x), a, b)[0] for a, b in pairwise(edges))
    assert above(budget, n, solution.masses) == pytest.approx(square, rel=1e-9)


def test_the_bounds_hold_for_any_solution(solution):
    """The bounds hold for the solver's solution and for random changes of it."""
    budget, n = SMALL
    largest_below = below(budget, n, solution)
    smallest_above = above(budget, n, solution.masses)
    assert sqrt(largest_below) == pytest.approx(sqrt(smallest_above - 1 / (12 * n**2)), rel=1e-7)
    rng = np.random.default_rng(20261123)
    for size in (1e-6, 0.01, 0.3):
        wrong = Solution(
            solution.masses * rng.uniform(1 - size, 1 + size, solution.masses.size),
            solution.level * rng.uniform(1 - size, 1 + size),
            solution.multipliers * rng.uniform(1 - size, 1 + size, solution.multipliers.shape),
        )
        assert below(budget, n, wrong) <= largest_below
        assert above(budget, n, wrong.masses) >= smallest_above * (1 - 1e-6)
    without_multipliers = Solution(solution.masses, solution.level, 0 * solution.multipliers)
    assert below(budget, n, without_multipliers) <= largest_below


def test_below_by_the_definition(solution):
    """The c_j of `below`, as sums of fractions by their definition."""
    budget, n = SMALL
    phi = [[Fraction(max(0.0, x)) for x in row] for row in solution.multipliers]
    m = len(phi[0]) // 2
    r = Fraction(exp(budget.epsilon))

    def multiplier(k, j):
        return phi[k][j + m] if abs(j) <= m else Fraction(0)

    def c(j):
        return Fraction(j, n) ** 2 + sum(
            multiplier(k, j) - r * multiplier(k, j + k + 1) for k in range(n)
        )

    level = min((c(j) + c(-j)) / 2 for j in range(2 * m))
    bound = level - Fraction(budget.delta) * sum(max(row) for row in phi)
    assert float(bound) == pytest.approx(float(below(budget, n, solution)), rel=1e-6)


def test_a_wrong_noise_is_rejected():
    """Integer-valued noise fails for real statistics; noise for a larger ε has a larger δ."""
    budget, n = SMALL
    epsilon, delta = budget.epsilon, budget.delta
    p = Canonical(epsilon, delta).probabilities
    whole = np.zeros(n * p.size)
    whole[::n] = p
    assert delta_of(integers(p), epsilon, 1) == pytest.approx(delta, rel=1e-9)
    assert delta_of(integers(whole), epsilon, n) == 1
    # therefore its mixture with staircase noise is almost only staircase noise
    assert above(budget, n, whole) > bounds(budget, n).above ** 2
    small = solved(Budget(epsilon * 1.05, delta), n).masses
    assert delta_of(integers(small), epsilon, n) > delta * 1.01


def test_a_failure_of_the_solver_is_reported(monkeypatch):
    class Failed:
        x = None
        message = "infeasible"

    monkeypatch.setattr(least_real, "linprog", lambda *args, **options: Failed)
    with pytest.raises(RuntimeError, match="infeasible"):
        bounds(Budget(1, 0.1), 2)


@pytest.mark.parametrize("point", [(0.02, 1e-9, 1), (0.02, 1e-3, 1), (0.5, 0.01, 6), (1, 1e-6, 10)])
def test_the_gap_at_small_delta_too(point):
    *spent, steps = point
    assert 0 < bounds(Budget(*spent), steps).gap < 1e-3
