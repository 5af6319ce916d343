"""Tests of claims of the paper's first version about Laplace and Gaussian noise: Figures F1 to F3.

The settings of these figures are chosen by this project.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import log

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import cumulative_trapezoid

from ggexp.claims.evidence import SYMBOLS, Comparison, Comparisons, Results, claim_test, place


@claim_test
def truncated_wider(results: Results) -> Comparisons:
    """Test whether truncated Gaussian noise has a larger variance than truncated Laplace (F1)."""
    what = "variance of truncated Gaussian > variance of truncated Laplace"
    for where, laplace, gaussian in _examples(results):
        yield Comparison(what, f"panel {where}", _variance(gaussian) - _variance(laplace))


@claim_test
def truncated_further(results: Results) -> Comparisons:
    """Test whether Pr(|noise| < t) is smaller for truncated Gaussian than Laplace noise (F1)."""
    for where, laplace, gaussian in _examples(results):
        # up to the farther bound, within which both probabilities are 1
        distances = np.linspace(0.05, 0.95, 19) * laplace["x"].abs().max()
        margins = _probability_within(laplace, distances) - _probability_within(gaussian, distances)
        what = "Pr(|noise| < t) for truncated Gaussian < for truncated Laplace"
        yield Comparison(what, f"panel {where}", float(margins.min()))


@claim_test
def disperses(results: Results, *, along: str) -> Comparisons:
    """Test whether the sd of Gaussian-pDP noise increases as ε, or δ, decreases (F2)."""
    table = results.figure("f2")
    gaussian = table[table["delta"].notna()]
    other = "delta" if along == "epsilon" else "epsilon"
    for value, rows in gaussian.groupby(other):
        sds = rows.groupby(along)["sd"].first()
        for a, b in pairwise(sds.index):
            what = f"sd increases with decreasing {SYMBOLS[along]}"
            where = f"{SYMBOLS[other]}={value:g}, {SYMBOLS[along]}={b:g} to {a:g}"
            yield Comparison(what, where, sds[a] - sds[b])


@claim_test
def comparable(results: Results, *, within: float) -> Comparisons:
    """Test whether only the largest δ gives Gaussian-pDP sds within a share of Laplace's (F2)."""
    table = results.figure("f2")
    for epsilon, delta, laplace, gaussian in _pairs(table):
        distance = abs(gaussian["sd"].iloc[0] / laplace["sd"].iloc[0] - 1)
        if delta == table["delta"].max():
            what, difference = f"sd within {within:.0%} of Laplace", within - distance
        else:
            what, difference = f"sd not within {within:.0%} of Laplace", distance - within
        yield Comparison(what, place(epsilon, delta), difference)


@claim_test
def further(results: Results) -> Comparisons:
    """Test whether Gaussian-pDP noise is less often within the median of |Laplace noise| (F2)."""
    for epsilon, delta, *curves in _pairs(results.figure("f2")):
        median = np.array([log(2) / epsilon])
        laplace, gaussian = (float(_probability_within(curve, median)[0]) for curve in curves)
        what = "Pr(|noise| < median of Laplace) for Gaussian < for Laplace"
        yield Comparison(what, place(epsilon, delta), laplace - gaussian)


@claim_test
def bounding_evens(results: Results) -> Comparisons:
    """Test whether bounding brings the sds of Gaussian and Laplace noise closer together (F3)."""
    for bound, rows in results.figure("f3").groupby("bound"):
        what = f"|ln(sd Gaussian / sd Laplace)| decreases by bounding to ±{bound:g}"
        for epsilon, delta, laplace, gaussian in _pairs(rows):
            before, after = (
                abs(log(gaussian[name].iloc[0] / laplace[name].iloc[0]))
                for name in ("sd", "bounded_sd")
            )
            yield Comparison(what, place(epsilon, delta), before - after)


@claim_test
def higher_bars(results: Results) -> Comparisons:
    """Test whether a larger share of Gaussian than of Laplace noise lies on the bounds (F3)."""
    for bound, rows in results.figure("f3").groupby("bound"):
        what = f"share of Gaussian noise on the bounds ±{bound:g} > share of Laplace noise"
        for epsilon, delta, laplace, gaussian in _pairs(rows):
            margin = _on_bounds(gaussian) - _on_bounds(laplace)
            yield Comparison(what, place(epsilon, delta), margin)


def _examples(results: Results) -> list[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Return panel, Laplace curve and Gaussian curve of each example of F1."""
    return [
        (f"({name})", rows[rows["mechanism"] == "laplace"], rows[rows["mechanism"] == "gaussian"])
        for name, rows in results.figure("f1").groupby("panel")
    ]


def _pairs(table: pd.DataFrame) -> Iterator[tuple[float, float, pd.DataFrame, pd.DataFrame]]:
    """Yield ε, δ, the rows of Laplace noise at ε, and the rows of Gaussian noise at ε and δ."""
    for epsilon in table["epsilon"].unique().tolist():
        rows = table[table["epsilon"] == epsilon]
        laplace = rows[rows["delta"].isna()]
        for delta in rows["delta"].dropna().unique().tolist():
            yield epsilon, delta, laplace, rows[rows["delta"] == delta]


def _variance(curve: pd.DataFrame) -> float:
    """Return the variance of a density that is given on a fine grid."""
    x, density = curve["x"].to_numpy(), curve["density"].to_numpy()
    mean = np.trapezoid(x * density, x)
    return float(np.trapezoid((x - mean) ** 2 * density, x))


def _probability_within(curve: pd.DataFrame, distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pr(|x| < t) for each distance t, from a density that is given on a fine grid."""
    x = curve["x"].to_numpy()
    below = cumulative_trapezoid(curve["density"].to_numpy(), x, initial=0)
    return np.interp(distances, x, below) - np.interp(-distances, x, below)


def _on_bounds(rows: pd.DataFrame) -> float:
    """Return the probability of a release on either bound."""
    return float(rows["probability"][rows["left"] == rows["right"]].sum())
