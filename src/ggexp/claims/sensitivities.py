"""Tests of claims about sensitivities: of the paper's sections 2.2 and 3, and of the lecture.

Sensitivities are found by enumeration, and each comparison is for the case with the smallest
margin. Bounds that hold with equality agree, up to `ROUNDING`.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, product
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.mechanisms import bounded, sensitivity
from ggexp.streams import digest

ROUNDING = 1e-9
STATISTICS: dict[str, Callable[..., NDArray[np.float64]]] = {
    "minimum": np.min,
    "maximum": np.max,
    "mean": np.mean,
    "median": np.median,
}


@claim_test
def norms_fall(results: Results, *, orders: Sequence[float], vectors: int) -> list[Comparison]:
    """Return whether ‖s‖_p decreases from each of these orders to the next, for random vectors s.

    vectors: the number for each length. The norm is that of `sensitivity.of_coordinates`.
    """
    rng = np.random.default_rng([results.seed, digest("claim: norms")])
    drawn = [rng.exponential(size=r).tolist() for r in (2, 8, 64) for _ in range(vectors)]
    norms = {p: np.array([sensitivity.of_coordinates(p, s) for s in drawn]) for p in orders}
    return [
        Comparison(f"‖s‖_{q:g} <= ‖s‖_{p:g}", "", float((1 - norms[q] / norms[p]).min()) + ROUNDING)
        for p, q in pairwise(orders)
    ]


@claim_test
def lemma_2(results: Results, *, orders: Sequence[float], records: int) -> list[Comparison]:
    """Return whether (Σ_k Δ_{1,k}^p)^(1/p) is an upper bound of Δ_p, for statistics that are sums.

    records: the number of random records whose contributions to 2 to 64 sums are enumerated.
    """
    rng = np.random.default_rng([results.seed, digest("claim: lemma 2")])
    contributions = {
        r: rng.uniform(-1, 1, (records, r)) * rng.exponential(size=r) for r in (2, 3, 8, 64)
    }
    comparisons = []
    for order in orders:
        shares = {}
        for r, moved in contributions.items():
            largest = (np.abs(moved) ** order).sum(axis=1).max() ** (1 / order)
            bound = sensitivity.of_coordinates(order, np.abs(moved).max(axis=0).tolist())
            shares[f"{r} sums"] = float(largest / bound)
        comparisons.append(_nearest(f"p={order:g}: Δ_p <= bound of Lemma 2", shares))
    return comparisons


@claim_test
def lemma_2_conservative(
    *, orders: Sequence[float], bins: Sequence[int], records: int
) -> list[Comparison]:
    """Return whether a histogram's Δ_p is 1, and below Lemma 2's bound from the Δ_1 of its counts.

    From every table with at most ``records`` records, and each table with one record less.
    """
    comparisons = []
    for order, size in product(orders, bins):
        moves = np.abs(_moves_of_counts(size, records))
        found = float((moves**order).sum(axis=1).max() ** (1 / order))
        bound = sensitivity.of_coordinates(order, moves.max(axis=0).tolist())
        where = f"p={order:g}, {size} bins (bound {bound:.3g})"
        comparisons += [
            Comparison("Δ_p of a histogram = 1", where, ROUNDING - abs(found - 1)),
            Comparison("Δ_p of a histogram < bound of Lemma 2", where, 1 - found / bound),
        ]
    return comparisons


@claim_test
def claim_3(
    *, orders: Sequence[float], bounds: Sequence[Sequence[float]], sizes: Sequence[int]
) -> list[Comparison]:
    """Return whether (Σ_k (c_k1 - c_k0)^p)^(1/p) is an upper bound of Δ_p.

    bounds: of the variables. sizes: numbers of records. The enumeration takes all data sets of that
    size with the values c_k0, the middle and c_k1, and those with another last record. The
    statistics are the minimum, maximum, mean and median of each variable.
    """
    records = np.array(list(product(*([low, (low + high) / 2, high] for low, high in bounds))))
    comparisons = []
    for order, (name, statistic) in product(orders, STATISTICS.items()):
        shares = {}
        for size in sizes:
            places = np.indices((len(records),) * size)
            statistics = statistic(records[places], axis=0)  # by the records, then the variables
            moves = np.abs(statistics[..., :, None, :] - statistics[..., None, :, :])
            largest = float((moves**order).sum(axis=-1).max() ** (1 / order))
            bound = sensitivity.of_bounds(order, [(low, high) for low, high in bounds])
            shares[f"{size} records"] = largest / bound
        comparisons.append(_nearest(f"p={order:g}: Δ_p of each {name} <= bound of Claim 3", shares))
    return comparisons


@claim_test
def eqn_17(*, bins: Sequence[int], records: int, epsilon: float) -> list[Comparison]:
    """Return whether Eqn 17's b from Δ_2 is at least its b from the Δ_{1,k}, for histograms.

    One record less changes one of the counts, which lie within [0, records]; therefore Δ_2 is 1.
    """
    comparisons = []
    for size in bins:
        about = {"widths": [float(records)] * size, "sensitivities": [1.0] * size}
        joint, separate = (
            bounded.truncated_scale(order=2, epsilon=epsilon, sensitivity_p=moved, **about)
            for moved in (sensitivity.histogram(2), None)
        )
        what = "b from Δ_2 >= b from the Δ_1k"
        where = f"{size} bins ({joint:.5g} against {separate:.5g})"
        comparisons.append(Comparison(what, where, joint - separate + ROUNDING))
    return comparisons


@claim_test
def between_norms(results: Results, *, sizes: Sequence[int], records: int) -> list[Comparison]:
    """Return whether Δ_2 <= Δ_1 <= √k Δ_2, for k sums over records.

    sizes: k. Tested on random contributions of ``records`` records, and on k counting queries that
    one record may all change, with Δ_1 = k and Δ_2 = √k.
    """
    rng = np.random.default_rng([results.seed, digest("claim: between norms")])
    comparisons = []
    for k in sizes:
        drawn = np.abs(rng.uniform(-1, 1, (records, k)) * rng.exponential(size=k))
        # of one record, in all ways if these are few
        answers = np.array(list(product((0, 1), repeat=k))) if k <= 8 else np.ones((1, k))
        for name, moved in (("random sums", drawn), ("counting queries", answers)):
            d1, d2 = (_largest(moved, order) for order in (1, 2))
            where = f"k={k}, {name}"
            comparisons += [
                Comparison("Δ_2 <= Δ_1", where, 1 - d2 / d1 + ROUNDING),
                Comparison("Δ_1 <= √k Δ_2", where, 1 - d1 / (sqrt(k) * d2) + ROUNDING),
            ]
        off = abs(d1 - k) + abs(d2 - sqrt(k))  # of the counting queries
        comparisons.append(Comparison("Δ_1 = k and Δ_2 = √k", f"k={k} queries", ROUNDING * k - off))
    return comparisons


def _nearest(what: str, shares: Mapping[str, float]) -> Comparison:
    """Return the comparison of the case with the largest share of its bound."""
    where = max(shares, key=lambda case: round(shares[case], 12))
    return Comparison(what, where, 1 - shares[where] + ROUNDING)


def _moves_of_counts(bins: int, records: int) -> NDArray[np.float64]:
    """Return the differences of all small tables from the tables with one record less."""
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


def _largest(moves: NDArray[np.float64], order: int) -> float:
    """Return the largest l_p norm of the rows of an array >= 0."""
    rows = [row[row > 0].tolist() for row in moves if row.any()]
    return max(sensitivity.of_coordinates(order, row) for row in rows)
