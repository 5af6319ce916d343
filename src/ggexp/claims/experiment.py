"""Tests of what the paper says of the errors in its experiments, on the summary of the repeats.

Each returns the comparisons that a claim makes in the results at hand: none where these lack the
data set or the grid points.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import hypot, sqrt

from ggexp.claims.evidence import (
    Comparison,
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
) -> list[Comparison]:
    """Return whether each mechanism has a smaller mean than every later one, at each (ε, δ)."""
    grid = results.grid(dataset, metric)
    present = [mechanism for mechanism in mechanisms if mechanism in grid.mechanisms]
    return [
        Comparison(
            f"{a} < {b}",
            place(epsilon, delta),
            *contrast((1, grid.at(b, epsilon, delta)), (-1, grid.at(a, epsilon, delta))),
        )
        for a, b in combinations(present, 2)
        for epsilon in grid.epsilons
        for delta in grid.deltas(a, b)
    ]


@claim_test
def stands_between(
    results: Results,
    *,
    dataset: str,
    metric: str,
    mechanism: str,
    above: Sequence[str],
    below: Sequence[str],
) -> list[Comparison]:
    """Return whether a mechanism's mean is above those of some and below those of others."""
    pairs = [(other, mechanism) for other in above] + [(mechanism, other) for other in below]
    return [
        comparison
        for pair in pairs
        for comparison in ordered(results, dataset=dataset, metric=metric, mechanisms=pair)
    ]


@claim_test
def smallest(
    results: Results, *, dataset: str, metric: str, mechanism: str, others: Sequence[str]
) -> list[Comparison]:
    """Return whether a mechanism has the smallest mean of several, at each (ε, δ).

    Compared with the other one that comes nearest to it, or is the farthest below it.
    """
    rivals: dict[str, list[Comparison]] = {}
    for other in others:
        for comparison in ordered(
            results, dataset=dataset, metric=metric, mechanisms=[mechanism, other]
        ):
            rivals.setdefault(comparison.where, []).append(comparison)
    return [nearest(*comparisons) for comparisons in rivals.values()]


@claim_test
def less_than(
    results: Results,
    *,
    dataset: str,
    metric: str,
    value: float,
    mechanisms: Sequence[str] | None = None,
    epsilon: float | None = None,
) -> list[Comparison]:
    """Return whether a mean is below a value, at each (ε, δ).

    mechanisms: those that are looked at, by default all. epsilon: the only ε that is.
    """
    grid = results.grid(dataset, metric)
    return [
        Comparison(
            f"{mechanism}: {metric} < {value:,g}",
            place(at, delta),
            value - one.mean,
            one.se,
        )
        for (mechanism, at, delta), one in grid.estimates.items()
        if mechanism in (mechanisms or grid.mechanisms) and at == (epsilon or at)
    ]


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
) -> list[Comparison]:
    """Return whether two means differ by less than a share of the second, at some of the grid.

    At an ε or a δ that is as large as the given one, or larger; both: at such an ε and such a δ.
    """
    grid = results.grid(dataset, metric)
    a, b = mechanisms
    comparisons = []
    for e in grid.epsilons if {a, b} <= {*grid.mechanisms} else []:
        for d in grid.deltas(a, b):
            large = e >= epsilon, d is not None and d >= delta
            if all(large) if both else any(large):
                one, other = grid.at(a, e, d), grid.at(b, e, d)
                sign = 1 if one.mean > other.mean else -1
                room = contrast((within + sign, other), (-sign, one))
                what = f"{a} within {within:.0%} of {b}"
                comparisons.append(Comparison(what, place(e, d), *room))
    return comparisons


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
) -> list[Comparison]:
    """Return how a mean's first fall in ε compares with its second: with a factor of it.

    below, above: the factor. Nearly linear is a first fall of less than ``below`` times the second,
    and the second of less than that times the first. Steep is a first fall of more than ``above``
    times the second, which is a fall too. Of the two conditions the nearer one counts.
    spacing: "steps" compares the falls as they are, as on an axis of equal steps; "epsilon" the
    falls per unit of ε. mechanisms: of those of them that were run.
    """
    grid = results.grid(dataset, metric, mechanisms)
    if len(grid.epsilons) != 3:
        return []
    widths = [b - a if spacing == "epsilon" else 1.0 for a, b in pairwise(grid.epsilons)]
    per = " per unit of ε" if spacing == "epsilon" else ""
    comparisons = []
    for mechanism in grid.mechanisms:
        for delta in grid.deltas(mechanism):
            means = [grid.at(mechanism, epsilon, delta) for epsilon in grid.epsilons]
            where = mechanism if delta is None else f"{mechanism} δ={delta:g}"
            if below is not None:
                conditions = {
                    f"first fall < {below:g} × second{per}": (-1, below),
                    f"second fall < {below:g} × first{per}": (below, -1),
                }
            else:
                factor = above or 1.0
                conditions = {
                    f"first fall > {factor:g} × second{per}": (1, -factor),
                    f"second fall > 0{per}": (0, 1),
                }
            comparisons.append(
                nearest(
                    *(
                        Comparison(what, where, *_falls(means, widths, factors))
                        for what, factors in conditions.items()
                    )
                )
            )
    return comparisons


