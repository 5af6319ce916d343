"""Tests of the paper's claims about Figures 1 to 5, and about the noise that a guarantee needs."""

from collections.abc import Sequence
from itertools import combinations, pairwise, product, starmap
from math import sqrt
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from ggexp.claims.evidence import (
    SYMBOLS,
    Comparison,
    Comparisons,
    Results,
    claim_test,
    place,
    point_of,
)
from ggexp.mechanisms import calibration
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.noise import Noise

Curves = dict[float, NDArray[np.float64]]
INTERVAL = 2 * 1.959964  # width of a 95 % interval in standard errors
LEMMA_11_DELTA = 2 * float(ndtr(-sqrt(2)))  # printed in the paper as 2Φ(√2) ≈ 0.157


@claim_test
def less_spread(results: Results) -> Comparisons:
    """Test whether, at the same b, the sd of each plotted curve is above that of the next order."""
    x, curves = _densities(results, "scale")
    sds = {
        order: float(np.sqrt(np.trapezoid(x**2 * density, x) / np.trapezoid(density, x)))
        for order, density in curves.items()
    }
    for a, b in pairwise(sds):
        yield Comparison("sd decreases with p", f"p={a:g} to {b:g}", sds[a] - sds[b])


@claim_test
def less_spread_in_general(*, orders: Sequence[float]) -> Comparisons:
    """Test whether, at the same b, the sd decreases from each of these orders to the next."""
    sds = {order: GeneralizedGaussian(order).sd for order in orders}
    for a, b in pairwise(sds):
        yield Comparison("sd / b decreases with p", f"p={a:g} to {b:g}", sds[a] - sds[b])


