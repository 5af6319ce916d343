"""Tests of the paper's claims about its experiments: errors, accuracies and sizes of the data."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product
from math import hypot, nan

import pandas as pd

from ggexp.claims.evidence import (
    Comparison,
    Comparisons,
    Estimate,
    Grid,
    NotTestedError,
    Point,
    Results,
    claim_test,
    contrast,
    nearest,
    place,
)
from ggexp.mechanisms.budget import Budget


@claim_test
def ordered(grid: Grid, *, mechanisms: Sequence[str]) -> Comparisons:
    """Test whether each mechanism has a smaller mean than every later one, at each (ε, δ)."""
    for a, b in combinations(mechanisms, 2):
        for budget in grid.budgets(a, b):
            margin = contrast((1, grid.at(b, budget)), (-1, grid.at(a, budget)))
            yield Comparison(f"{a} < {b}", place(budget), *margin)


@claim_test
def stands_between(
    grid: Grid, *, mechanism: str, above: Sequence[str], below: Sequence[str]
) -> Comparisons:
    """Test whether a mechanism's mean is above the means of some and below those of others."""
    pairs = [(other, mechanism) for other in above] + [(mechanism, other) for other in below]
    for pair in pairs:
        yield from ordered(grid, mechanisms=pair)


@claim_test
def smallest(grid: Grid, *, mechanism: str, others: Sequence[str]) -> Comparisons:
    """Test whether a mechanism has a smaller mean than several others, at each (ε, δ).

    The comparison is with the other mechanism for which the margin is smallest.
    """
    pairs = [ordered(grid, mechanisms=[mechanism, other]) for other in others]
    yield from map(nearest, zip(*pairs, strict=True))


@claim_test
def less_than(grid: Grid, *, value: float, epsilon: float | None = None) -> Comparisons:
    """Test whether a mean is below a value, at each (ε, δ), or at each δ with this ε."""
    for (mechanism, budget), estimate in grid.estimates.items():
        if epsilon in (None, budget.epsilon):
            what = f"{mechanism}: {grid.metric} < {value:,g}"
            yield Comparison(what, place(budget), value - estimate.mean, estimate.se)


@claim_test
def similar(
    grid: Grid,
    *,
    mechanisms: Sequence[str],
    within: float,
    epsilon: float,
    delta: float,
    both: bool = False,
) -> Comparisons:
    """Test whether two means differ by less than a share of the second, at some grid points.

    These have at least the given ε or at least the given δ, or if ``both``, at least both.
    within: the share for l1; for the KL divergence, about quadratic in l1, 1 ± within is squared.
    """
    a, b = mechanisms
    power = 2 if grid.metric == "kl" else 1
    for budget in grid.budgets(a, b):
        large = budget.epsilon >= epsilon, budget.delta >= delta
        if all(large) if both else any(large):
            first, second = grid.at(a, budget), grid.at(b, budget)
            sign = 1 if first.mean > second.mean else -1
            bound = (1 + sign * within) ** power
            what = f"{grid.metric} of {a} {'<' if sign > 0 else '>'} {bound:.4g} × {b}"
            margin = contrast((sign * bound, second), (-sign, first))
            yield Comparison(what, place(budget), *margin)


@claim_test
def steps(
    grid: Grid,
    *,
    epsilons: Sequence[float],
    below: float | None = None,
    above: float | None = None,
    spacing: str = "steps",
) -> Comparisons:
    """Test whether a mean decreases nearly linearly over three ε, or steeply at first.

    below: for "nearly linear": each decrease is less than ``below`` times the other. above: for
    "steep": the first decrease is more than ``above`` times the second, which is positive. The
    comparison is for the condition with the smaller margin. spacing: "steps" compares the decreases
    themselves, "epsilon" the decreases per unit of ε.
    """
    widths = [b - a if spacing == "epsilon" else 1.0 for a, b in pairwise(epsilons)]
    per = " per unit of ε" if spacing == "epsilon" else ""
    for mechanism in grid.mechanisms:
        for delta in grid.deltas(mechanism):
            means = [grid.at(mechanism, Budget(epsilon, delta)) for epsilon in epsilons]
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


def _delta(delta: float) -> str:
    """Return the name of a δ in evidence."""
    return f"δ={delta:g}" if delta else "every δ"


def _decreases(
    means: Sequence[Estimate], widths: Sequence[float], factors: tuple[float, float]
) -> tuple[float, float]:
    """Return the two decreases per width, times factors, summed, and the standard error."""
    first, second = (factor / width for factor, width in zip(factors, widths, strict=True))
    return contrast(*zip((first, second - first, -second), means, strict=True))


@claim_test
def delta_matters_less(grid: Grid) -> Comparisons:
    """Test whether the mean changes less from the first to the last δ than from first to last ε.

    The decrease over ε at each δ is compared with the change over δ, up or down, at each ε.
    """
    for mechanism in grid.mechanisms:
        has_delta = len(grid.deltas(mechanism)) > 1
        for budget in grid.budgets(mechanism) if has_delta else []:
            yield nearest(
                Comparison(
                    f"{mechanism}: {change} over δ < decrease over ε",
                    f"ε={budget.epsilon:g}, δ={budget.delta:g}",
                    *_decrease_over_epsilon(grid, mechanism, budget, sign),
                )
                for change, sign in (("decrease", -1), ("increase", 1))
            )


