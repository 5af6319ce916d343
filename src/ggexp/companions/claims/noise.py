"""Tests of claims about noise for approximate and probabilistic DP: Figures S1 to S4, F1 to F3.

Further claims about these figures and the audit are tested by `at_each_row`. between: "epsilon"
and "delta" -> their smallest and largest value, both included.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from sys import float_info
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline

from ggexp.claims.evidence import SYMBOLS, Comparison, Comparisons, Results, claim_test, place
from ggexp.companions import least_pdp
from ggexp.mechanisms.guarantee import Guarantee

#: The error of a best order; orders that differ by less are equal.
ORDER_ERROR = 1e-3
ROUNDING = 1e-6  # relative error of a standard deviation
DELTA_ROUNDING = float_info.epsilon  # larger than the rounding error of a δ in the audit

Between = Mapping[str, Sequence[float]]


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
def truncated_is_least(results: Results, *, between: Between) -> Comparisons:
    """Test whether truncated geometric noise has the least sd of symmetric noise for pDP.

    Where the lower bound of Figure S2 does not show it, the noise is compared with the least sd of
    noise with at most two broken steps (`least_pdp.with_broken_steps`).
    """
    rows: Any = results.rows("s2", between, mechanism="truncated-geometric").to_dict("records")
    for row in rows:
        other = row["bound"]
        if row["ratio"] > 1 + ROUNDING:
            other = least_pdp.with_broken_steps(row["epsilon"], row["delta"])
        what = "sd of truncated geometric noise / least sd found <= 1"
        difference = float(1 + ROUNDING - row["ratio"] * row["bound"] / other)
        yield Comparison(what, place(row["epsilon"], row["delta"]), difference)


@claim_test
def within_delta(results: Results) -> Comparisons:
    """Test whether the exact δ of integer-valued noise, as it is drawn, is at most the claimed δ.

    If the noise is calibrated for a larger ε, the exact δ must exceed the claimed one.
    """
    rows: Any = results.figure("audit").dropna(subset="exact_delta").to_dict("records")
    for row in rows:
        allowed = 0.0 if row["guarantee"] == Guarantee.PURE else row["delta"]
        excess = max(0.0, row["exact_delta"] - allowed)
        relation, difference = ("<=", DELTA_ROUNDING - excess) if row["claimed"] else (">", excess)
        what = "{guarantee} of {mechanism} ({released})".format(**row)
        where = f"{place(row['epsilon'], row['delta'])}, {row['records']} records"
        yield Comparison(f"{what}: exact δ {relation} claimed δ", where, difference)


# ---- the first version of the paper: Figures F1 to F3, whose settings are chosen by this project


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
