"""Tests of claims about noise, many queries and releases: Figures S1 to S5, S7, S9, F1 to F3.

Further claims about these figures and the audit are tested by `at_each_row`. between: "epsilon"
and "delta" -> their smallest and largest value, both included.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log, sqrt
from sys import float_info
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline

from ggexp.claims.evidence import (
    SYMBOLS,
    Comparison,
    Comparisons,
    Results,
    budget_of,
    claim_test,
    place,
)
from ggexp.companions import least_integer
from ggexp.companions.rules import noise_by
from ggexp.guarantees.composition import Composition, advanced_of, basic_of
from ggexp.guarantees.table_error import epsilon_for_error
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.loss_distribution import randomized_response

#: The error of a best order; orders that differ by less are equal.
ORDER_ERROR = 1e-3
ROUNDING = 1e-6  # relative error of a standard deviation
SAME_NOISE = 1e-9  # relative; two standard deviations that differ less are equal
DELTA_ROUNDING = float_info.epsilon  # larger than the rounding error of a δ in the audit


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
def trend_of_order(results: Results, *, along: str, between: dict[str, list[float]]) -> Comparisons:
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
def pays_off(results: Results, *, order: str, other: str, deltas: dict[float, int]) -> Comparisons:
    """Test from which number of tables on one noise is smaller than another, and not before.

    order, other: noises of Figure S9. deltas: δ -> the smallest number of tables at which the
    standard deviation of ``order`` is smaller.
    """
    for delta, smallest in deltas.items():
        rows = results.rows("s9", delta=float(delta), noise=[order, other])
        for tables, sds in rows.pivot_table(
            index="tables", columns="noise", values="sd"
        ).iterrows():
            gain, sign = 1 - sds[order] / sds[other], "<"
            if int(str(tables)) < smallest:
                gain, sign = SAME_NOISE - gain, ">="
            what = f"{tables} tables: sd of {order} {sign} sd of {other}"
            yield Comparison(what, place(Budget(1.0, float(delta))), gain)


@claim_test
def truncated_is_least(results: Results, *, between: dict[str, list[float]]) -> Comparisons:
    """Test whether truncated geometric noise has the least sd of symmetric noise for pDP.

    Where the lower bound of Figure S2 does not show it, the noise is compared with the least sd of
    noise with at most two broken steps (`least_integer.with_broken_steps`).
    """
    rows: Any = results.rows("s2", between, mechanism="truncated-geometric").to_dict("records")
    for row in rows:
        other = row["bound"]
        if row["ratio"] > 1 + ROUNDING:
            other = least_integer.with_broken_steps(budget_of(row))
        what = "sd of truncated geometric noise / least sd found <= 1"
        difference = float(1 + ROUNDING - row["ratio"] * row["bound"] / other)
        yield Comparison(what, place(budget_of(row)), difference)


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
        where = f"{place(budget_of(row))}, {row['records']} records"
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
    for budget, laplace, gaussian in _pairs(table):
        distance = abs(gaussian["sd"].iloc[0] / laplace["sd"].iloc[0] - 1)
        if budget.delta == table["delta"].max():
            what, difference = f"sd within {within:.0%} of Laplace", within - distance
        else:
            what, difference = f"sd not within {within:.0%} of Laplace", distance - within
        yield Comparison(what, place(budget), difference)


@claim_test
def further(results: Results) -> Comparisons:
    """Test whether Gaussian-pDP noise is less often within the median of |Laplace noise| (F2)."""
    for budget, *curves in _pairs(results.figure("f2")):
        median = np.array([log(2) / budget.epsilon])
        laplace, gaussian = (float(_probability_within(curve, median)[0]) for curve in curves)
        what = "Pr(|noise| < median of Laplace) for Gaussian < for Laplace"
        yield Comparison(what, place(budget), laplace - gaussian)


@claim_test
def bounding_evens(results: Results) -> Comparisons:
    """Test whether bounding brings the sds of Gaussian and Laplace noise closer together (F3)."""
    for bound, rows in results.figure("f3").groupby("bound"):
        what = f"|ln(sd Gaussian / sd Laplace)| decreases by bounding to ±{bound:g}"
        for budget, laplace, gaussian in _pairs(rows):
            before, after = (
                abs(log(gaussian[name].iloc[0] / laplace[name].iloc[0]))
                for name in ("sd", "bounded_sd")
            )
            yield Comparison(what, place(budget), before - after)


@claim_test
def higher_bars(results: Results) -> Comparisons:
    """Test whether a larger share of Gaussian than of Laplace noise lies on the bounds (F3)."""
    for bound, rows in results.figure("f3").groupby("bound"):
        what = f"share of Gaussian noise on the bounds ±{bound:g} > share of Laplace noise"
        for budget, laplace, gaussian in _pairs(rows):
            margin = _on_bounds(gaussian) - _on_bounds(laplace)
            yield Comparison(what, place(budget), margin)


def _examples(results: Results) -> list[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Return panel, Laplace curve and Gaussian curve of each example of F1."""
    return [
        (f"({name})", rows[rows["mechanism"] == "laplace"], rows[rows["mechanism"] == "gaussian"])
        for name, rows in results.figure("f1").groupby("panel")
    ]