def _decrease_over_epsilon(
    grid: Grid, mechanism: str, budget: Budget, sign: int
) -> tuple[float, float]:
    """Return the decrease over ε at this δ plus ``sign`` times that over δ, and its error."""
    epsilons, deltas = grid.epsilons, grid.deltas(mechanism)
    factors: Counter[Budget] = Counter()
    for factor, i in ((1, 0), (-1, -1)):
        factors[replace(budget, epsilon=epsilons[i])] += factor
    for factor, i in ((sign, 0), (-sign, -1)):
        factors[replace(budget, delta=deltas[i])] += factor
    return contrast(*((c, grid.at(mechanism, point)) for point, c in factors.items()))


@claim_test
def varies_more_at_small_epsilon(grid: Grid) -> Comparisons:
    """Test whether the standard deviation of the repeats decreases from each ε to the next."""
    for mechanism in grid.mechanisms:
        for (small, large), delta in product(pairwise(grid.epsilons), grid.deltas(mechanism)):
            sds = (grid.at(mechanism, Budget(epsilon, delta)) for epsilon in (small, large))
            what = f"{mechanism}: sd with ε={small:g} > sd with ε={large:g}"
            yield Comparison(what, _delta(delta), *_sd_contrast(*sds))


@claim_test
def varies_more(
    results: Results,
    *,
    datasets: Sequence[str],
    metric: str,
    mechanisms: Sequence[str],
    epsilon: float,
) -> Comparisons:
    """Test whether the sd of the repeats at an ε is larger on the first data set, at each δ."""
    first, second = (results.grid(dataset, metric, mechanisms) for dataset in datasets)
    for mechanism, budget in _shared(first, second):
        if budget.epsilon == epsilon:
            sds = first.at(mechanism, budget), second.at(mechanism, budget)
            what = f"{mechanism}: sd of {metric} on {datasets[0]} > on {datasets[1]}"
            yield Comparison(what, place(budget), *_sd_contrast(*sds))


def _sd_contrast(first: Estimate, second: Estimate) -> tuple[float, float]:
    """Return the difference of two standard deviations, and its standard error."""
    return first.sd - second.sd, hypot(first.sd_se, second.sd_se)


@claim_test
def nearer(
    results: Results,
    *,
    datasets: Sequence[str],
    metric: str,
    mechanisms: Sequence[str],
    relative: bool = True,
) -> Comparisons:
    """Test whether the mean is smaller on the first data set.

    relative: whether means are divided by the number of records.
    """
    grids = [results.grid(dataset, metric, mechanisms) for dataset in datasets]
    sizes = [_tallied(results, dataset, "records") if relative else 1 for dataset in datasets]
    for mechanism, budget in _shared(*grids):
        first, second = (grid.at(mechanism, budget) for grid in grids)
        margin = contrast((1 / sizes[1], second), (-1 / sizes[0], first))
        per = "/n" if relative else ""
        what = f"{mechanism}: {metric}{per} on {datasets[0]} < on {datasets[1]}"
        yield Comparison(what, place(budget), *margin)


@claim_test
def nears_faster(
    results: Results, *, datasets: Sequence[str], metric: str, mechanisms: Sequence[str], along: str
) -> Comparisons:
    """Test whether a mean decreases to a smaller share of its first value on the first data set.

    along: "epsilon" for the decrease from first to last ε at each δ, "delta" from first to last δ.
    """
    grids = [results.grid(dataset, metric, mechanisms) for dataset in datasets]
    points = _shared(*grids)
    for mechanism in dict.fromkeys(mechanism for mechanism, _ in points):
        epsilons = sorted({budget.epsilon for name, budget in points if name == mechanism})
        deltas = grids[0].deltas(mechanism)
        if along == "epsilon":
            ends = [(Budget(epsilons[0], d), Budget(epsilons[-1], d)) for d in deltas]
        else:
            ends = [(Budget(e, deltas[0]), Budget(e, deltas[-1])) for e in epsilons]
        for start, end in ends:
            if start == end:
                continue
            first, second = (
                _share(grid.at(mechanism, end), grid.at(mechanism, start)) for grid in grids
            )
            what = f"{mechanism}: share of {metric} remaining on {datasets[0]} < {datasets[1]}"
            where = f"{place(start)} to {place(end)}"
            yield Comparison(what, where, *contrast((-1, first), (1, second)))


def _shared(first: Grid, second: Grid) -> list[Point]:
    """Return the points that both grids have."""
    return [point for point in first.estimates if point in second.estimates]


def _share(end: Estimate, start: Estimate) -> Estimate:
    """Return the ratio of two independent means; it is nan, hence undecided, if a mean is 0."""
    if end.mean == 0 or start.mean == 0:
        return end._replace(mean=nan, se=nan)
    share = end.mean / start.mean
    return end._replace(mean=share, se=share * hypot(end.se / end.mean, start.se / start.mean))


