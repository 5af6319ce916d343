"""Tests of the paper's claims about the errors in its experiments, on the summary of the repeats.

A test yields nothing if the results lack the data set or the grid points.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise, product
from math import hypot, sqrt

from ggexp.claims.evidence import (
    Comparison,
    Comparisons,
    Estimate,
    Grid,
    Results,
    contrast,
    nearest,
    place,
)
from ggexp.claims.registry import claim_test


@claim_test
def ordered(
    results: Results, *, dataset: str, metric: str, mechanisms: Sequence[str]
) -> Comparisons:
    """Test whether each mechanism has a smaller mean than every later one, at each (ε, δ)."""
    grid = results.grid(dataset, metric)
    present = [mechanism for mechanism in mechanisms if mechanism in grid.mechanisms]
    for a, b in combinations(present, 2):
        for epsilon, delta in product(grid.epsilons, grid.deltas(a, b)):
            margin = contrast((1, grid.at(b, epsilon, delta)), (-1, grid.at(a, epsilon, delta)))
            yield Comparison(f"{a} < {b}", place(epsilon, delta), *margin)


@claim_test
def stands_between(
    results: Results,
    *,
    dataset: str,
    metric: str,
    mechanism: str,
    above: Sequence[str],
    below: Sequence[str],
) -> Comparisons:
    """Test whether a mechanism's mean is above the means of some and below those of others."""
    pairs = [(other, mechanism) for other in above] + [(mechanism, other) for other in below]
    for pair in pairs:
        yield from ordered(results, dataset=dataset, metric=metric, mechanisms=pair)


@claim_test
def smallest(
    results: Results, *, dataset: str, metric: str, mechanism: str, others: Sequence[str]
) -> Comparisons:
    """Test whether a mechanism has a smaller mean than several others, at each (ε, δ).

    The comparison is with the other mechanism for which the margin is smallest.
    """
    by_point: dict[str, list[Comparison]] = {}
    for other in others:
        pair = [mechanism, other]
        for comparison in ordered(results, dataset=dataset, metric=metric, mechanisms=pair):
            by_point.setdefault(comparison.where, []).append(comparison)
    yield from map(nearest, by_point.values())


@claim_test
def less_than(
    results: Results,
    *,
    dataset: str,
    metric: str,
    value: float,
    mechanisms: Sequence[str] | None = None,
    epsilon: float | None = None,
) -> Comparisons:
    """Test whether a mean is below a value, at each (ε, δ).

    mechanisms, epsilon: the mechanisms and the ε to include; None for all.
    """
    grid = results.grid(dataset, metric, mechanisms)
    for (mechanism, e, delta), estimate in grid.estimates.items():
        if e == (epsilon or e):
            what = f"{mechanism}: {metric} < {value:,g}"
            yield Comparison(what, place(e, delta), value - estimate.mean, estimate.se)


@claim_test
def similar(
    results: Results,
    *,
    dataset: str,
    metric: str,
    mechanisms: Sequence[str],
    within: float,
    epsilon: float,
    delta: float,
    both: bool = False,
) -> Comparisons:
    """Test whether two means differ by less than a share of the second, at some grid points.

    The grid points are those with at least the given ε or at least the given δ. If ``both``, they
    are only those with at least the given ε and at least the given δ.
    """
    grid = results.grid(dataset, metric)
    a, b = mechanisms
    for e in grid.epsilons if {a, b} <= {*grid.mechanisms} else []:
        for d in grid.deltas(a, b):
            large = e >= epsilon, d is not None and d >= delta
            if all(large) if both else any(large):
                first, second = grid.at(a, e, d), grid.at(b, e, d)
                sign = 1 if first.mean > second.mean else -1
                margin = contrast((within + sign, second), (-sign, first))
                what = f"{metric} of {a} within {within:.0%} of {b}"
                yield Comparison(what, place(e, d), *margin)


