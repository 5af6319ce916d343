"""Tests of the paper's lemmas and sensitivities as inequalities, over a range of parameters.

The bounded quantity is found by enumeration, without the formula under test. Each comparison is for
the case with the smallest margin, relative to the bound. Bounds that hold with equality agree, up
to `ROUNDING`.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gennorm

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test
from ggexp.mechanisms import bounded, selection, sensitivity
from ggexp.mechanisms.tails import inner

ROUNDING = 1e-9
BOUNDS = ((0.0, 1.0), (0.0, 20.0), (2.0, 7.0), (-5.0, 5.0), (-3.0, 8.0))
SHARES = (0.05, 0.5, 1.0)  # Δ as fractions of the width of the bounds


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

    The utilities of a finite set of outcomes change by at most Δ_u = 1, and the loss is the largest
    |log ratio| of an outcome's probabilities before and after. Utilities and changes are random, or
    all utilities are equal and then one decreases by Δ_u while all others increase by Δ_u. In the
    second case the loss approaches ε as the number of outcomes grows. tries: of random sets.
    """
    rng = results.stream("corollary 12")
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
    """Test whether the loss of the exponential mechanism is ε/2 if its normalizer is constant.

    The normalizer, the sum over all outcomes, is constant because the neighbour has the same
    utilities in another order: the smallest and the largest one are swapped, and Δ_u is their
    difference. tries: the number of random sets of utilities, for each ε of the run.
    """
    rng = results.stream("corollary 12, constant normalizer")
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
def loss_with_eqn_7(results: Results, *, orders: Sequence[int], release: str) -> Comparisons:
    """Test whether a mechanism whose noise has the scale of Eqn 7 has a loss of at most ε.

    The largest loss is computed for pairs of values that differ by Δ or by Δ/2, at each ε of the
    run, for the `BOUNDS` and `SHARES`: for one statistic, and for two that change together.
    release: "truncated" for releases by Definition 5; "inside" for releases by Definition 6 that
    are strictly within the bounds; "bounds" for releases by Definition 6 in which every statistic
    is on a bound.
    """
    loss = {"truncated": _truncated_loss, "inside": _inside_loss, "bounds": _bound_loss}[release]
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


@claim_test
def definition_6_least(results: Results, *, orders: Sequence[int]) -> Comparisons:
    """Test whether `bounded.inflated_scale` gives Definition 6 a largest loss of exactly ε.

    Its scale is then the smallest one. The loss is that of one statistic, the larger one of
    releases within the bounds and on a bound, at each ε of the run.
    """
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


def closest(what: str, cases: Iterable[Case]) -> Comparison:
    """Return the comparison for the case with the largest ratio, which must be at most 1."""
    worst = max(cases, key=lambda case: round(case.ratio, 12))
    return Comparison(what, worst.where, 1 - worst.ratio + ROUNDING)


def _utility_change(order: int, low: float, high: float, sensitivity: float) -> float:
    """Return the largest change of the utility -|s* - s|^p if the statistic s changes by Δ or Δ/2.

    The released value s* and s lie within the bounds.
    """
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
        selection.probabilities(u, epsilon=epsilon, sensitivity=sensitivity)
        for u in (utilities, neighbours)
    )
    return float(np.abs(np.log(probabilities / neighbour_probabilities)).max())


def _truncated_loss(order: int, b: float, low: float, high: float, sensitivity: float) -> float:
    """Return the largest |log ratio| of truncated GG densities around two values of the statistic.

    The values differ by Δ or Δ/2.
    """
    x = np.linspace(low, high, 9)  # the ratio is monotone in x, therefore largest at an end
    largest = 0.0
    for change in (sensitivity, sensitivity / 2):
        s = np.linspace(low, high - change, 33)[:, None]
        log_density, neighbour_log_density = (
            -np.log((inner(order, (high - value) / b) - inner(order, (low - value) / b)) / 2)
            - np.abs((x - value) / b) ** order
            for value in (s, s + change)
        )
        largest = max(largest, float(np.abs(log_density - neighbour_log_density).max()))
    return largest


def _inside_loss(order: int, b: float, low: float, high: float, sensitivity: float) -> float:
    """Return the largest |log ratio| of the GG densities around two values of the statistic.

    Within the bounds, Definition 6 does not change the density. The values differ by Δ or Δ/2.
    """
    return _utility_change(order, low, high, sensitivity) / b**order


def _bound_loss(order: int, b: float, low: float, high: float, sensitivity: float) -> float:
    """Return the largest |log ratio| of the probabilities of a release on a bound, for two values.

    The values of the statistic differ by Δ.
    """
    s = np.linspace(low, high - sensitivity, 33)
    log_probability, neighbour_log_probability = (
        gennorm.logsf(np.array([value - low, high - value]) / b, order)
        for value in (s, s + sensitivity)
    )
    return float(np.abs(log_probability - neighbour_log_probability).max())


STATISTICS: dict[str, Callable[..., NDArray[np.float64]]] = {
    "minimum": np.min,
    "maximum": np.max,
    "mean": np.mean,
    "median": np.median,
}


