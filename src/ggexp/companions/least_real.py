"""Bounds on the smallest standard deviation of real-valued noise, proved without trusting a solver.

Noise X, independent of the data, is added to a real-valued statistic that changes by at most 1
between neighbours, and the release satisfies (ε, δ)-approximate DP. Let h = 1/n. Lattice noise Y
takes multiples of h and satisfies (ε, δ) at the shifts h, 2h, …, nh. L is the smallest E Y².

*Every X has E X² >= L - h²/4.* Round X/h up with a probability equal to its fractional part, and
otherwise down. Rounding commutes with shifts by multiples of h. Therefore it is post-processing,
and the resulting lattice noise satisfies (ε, δ). Given X, the rounding error has mean 0 and a
variance of at most h²/4. Nothing is assumed about X: it may be asymmetric and need not have a
density.

*Some X has E X² = L + h²/12.* Add to Y an independent uniform draw from [-h/2, h/2]. The density
of the sum is a step function. For a shift by (k + θ) h, with 0 <= θ <= 1, the δ of the sum is at
most 1 - θ times the δ of Y at kh plus θ times the δ of Y at (k + 1) h.

L is the value of a linear program in Pr(Y = jh) = Pr(Y = -jh), because the mixture of Y with its
mirror image satisfies the same guarantee and has the same E Y². HiGHS solves it within tolerances
that may exceed δ. Therefore its solution is not trusted: `above` turns it into noise, and `below`
into a proof. Both are checked in integer arithmetic, with bounds on e^ε.
"""

from fractions import Fraction
from math import ceil, exp, expm1, inf, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

from ggexp import checks
from ggexp.companions.staircase import Staircase, best_for_variance
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.enclosures import exponential

#: Fixed-point numbers are multiples of 2^-BITS.
BITS = 120
#: The lattice extends beyond the bound of truncated Laplace noise by this distance.
REACH = 1.2
#: The δ of the linear program is smaller than the given δ by this fraction, so that the solution
#: satisfies the given δ.
DELTA_MARGIN = 1e-7
#: The smallest δ of the linear program, to be multiplied by ε² if ε < 1. For smaller δ, the
#: solution at this δ is used.
MIN_DELTA = 1e-5
#: `below` tries levels μ that are lower than the solver's by these fractions.
LEVEL_REDUCTIONS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)
#: A relative margin for the rounding errors of the last operations on doubles.
ROUNDING = 1e-14


class Bounds(NamedTuple):
    """Bounds on the smallest standard deviation; some noise attains the bound ``above``."""

    below: float
    above: float

    @property
    def gap(self) -> float:
        """The relative excess of above over below."""
        return self.above / self.below - 1 if self.below else inf


class Solution(NamedTuple):
    """A solver's solution for the lattice.

    masses: Pr(Y = jh) for j = 0, …, M. level: μ of `below`. multipliers: φ_k(j) of `below`, with a
    row for each k = 1, …, n and a column for each j = -M, …, M.
    """

    masses: NDArray[np.float64]
    level: float
    multipliers: NDArray[np.float64]


def bounds(budget: Budget, steps: int) -> Bounds:
    """Return bounds on the smallest standard deviation of real-valued noise at sensitivity 1.

    steps: n, the number of lattice points per unit. The squares of the bounds differ by 1/(3 n²)
    and by the effect of the solver's tolerances.
    """
    epsilon = checks.positive("epsilon", budget.epsilon)
    delta = checks.open_unit("delta", budget.delta)
    n = checks.whole("steps", steps)
    solution = solved(Budget(epsilon, max(delta, MIN_DELTA * min(1, epsilon**2))), n)
    low = below(budget, n, solution) - Fraction(1, 4 * n**2)
    high = above(budget, n, solution.masses)
    return Bounds(sqrt(max(float(low), 0.0)) * (1 - ROUNDING), sqrt(high) * (1 + ROUNDING))


def solved(budget: Budget, n: int) -> Solution:
    """Return HiGHS's solution of the linear program, with n lattice points per unit.

    The variables are Pr(Y = jh) and, for each shift kh, the excess of Pr(Y = jh) over
    e^ε Pr(Y = (j - k)h). All variables are divided by their expected size, because HiGHS's
    tolerances are absolute.
    """
    epsilon, delta = budget.epsilon, budget.delta
    m = ceil(n * (log1p(expm1(epsilon) / (2 * delta)) / epsilon + REACH))
    values = np.arange(m + 1)
    sizes = np.maximum(np.exp(-epsilon * values / n) * -expm1(-epsilon / n), delta / n)
    weights = np.where(values == 0, 1, 2) * sizes
    js = [np.arange(-m, m + 1) for k in range(1, n + 1)]
    j, k = np.concatenate(js), np.repeat(np.arange(1, n + 1), [len(part) for part in js])
    size = sizes[abs(j)]
    row, slack = np.arange(j.size), m + 1 + np.arange(j.size)
    is_inside = abs(j - k) <= m
    shifted = abs(j - k)[is_inside]
    entries = [
        (row, abs(j), np.ones(j.size)),
        (row[is_inside], shifted, -exp(epsilon) * sizes[shifted] / size[is_inside]),
        (row, slack, -delta * (1 - DELTA_MARGIN) / size),
        (j.size + k - 1, slack, np.ones(j.size)),
    ]
    rows, columns, coefficients = (np.concatenate(arrays) for arrays in zip(*entries, strict=True))
    cost = np.concatenate([weights * (values / n) ** 2, np.zeros(j.size)])
    cost_unit = float(cost.max())
    result = linprog(  # type: ignore[call-overload]  # the stubs have no sparse arrays
        cost / cost_unit,
        A_ub=coo_array((coefficients, (rows, columns))).tocsr(),
        b_ub=np.concatenate([np.zeros(j.size), np.ones(n)]),
        A_eq=np.concatenate([weights, np.zeros(j.size)])[None],
        b_eq=[1],
    )
    if result.x is None:
        raise RuntimeError(f"HiGHS at {budget}, n = {n}: {result.message}")
    multipliers = np.zeros((n, 2 * m + 1))
    multipliers[k - 1, j + m] = -cost_unit * result.ineqlin.marginals[: j.size] / size
    level = cost_unit * float(result.eqlin.marginals[0])
    return Solution(result.x[: m + 1] * sizes, level, multipliers)


