"""Tests of the paper's claims about GG distributions, on the table of Figure 1 and by formula."""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Comparisons, Results
from ggexp.claims.registry import claim_test
from ggexp.mechanisms.distribution import GeneralizedGaussian

Curves = dict[float, NDArray[np.float64]]


@claim_test
def less_spread(results: Results) -> Comparisons:
    """Test whether, at the same b, the sd decreases from each plotted order to the next.

    The sd is computed from the curves, therefore from the density within the plotted range.
    """
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

    Its distance from each other curve must exceed the largest distance between two of the others.
    The distance is the total variation distance of the distributions. It includes the tails beyond
    the plotted range, where no two curves cross.
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

    orders: each is compared with every higher order that is plotted. within: the distances t from
    0, in standard deviations.
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
    table = results.figure(1)
    drawn = table[table["panel"] == panel].sort_values("x")
    orders = sorted(set(drawn["order"].tolist()))
    curves = {order: drawn[drawn["order"] == order] for order in orders}
    x = curves[orders[0]]["x"].to_numpy()
    return x, {order: curve["density"].to_numpy() for order, curve in curves.items()}