@claim_test
def norms_fall(results: Results, *, orders: Sequence[float], vectors: int) -> Comparisons:
    """Test whether ‖s‖_p decreases from each of these orders to the next, for random vectors s.

    vectors: the number of vectors of each length. The norm is `sensitivity.of_coordinates`.
    """
    rng = results.stream("norms")
    drawn = [rng.exponential(size=r).tolist() for r in (2, 8, 64) for _ in range(vectors)]
    norms = {p: np.array([sensitivity.of_coordinates(p, s) for s in drawn]) for p in orders}
    for p, q in pairwise(orders):
        margin = float((1 - norms[q] / norms[p]).min())
        yield Comparison(f"‖s‖_{q:g} <= ‖s‖_{p:g}", "", margin + ROUNDING)


@claim_test
def lemma_2(results: Results, *, orders: Sequence[float], records: int) -> Comparisons:
    """Test whether (Σ_k Δ_{1,k}^p)^(1/p) is an upper bound of Δ_p, for statistics that are sums.

    The contributions of ``records`` random records to 2, 3, 8 and 64 sums are enumerated.
    """
    rng = results.stream("lemma 2")
    contributions = {
        r: rng.uniform(-1, 1, (records, r)) * rng.exponential(size=r) for r in (2, 3, 8, 64)
    }
    for order in orders:
        shares = []
        for r, changes in contributions.items():
            largest = (np.abs(changes) ** order).sum(axis=1).max() ** (1 / order)
            bound = sensitivity.of_coordinates(order, np.abs(changes).max(axis=0).tolist())
            shares.append(Case(float(largest / bound), f"{r} sums"))
        yield closest(f"p={order:g}: Δ_p <= bound of Lemma 2", shares)


@claim_test
def lemma_2_conservative(
    *, orders: Sequence[float], bins: Sequence[int], records: int
) -> Comparisons:
    """Test whether Δ_p of a histogram is 1, and below Lemma 2's bound from its Δ_{1,k}.

    Every table with at most ``records`` records is compared with each table that lacks one of them.
    Δ_{1,k} is the largest change of the count k. bins: the numbers of counts of the histograms.
    """
    for order, size in product(orders, bins):
        changes = np.abs(_changes_of_counts(size, records))
        largest = float((changes**order).sum(axis=1).max() ** (1 / order))
        bound = sensitivity.of_coordinates(order, changes.max(axis=0).tolist())
        where = f"p={order:g}, {size} bins (bound {bound:.3g})"
        yield Comparison("Δ_p of a histogram = 1", where, ROUNDING - abs(largest - 1))
        yield Comparison("Δ_p of a histogram < bound of Lemma 2", where, 1 - largest / bound)


@claim_test
def claim_3(
    *, orders: Sequence[float], bounds: Sequence[Sequence[float]], sizes: Sequence[int]
) -> Comparisons:
    """Test whether (Σ_k (c_k1 - c_k0)^p)^(1/p) is an upper bound of Δ_p.

    bounds: (c_k0, c_k1) of each variable. For each number of records in ``sizes``, all data sets
    with the values c_k0, the midpoint and c_k1 are compared with those that differ in the last
    record. The statistics are the minimum, maximum, mean and median of each variable.
    """
    records = np.array(list(product(*([low, (low + high) / 2, high] for low, high in bounds))))
    for order, (name, statistic) in product(orders, STATISTICS.items()):
        shares = []
        for size in sizes:
            indices = np.indices((len(records),) * size)
            statistics = statistic(records[indices], axis=0)  # axes: one per record, then variables
            changes = np.abs(statistics[..., :, None, :] - statistics[..., None, :, :])
            largest = float((changes**order).sum(axis=-1).max() ** (1 / order))
            bound = sensitivity.of_bounds(order, [(low, high) for low, high in bounds])
            shares.append(Case(largest / bound, f"{size} records"))
        yield closest(f"p={order:g}: Δ_p of each {name} <= bound of Claim 3", shares)


@claim_test
def eqn_17(*, bins: Sequence[int], records: int, epsilon: float) -> Comparisons:
    """Test whether Eqn 17's b from Δ_2 is at least its b from the Δ_{1,k}, for histograms.

    A record that is removed changes one of the counts, which lie within [0, records], by 1: Δ_2 and
    each Δ_{1,k} are 1. The order is 2. bins: the numbers of counts of the histograms.
    """
    for size in bins:
        settings = {"widths": [float(records)] * size, "sensitivities": [1.0] * size}
        joint, separate = (
            bounded.truncated_scale(order=2, epsilon=epsilon, sensitivity_p=delta_2, **settings)
            for delta_2 in (sensitivity.histogram(2), None)
        )
        what = "b from Δ_2 >= b from the Δ_1k"
        where = f"{size} bins ({joint:.5g} against {separate:.5g})"
        yield Comparison(what, where, joint - separate + ROUNDING)


def _changes_of_counts(bins: int, records: int) -> NDArray[np.float64]:
    """Return the changes of the counts of all small tables if one record is removed.

    The tables have up to ``records`` records. A row is one record of one table, a column a bin.
    """
    tables = [table for n in range(1, records + 1) for table in product(range(bins), repeat=n)]
    return np.array(
        [
            np.bincount(table, minlength=bins)
            - np.bincount(np.delete(table, i).astype(int), minlength=bins)
            for table in tables
            for i in range(len(table))
        ],
        dtype=float,
    )
