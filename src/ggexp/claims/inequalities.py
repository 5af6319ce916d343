"""Tests of the paper's lemmas as inequalities, computed numerically over a range of parameters.

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

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test
from ggexp.mechanisms import bounded, exponential
from ggexp.streams import digest

ROUNDING = 1e-9
BOUNDS = ((0.0, 1.0), (0.0, 20.0), (2.0, 7.0), (-5.0, 5.0), (-3.0, 8.0))
SHARES = (0.05, 0.5, 1.0)  # Δ as fractions of the width of the bounds


#: Largest privacy loss of one statistic, given order, scale, lower and upper bound, and Δ.
Loss = Callable[[int, float, float, float, float], float]


class Case(NamedTuple):
    """The ratio of a quantity to its bound, and the parameters of the case."""

    ratio: float
    where: str


@claim_test
def lemma_9(*, orders: Sequence[int]) -> Comparisons:
    """Test whether Lemma 9 bounds Δ_u of the GG utility; the order selects its part a, b or c.

    Part a also says that Definition 5 and the exponential mechanism have the same scale.
    """
    for order in orders:
        cases, scales = [], []
        for (low, high), share in product(BOUNDS, SHARES):
            width, sensitivity = high - low, share * (high - low)
            where = f"bounds [{low:g}, {high:g}], Δ={sensitivity:g}"
            bound = bounded.lemma_9(order, [(low, high)], [sensitivity])
            cases.append(Case(_utility_change(order, low, high, sensitivity) / bound, where))
            if order == 1:
                definition_5 = bounded.truncated_scale(
                    order=1, epsilon=1, widths=[width], sensitivities=[sensitivity]
                )
                eqn_16 = bounded.gg_scale(order=1, epsilon=1, utility_sensitivity=bound)
                scales.append(Case(1 + abs(definition_5 / eqn_16 - 1), where))
        part = "a" if order == 1 else "b" if order == 2 else "c"
        yield closest(f"p={order}: Δ_u <= bound of part {part}", cases)
        if scales:
            yield closest("p=1: same b in Definition 5 and Eqn 16", scales)


@claim_test
def looser_at_order_2() -> Comparisons:
    """Test whether part c of Lemma 9 gives a larger bound than part b at p = 2."""
    for (low, high), share in product(BOUNDS, SHARES):
        sensitivity = share * (high - low)
        s = np.linspace(low, high - sensitivity, 41)
        change_of_squares = np.abs(s**2 - (s + sensitivity) ** 2).max()  # Δ_{1,k}^(2)
        part_c = 2 * max(abs(low), abs(high)) * sensitivity + change_of_squares
        margin = part_c / bounded.lemma_9(2, [(low, high)], [sensitivity]) - 1
        where = f"bounds [{low:g}, {high:g}], Δ={sensitivity:g}"
        yield Comparison("part c (E.13) > part b (E.12) for p=2", where, float(margin))


@claim_test
def always_below_epsilon(results: Results, *, tries: int) -> Comparisons:
    """Test whether the privacy loss of the exponential mechanism is below ε, at each ε of the run.

    Utilities of finite sets are random, or they are equal and then one decreases by Δ_u while all
    others increase by Δ_u: this loss approaches ε as the number of outcomes grows.
    """
    rng = _stream(results, "corollary 12")
    examples = []
    for _ in range(tries):
        outcomes = int(rng.integers(2, 50))
        examples.append(
            (rng.uniform(0, 5, outcomes), rng.uniform(-1, 1, outcomes), "random utilities")
        )
    for others in (1, 10, 100, 1000):
        changes = np.ones(others + 1)
        changes[0] = -1
        examples.append((np.zeros(others + 1), changes, f"one utility falling, {others} rising"))
    for epsilon in results.epsilons:
        cases = [
            Case(_largest_loss(u, u + changes, epsilon) / epsilon, where)
            for u, changes, where in examples
        ]
        worst = max(cases, key=lambda case: case.ratio)
        margin = 1 - worst.ratio  # no allowance for rounding: the corollary excludes equality
        yield Comparison("loss < ε", f"ε={epsilon:g}, {worst.where}", margin)


@claim_test
def half_of_epsilon(results: Results, *, tries: int) -> Comparisons:
    """Test whether the loss is ε/2 if the neighbour has the utilities of u in another order.

    Then the normalizer is constant.
    """
    rng = _stream(results, "corollary 12, constant normalizer")
    for epsilon in results.epsilons:
        cases = []
        for _ in range(tries):
            u = np.sort(rng.uniform(0, 1, int(rng.integers(2, 50))))
            swapped = u.copy()
            swapped[[0, -1]] = u[[-1, 0]]
            loss = _largest_loss(u, swapped, epsilon, float(u[-1] - u[0]))
            cases.append(Case(1 + abs(loss / (epsilon / 2) - 1), f"{u.size} outcomes"))
        yield closest(f"ε={epsilon:g}: loss = ε/2", cases)


@claim_test
def definition_5(results: Results, *, orders: Sequence[int]) -> Comparisons:
    """Test whether the truncated GG mechanism of Definition 5 has a loss of at most ε.

    This is for one statistic and for two, from the densities around values that differ by Δ or
    Δ/2.
    """
    return _losses_with_eqn_7(results, orders, _truncated_loss)


@claim_test
def definition_6(results: Results, *, orders: Sequence[int], at: str) -> Comparisons:
    """Test whether the boundary-inflated mechanism of Definition 6 has a loss of at most ε.

    The noise and the cases are those of `definition_5`. at: "inside" for releases strictly within
    the bounds; "bounds" for releases with every statistic on a bound.
    """
    return _losses_with_eqn_7(results, orders, {"inside": _inside_loss, "bounds": _bound_loss}[at])


@claim_test
def definition_6_least(results: Results, *, orders: Sequence[int]) -> Comparisons:
    """Test whether `bounded.inflated_scale` gives Definition 6 a largest loss of exactly ε."""
    for order in orders:
        cases = []
        for epsilon, share in product(results.epsilons, (SHARES[0], SHARES[-1])):
            low, high = BOUNDS[-1]  # other bounds would only change the unit
            sensitivity = share * (high - low)
            b = bounded.inflated_scale(
                order=order, epsilon=epsilon, width=high - low, sensitivity=sensitivity
            )
            largest = max(
                loss(order, b, low, high, sensitivity) for loss in (_inside_loss, _bound_loss)
            )
            where = f"ε={epsilon:g}, bounds [{low:g}, {high:g}], Δ={sensitivity:g}"
            cases.append(Case(1 + abs(largest / epsilon - 1), where))
        yield closest(f"p={order}: loss / ε = 1", cases)


def _losses_with_eqn_7(results: Results, orders: Sequence[int], loss: Loss) -> Comparisons:
    """Return comparisons of a mechanism's loss with ε, for noise with the scale of Eqn 7."""
    # losses of several statistics add up, because the noise is independent
    groups = [*([pair] for pair in BOUNDS), *map(list, pairwise(BOUNDS))]
    for order in orders:
        cases = []
        for epsilon, share in product(results.epsilons, SHARES):
            for group in groups:
                sensitivities = [share * (high - low) for low, high in group]
                widths = [high - low for low, high in group]
                b = bounded.truncated_scale(
                    order=order, epsilon=epsilon, widths=widths, sensitivities=sensitivities
                )
                total = sum(
                    loss(order, b, low, high, sensitivity)
                    for (low, high), sensitivity in zip(group, sensitivities, strict=True)
                )
                within = " × ".join(f"[{low:g}, {high:g}]" for low, high in group)
                where = f"ε={epsilon:g}, bounds {within}, Δ={share:g} of the width"
                cases.append(Case(total / epsilon, where))
        yield closest(f"p={order}: loss / ε <= 1", cases)


