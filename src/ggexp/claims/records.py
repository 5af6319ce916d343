"""Tests of what the paper says of the data: what they count to, and the accuracy on records.

Each returns the comparisons that a claim makes in the results at hand: none where these lack the
data set.
"""

from collections.abc import Sequence

import pandas as pd

from ggexp.claims.evidence import Comparison, Estimate, Results, contrast, nearest, place
from ggexp.claims.registry import claim_test


@claim_test
def loss_of_accuracy(
    results: Results,
    *,
    dataset: str,
    at_most: float,
    at_least: float | None = None,
    mechanisms: Sequence[str] | None = None,
) -> list[Comparison]:
    """Return whether the accuracy lies at least and at most that much below the original's.

    at_least: by default -at_most, so that the accuracy changes by no more than that, up or down.
    Of the two bounds the nearer one counts. mechanisms: of these alone; None for all.
    """
    low = -at_most if at_least is None else at_least
    comparisons = []
    for mechanism, epsilon, delta, one in _losses(results, dataset, mechanisms):
        where = place(epsilon, delta)
        comparisons.append(
            nearest(
                Comparison(f"{mechanism}: loss < {at_most:.2%}", where, at_most - one.mean, one.se),
                Comparison(f"{mechanism}: loss > {low:.2%}", where, one.mean - low, one.se),
            )
        )
    return comparisons


@claim_test
def no_worse(
    results: Results,
    *,
    dataset: str,
    mechanism: str,
    share: float,
    mechanisms: Sequence[str] | None = None,
) -> list[Comparison]:
    """Return whether a mechanism loses no more accuracy than each other one, and a share of that.

    share: 0 for no more at all; 0.5 for half as much again. Of a gain there is no share.
    mechanisms: it and the others; None for all.
    """
    losses = {
        (m, epsilon, delta): one for m, epsilon, delta, one in _losses(results, dataset, mechanisms)
    }
    grid = results.grid(dataset, "accuracy", mechanisms)
    comparisons = []
    for other in grid.mechanisms if losses and mechanism in grid.mechanisms else []:
        if other == mechanism:
            continue
        for epsilon in grid.epsilons:
            for delta in grid.deltas(mechanism, other):
                ours, theirs = (
                    losses.get((m, epsilon, delta)) or losses[m, epsilon, None]
                    for m in (mechanism, other)
                )
                factor = 1 + share if theirs.mean > 0 else 1
                what = f"loss of {mechanism} < {'' if share == 0 else f'{1 + share:g} × '}{other}"
                room = contrast((factor, theirs), (-1, ours))
                comparisons.append(Comparison(what, place(epsilon, delta), *room))
    return comparisons


def _losses(
    results: Results, dataset: str, mechanisms: Sequence[str] | None
) -> list[tuple[str, float, float | None, Estimate]]:
    """Return mechanism, ε, δ and the accuracy that is lost, of each grid point of a data set."""
    grid = results.grid(dataset, "accuracy", mechanisms)
    if not grid.mechanisms or results.baseline.empty:
        return []
    baseline = results.baseline[results.baseline["dataset"] == dataset].set_index("model")
    original = float(baseline["accuracy"]["original"])
    return [
        (mechanism, epsilon, delta, estimate._replace(mean=original - estimate.mean))
        for mechanism in grid.mechanisms
        for epsilon in grid.epsilons
        for delta in grid.deltas(mechanism)
        for estimate in [grid.at(mechanism, epsilon, delta)]
    ]


def tally_of_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return what a published table counts to, as quantity and count, like a tally of records.

    cells: a row for each cell with its ``count``. records: their sum; bins: all cells; cells: those
    that are not empty.
    """
    counted = cells["count"]
    tally = {"records": counted.sum(), "bins": len(counted), "cells": (counted > 0).sum()}
    return pd.DataFrame(tally.items(), columns=["quantity", "count"])


@claim_test
def counts(
    results: Results,
    *,
    dataset: str,
    quantity: str,
    printed: int,
    unit: int = 1,
    sd: float = 0.0,
) -> list[Comparison]:
    """Return whether a quantity of a data set's tally is the printed one.

    unit: of the last digit printed. sd: of the quantity over random splits, where it depends on the
    split: the printed number agrees within three of them.
    """
    if dataset not in results.tallies:
        return []
    ours = int(results.tallies[dataset].set_index("quantity")["count"][quantity])
    room = 3 * sd
    what = f"{quantity}: ours {ours:,}, printed {printed:,}"
    if unit > 1:
        what += f" (to the nearest {unit:,})"
    if sd:
        what += f" (random splits differ by {room:g})"
    return [Comparison(what, "", room + unit / 2 - abs(ours - printed))]
