"""Bounds of the least standard deviation of real-valued noise, which trust no solver.

The noise X is added to a real-valued statistic that moves by at most 1 between neighbours,
independently of the data, and satisfies (ε, δ)-approximate DP. Let h = 1/n, and let lattice noise Y
take multiples of h and satisfy (ε, δ) at the shifts h, 2h, …, nh. L is the least E Y².

*Every X has E X² >= L - h²/4.* Round X/h up with the probability of its fractional part, else down.
Rounding commutes with shifts by multiples of h, so that it is post-processing, and the resulting
lattice noise satisfies (ε, δ). The rounding has mean 0 given X, and a variance of at most h²/4.
Nothing is assumed about X: it may be asymmetric, and need not have a density.

*Some X has E X² = L + h²/12.* Add to Y an independent uniform draw from [-h/2, h/2]. The density
of the sum is a step function. Its δ at a shift by (k + θ) h, with 0 <= θ <= 1, is at most 1 - θ
times the δ of Y at kh plus θ times the δ of Y at (k + 1) h.

L is the value of a linear program in Pr(Y = jh) = Pr(Y = -jh), because the mixture of Y with its
mirror image satisfies the same guarantee and has the same E Y². HiGHS solves it within tolerances
that may exceed δ. Therefore its solution is not trusted: `above` turns it into a noise and `below`
into a proof, and both are checked in whole-number arithmetic, with bounds of e^ε.
"""

from fractions import Fraction
from math import ceil, exp, expm1, inf, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

from ggexp import checks
from ggexp.mechanisms.enclosures import exponential
from ggexp.mechanisms.staircase import Staircase, best_for_variance

#: Fixed-point numbers are multiples of 2^-BITS.
BITS = 120
#: The distance by which the lattice exceeds the bound of truncated Laplace noise.
REACH = 1.2
#: The linear program has δ smaller by this share, so that its solution satisfies δ.
SPARE = 1e-7
#: The smallest δ of the linear program, times ε² if ε < 1; its solution serves a smaller δ too.
MIN_DELTA = 1e-5
#: Shares by which the levels μ that `below` tries are lower than the solver's.
LOWER = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)


#: The share that covers the last roundings, of doubles.
ROUNDING = 1e-14


class Bounds(NamedTuple):
    """Two standard deviations: no noise has less than the first, and some noise has the second."""

    below: float
    above: float

    @property
    def gap(self) -> float:
        """The relative excess of the second over the first."""
        return self.above / self.below - 1 if self.below else inf


class Solution(NamedTuple):
    """A solver's solution for the lattice.

    masses: Pr(Y = jh) for j = 0, …, M. level: μ of `below`. multipliers: φ_k(j) of `below`, a row
    for each k = 1, …, n, a column for each j = -M, …, M.
    """

    masses: NDArray[np.float64]
    level: float
    multipliers: NDArray[np.float64]