def _pairs(table: pd.DataFrame) -> Iterator[tuple[Budget, pd.DataFrame, pd.DataFrame]]:
    """Yield (ε, δ), the rows of Laplace noise at ε, and the rows of Gaussian noise at ε and δ."""
    for epsilon in table["epsilon"].unique().tolist():
        rows = table[table["epsilon"] == epsilon]
        laplace = rows[rows["delta"].isna()]
        for delta in rows["delta"].dropna().unique().tolist():
            yield Budget(epsilon, delta), laplace, rows[rows["delta"] == delta]


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


#: The counts of three tables with 64 cells.
TABLES: Mapping[str, Sequence[int]] = {
    "sparse": [1] * 22 + [0] * 42,
    "flat": [29] * 64,
    "one large cell": [1841] + [0] * 63,
}


@claim_test
def need_is_enough(
    results: Results,
    *,
    l1: float,
    confidence: float,
    delta: float | None,
    releases: int,
    standard_errors: float,
) -> Comparisons:
    """Test whether the l1 error of each of `TABLES` is within its bound often enough.

    The ε is computed without the table; negative counts are clamped at 0. standard_errors: by which
    the share within the bound may fall short of the confidence, which it equals without clamping.
    """
    need = epsilon_for_error(cells=64, l1=l1, confidence=confidence, delta=delta)
    rng = np.random.default_rng(results.seed)
    for name, counts in TABLES.items():
        noise = need.noise.sample(rng, releases * 64).reshape(releases, 64)
        errors = np.abs(np.maximum(counts + noise, 0) - counts).sum(axis=1)
        share = float(np.mean(errors <= l1))
        required = confidence - standard_errors * sqrt(confidence * (1 - confidence) / releases)
        where = f"ε={need.epsilon:g} for the table {name!r}"
        what = f"share of errors within the bound >= {required:.4f}"
        yield Comparison(what, where, share - required)


@claim_test
def exact_is_below_advanced(
    *, releases: Sequence[tuple[float, float, int]], slacks: Sequence[float], saves: float
) -> Comparisons:
    """Test whether exact composition gives a smaller ε than advanced composition, by a share.

    releases: ε, δ and number of releases of each mechanism, which are the worst with (ε, δ)-DP.
    saves: the smallest required share. If basic composition has a smaller ε than advanced
    composition, it is compared instead.
    """
    spent = [(Budget(epsilon, delta), k) for epsilon, delta, k in releases]
    worst = Composition([(randomized_response(budget), k) for budget, k in spent])
    for slack in slacks:
        together = advanced_of(spent, slack=slack)
        share = 1 - worst.epsilon(delta=together.delta).pessimistic / together.epsilon
        margin = f"at least {saves:.0%} " if saves else ""
        is_basic = together == basic_of(spent)
        what = f"exact ε {margin}below {'basic' if is_basic else 'advanced'} composition"
        yield Comparison(what, f"δ'={slack:g}", share - saves)


@claim_test
def response_loses_the_most(
    *, epsilon: float, delta: float, k: int, mechanisms: Mapping[str, float | None]
) -> Comparisons:
    """Test whether k releases by randomized response have the largest δ at every ε."""
    epsilons = np.linspace(0, 1.2, 7) * epsilon * np.sqrt(k)
    worst = Composition([(randomized_response(Budget(epsilon, delta)), k)])
    for rule, order in mechanisms.items():
        composed = Composition([(noise_by(rule, order, epsilon=epsilon, delta=delta), k)])
        excess = min(
            worst.delta(epsilon=x).pessimistic - composed.delta(epsilon=x).optimistic
            for x in epsilons.tolist()
        )
        what = f"δ of randomized response > δ of {rule}"
        yield Comparison(what, f"the worst ε of {epsilons.size}", excess)


@claim_test
def curve_is_above(
    results: Results, *, above: str, below: str, releases: int, rates: Sequence[float]
) -> Comparisons:
    """Test whether a mechanism's trade-off curve is above that of another, in Figure S7."""
    curves = results.rows("s7", releases=releases).set_index("false_positive")
    upper, lower = (
        np.interp(rates, curve.index, curve["false_negative"])
        for curve in (curves[curves["mechanism"] == name] for name in (above, below))
    )
    what = f"false negative rate of {above} > {below}"
    for rate, excess in zip(rates, upper - lower, strict=True):
        yield Comparison(what, f"false positive rate {rate:g}", float(excess))