def _falls(
    means: Sequence[Estimate], widths: Sequence[float], factors: tuple[float, float]
) -> tuple[float, float]:
    """Return a sum of the two falls of three means, per width and with factors, and its error."""
    first, second = (factor / width for factor, width in zip(factors, widths, strict=True))
    return contrast(*zip((first, second - first, -second), means, strict=True))


@claim_test
def delta_matters_less(
    results: Results, *, dataset: str, metric: str, mechanisms: Sequence[str]
) -> list[Comparison]:
    """Return whether the mean changes less from the first to the last δ than from first to last ε.

    For each mechanism with a δ, each fall in ε (at a δ) is compared with each change in δ (at an
    ε), up or down.
    """
    grid = results.grid(dataset, metric, mechanisms)
    comparisons = []
    for mechanism in grid.mechanisms:
        deltas = grid.deltas(mechanism)
        if len(deltas) < 2 or len(grid.epsilons) < 2:
            continue
        for epsilon in grid.epsilons:
            for delta in deltas:
                comparisons.append(
                    nearest(
                        *(
                            Comparison(
                                f"{mechanism}: {change} in δ < fall in ε",
                                f"ε={epsilon:g}, δ={delta:g}",
                                *_fall_in_epsilon(grid, mechanism, epsilon, delta, sign),
                            )
                            for change, sign in (("fall", -1), ("rise", 1))
                        )
                    )
                )
    return comparisons


def _fall_in_epsilon(
    grid: Grid, mechanism: str, epsilon: float, delta: float | None, sign: int
) -> tuple[float, float]:
    """Return the fall in ε at this δ, and ± the fall in δ at this ε, with the standard error."""
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
) -> list[Comparison]:
    """Return whether the repeats' standard deviation falls from each ε to the next.

    mechanisms: of these alone; None for all.
    The standard error of a standard deviation is sd/√(2(n - 1)), as for normal repeats.
    """
    grid = results.grid(dataset, metric, mechanisms)
    comparisons = []
    for mechanism in grid.mechanisms:
        for small, large in pairwise(grid.epsilons):
            for delta in grid.deltas(mechanism):
                a, b = grid.at(mechanism, small, delta), grid.at(mechanism, large, delta)
                error = hypot(_sd_error(a), _sd_error(b))
                what = f"{mechanism}: sd at ε={small:g} > at {large:g}"
                where = "any δ" if delta is None else f"δ={delta:g}"
                comparisons.append(Comparison(what, where, a.sd - b.sd, error))
    return comparisons


def _sd_error(one: Estimate) -> float:
    return one.sd / sqrt(2 * (one.repeats - 1)) if one.repeats > 1 else float("nan")