@claim_test
def unlike_the_rest(results: Results, *, order: float) -> Comparisons:
    """Test whether, at the same b, the curve of one order differs the most from all others.

    Its total variation distance from each other curve must exceed the largest distance between two
    of the others. It includes the tails beyond the plotted range, where no two curves cross.
    """
    x, curves = _densities(results, "scale")

    def distance(density: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        difference = density - other
        within, tails = np.trapezoid([np.abs(difference), difference], x)
        return float(within + abs(tails)) / 2

    distances = {(a, b): distance(curves[a], curves[b]) for a, b in combinations(curves, 2)}
    other_distances = {pair: distance for pair, distance in distances.items() if order not in pair}
    if not other_distances:
        return
    (a, b), widest = max(other_distances.items(), key=lambda item: item[1])
    others = f"{widest:.3f}, the largest between others (p={a:g} and p={b:g})"
    what = f"distance from p={order:g} > {others}"
    for pair, value in distances.items():
        if order in pair:
            yield Comparison(what, f"p={sum(pair) - order:g}", value - widest)


@claim_test
def nearest_the_mean(
    results: Results, *, within: Sequence[float], orders: Sequence[float]
) -> Comparisons:
    """Test whether, at the same variance, these orders have more mass near 0 than higher orders.

    within: the distances t from 0, in standard deviations.
    """
    x, curves = _densities(results, "variance")
    for t in within:
        is_within = np.abs(x) <= t + 1e-9
        masses = {
            order: float(np.trapezoid(density[is_within], x[is_within]))
            for order, density in curves.items()
        }
        for a, b in combinations(masses, 2):
            if a in orders:
                what = f"Pr(|noise| < t) is larger for p={a:g} than for p={b:g}"
                yield Comparison(what, f"t = {t:g} sd", masses[a] - masses[b])


def _densities(results: Results, panel: str) -> tuple[NDArray[np.float64], Curves]:
    """Return x and, for each order, the density at x, from one panel of Figure 1."""
    curves: Any = results.rows(1, panel=panel).pivot_table("density", "x", "order")
    return curves.index.to_numpy(), {order: curves[order].to_numpy() for order in curves}


@claim_test
def ratio_of_bounds(results: Results) -> Comparisons:
    """Test whether the ratio of the pDP bound to the aDP bound is below 1 (Figure 3)."""
    for where, curve in _bounds(results, "epsilon"):
        yield Comparison("ratio of the bounds < 1", where, 1 - curve["ratio"].max())


@claim_test
def trend_of_bounds(results: Results, *, along: str) -> Comparisons:
    """Test whether the ratio decreases with decreasing ε, or with increasing δ (Figure 3).

    The margin is the total change of a curve or, if it turns back, the largest change in the wrong
    direction, whose ends the evidence names.
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
    other = "delta" if along == "epsilon" else "epsilon"
    panel = results.rows(3, panel=along).sort_values(along)
    return [(f"{SYMBOLS[other]}={value:g}", curve) for value, curve in panel.groupby(other)]


@claim_test
def trend_of_scales(results: Results, *, along: str, rises: bool) -> Comparisons:
    """Test whether Corollary 7's scale b increases (or decreases) with order, ε or δ (Figure 2).

    The Monte Carlo errors are treated as independent; the error for two δ is smaller.
    """
    others = [name for name in ("order", "epsilon", "delta") if name != along]
    for key, curve in results.figure(2).groupby(others):
        values = zip(others, key, strict=True)
        fixed = ", ".join(f"{SYMBOLS[name]}={value:g}" for name, value in values)
        for a, b in pairwise(curve.sort_values(along).to_dict("records")):
            change = b["scale"] - a["scale"] if rises else a["scale"] - b["scale"]
            error = np.hypot(a["high"] - a["low"], b["high"] - b["low"]) / INTERVAL
            what = f"b {'increases' if rises else 'decreases'} with {SYMBOLS[along]}"
            where = f"{fixed}, {SYMBOLS[along]}={a[along]:g} to {b[along]:g}"
            yield Comparison(what, where, change, error)


@claim_test
def fall_and_rebound(results: Results) -> Comparisons:
    """Test whether p1/p2 is 1 at 0, decreases to one minimum and increases again (Figure 4)."""
    for budget, curve in _tails(results).items():
        ratio = curve["ratio"].to_numpy()
        bottom = int(ratio.argmin())
        steps = np.abs(np.diff(ratio))
        as_claimed = np.diff(ratio) * np.where(np.arange(len(steps)) < bottom, -1, 1) > 0
        is_inside = 0 < bottom < len(ratio) - 1
        agrees = as_claimed.all() and is_inside and abs(ratio[0] - 1) < 1e-9
        worst = steps.min() if agrees else -steps[~as_claimed].max(initial=1e-9)
        what = "ratio decreases from 1, then increases"
        yield Comparison(what, place(budget), worst)


@claim_test
def rebound_above_one(results: Results) -> Comparisons:
    """Test whether p1/p2 exceeds 1 in some case before both become unlikely (Figure 4)."""
    curves = _tails(results)
    ends = {key: curve["ratio"][~curve["unlikely"]].iloc[-1] for key, curve in curves.items()}
    above = [place(budget) for budget, ratio in ends.items() if ratio > 1]
    where = f"{len(above)} of {len(curves)} points: {', '.join(above)}"
    yield Comparison("final ratio > 1", where, max(ends.values()) - 1)


@claim_test
def later_rebound(results: Results, *, along: str) -> Comparisons:
    """Test whether the minimum of p1/p2 is at a larger t for a smaller ε, or δ (Figure 4)."""
    minima = {
        budget: float(curve["t"].to_numpy()[curve["ratio"].argmin()])
        for budget, curve in _tails(results).items()
    }
    value = attrgetter(along)
    fixed = attrgetter("delta" if along == "epsilon" else "epsilon")
    for budget, t in minima.items():
        others = [other for other in minima if fixed(other) == fixed(budget)]
        if larger := [other for other in others if value(other) > value(budget)]:
            following = min(larger, key=value)
            what = f"minimum at a larger t than at {SYMBOLS[along]}={value(following):g}"
            yield Comparison(what, place(budget), t - minima[following])


def _tails(results: Results) -> dict[Budget, pd.DataFrame]:
    """Return the curves of Figure 4 by (ε, δ)."""
    curves: Any = results.figure(4).sort_values("t").groupby(["epsilon", "delta"])
    return {Budget(*key): curve for key, curve in curves}


@claim_test
def cost_falls_with_delta(results: Results) -> Comparisons:
    """Test whether a larger δ gives a smaller ε2 at every t (Figure 5)."""
    for epsilon, curves in results.figure(5).groupby("epsilon"):
        ratios = curves.pivot_table(index="t", columns="delta", values="ratio")
        for a, b in pairwise(ratios.columns):
            margin = (ratios[a] - ratios[b]).min()
            what = f"ε2 with δ={b:g} < ε2 with δ={a:g}"
            yield Comparison(what, f"ε1={epsilon:g}", margin)


@claim_test
def no_more_noise(
    results: Results, *, mechanism: str, others: Sequence[str], within: float
) -> Comparisons:
    """Test whether the sd of a mechanism's noise is at most that of all others, at each (ε, δ).

    within: relative tolerance for equal values that differ by rounding.
    """
    rows = results.scales.dropna(subset="delta").to_dict("records")
    sds = {point_of(row): row["sd"] for row in rows}
    for other, ((name, budget), sd) in product(others, sds.items()):
        if name == mechanism and (other, budget) in sds:
            difference = (1 + within) * sds[other, budget] - sd
            yield Comparison(f"sd of {mechanism} <= sd of {other}", place(budget), difference)


@claim_test
def lemma_11() -> Comparisons:
    """Test whether Gaussian noise has a larger sd than Laplace noise for every δ below 0.157.

    For each δ the comparison is at the ε in [1e-6, 1e3] with the smallest ratio of the two.
    """
    epsilons = np.logspace(-6, 3, 91)
    what = f"2Φ(-√2) = {LEMMA_11_DELTA:.5f} rounds to 0.157"
    yield Comparison(what, "", 5e-4 - abs(LEMMA_11_DELTA - 0.157))
    for delta in (1e-9, 1e-6, 0.001, 0.01, 0.05, 0.1, 0.15, LEMMA_11_DELTA):
        budgets = [Budget(epsilon, delta) for epsilon in epsilons]
        ratios = [noise_of("pdp", 2, at).sd / noise_of("pure", 1, at).sd for at in budgets]
        what = "sd of Gaussian-pDP / sd of Laplace > 1"
        yield Comparison(what, f"δ={delta:.4g}", min(ratios) - 1)


@claim_test
def lemma_11_samples(results: Results, *, mechanisms: Sequence[str], draws: int) -> Comparisons:
    """Test `lemma_11` at each (ε, δ) of the run, with sds from draws of the run's noise."""
    rng = np.random.default_rng(results.seed)
    for row in _paired(results, mechanisms).to_dict("records"):
        if row["delta_x"] < LEMMA_11_DELTA:
            noises = GeneralizedGaussian(2, row["scale_x"]), GeneralizedGaussian(1, row["scale_y"])
            squares = [noise.sample(rng, draws) ** 2 for noise in noises]
            sds = [sqrt(square.mean()) for square in squares]
            errors = [
                float(square.std()) / (2 * sd * sqrt(draws))
                for square, sd in zip(squares, sds, strict=True)
            ]
            where = place(Budget(row["epsilon"], row["delta_x"]))
            what = "sd of Gaussian-pDP > sd of Laplace"
            yield Comparison(what, where, sds[0] - sds[1], float(np.hypot(errors[0], errors[1])))


@claim_test
def beyond_lemma_11(results: Results, *, mechanisms: Sequence[str], wider: bool) -> Comparisons:
    """Test whether Gaussian noise is wider, or narrower if not ``wider``, at a δ above 0.157."""
    merged = _paired(results, mechanisms)
    merged = merged[merged["delta_x"] > LEMMA_11_DELTA]
    change = (merged["sd_x"] - merged["sd_y"]) * (1 if wider else -1)
    agreeing = merged[change > 0]
    places = map(place, map(Budget, agreeing["epsilon"], agreeing["delta_x"]))
    what = f"sd of Gaussian-pDP {'>' if wider else '<'} sd of Laplace"
    listed = f": {', '.join(places)}" if len(agreeing) else ""
    where = f"{len(agreeing)} of {len(merged)} points{listed}"
    yield Comparison(what, where, float(change.max()))


def _paired(results: Results, mechanisms: Sequence[str]) -> pd.DataFrame:
    """Return the scales of a mechanism (columns ending in _x) beside those of Laplace (in _y)."""
    first, second = (results.scales[results.scales["mechanism"] == name] for name in mechanisms)
    return first.merge(second, on="epsilon")


def noise_of(rule: str, order: float, budget: Budget) -> Noise:
    """Return the noise of a calibration rule for one statistic of sensitivity 1."""
    epsilon, delta = budget.epsilon, budget.delta
    return calibration.calibrate(rule, order=order, epsilon=epsilon, delta=delta)


@claim_test
def same_noise(results: Results, *, deltas: Sequence[float], within: float) -> Comparisons:
    """Test whether exact (ε, δ)-pDP needs only slightly more Gaussian noise than exact (ε, δ)-aDP.

    deltas: small δ, each with every ε of the run. within: the share by which it may need more.
    """
    what = f"sd of Gaussian noise for pDP within {within:.0%} of aDP"
    for budget in starmap(Budget, product(results.epsilons, deltas)):
        yield Comparison(what, place(budget), 1 + within - _pdp_to_adp(budget))


@claim_test
def more_alike(results: Results, *, deltas: Sequence[float]) -> Comparisons:
    """Test whether the ratio of noise, exact pDP to exact aDP, is closer to 1 at a smaller δ."""
    for epsilon in results.epsilons:
        distances = [abs(_pdp_to_adp(Budget(epsilon, delta)) - 1) for delta in deltas]
        for (a, first), (b, second) in pairwise(zip(deltas, distances, strict=True)):
            where = f"ε={epsilon:g}, δ={a:g} to {b:g}"
            yield Comparison("sd for pDP / sd for aDP closer to 1", where, first - second)


@claim_test
def same_delta(results: Results, *, deltas: Sequence[float], factor: float) -> Comparisons:
    """Test whether noise for exact (ε, δ)-pDP satisfies no (ε, δ')-aDP with δ' < δ/``factor``."""
    for budget in starmap(Budget, product(results.epsilons, deltas)):
        exact = noise_of("pdp-exact", 2, budget).delta(epsilon=budget.epsilon)
        what = f"δ of aDP / δ of pDP > 1/{factor:g}"
        yield Comparison(what, place(budget), exact / budget.delta - 1 / factor)


def _pdp_to_adp(budget: Budget) -> float:
    """Return the sd for exact (ε, δ)-pDP, relative to the sd for exact (ε, δ)-aDP."""
    return noise_of("pdp-exact", 2, budget).sd / noise_of("adp-exact", 2, budget).sd
