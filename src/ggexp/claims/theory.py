"""Tests of the paper's claims about its theory, on the tables of Figures 2 to 5.

A curve is compared at the point with the smallest margin.
"""

from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.claims.evidence import SYMBOLS, Comparison, Comparisons, Results, place
from ggexp.claims.registry import claim_test

INTERVAL = 2 * 1.959964  # width of a 95 % interval in standard errors


@claim_test
def ratio_of_bounds(results: Results) -> Comparisons:
    """Test whether the ratio of the pDP bound to the aDP bound is below 1 (Figure 3)."""
    for where, curve in _bounds(results, "epsilon"):
        yield Comparison("ratio of the bounds < 1", where, 1 - curve["ratio"].max())


@claim_test
def trend_of_bounds(results: Results, *, along: str) -> Comparisons:
    """Test whether the ratio decreases with decreasing ε, or with increasing δ (Figure 3).

    The margin is the total change of a curve. If a curve turns back, it is the largest change in
    the wrong direction, and the evidence names its two ends.
    """
    for where, curve in _bounds(results, along):
        sign = 1 if along == "epsilon" else -1
        values, places = sign * curve["ratio"].to_numpy(), curve[along].to_numpy()
        falls = np.maximum.accumulate(values) - values
        name, trend = SYMBOLS[along], "increases" if along == "epsilon" else "decreases"
        what, end = f"ratio of the bounds {trend} with {name}", int(falls.argmax())
        if falls[end] > 0:
            start, peak = _turn(places, values, int(values[: end + 1].argmax()))
            ends = f", {name}={start:.3g} to {places[end]:.3g}"
            yield Comparison(what, where + ends, values[end] - peak)
        else:
            yield Comparison(what, where, values[-1] - values[0])


def _turn(x: NDArray[np.float64], y: NDArray[np.float64], i: int) -> tuple[float, float]:
    """Return the maximum near the largest y_i, of the parabola through three points of a curve."""
    if not 0 < i < len(x) - 1:
        return float(x[i]), float(y[i])
    parabola = np.polynomial.Polynomial.fit(x[i - 1 : i + 2], y[i - 1 : i + 2], 2)
    (maximum,) = parabola.deriv().roots()
    return float(maximum), float(parabola(maximum))


def _bounds(results: Results, along: str) -> list[tuple[str, pd.DataFrame]]:
    """Return the names and curves of one panel of Figure 3."""
    table, other = results.figure(3), "delta" if along == "epsilon" else "epsilon"
    panel = table[table["panel"] == along].sort_values(along)
    return [(f"{SYMBOLS[other]}={value:g}", curve) for value, curve in panel.groupby(other)]


@claim_test
def trend_of_scales(results: Results, *, along: str, rises: bool) -> Comparisons:
    """Test whether Corollary 7's scale b increases (or decreases) with order, ε or δ (Figure 2).

    The Monte Carlo errors of the scales are treated as independent. They are correlated for two δ;
    the error of the difference is then smaller.
    """
    others = [name for name in ("order", "epsilon", "delta") if name != along]
    for key, curve in results.figure(2).groupby(others):
        fixed = ", ".join(
            f"{SYMBOLS[name]}={value:g}" for name, value in zip(others, key, strict=True)
        )
        for a, b in pairwise(curve.sort_values(along).to_dict("records")):
            change = b["scale"] - a["scale"] if rises else a["scale"] - b["scale"]
            error = np.hypot(a["high"] - a["low"], b["high"] - b["low"]) / INTERVAL
            what = f"b {'increases' if rises else 'decreases'} with {SYMBOLS[along]}"
            where = f"{fixed}, {SYMBOLS[along]}={a[along]:g} to {b[along]:g}"
            yield Comparison(what, where, change, error)


@claim_test
def fall_and_rebound(results: Results) -> Comparisons:
    """Test whether p1/p2 is 1 at 0, decreases to one minimum and increases again (Figure 4)."""
    for point, curve in _tails(results).items():
        ratio = curve["ratio"].to_numpy()
        bottom = int(ratio.argmin())
        steps = np.abs(np.diff(ratio))
        as_claimed = np.diff(ratio) * np.where(np.arange(len(steps)) < bottom, -1, 1) > 0
        is_inside = 0 < bottom < len(ratio) - 1
        agrees = as_claimed.all() and is_inside and abs(ratio[0] - 1) < 1e-9
        worst = steps.min() if agrees else -steps[~as_claimed].max(initial=1e-9)
        what = "ratio decreases from 1, then increases"
        yield Comparison(what, place(*point), worst)


@claim_test
def rebound_above_one(results: Results) -> Comparisons:
    """Test whether p1/p2 exceeds 1 in some case before both become unlikely (Figure 4)."""
    curves = _tails(results)
    if not curves:
        return
    ends = {point: curve["ratio"][~curve["unlikely"]].iloc[-1] for point, curve in curves.items()}
    above = [place(*point) for point, ratio in ends.items() if ratio > 1]
    where = f"{len(above)} of {len(curves)} points: {', '.join(above)}"
    yield Comparison("final ratio > 1", where, max(ends.values()) - 1)


@claim_test
def later_rebound(results: Results, *, along: str) -> Comparisons:
    """Test whether the minimum of p1/p2 is at a larger t for a smaller ε, or δ (Figure 4)."""
    curves = {
        point: float(curve["t"].to_numpy()[curve["ratio"].argmin()])
        for point, curve in _tails(results).items()
    }
    i = 0 if along == "epsilon" else 1
    for point, t in curves.items():
        larger = [q for q in curves if q[1 - i] == point[1 - i] and q[i] > point[i]]
        if larger:
            following = min(larger, key=lambda candidate: candidate[i])
            what = f"minimum at a larger t than at {SYMBOLS[along]}={following[i]:g}"
            yield Comparison(what, place(*point), t - curves[following])


def _tails(results: Results) -> dict[tuple[float, float], pd.DataFrame]:
    """Return the curves of Figure 4 by (ε, δ)."""
    table = results.figure(4).sort_values("t", ignore_index=True)
    points = table[["epsilon", "delta"]].drop_duplicates().to_numpy(float).tolist()
    return {
        (epsilon, delta): table[(table["epsilon"] == epsilon) & (table["delta"] == delta)]
        for epsilon, delta in sorted(points)
    }


@claim_test
def cost_falls_with_delta(results: Results) -> Comparisons:
    """Test whether a larger δ gives a smaller ε2 at every t (Figure 5)."""
    for epsilon, curves in results.figure(5).groupby("epsilon"):
        ratios = curves.pivot_table(index="t", columns="delta", values="ratio")
        for a, b in pairwise(ratios.columns):
            margin = (ratios[a] - ratios[b]).min()
            what = f"ε2 with δ={b:g} < ε2 with δ={a:g}"
            yield Comparison(what, f"ε1={epsilon:g}", margin)