@claim_test
def steps(
    results: Results,
    *,
    dataset: str,
    metric: str,
    mechanisms: Sequence[str],
    below: float | None = None,
    above: float | None = None,
    spacing: str = "steps",
) -> Comparisons:
    """Test whether a mean decreases nearly linearly over three ε, or steeply at first.

    The first decrease is from the smallest ε to the middle one, the second is the one after it.
    below: tests "nearly linear", which means that each decrease is less than ``below`` times the
    other. above: tests "steep", which means that the first decrease is more than ``above`` times
    the second, which must be positive. The comparison is for the condition with the smaller margin.
    spacing: "steps" compares the decreases themselves, as on an axis of equal steps; "epsilon"
    compares the decreases per unit of ε. mechanisms: those to include, if they were run.
    """
    grid = results.grid(dataset, metric, mechanisms)
    if len(grid.epsilons) != 3:
        return
    widths = [b - a if spacing == "epsilon" else 1.0 for a, b in pairwise(grid.epsilons)]
    per = " per unit of ε" if spacing == "epsilon" else ""
    for mechanism in grid.mechanisms:
        for delta in grid.deltas(mechanism):
            means = [grid.at(mechanism, epsilon, delta) for epsilon in grid.epsilons]
            if below is not None:
                conditions = {
                    f"{mechanism}: first decrease{per} < {below:g} × second": (-1, below),
                    f"{mechanism}: second decrease{per} < {below:g} × first": (below, -1),
                }
            else:
                factor = above or 1.0
                conditions = {
                    f"{mechanism}: first decrease{per} > {factor:g} × second": (1, -factor),
                    f"{mechanism}: second decrease{per} > 0": (0, 1),
                }
            yield nearest(
                Comparison(what, _delta(delta), *_decreases(means, widths, factors))
                for what, factors in conditions.items()
            )


def _delta(delta: float | None) -> str:
    """Return the name of a δ in evidence."""
    return "every δ" if delta is None else f"δ={delta:g}"


def _decreases(
    means: Sequence[Estimate], widths: Sequence[float], factors: tuple[float, float]
) -> tuple[float, float]:
    """Return a weighted sum of the two decreases between three means, and its standard error.

    factors: the weights. widths: the decreases are divided by these.
    """
    first, second = (factor / width for factor, width in zip(factors, widths, strict=True))
    return contrast(*zip((first, second - first, -second), means, strict=True))


@claim_test
def delta_matters_less(
    results: Results, *, dataset: str, metric: str, mechanisms: Sequence[str]
) -> Comparisons:
    """Test whether the mean changes less from the first to the last δ than from first to last ε.

    For each mechanism with a δ, the decrease over ε at each δ is compared with the change over δ,
    up or down, at each ε.
    """
    grid = results.grid(dataset, metric, mechanisms)
    for mechanism in grid.mechanisms:
        deltas = grid.deltas(mechanism)
        if len(deltas) < 2 or len(grid.epsilons) < 2:
            continue
        for epsilon, delta in product(grid.epsilons, deltas):
            yield nearest(
                Comparison(
                    f"{mechanism}: {change} over δ < decrease over ε",
                    f"ε={epsilon:g}, δ={delta:g}",
                    *_decrease_over_epsilon(grid, mechanism, epsilon, delta, sign),
                )
                for change, sign in (("decrease", -1), ("increase", 1))
            )


def _decrease_over_epsilon(
    grid: Grid, mechanism: str, epsilon: float, delta: float | None, sign: int
) -> tuple[float, float]:
    """Return the decrease over ε plus ``sign`` times the decrease over δ, and its standard error.

    The decrease over ε is at the given δ, the decrease over δ at the given ε.
    """
    deltas = grid.deltas(mechanism)
    factors: dict[tuple[float, float | None], float] = {}
    for factor, e, d in (
        (1, grid.epsilons[0], delta),
        (-1, grid.epsilons[-1], delta),
        (sign, epsilon, deltas[0]),
        (-sign, epsilon, deltas[-1]),
    ):
        factors[e, d] = factors.get((e, d), 0) + factor
    return contrast(*((c, grid.at(mechanism, *point)) for point, c in factors.items()))


@claim_test
def varies_more_at_small_epsilon(
    results: Results, *, dataset: str, metric: str, mechanisms: Sequence[str] | None = None
) -> Comparisons:
    """Test whether the standard deviation of the repeats decreases from each ε to the next.

    mechanisms: the mechanisms to include; None for all. The standard error of a standard deviation
    is sd/√(2(n - 1)), as for n normally distributed repeats.
    """
    grid = results.grid(dataset, metric, mechanisms)
    for mechanism in grid.mechanisms:
        for (small, large), delta in product(pairwise(grid.epsilons), grid.deltas(mechanism)):
            a, b = grid.at(mechanism, small, delta), grid.at(mechanism, large, delta)
            error = hypot(_sd_error(a), _sd_error(b))
            what = f"{mechanism}: sd with ε={small:g} > sd with ε={large:g}"
            yield Comparison(what, _delta(delta), a.sd - b.sd, error)


def _sd_error(estimate: Estimate) -> float:
    return estimate.sd / sqrt(2 * (estimate.repeats - 1)) if estimate.repeats > 1 else float("nan")
