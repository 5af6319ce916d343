"""Tests of the paper's lemmas as inequalities, numerically over a range of parameters.

The bounded quantity is found by enumeration, without the formula under test. Each comparison is for
the case with the smallest margin, relative to the bound. Bounds that hold with equality agree, up
to `ROUNDING`.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc
from scipy.stats import gennorm

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.mechanisms import bounded, exponential
from ggexp.streams import digest

ROUNDING = 1e-9
BOUNDS = ((0.0, 1.0), (0.0, 20.0), (2.0, 7.0), (-5.0, 5.0), (-3.0, 8.0))
SHARES = (0.05, 0.5, 1.0)  # Δ relative to the width


#: The privacy loss of a statistic as a function of order, scale, bounds and step.
Cost = Callable[[int, float, float, float, float], float]


class _Case(NamedTuple):
    """A bounded quantity, relative to its bound, and its parameters."""

    share: float
    where: str


@claim_test
def lemma_9(*, orders: Sequence[int]) -> list[Comparison]:
    """Return whether Lemma 9 bounds Δ_u of the GG utility, by part a, b or c for the order.

    Part a also says that Definition 5 and the exponential mechanism have the same scale.
    """
    comparisons = []
    for order in orders:
        cases, scales = [], []
        for (low, high), share in product(BOUNDS, SHARES):
            width, step = high - low, share * (high - low)
            where = f"bounds [{low:g}, {high:g}], Δ={step:g},"
            bound = bounded.lemma_9(order, [(low, high)], [step])
            cases.append(_Case(_utility_step(order, low, high, step) / bound, where))
            if order == 1:
                one = bounded.truncated_scale(
                    order=1, epsilon=1, widths=[width], sensitivities=[step]
                )
                other = bounded.gg_scale(order=1, epsilon=1, utility_sensitivity=bound)
                scales.append(_Case(1 + abs(one / other - 1), where))
        part = "a" if order == 1 else "b" if order == 2 else "c"
        comparisons.append(_nearest(f"p={order}: Δ_u <= bound of part {part}", cases))
        if scales:
            comparisons.append(_nearest("p=1: same b in Definition 5 and Eqn 16", scales))
    return comparisons


@claim_test
def looser_at_order_2() -> list[Comparison]:
    """Return whether part c of Lemma 9, taken at p = 2, is a larger bound than part b."""
    comparisons = []
    for (low, high), share in product(BOUNDS, SHARES):
        step = share * (high - low)
        s = np.linspace(low, high - step, 41)
        of_squares = np.abs(s**2 - (s + step) ** 2).max()  # Δ_{1,k}^(2)
        part_c = 2 * max(abs(low), abs(high)) * step + of_squares
        room = part_c / bounded.lemma_9(2, [(low, high)], [step]) - 1
        where = f"bounds [{low:g}, {high:g}], Δ={step:g},"
        comparisons.append(Comparison("part c (E.13) > part b (E.12) for p=2", where, float(room)))
    return comparisons


@claim_test
def always_below_epsilon(results: Results, *, tries: int) -> list[Comparison]:
    """Return whether the exponential mechanism has a privacy loss below ε, at each ε of the run.

    Over finite ranges: for random utilities, and for equal utilities of which one decreases by Δ_u
    and all others increase by it, which comes arbitrarily close to ε.
    """
    rng = _stream(results, "corollary 12")
    pairs = []
    for _ in range(tries):
        outcomes = int(rng.integers(2, 50))
        pairs.append(
            (rng.uniform(0, 5, outcomes), rng.uniform(-1, 1, outcomes), "random utilities")
        )
    for others in (1, 10, 100, 1000):
        moves = np.ones(others + 1)
        moves[0] = -1
        pairs.append((np.zeros(others + 1), moves, f"one utility falling, {others} rising"))
    comparisons = []
    for epsilon in _epsilons(results):
        cases = [_Case(_cost(u, u + moves, epsilon) / epsilon, where) for u, moves, where in pairs]
        worst = max(cases, key=lambda case: case.share)
        room = 1 - worst.share  # not <=: the corollary excludes equality
        comparisons.append(Comparison("loss < ε", f"ε={epsilon:g}, {worst.where},", room))
    return comparisons


@claim_test
def half_of_epsilon(results: Results, *, tries: int) -> list[Comparison]:
    """Return whether the loss is ε/2 if the normalizer is constant: u' has the values of u."""
    rng = _stream(results, "corollary 12, constant normalizer")
    comparisons = []
    for epsilon in _epsilons(results):
        cases = []
        for _ in range(tries):
            u = np.sort(rng.uniform(0, 1, int(rng.integers(2, 50))))
            swapped = u.copy()
            swapped[[0, -1]] = u[[-1, 0]]
            cost = _cost(u, swapped, epsilon, float(u[-1] - u[0]))
            cases.append(_Case(1 + abs(cost / (epsilon / 2) - 1), f"{u.size} outcomes"))
        comparisons.append(_nearest(f"ε={epsilon:g}: loss = ε/2", cases))
    return comparisons


@claim_test
def definition_5(results: Results, *, orders: Sequence[int]) -> list[Comparison]:
    """Return whether the truncated GG mechanism of Definition 5 has a loss of at most ε.

    For each order, at each ε of the run, for one statistic and for two, from the densities around
    every two values that differ by Δ, or by Δ/2.
    """
    return _costs_with_eqn_7(results, orders, _truncated_cost)