@claim_test
def crossing(results: Results, *, way: str, delta: float, k: int) -> Comparisons:
    """Test whether Gaussian noise has the smaller maximum error from k queries on, not before.

    way: "gaussian" or "gaussian-exact", compared with "laplace" or "laplace-exact". The test uses
    the crossing found by a search, and all points of both curves.
    """
    for found in _rows(results, "crossing", way, delta)["k"]:
        what = f"crossing at k = {k} ({found} found)"
        yield Comparison(what, f"δ={delta:g}", 0.5 - abs(found - k))
    laplace = _curve(results, way.replace("gaussian", "laplace"), delta)
    gaussian = _curve(results, way, delta)
    for queries in gaussian:
        margin = laplace[queries] - gaussian[queries]
        relation, difference = ("<", margin) if queries >= k else (">", -margin)
        what = f"error of Gaussian {relation} Laplace"
        yield Comparison(what, f"δ={delta:g}, k={queries}", difference)


@claim_test
def accountant_moves_the_crossing(results: Results) -> Comparisons:
    """Test whether exact composition moves the crossing to fewer queries, at each δ."""
    for delta in _deltas(results):
        lecture, exact = (
            float(_rows(results, "crossing", way, delta)["k"].iloc[0])
            for way in ("gaussian", "gaussian-exact")
        )
        yield Comparison("crossing at fewer queries", f"δ={delta:g}", lecture - exact)


@claim_test
def lectures_condition(results: Results) -> Comparisons:
    """Test whether Gaussian noise has the smaller error if k ln k >= ln(1/δ)."""
    for delta in _deltas(results):
        laplace, gaussian = (_curve(results, way, delta) for way in ("laplace", "gaussian"))
        for k in laplace:
            if k * log(k) >= log(1 / delta):
                where = f"δ={delta:g}, k={k}"
                yield Comparison("error of Gaussian < Laplace", where, laplace[k] - gaussian[k])


@claim_test
def orders_of_growth(results: Results, *, laplace: float, gaussian: float) -> Comparisons:
    """Test whether the errors are within constant factors of the lecture's bounds, from k = 3 on.

    laplace: the constant factor of k ln k / ε. gaussian: the constant factor of
    √(k ln k ln(1/δ)) / ε. The comparison is for the k with the largest ratio; ε is 1.
    """
    for delta in _deltas(results):
        for way, constant in (("laplace", laplace), ("gaussian", gaussian)):
            ratios = {
                k: value / (k * log(k) if way == "laplace" else sqrt(k * log(k) * log(1 / delta)))
                for k, value in _curve(results, way, delta).items()
                if k >= 3
            }
            k, ratio = max(ratios.items(), key=lambda item: item[1])
            what = f"{way}: error / bound < {constant:g}"
            yield Comparison(what, f"δ={delta:g}, k={k}", constant - ratio)


@claim_test
def simulation_agrees(results: Results, *, within: float) -> Comparisons:
    """Test whether each simulated mean is within a number of standard errors of its curve."""
    for delta in _deltas(results):
        for way in results.figure("s5")["way"].unique():
            curve = _rows(results, "curve", way, delta)
            points = _rows(results, "simulated", way, delta).merge(curve, on="k")
            for row in points.to_dict("records"):
                what = f"{way}: simulation within {within:g} standard errors"
                deviation = abs(row["value_x"] - row["value_y"]) / row["se_x"]
                yield Comparison(what, f"δ={delta:g}, k={row['k']}", within - deviation)


@claim_test
def exact_saves(
    results: Results, *, at_least: Mapping[str, float], releases: tuple[int, int]
) -> Comparisons:
    """Test whether exact composition gives a smaller ε than other accountants, by a share.

    at_least: accountant -> the smallest share. releases: the range of the number of releases, both
    ends included.
    """
    rows = results.rows("s5", between={"k": releases}, panel="composition")
    epsilons = rows.set_index(["way", "k"])["value"]
    for way, share in at_least.items():
        for k, epsilon in epsilons[way].items():
            difference = 1 - epsilons["exact", k] / epsilon - share
            yield Comparison(f"exact ε at least {share:.0%} below {way}", f"k={k}", difference)


def _deltas(results: Results) -> list[float]:
    return sorted(results.rows("s5", panel="queries")["delta"].unique())


def _rows(results: Results, kind: str, way: str, delta: float) -> pd.DataFrame:
    """Return the rows of Figure S5 for a kind, a method and a δ."""
    return results.rows("s5", panel="queries", kind=kind, way=way, delta=delta)


def _curve(results: Results, way: str, delta: float) -> dict[int, float]:
    """Return k -> the error of a method at a δ."""
    rows = _rows(results, "curve", way, delta)
    return dict(zip(rows["k"], rows["value"], strict=True))
