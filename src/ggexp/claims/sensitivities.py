"""Tests of claims about sensitivities, from the paper's sections 2.2 and 3.

Sensitivities are found by enumeration, and each comparison is for the case with the smallest
margin. Bounds that hold with equality agree, up to `ROUNDING`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test
from ggexp.claims.inequalities import ROUNDING, Case, closest
from ggexp.mechanisms import bounded, sensitivity
from ggexp.streams import digest

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
    rng = np.random.default_rng([results.seed, digest("claim: norms")])
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
    rng = np.random.default_rng([results.seed, digest("claim: lemma 2")])
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
    """Test whether a histogram's Δ_p is 1, and below Lemma 2's bound from the Δ_1 of its counts.

    Every table with at most ``records`` records is compared with each table that lacks one of them.
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
    """Test whether Eqn 17's b from Δ_2 = 1 is at least its b from the Δ_{1,k}, for histograms.

    Removing a record changes one of the counts, which lie within [0, records], by 1.
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
    """Return the changes of the counts of all small tables if one record is removed."""
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
