"""Tests of what the paper says of its experiments, on the summary of the repeats.

Each returns the comparisons that a claim makes in the results at hand: none where these lack the
data set or the grid points.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import hypot, sqrt

from ggexp.claims.evidence import Comparison, Estimate, Results, contrast, place


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


def similar(
    results: Results,
    *,
    dataset: str,
    metric: str,
    mechanisms: Sequence[str],
    within: float,
    epsilon: float,
    delta: float,
) -> list[Comparison]:
    """Return whether two means differ by less than a share of the second, at some of the grid.

    At an ε or a δ that is as large as the given one, or larger.
    """
    grid = results.grid(dataset, metric)
    a, b = mechanisms
    comparisons = []
    for e in grid.epsilons if {a, b} <= {*grid.mechanisms} else []:
        for d in grid.deltas(a, b):
            if e >= epsilon or (d is not None and d >= delta):
                one, other = grid.at(a, e, d), grid.at(b, e, d)
                sign = 1 if one.mean > other.mean else -1
                room = contrast((within + sign, other), (-sign, one))
                what = f"{a} within {within:.0%} of {b}"
                comparisons.append(Comparison(what, place(e, d), *room))
    return comparisons


def steps(
    results: Results,
    *,
    dataset: str,
    metric: str,
    below: float | None = None,
    above: float | None = None,
    spacing: str = "steps",
) -> list[Comparison]:
    """Return how a mean's first fall in ε compares with its second: with a factor of it.

    below, above: the factor; the first fall must be less, or more, than that times the second.
    spacing: "steps" compares the falls as they are, as on an axis of equal steps; "epsilon" the
    falls per unit of ε.
    """
    grid = results.grid(dataset, metric)
    if len(grid.epsilons) != 3:
        return []
    low, middle, high = grid.epsilons
    first, second = (middle - low, high - middle) if spacing == "epsilon" else (1.0, 1.0)
    factor, sign = (below, 1) if below is not None else (above or 1.0, -1)
    per = " per unit of ε" if spacing == "epsilon" else ""
    what = f"first fall {'<' if sign == 1 else '>'} {factor:g} × second{per}"
    comparisons = []
    for mechanism in grid.mechanisms:
        for delta in grid.deltas(mechanism):
            a, b, c = (grid.at(mechanism, epsilon, delta) for epsilon in grid.epsilons)
            terms = contrast(
                (-sign / first, a),
                (sign * (factor / second + 1 / first), b),
                (-sign * factor / second, c),
            )
            where = mechanism if delta is None else f"{mechanism} δ={delta:g}"
            comparisons.append(Comparison(what, where, *terms))
    return comparisons


def delta_matters_less(results: Results, *, dataset: str, metric: str) -> list[Comparison]:
    """Return whether the mean changes less from the first to the last δ than from first to last ε.

    For each mechanism with a δ, each fall in ε (at a δ) is compared with each fall in δ (at an ε).
    """
    grid = results.grid(dataset, metric)
    comparisons = []
    for mechanism in grid.mechanisms:
        deltas = grid.deltas(mechanism)
        if len(deltas) < 2 or len(grid.epsilons) < 2:
            continue
        for epsilon in grid.epsilons:
            for delta in deltas:
                factors: dict[tuple[float, float | None], float] = {}
                for sign, e, d in (
                    (1, grid.epsilons[0], delta),
                    (-1, grid.epsilons[-1], delta),
                    (-1, epsilon, deltas[0]),
                    (1, epsilon, deltas[-1]),
                ):
                    factors[e, d] = factors.get((e, d), 0) + sign
                terms = ((c, grid.at(mechanism, *point)) for point, c in factors.items())
                what = f"{mechanism}: fall in δ < fall in ε"
                comparisons.append(
                    Comparison(what, f"ε={epsilon:g}, δ={delta:g}", *contrast(*terms))
                )
    return comparisons


def varies_more_at_small_epsilon(
    results: Results, *, dataset: str, metric: str
) -> list[Comparison]:
    """Return whether the repeats' standard deviation falls from each ε to the next.

    The standard error of a standard deviation is sd/√(2(n - 1)), as for normal repeats.
    """
    grid = results.grid(dataset, metric)
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


def loss_of_accuracy(
    results: Results, *, dataset: str, at_most: float, at_least: float | None = None
) -> list[Comparison]:
    """Return whether the accuracy lies at least and at most that much below the original's.

    Of the two bounds the nearer one counts.
    """
    grid = results.grid(dataset, "accuracy")
    if not grid.mechanisms or results.baseline.empty:
        return []
    baseline = results.baseline[results.baseline["dataset"] == dataset].set_index("model")
    original = float(baseline["accuracy"]["original"])
    comparisons = []
    for mechanism in grid.mechanisms:
        for epsilon in grid.epsilons:
            for delta in grid.deltas(mechanism):
                one = grid.at(mechanism, epsilon, delta)
                room = at_most - (original - one.mean)
                what = f"{mechanism}: loss < {at_most:.2%}"
                if at_least is not None and (original - one.mean) - at_least < room:
                    room = (original - one.mean) - at_least
                    what = f"{mechanism}: loss > {at_least:.2%}"
                comparisons.append(Comparison(what, place(epsilon, delta), room, one.se))
    return comparisons


def no_worse(results: Results, *, dataset: str, mechanism: str, margin: float) -> list[Comparison]:
    """Return whether a mechanism's accuracy is below each other's by less than a margin."""
    grid = results.grid(dataset, "accuracy")
    if mechanism not in grid.mechanisms:
        return []
    comparisons = []
    for other in grid.mechanisms:
        if other != mechanism:
            for epsilon in grid.epsilons:
                for delta in grid.deltas(mechanism, other):
                    difference, error = contrast(
                        (1, grid.at(mechanism, epsilon, delta)),
                        (-1, grid.at(other, epsilon, delta)),
                    )
                    what = f"{mechanism} > {other} - {margin:.2%}"
                    comparisons.append(
                        Comparison(what, place(epsilon, delta), difference + margin, error)
                    )
    return comparisons


def counts(
    results: Results, *, dataset: str, quantity: str, printed: int, sd: float = 0.0
) -> list[Comparison]:
    """Return whether a quantity of the records is the printed one.

    sd: of the quantity over random splits, where it depends on the split: the printed number
    agrees within three of them.
    """
    if dataset not in results.tallies:
        return []
    ours = int(results.tallies[dataset].set_index("quantity")["count"][quantity])
    room = 3 * sd
    allowed = f" (random splits differ by {room:g})" if room else ""
    what = f"{quantity}: ours {ours:,}, printed {printed:,}{allowed}"
    # equal whole numbers are half a unit from being different
    return [Comparison(what, "", room + 0.5 - abs(ours - printed))]
