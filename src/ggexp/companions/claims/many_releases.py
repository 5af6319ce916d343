"""Tests of claims about ε without the data, and about many queries and releases (S5 and S7)."""

from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np
import pandas as pd

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test
from ggexp.guarantees.composition import Composition, advanced_of, basic_of
from ggexp.guarantees.table_error import epsilon_for_error
from ggexp.mechanisms.loss_distribution import randomized_response
from ggexp.mechanisms.mechanism import Mechanism

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
    worst = [(randomized_response(epsilon=e, delta=d), k) for e, d, k in releases]
    for slack in slacks:
        together, delta = advanced_of(releases, slack=slack)
        share = 1 - Composition(worst).epsilon(delta=delta).pessimistic / together
        margin = f"at least {saves:.0%} " if saves else ""
        is_basic = together == basic_of(releases).epsilon
        what = f"exact ε {margin}below {'basic' if is_basic else 'advanced'} composition"
        yield Comparison(what, f"δ'={slack:g}", share - saves)


@claim_test
def response_loses_the_most(
    *, epsilon: float, delta: float, k: int, mechanisms: Mapping[str, float | None]
) -> Comparisons:
    """Test whether k releases by randomized response have the largest δ at every ε.

    mechanisms: calibration rule -> order, of the mechanisms compared with randomized response.
    """
    epsilons = np.linspace(0, 1.2, 7) * epsilon * np.sqrt(k)
    worst = Composition([(randomized_response(epsilon=epsilon, delta=delta), k)])
    for rule, order in mechanisms.items():
        mechanism = Mechanism(order, rule)
        composed = Composition(
            [(mechanism.noise(epsilon=epsilon, delta=delta if mechanism.uses_delta else None), k)]
        )
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