def closest(what: str, cases: Iterable[Case]) -> Comparison:
    """Return the comparison for the case with the smallest margin below its bound."""
    worst = max(cases, key=lambda case: round(case.ratio, 12))
    return Comparison(what, worst.where, 1 - worst.ratio + ROUNDING)


def _utility_change(order: int, low: float, high: float, sensitivity: float) -> float:
    """Return the largest change of -|s* - s|^p within the bounds, if s changes by Δ or Δ/2."""
    largest = 0.0
    for change in (sensitivity, sensitivity / 2):
        s = np.linspace(low, high - change, 21)[:, None]
        released = np.linspace(low, high, 41)
        difference = np.abs(released - s) ** order - np.abs(released - s - change) ** order
        largest = max(largest, float(np.abs(difference).max()))
    return largest


def _largest_loss(
    utilities: NDArray[np.float64],
    neighbours: NDArray[np.float64],
    epsilon: float,
    sensitivity: float = 1.0,
) -> float:
    """Return the largest |log ratio| of an outcome's probabilities under two sets of utilities."""
    probabilities, neighbour_probabilities = (
        exponential.probabilities(u, epsilon=epsilon, sensitivity=sensitivity)
        for u in (utilities, neighbours)
    )
    return float(np.abs(np.log(probabilities / neighbour_probabilities)).max())


def _truncated_loss(order: int, b: float, low: float, high: float, sensitivity: float) -> float:
    """Return the largest |log ratio| of truncated GG densities around two values."""
    x = np.linspace(low, high, 9)  # the ratio is monotone in x, therefore largest at an end
    largest = 0.0
    for change in (sensitivity, sensitivity / 2):
        s = np.linspace(low, high - change, 33)[:, None]
        log_density, neighbour_log_density = (
            -np.log(_mass(order, (high - value) / b) - _mass(order, (low - value) / b))
            - np.abs((x - value) / b) ** order
            for value in (s, s + change)
        )
        largest = max(largest, float(np.abs(log_density - neighbour_log_density).max()))
    return largest


def _inside_loss(order: int, b: float, low: float, high: float, sensitivity: float) -> float:
    """Return the largest |log ratio| of the GG densities around two values, within the bounds."""
    return _utility_change(order, low, high, sensitivity) / b**order


def _bound_loss(order: int, b: float, low: float, high: float, sensitivity: float) -> float:
    """Return the largest |log ratio| of the probabilities of releasing a bound, for two values."""
    s = np.linspace(low, high - sensitivity, 33)
    log_probability, neighbour_log_probability = (
        gennorm.logsf(np.array([value - low, high - value]) / b, order)
        for value in (s, s + sensitivity)
    )
    return float(np.abs(log_probability - neighbour_log_probability).max())


def _mass(order: int, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of GG noise with b = 1 between 0 and t, negative if t is negative."""
    return np.sign(t) * gammainc(1 / order, np.abs(t) ** order) / 2


def _stream(results: Results, name: str) -> np.random.Generator:
    """Return a random stream that depends on the run's seed and on a name."""
    return np.random.default_rng([results.seed, digest(f"claim: {name}")])