def above(budget: Budget, n: int, masses: NDArray[np.float64]) -> float:
    """Return E X² of noise X that satisfies (ε, δ), built from these masses of lattice noise.

    X is the sum of the lattice noise and a uniform draw. If the δ of this sum exceeds the given δ,
    X is a mixture of the sum with staircase noise, which satisfies ε-DP.
    """
    noise = [int(mass * 2.0**BITS) for mass in np.maximum(masses, 0)]
    square = Fraction(2 * sum(j**2 * x for j, x in enumerate(noise)), total(noise) * n**2)
    attained, allowed = delta_of(noise, budget.epsilon, n), Fraction(budget.delta)
    weight = 1.0 if attained <= allowed else float(allowed / attained) * (1 - ROUNDING)
    best = Staircase(1 / budget.epsilon, 1.0, best_for_variance(budget.epsilon))
    return weight * float(square + Fraction(1, 12 * n**2)) + (1 - weight) * best.sd**2


def total(noise: list[int]) -> int:
    """Return the sum over all integers j of a symmetric sequence, given for j >= 0 only."""
    return 2 * sum(noise) - noise[0]


def delta_of(noise: list[int], epsilon: float, n: int) -> Fraction:
    """Return an upper bound on the δ at ε of lattice noise, over the shifts h, …, nh.

    noise: numbers to which Pr(Y = jh) is proportional, for j = 0, 1, …
    """
    inverse_r = exponential(Fraction(epsilon), BITS).high  # at least 2^BITS e^-ε
    symmetric = np.array(noise[:0:-1] + noise, dtype=object)
    worst = 0
    for k in range(1, n + 1):
        zeros = np.zeros(k, dtype=object)
        excess = np.append(symmetric * inverse_r, zeros) - np.append(zeros, symmetric << BITS)
        worst = max(worst, int(excess[excess > 0].sum()))
    return Fraction(worst, total(noise) * inverse_r)


def below(budget: Budget, n: int, solution: Solution) -> Fraction:
    """Return a lower bound on E Y² for all lattice noise that satisfies (ε, δ).

    Let the multipliers φ_k(j) be in [0, λ_k], and excess_k(j) = Pr(Y = jh) - e^ε Pr(Y = (j - k)h).
    Then E Y² + Σ_k Σ_j φ_k(j) excess_k(j) is Σ_j Pr(Y = jh) c_j, where

        c_j = j² h² + Σ_k (φ_k(j) - e^ε φ_k(j + k)).

    If c_j + c_-j >= 2μ for all j, this sum is at least μ. Because Σ_j φ_k(j) excess_k(j) is at most
    λ_k δ, it follows that E Y² >= μ - δ Σ_k λ_k. If the solver's multipliers violate the condition
    at some j, the multiplier φ_n(-j) of the shift by 1 is increased, from j = 0 outwards. Each
    increase lowers only c_(-j-n), which is checked later.
    """
    return max(_below(budget, n, solution, reduction) for reduction in LEVEL_REDUCTIONS)


def _below(budget: Budget, n: int, solution: Solution, reduction: float) -> Fraction:
    inverse_r = exponential(Fraction(budget.epsilon), BITS).low
    r = -(-(2 ** (2 * BITS)) // inverse_r)  # at least 2^BITS e^ε
    multipliers = np.maximum(solution.multipliers, 0)
    phi = np.frompyfunc(lambda x: int(x * 2.0**BITS), 1, 1)(multipliers)
    level = int(solution.level * (1 - reduction) * 2.0**BITS)
    m = phi.shape[1] // 2
    # for each j: Σ_k φ_k(j) and Σ_k φ_k(j + k), both without the shift by 1, and φ_n(j)
    phi_sums = dict(enumerate(phi[:-1].sum(axis=0), -m))
    shifted_sums: dict[int, int] = {}
    for k in range(1, n):
        for j, x in enumerate(phi[k - 1], -m - k):
            shifted_sums[j] = shifted_sums.get(j, 0) + x
    phi_unit = dict(enumerate(phi[-1], -m))

    def c(j: int) -> int:
        shifted = -(-r * (shifted_sums.get(j, 0) + phi_unit.get(j + n, 0)) >> BITS)
        return (j**2 << BITS) // n**2 + phi_sums.get(j, 0) + phi_unit.get(j, 0) - shifted

    i, end = 0, m
    while i <= end + n or i**2 << BITS < level * n**2:
        if (shortfall := 2 * level - c(i) - c(-i)) > 0:
            phi_unit[-i] = phi_unit.get(-i, 0) + (shortfall if i else (shortfall + 1) // 2)
            end = max(end, i)
        if end > 9 * m:
            return Fraction(0)
        i += 1
    largest = sum(int(x) for x in phi[:-1].max(axis=1, initial=0)) + max(phi_unit.values())
    return (level - Fraction(budget.delta) * largest) / 2**BITS