@claim_test
def definition_6(results: Results, *, orders: Sequence[int], at: str) -> list[Comparison]:
    """Return whether the boundary-inflated mechanism of Definition 6 has a loss of at most ε.

    With the scale of Eqn 7, for the cases of `definition_5`. at: "inside", for releases strictly
    within the bounds; "bounds", for releases with every statistic on a bound.
    """
    return _costs_with_eqn_7(results, orders, {"inside": _inside_cost, "bounds": _bound_cost}[at])


@claim_test
def definition_6_least(results: Results, *, orders: Sequence[int]) -> list[Comparison]:
    """Return whether the loss of Definition 6 is exactly ε with `bounded.inflated_scale`."""
    comparisons = []
    for order in orders:
        cases = []
        for epsilon, share in product(_epsilons(results), (SHARES[0], SHARES[-1])):
            low, high = BOUNDS[-1]  # other bounds differ in their unit
            step = share * (high - low)
            b = bounded.inflated_scale(
                order=order, epsilon=epsilon, width=high - low, sensitivity=step
            )
            cost = max(cost(order, b, low, high, step) for cost in (_inside_cost, _bound_cost))
            where = f"ε={epsilon:g}, bounds [{low:g}, {high:g}], Δ={step:g},"
            cases.append(_Case(1 + abs(cost / epsilon - 1), where))
        comparisons.append(_nearest(f"p={order}: loss = ε", cases))
    return comparisons


def _costs_with_eqn_7(results: Results, orders: Sequence[int], of_one: Cost) -> list[Comparison]:
    """Return whether a mechanism with the scale of Eqn 7 has a loss of at most ε.

    of_one: the loss of one statistic. Losses add up, because the noise is independent.
    """
    comparisons = []
    for order in orders:
        cases = []
        for epsilon, share in product(_epsilons(results), SHARES):
            singles = [[pair] for pair in BOUNDS]
            for group in [*singles, *map(list, pairwise(BOUNDS))]:
                steps = [share * (high - low) for low, high in group]
                widths = [high - low for low, high in group]
                b = bounded.truncated_scale(
                    order=order, epsilon=epsilon, widths=widths, sensitivities=steps
                )
                cost = sum(
                    of_one(order, b, low, high, step)
                    for (low, high), step in zip(group, steps, strict=True)
                )
                within = " × ".join(f"[{low:g}, {high:g}]" for low, high in group)
                where = f"ε={epsilon:g}, bounds {within}, Δ={share:g} of the width,"
                cases.append(_Case(cost / epsilon, where))
        comparisons.append(_nearest(f"p={order}: loss <= ε", cases))
    return comparisons


def _nearest(what: str, cases: Iterable[_Case]) -> Comparison:
    """Return the comparison of the case with the smallest margin below its bound."""
    worst = max(cases, key=lambda case: round(case.share, 12))
    return Comparison(what, worst.where, 1 - worst.share + ROUNDING)


def _utility_step(order: int, low: float, high: float, step: float) -> float:
    """Return the largest change of -|s* - s|^p, for s* and two s within the bounds."""
    largest = 0.0
    for moved in (step, step / 2):
        s = np.linspace(low, high - moved, 21)[:, None]
        released = np.linspace(low, high, 41)
        change = np.abs(released - s) ** order - np.abs(released - s - moved) ** order
        largest = max(largest, float(np.abs(change).max()))
    return largest


def _cost(
    utilities: NDArray[np.float64],
    neighbours: NDArray[np.float64],
    epsilon: float,
    moved: float = 1.0,
) -> float:
    """Return the largest |log ratio| of an outcome's probabilities under two sets of utilities."""
    one, other = (
        exponential.probabilities(u, epsilon=epsilon, sensitivity=moved)
        for u in (utilities, neighbours)
    )
    return float(np.abs(np.log(one / other)).max())


def _truncated_cost(order: int, b: float, low: float, high: float, step: float) -> float:
    """Return the largest |log ratio| of truncated GG densities around two values."""
    x = np.linspace(low, high, 9)  # the ratio is monotone in x, therefore the ends suffice
    largest = 0.0
    for moved in (step, step / 2):
        s = np.linspace(low, high - moved, 33)[:, None]
        near, far = (
            -np.log(_mass(order, (high - value) / b) - _mass(order, (low - value) / b))
            - np.abs((x - value) / b) ** order
            for value in (s, s + moved)
        )
        largest = max(largest, float(np.abs(near - far).max()))
    return largest


def _inside_cost(order: int, b: float, low: float, high: float, step: float) -> float:
    """Return the largest |log ratio| of GG densities within bounds, around two values."""
    return _utility_step(order, low, high, step) / b**order


def _bound_cost(order: int, b: float, low: float, high: float, step: float) -> float:
    """Return the largest |log ratio| of the probabilities of a bound, around two values."""
    s = np.linspace(low, high - step, 33)
    near, far = (
        gennorm.logsf(np.array([value - low, high - value]) / b, order) for value in (s, s + step)
    )
    return float(np.abs(near - far).max())


def _mass(order: int, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability between 0 and t of GG noise with b = 1, negative where t is."""
    return np.sign(t) * gammainc(1 / order, np.abs(t) ** order) / 2


def _epsilons(results: Results) -> list[float]:
    return sorted(set(results.scales["epsilon"]))


def _stream(results: Results, name: str) -> np.random.Generator:
    """Return a stream of its own, from the run's seed and a name."""
    return np.random.default_rng([results.seed, digest(f"claim: {name}")])
