"""Tests of claims about many queries, on the table of Figure S5."""

from collections.abc import Mapping
from math import log, sqrt

import pandas as pd

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.companions.claims.rows import rows_of


@claim_test
def crossing(results: Results, *, way: str, delta: float, k: int) -> list[Comparison]:
    """Test whether Gaussian noise has the smaller maximum error from k queries on, not before.

    way: "gaussian" or "gaussian-exact", compared with "laplace" or "laplace-exact". The test uses
    the crossing found by a search, and all points of both curves.
    """
    comparisons = [
        Comparison(f"crossing at k = {k} ({crossing_k} found)", f"δ={delta:g}", 0.5 - deviation)
        for crossing_k in _rows(results, "crossing", way, delta)["k"]
        for deviation in [abs(crossing_k - k)]
    ]
    laplace = _curve(results, way.replace("gaussian", "laplace"), delta)
    gaussian = _curve(results, way, delta)
    for queries in gaussian:
        margin = laplace[queries] - gaussian[queries]
        what, difference = ("<", margin) if queries >= k else (">", -margin)
        comparisons.append(
            Comparison(f"error of Gaussian {what} Laplace", f"δ={delta:g}, k={queries}", difference)
        )
    return comparisons


@claim_test
def accountant_moves_the_crossing(results: Results) -> list[Comparison]:
    """Test whether exact composition moves the crossing to fewer queries, at each δ."""
    comparisons = []
    for delta in _deltas(results):
        lecture, exact = (
            float(_rows(results, "crossing", way, delta)["k"].iloc[0])
            for way in ("gaussian", "gaussian-exact")
        )
        comparisons.append(Comparison("crossing at fewer queries", f"δ={delta:g}", lecture - exact))
    return comparisons


@claim_test
def lectures_condition(results: Results) -> list[Comparison]:
    """Test whether Gaussian noise has the smaller error if k ln k >= ln(1/δ)."""
    comparisons = []
    for delta in _deltas(results):
        laplace, gaussian = (_curve(results, way, delta) for way in ("laplace", "gaussian"))
        comparisons += [
            Comparison(
                "error of Gaussian < Laplace", f"δ={delta:g}, k={k}", laplace[k] - gaussian[k]
            )
            for k in laplace
            if k * log(k) >= log(1 / delta)
        ]
    return comparisons


@claim_test
def orders_of_growth(results: Results, *, laplace: float, gaussian: float) -> list[Comparison]:
    """Test whether the errors are within constant factors of the lecture's bounds, from k = 3 on.

    laplace: the constant factor of k ln k / ε. gaussian: the constant factor of
    √(k ln k ln(1/δ)) / ε. The comparison is for the k with the largest ratio; ε is 1.
    """
    comparisons = []
    for delta in _deltas(results):
        for way, constant in (("laplace", laplace), ("gaussian", gaussian)):
            ratios = {
                k: value / (k * log(k) if way == "laplace" else sqrt(k * log(k) * log(1 / delta)))
                for k, value in _curve(results, way, delta).items()
                if k >= 3
            }
            k, ratio = max(ratios.items(), key=lambda item: item[1])
            what = f"{way}: error / bound < {constant:g}"
            comparisons.append(Comparison(what, f"δ={delta:g}, k={k}", constant - ratio))
    return comparisons


@claim_test
def simulation_agrees(results: Results, *, within: float) -> list[Comparison]:
    """Test whether each simulated mean is within a number of standard errors of its curve."""
    comparisons = []
    for delta in _deltas(results):
        for way in results.figure("s5")["way"].unique():
            curve = _rows(results, "curve", way, delta)
            points = _rows(results, "simulated", way, delta).merge(curve, on="k")
            comparisons += [
                Comparison(
                    f"{way}: simulation within {within:g} standard errors",
                    f"δ={delta:g}, k={row['k']}",
                    within - abs(row["value_x"] - row["value_y"]) / row["se_x"],
                )
                for row in points.to_dict("records")
            ]
    return comparisons


@claim_test
def exact_saves(
    results: Results, *, at_least: Mapping[str, float], releases: tuple[int, int]
) -> list[Comparison]:
    """Test whether exact composition gives a smaller ε than other accountants, by a share.

    at_least: accountant -> the smallest share. releases: the range of the number of releases, both
    ends included.
    """
    rows = rows_of(results, "s5", between={"k": releases}, panel="composition")
    epsilons = rows.set_index(["way", "k"])["value"]
    return [
        Comparison(
            f"exact ε at least {share:.0%} below {way}",
            f"k={k}",
            1 - epsilons["exact", k] / epsilon - share,
        )
        for way, share in at_least.items()
        for k, epsilon in epsilons[way].items()
    ]


def _deltas(results: Results) -> list[float]:
    return sorted(rows_of(results, "s5", panel="queries")["delta"].unique())


def _rows(results: Results, kind: str, way: str, delta: float) -> pd.DataFrame:
    """Return the rows of Figure S5 for a kind, a method and a δ."""
    return rows_of(results, "s5", panel="queries", kind=kind, way=way, delta=delta)


def _curve(results: Results, way: str, delta: float) -> dict[int, float]:
    """Return k -> the error of a method at a δ."""
    rows = _rows(results, "curve", way, delta)
    return dict(zip(rows["k"], rows["value"], strict=True))
