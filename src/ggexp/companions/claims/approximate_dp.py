"""Tests of claims about noise under approximate DP, on the tables of Figures S1, S3 and S4.

A claim about Figure S3 covers ranges of ε and δ: ``epsilons`` and ``deltas`` are the smallest and
the largest value, both included.
"""

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.interpolate import CubicSpline

from ggexp.claims.evidence import SYMBOLS, Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.companions.claims.rows import at_points, rows_of

#: The error of a best order; orders that differ by less are equal.
ORDER_ERROR = 1e-3


@claim_test
def delivers_its_delta(results: Results, *, share: float) -> list[Comparison]:
    """Test whether the exact δ of each mechanism is below a share of its claimed δ (Figure S1)."""
    table = results.figure("s1")
    rows = table[(table["at_epsilon"] == table["epsilon"]) & (table["calibration"] != "pure")]
    what = f"{{mechanism}}: exact δ / claimed δ < {share:g}"
    return at_points(rows, what, lambda row: share - row["exact_delta"] / row["delta"])


@claim_test
def suffices(results: Results, *, calibration: str) -> list[Comparison]:
    """Test whether a rule's scale is at least that of adp-exact, for each δ (Figure S4).

    The evidence names the ε from which on the scale is too small, interpolated in ln ε.
    """
    comparisons = []
    rows = rows_of(results, "s4", panel="epsilon", calibration=calibration, order=2)
    for delta, curve in rows.groupby("delta"):
        excess, epsilons = curve["ratio"].to_numpy() - 1, curve["epsilon"].to_numpy()
        since = ""
        if excess.min() < 0:
            crossings = CubicSpline(np.log(epsilons), excess).roots(extrapolate=False)
            since = f", from ε={np.exp(crossings[0]) if len(crossings) else epsilons[0]:.3g} on"
        what = "scale / scale of adp-exact >= 1"
        comparisons.append(Comparison(what, f"δ={delta:g}{since}", excess.min()))
    return comparisons


@claim_test
def best_below_both(
    results: Results, *, by: float, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Test whether the best order needs less noise than orders 1 and 2, for one release.

    by: the smallest required reduction, as a share of the sd of either order.
    """
    what = f"sd of the best order at least {by:.0%} below orders 1 and 2"
    rows = _rows(results, 1, epsilons, deltas)
    return at_points(rows, what, lambda row: 1 - by - max(row["of_laplace"], row["of_gaussian"]))


@claim_test
def best_is_laplace(
    results: Results, *, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Test whether the best order for one release is 1.00."""
    rows = _rows(results, 1, epsilons, deltas)
    return at_points(rows, "best order < 1.005", lambda row: 1.005 - row["order"])


@claim_test
def trend_of_order(
    results: Results, *, along: str, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Test whether the best order for one release increases with δ, or with decreasing ε.

    An order above 1 must increase. No order may decrease; equal orders agree to within
    `ORDER_ERROR`.
    """
    comparisons = []
    table = _rows(results, 1, epsilons, deltas)
    other = "epsilon" if along == "delta" else "delta"
    for value, curve in table.groupby(other):
        name = f"{SYMBOLS[other]}={value:g}"
        rows = curve.sort_values(along, ascending=along == "delta").to_dict("records")
        for a, b in pairwise(rows):
            step = f"{name}, {SYMBOLS[along]}={a[along]:g} to {b[along]:g}"
            rise = b["order"] - a["order"]
            if max(a["order"], b["order"]) > 1 + ORDER_ERROR:
                comparisons.append(Comparison("best order above 1 increases", step, rise))
            else:
                what = "best order of 1 does not decrease"
                comparisons.append(Comparison(what, step, rise + ORDER_ERROR))
    return comparisons


@claim_test
def truncated_needs_less(
    results: Results, *, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Test whether truncated Laplace noise has a smaller sd than the best order for one release."""
    what = "sd of truncated Laplace < sd of the best order"
    rows = _rows(results, 1, epsilons, deltas)
    return at_points(rows, what, lambda row: row["of_truncated"] - 1)


@claim_test
def gaussian_is_nearly_best(
    results: Results,
    *,
    releases: int,
    within: float,
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
) -> list[Comparison]:
    """Test whether the best order needs only slightly less noise than order 2.

    releases: the number of releases that together satisfy (ε, δ). within: the largest share of the
    Gaussian noise that the best order may save.
    """
    what = f"best order needs at most {within:.1%} less noise than the Gaussian"
    rows = _rows(results, releases, epsilons, deltas)
    return at_points(rows, what, lambda row: row["of_gaussian"] - (1 - within))


def _rows(
    results: Results, releases: int, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> pd.DataFrame:
    """Return the rows of Figure S3 for a number of releases, in the ranges of ε and δ."""
    ranges = {"epsilon": epsilons, "delta": deltas}
    return rows_of(results, "s3", between=ranges, releases=releases)
