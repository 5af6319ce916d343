"""Tests of what noise costs in approximate DP, on the tables of Figures S1, S3 and S4.

Each returns the comparisons that a claim makes: none where its figure is not among the results. Of
Figure S3 a claim names the range, epsilons and deltas: the least and the largest, both included.
"""

from itertools import pairwise

import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.claims.registry import claim_test


@claim_test
def delivers_its_delta(results: Results, *, share: float) -> list[Comparison]:
    """Return whether each mechanism that claims (ε, δ) has less than a share of δ (Figure S1)."""
    comparisons = []
    if "s1" in results.figures:
        table = results.figures["s1"]
        here = (table["at_epsilon"] == table["epsilon"]) & (table["calibration"] != "pure")
        for row in table[here].to_dict("records"):
            where = f"{row['mechanism']} {place(row['epsilon'], row['delta'])}"
            found = row["exact_delta"] / row["delta"]
            what = f"exact δ : claimed δ < {share:g}"
            comparisons.append(Comparison(what, where, share - found))
    return comparisons


@claim_test
def suffices(results: Results, *, calibration: str) -> list[Comparison]:
    """Return whether a rule's scale is at least that of adp-exact, for each δ (Figure S4).

    The evidence says from which ε on it is not.
    """
    comparisons = []
    if "s4" in results.figures:
        table = results.figures["s4"]
        here = (table["panel"] == "epsilon") & (table["calibration"] == calibration)
        for delta, curve in table[here & (table["order"] == 2)].groupby("delta"):
            short = curve[curve["ratio"] < 1]
            since = f", from ε={short['epsilon'].min():.3g} on" if len(short) else ""
            what = "scale : scale of adp-exact >= 1"
            comparisons.append(Comparison(what, f"δ={delta:g}{since}", curve["ratio"].min() - 1))
    return comparisons


@claim_test
def best_below_both(
    results: Results, *, by: float, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Return whether the best order saves a share of the noise, of one release.

    by: that share, of the noise of order 1 and of order 2.
    """
    return [
        Comparison(
            f"sd of the best order {by:.0%} below orders 1 and 2",
            place(row["epsilon"], row["delta"]),
            1 - by - max(row["of_laplace"], row["of_gaussian"]),
        )
        for row in _map(results, 1, epsilons, deltas).to_dict("records")
    ]


@claim_test
def best_is_laplace(
    results: Results, *, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Return whether the best order of one release is 1.00."""
    return [
        Comparison("best order < 1.005", place(row["epsilon"], row["delta"]), 1.005 - row["order"])
        for row in _map(results, 1, epsilons, deltas).to_dict("records")
    ]


@claim_test
def trend_of_order(
    results: Results, *, along: str, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Return whether the best order of one release rises with δ, or with smaller ε.

    Where both orders of a step are 1, to within 0.001, there is nothing to compare.
    """
    comparisons = []
    table = _map(results, 1, epsilons, deltas)
    other = "epsilon" if along == "delta" else "delta"
    for value, curve in table.groupby(other) if len(table) else ():
        name = f"{other}={value:g}"
        rows = curve.sort_values(along, ascending=along == "delta").to_dict("records")
        for a, b in pairwise(rows):
            if max(a["order"], b["order"]) > 1.001:
                step = f"{name}: {along} {a[along]:g} → {b[along]:g}"
                comparisons.append(Comparison("best order rises", step, b["order"] - a["order"]))
    return comparisons


@claim_test
def truncated_needs_less(
    results: Results, *, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Return whether truncated Laplace noise has the smaller sd than the best order, once."""
    return [
        Comparison(
            "sd of truncated Laplace < of the best order",
            place(row["epsilon"], row["delta"]),
            row["of_truncated"] - 1,
        )
        for row in _map(results, 1, epsilons, deltas).to_dict("records")
    ]


@claim_test
def gaussian_is_nearly_best(
    results: Results,
    *,
    releases: int,
    within: float,
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
) -> list[Comparison]:
    """Return whether order 2 needs at most so much more noise than the best order.

    releases: how many have (ε, δ) together. within: as a share of the Gaussian's noise.
    """
    return [
        Comparison(
            f"best order saves at most {within:.1%} on the Gaussian",
            place(row["epsilon"], row["delta"]),
            row["of_gaussian"] - (1 - within),
        )
        for row in _map(results, releases, epsilons, deltas).to_dict("records")
    ]


def _map(
    results: Results, releases: int, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> pd.DataFrame:
    """Return the rows of Figure S3 of so many releases in a range, none where it was not made."""
    if "s3" not in results.figures:
        return pd.DataFrame()
    table = results.figures["s3"]
    here = (table["releases"] == releases) & table["epsilon"].between(*epsilons)
    return table[here & table["delta"].between(*deltas)]
