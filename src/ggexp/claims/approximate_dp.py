"""Tests of what noise costs in approximate DP, on the tables of Figures S1, S3 and S4.

Each returns the comparisons that a claim makes: none where its figure is not among the results.
"""

from itertools import pairwise

import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place


def delivers_its_delta(results: Results) -> list[Comparison]:
    """Return whether each mechanism that claims (ε, δ) has less than δ at ε (Figure S1)."""
    comparisons = []
    if "s1" in results.figures:
        table = results.figures["s1"]
        here = (table["at_epsilon"] == table["epsilon"]) & (table["calibration"] != "pure")
        for row in table[here].to_dict("records"):
            where = f"{row['mechanism']} {place(row['epsilon'], row['delta'])}"
            share = row["exact_delta"] / row["delta"]
            comparisons.append(Comparison("exact δ : claimed δ < 1", where, 1 - share))
    return comparisons


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


def best_below_both(
    results: Results, *, by: float, largest_epsilon: float, smallest_delta: float
) -> list[Comparison]:
    """Return whether the best order saves a share of the noise (Figure S3, one release).

    by: that share, of the noise of order 1 and of order 2.
    """
    table = _map(results)
    if table.empty:
        return []
    here = (table["epsilon"] <= largest_epsilon) & (table["delta"] >= smallest_delta)
    return [
        Comparison(
            f"sd of the best order {by:.0%} below orders 1 and 2",
            place(row["epsilon"], row["delta"]),
            1 - by - max(row["of_laplace"], row["of_gaussian"]),
        )
        for row in table[here].to_dict("records")
    ]


def best_is_laplace(results: Results, *, largest_delta: float) -> list[Comparison]:
    """Return whether the best order is 1.00 up to a δ, whatever ε (Figure S3, one release)."""
    table = _map(results)
    if table.empty:
        return []
    return [
        Comparison("best order < 1.005", place(row["epsilon"], row["delta"]), 1.005 - row["order"])
        for row in table[table["delta"] <= largest_delta].to_dict("records")
    ]


def trend_of_order(results: Results, *, along: str) -> list[Comparison]:
    """Return whether the best order rises with δ, or with smaller ε (Figure S3, one release).

    Where both orders of a step are 1, to within 0.001, there is nothing to compare.
    """
    comparisons = []
    table = _map(results)
    other = "epsilon" if along == "delta" else "delta"
    for value, curve in table.groupby(other) if len(table) else ():
        name = f"{other}={value:g}"
        rows = curve.sort_values(along, ascending=along == "delta").to_dict("records")
        for a, b in pairwise(rows):
            if max(a["order"], b["order"]) > 1.001:
                step = f"{name}: {along} {a[along]:g} → {b[along]:g}"
                comparisons.append(Comparison("best order rises", step, b["order"] - a["order"]))
    return comparisons


def truncated_needs_less(results: Results, *, largest_epsilon: float) -> list[Comparison]:
    """Return whether truncated Laplace noise has the smaller sd, up to an ε (S3, one release)."""
    return [
        Comparison(
            "sd of truncated Laplace < of the best order",
            place(row["epsilon"], row["delta"]),
            row["of_truncated"] - 1,
        )
        for row in _map(results).to_dict("records")
        if row["epsilon"] <= largest_epsilon
    ]


def gaussian_is_nearly_best(results: Results, *, releases: int, within: float) -> list[Comparison]:
    """Return whether order 2 needs at most so much more noise than the best order (Figure S3).

    releases: how many have (ε, δ) together. within: as a share of the Gaussian's noise.
    """
    if "s3" not in results.figures:
        return []
    table = results.figures["s3"]
    return [
        Comparison(
            f"best order saves at most {within:.1%} on the Gaussian",
            place(row["epsilon"], row["delta"]),
            row["of_gaussian"] - (1 - within),
        )
        for row in table[table["releases"] == releases].to_dict("records")
    ]


def _map(results: Results) -> pd.DataFrame:
    """Return the rows of one release in Figure S3, none where it was not made."""
    table = results.figures.get("s3", pd.DataFrame({"releases": []}))
    return table[table["releases"] == 1]