#: Quantity of a tally -> its name in the evidence.
LABELS = {"training": "training records", "test": "test records", "cells": "non-empty cells"}


@claim_test
def loss_of_accuracy(
    results: Results,
    *,
    dataset: str,
    at_most: float,
    at_least: float | None = None,
    mechanisms: Sequence[str],
) -> Comparisons:
    """Test whether the loss of accuracy lies between two bounds; the nearer one is compared.

    at_least: by default -at_most, to allow a change of at most ``at_most`` up or down.
    """
    low = -at_most if at_least is None else at_least
    original = _accuracies(results, dataset)["original"]
    grid = results.grid(dataset, "accuracy", mechanisms)
    for (mechanism, budget), accuracy in grid.estimates.items():
        loss = original - accuracy.mean
        splits = results.splits(dataset, mechanism, "original", budget)
        what, where = f"{mechanism}: loss of accuracy", place(budget)
        bounds = (f"< {at_most:.2%}", at_most - loss), (f"> {low:.2%}", loss - low)
        yield nearest(
            Comparison(f"{what} {bound}", where, margin, accuracy.se, splits)
            for bound, margin in bounds
        )


@claim_test
def no_worse(
    results: Results, *, dataset: str, mechanism: str, others: Sequence[str], margin: float
) -> Comparisons:
    """Test whether a mechanism's loss of accuracy exceeds those of others by at most a margin.

    This is a test of non-inferiority: a comparison agrees if the interval of the difference is
    within the margin, disagrees if it is wholly beyond it, and is undecided otherwise.
    """
    grid = results.grid(dataset, "accuracy")
    for other in others:
        for budget in grid.budgets(mechanism, other):
            change, se = contrast((1, grid.at(mechanism, budget)), (-1, grid.at(other, budget)))
            what = f"loss of accuracy with {mechanism} < {other} + {margin:.2%}"
            splits = results.splits(dataset, mechanism, other, budget)
            yield Comparison(what, place(budget), margin + change, se, splits)


@claim_test
def exceeds_equal_counts(
    results: Results, *, dataset: str, metrics: Sequence[str], mechanisms: Sequence[str]
) -> Comparisons:
    """Test whether each mean error exceeds the error of equal counts in all listed cells."""
    for of, metric, equal in results.equal.itertuples(index=False):
        if of == dataset and metric in metrics:
            estimates = results.grid(of, metric, mechanisms).estimates
            for (mechanism, budget), estimate in estimates.items():
                what = f"{metric} of {mechanism} > {equal:.4g}, of equal counts"
                yield Comparison(what, place(budget), estimate.mean - equal, estimate.se)


@claim_test
def loss_of_equal_counts(results: Results, *, dataset: str, at_most: float) -> Comparisons:
    """Test whether training on equal counts in all listed cells loses at most some accuracy."""
    models = _accuracies(results, dataset)
    if "equal" in models:
        loss = models["original"] - models["equal"]
        what, splits = "loss of accuracy", results.splits(dataset, "equal", "original")
        yield Comparison(f"{what}, {loss:.2%} < {at_most:.2%}", "", at_most - loss, 0.0, splits)


def _accuracies(results: Results, dataset: str) -> dict[str, float]:
    """Return model -> its accuracy without noise on a data set."""
    rows = results.baseline.to_dict("records")
    return {row["model"]: row["accuracy"] for row in rows if row["dataset"] == dataset}


def tally_of_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the tally of a data set (quantity, count), from its tally or from its histogram.

    The histogram of a published table has a row for each bin; its cells are the non-empty bins.
    """
    if "quantity" in table:
        return table
    counts = table["count"]
    tally = {"records": counts.sum(), "bins": len(table), "cells": (counts > 0).sum()}
    return pd.DataFrame(tally.items(), columns=["quantity", "count"])


@claim_test
def counts(
    results: Results, *, dataset: str, quantity: str, printed: int, unit: int = 1, sd: float = 0.0
) -> Comparisons:
    """Test whether a quantity in a data set's tally equals the printed number.

    unit: place value of the last printed digit. sd: standard deviation of the quantity over random
    splits, if it depends on the split; the numbers agree within three standard deviations.
    """
    ours = _tallied(results, dataset, quantity)
    tolerance = 3 * sd
    what = f"{ours:,} {LABELS.get(quantity, quantity)} here, {printed:,} in the paper"
    if unit > 1:
        what += f" (rounded to the nearest {unit:,})"
    if sd:
        what += f" (three standard deviations over random splits: {tolerance:g})"
    yield Comparison(what, "", tolerance + unit / 2 - abs(ours - printed))


def _tallied(results: Results, dataset: str, quantity: str) -> int:
    """Return a quantity in the tally of a data set."""
    if dataset not in results.tallies:
        raise NotTestedError(f"the tally of {dataset}")
    return int(results.tallies[dataset].set_index("quantity")["count"][quantity])
