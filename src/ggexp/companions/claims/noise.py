"""Tests of claims about noise for approximate and probabilistic DP: Figures S1 to S4.

A claim about Figure S2 or S3 covers a part of its points. between: "epsilon" and "delta" -> their
smallest and largest value, both included.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy.interpolate import CubicSpline

from ggexp.claims.evidence import SYMBOLS, Comparison, Comparisons, Results, claim_test, place
from ggexp.companions import least_pdp

#: The error of a best order; orders that differ by less are equal.
ORDER_ERROR = 1e-3
ROUNDING = 1e-6  # relative error of a standard deviation

Between = Mapping[str, Sequence[float]]


@claim_test
def delivers_its_delta(results: Results, *, share: float) -> Comparisons:
    """Test whether the exact δ of each mechanism is below a share of its claimed δ (Figure S1)."""
    table = results.figure("s1")
    rows = table[(table["at_epsilon"] == table["epsilon"]) & (table["calibration"] != "pure")]
    what = f"{{mechanism}}: exact δ / claimed δ < {share:g}"
    return _at_points(rows, what, lambda row: share - row["exact_delta"] / row["delta"])


@claim_test
def suffices(results: Results, *, calibration: str) -> Comparisons:
    """Test whether a rule's scale is at least that of adp-exact, for each δ (Figure S4).

    The evidence names the ε from which on the scale is too small, interpolated in ln ε.
    """
    rows = results.rows("s4", panel="epsilon", calibration=calibration, order=2)
    for delta, curve in rows.groupby("delta"):
        excess, epsilons = curve["ratio"].to_numpy() - 1, curve["epsilon"].to_numpy()
        since = ""
        if excess.min() < 0:
            crossings = CubicSpline(np.log(epsilons), excess).roots(extrapolate=False)
            since = f", from ε={np.exp(crossings[0]) if len(crossings) else epsilons[0]:.3g} on"
        what = "scale / scale of adp-exact >= 1"
        yield Comparison(what, f"δ={delta:g}{since}", excess.min())


@claim_test
def best_below_both(results: Results, *, by: float, between: Between) -> Comparisons:
    """Test whether the best order's sd is below those of orders 1 and 2 by at least a share."""
    what = f"sd of the best order at least {by:.0%} below orders 1 and 2"
    rows = results.rows("s3", between, releases=1)
    return _at_points(rows, what, lambda row: 1 - by - max(row["of_laplace"], row["of_gaussian"]))


@claim_test
def best_is_laplace(results: Results, *, between: Between) -> Comparisons:
    """Test whether the best order for one release is 1.00."""
    rows = results.rows("s3", between, releases=1)
    return _at_points(rows, "best order < 1.005", lambda row: 1.005 - row["order"])


@claim_test
def trend_of_order(results: Results, *, along: str, between: Between) -> Comparisons:
    """Test whether the best order for one release increases with δ, or with decreasing ε.

    An order above 1 must increase. No order may decrease; equal orders agree to within
    `ORDER_ERROR`.
    """
    table = results.rows("s3", between, releases=1)
    other = "epsilon" if along == "delta" else "delta"
    for value, curve in table.groupby(other):
        name = f"{SYMBOLS[other]}={value:g}"
        rows = curve.sort_values(along, ascending=along == "delta").to_dict("records")
        for a, b in pairwise(rows):
            step = f"{name}, {SYMBOLS[along]}={a[along]:g} to {b[along]:g}"
            rise = b["order"] - a["order"]
            if max(a["order"], b["order"]) > 1 + ORDER_ERROR:
                yield Comparison("best order above 1 increases", step, rise)
            else:
                what = "best order of 1 does not decrease"
                yield Comparison(what, step, rise + ORDER_ERROR)


@claim_test
def truncated_needs_less(results: Results, *, between: Between) -> Comparisons:
    """Test whether truncated Laplace noise has a smaller sd than the best order for one release."""
    what = "sd of truncated Laplace < sd of the best order"
    rows = results.rows("s3", between, releases=1)
    return _at_points(rows, what, lambda row: row["of_truncated"] - 1)


@claim_test
def gaussian_is_nearly_best(
    results: Results, *, releases: int, within: float, between: Between
) -> Comparisons:
    """Test whether the best order needs only slightly less noise than order 2.

    releases: the number of releases that together satisfy (ε, δ). within: the largest share of the
    Gaussian noise that the best order may save.
    """
    what = f"best order needs at most {within:.1%} less noise than the Gaussian"
    rows = results.rows("s3", between, releases=releases)
    return _at_points(rows, what, lambda row: row["of_gaussian"] - (1 - within))


@claim_test
def ratio_to_best(
    results: Results,
    *,
    panel: str,
    mechanisms: Sequence[str],
    ratio: float,
    between: Between,
    at_most: bool = False,
) -> Comparisons:
    """Test whether mechanisms have at least (or at most) ``ratio`` times the smallest noise."""
    rows = results.rows("s2", between, panel=panel, mechanism=[*mechanisms])
    what = f"noise of {{mechanism}} / smallest possible noise {'<=' if at_most else '>='} {ratio:g}"
    sign = -1 if at_most else 1
    return _at_points(rows, what, lambda row: sign * (row["ratio"] - ratio))


@claim_test
def truncated_is_least(results: Results, *, between: Between) -> Comparisons:
    """Test whether truncated geometric noise has the least sd of symmetric noise for pDP.

    Where the lower bound of Figure S2 does not show it, the noise is compared with the least sd of
    noise with at most two broken steps (`least_pdp.with_broken_steps`).
    """

    def difference(row: Mapping[str, Any]) -> float:
        other = row["bound"]
        if row["ratio"] > 1 + ROUNDING:
            other = least_pdp.with_broken_steps(row["epsilon"], row["delta"])
        return float(1 + ROUNDING - row["ratio"] * row["bound"] / other)

    rows = results.rows("s2", between, mechanism="truncated-geometric")
    return _at_points(rows, "sd of truncated geometric noise / least sd found <= 1", difference)


def _at_points(
    rows: pd.DataFrame, what: str, difference: Callable[[Mapping[str, Any]], float]
) -> Comparisons:
    """Yield a comparison for each row. what: the statement, with columns in braces."""
    records: Any = rows.to_dict("records")
    for row in records:
        yield Comparison(what.format(**row), place(row["epsilon"], row["delta"]), difference(row))