def bounds(epsilon: float, delta: float, steps: int) -> Bounds:
    """Return bounds of the least standard deviation of real-valued noise, at sensitivity 1.

    epsilon: ε > 0. delta: δ in (0, 1). steps: n, the number of lattice points per unit. The squares
    of the bounds differ by 1/(3 n²), and by the effect of the solver's tolerances.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    n = checks.whole("steps", steps)
    solution = solved(epsilon, max(delta, MIN_DELTA * min(1, epsilon**2)), n)
    low = below(epsilon, delta, n, solution) - Fraction(1, 4 * n**2)
    high = above(epsilon, delta, n, solution.masses)
    return Bounds(sqrt(max(float(low), 0.0)) * (1 - ROUNDING), sqrt(high) * (1 + ROUNDING))


def solved(epsilon: float, delta: float, n: int) -> Solution:
    """Return HiGHS's solution of the linear program, with n lattice points per unit.

    Its variables are Pr(Y = jh) and, for each shift kh, the excess of Pr(Y = jh) over
    e^ε Pr(Y = (j - k)h). All are divided by their likely size, because HiGHS's tolerances are
    absolute.
    """
    m = ceil(n * (log1p(expm1(epsilon) / (2 * delta)) / epsilon + REACH))
    values = np.arange(m + 1)
    sizes = np.maximum(np.exp(-epsilon * values / n) * -expm1(-epsilon / n), delta / n)
    weights = np.where(values == 0, 1, 2) * sizes
    js = [np.arange(-m, m + 1) for k in range(1, n + 1)]
    j, k = np.concatenate(js), np.repeat(np.arange(1, n + 1), [len(column) for column in js])
    size = sizes[abs(j)]
    row, slack = np.arange(j.size), m + 1 + np.arange(j.size)
    near = abs(j - k) <= m
    shifted = abs(j - k)[near]
    parts = [
        (row, abs(j), np.ones(j.size)),
        (row[near], shifted, -exp(epsilon) * sizes[shifted] / size[near]),
        (row, slack, -delta * (1 - SPARE) / size),
        (j.size + k - 1, slack, np.ones(j.size)),
    ]
    rows, columns, coefficients = (np.concatenate(part) for part in zip(*parts, strict=True))
    cost = np.concatenate([weights * (values / n) ** 2, np.zeros(j.size)])
    unit = float(cost.max())
    found = linprog(  # type: ignore[call-overload]  # the stubs have no sparse arrays
        cost / unit,
        A_ub=coo_array((coefficients, (rows, columns))).tocsr(),
        b_ub=np.concatenate([np.zeros(j.size), np.ones(n)]),
        A_eq=np.concatenate([weights, np.zeros(j.size)])[None],
        b_eq=[1],
    )
    if found.x is None:
        raise RuntimeError(f"HiGHS at ({epsilon:g}, {delta:g}), n = {n}: {found.message}")
    multipliers = np.zeros((n, 2 * m + 1))
    multipliers[k - 1, j + m] = -unit * found.ineqlin.marginals[: j.size] / size
    level = unit * float(found.eqlin.marginals[0])
    return Solution(found.x[: m + 1] * sizes, level, multipliers)


def above(epsilon: float, delta: float, n: int, masses: NDArray[np.float64]) -> float:
    """Return E X² of noise that satisfies (ε, δ), built from these masses of lattice noise.

    It is the lattice noise plus a uniform draw. If the δ of this sum is above the given one, X is a
    mixture of the sum with staircase noise, which satisfies ε-DP.
    """
    noise = [int(mass * 2.0**BITS) for mass in np.maximum(masses, 0)]
    square = Fraction(2 * sum(j**2 * x for j, x in enumerate(noise)), total(noise) * n**2)
    found, allowed = delta_of(noise, epsilon, n), Fraction(delta)
    share = 1.0 if found <= allowed else float(allowed / found) * (1 - ROUNDING)
    other = Staircase(1 / epsilon, 1.0, best_for_variance(epsilon)).sd ** 2
    return share * float(square + Fraction(1, 12 * n**2)) + (1 - share) * other


def total(noise: list[int]) -> int:
    """Return the sum over all j of symmetric numbers, given for j = 0, 1 and so on."""
    return 2 * sum(noise) - noise[0]


def delta_of(noise: list[int], epsilon: float, n: int) -> Fraction:
    """Return an upper bound of the δ at ε of lattice noise, over the shifts h, …, nh.

    noise: numbers to which Pr(Y = jh) is proportional, for j = 0, 1, …
    """
    most = exponential(Fraction(epsilon), Fraction(epsilon), BITS).high  # at least 2^BITS e^-ε
    both = np.array(noise[:0:-1] + noise, dtype=object)
    worst = 0
    for k in range(1, n + 1):
        zeros = np.zeros(k, dtype=object)
        exceeds = np.append(both * most, zeros) - np.append(zeros, both << BITS)
        worst = max(worst, int(exceeds[exceeds > 0].sum()))
    return Fraction(worst, total(noise) * most)


def below(epsilon: float, delta: float, n: int, solution: Solution) -> Fraction:
    """Return a lower bound of E Y² for all lattice noise that satisfies (ε, δ).

    With multipliers φ_k(j) from 0 to λ_k, and excess_k(j) = Pr(Y = jh) - e^ε Pr(Y = (j - k)h),
    E Y² + Σ_k Σ_j φ_k(j) excess_k(j) is Σ_j Pr(Y = jh) c_j, where

        c_j = j² h² + Σ_k (φ_k(j) - e^ε φ_k(j + k)).

    If c_j + c_-j >= 2μ for all j, it is at least μ. Σ_j φ_k(j) excess_k(j) is at most λ_k δ, so
    that E Y² >= μ - δ Σ_k λ_k. If the solver's multipliers do not give 2μ, the multiplier of the
    shift by 1 at -j is raised, from j = 0 outwards. This lowers only c_(-j-n), which comes later.
    """
    return max(_below(epsilon, delta, n, solution, share) for share in LOWER)


def _below(epsilon: float, delta: float, n: int, solution: Solution, lower: float) -> Fraction:
    least = exponential(Fraction(epsilon), Fraction(epsilon), BITS).low
    r = -(-(2 ** (2 * BITS)) // least)  # at least 2^BITS e^ε
    given = np.maximum(solution.multipliers, 0)
    phi = np.frompyfunc(lambda x: int(x * 2.0**BITS), 1, 1)(given)
    level = int(solution.level * (1 - lower) * 2.0**BITS)
    m = phi.shape[1] // 2
    # for each j: Σ_k φ_k(j), Σ_k φ_k(j + k) without the shift by 1, and φ_n(j)
    here = dict(enumerate(phi[:-1].sum(axis=0), -m))
    ahead: dict[int, int] = {}
    for k in range(1, n):
        for j, x in enumerate(phi[k - 1], -m - k):
            ahead[j] = ahead.get(j, 0) + x
    last = dict(enumerate(phi[-1], -m))

    def c(j: int) -> int:
        lost = -(-r * (ahead.get(j, 0) + last.get(j + n, 0)) >> BITS)
        return (j**2 << BITS) // n**2 + here.get(j, 0) + last.get(j, 0) - lost

    i, end = 0, m
    while i <= end + n or i**2 << BITS < level * n**2:
        if (lacks := 2 * level - c(i) - c(-i)) > 0:
            last[-i] = last.get(-i, 0) + (lacks if i else (lacks + 1) // 2)
            end = max(end, i)
        if end > 9 * m:
            return Fraction(0)
        i += 1
    largest = sum(int(x) for x in phi[:-1].max(axis=1, initial=0)) + max(last.values())
    return (level - Fraction(delta) * largest) / 2**BITS
