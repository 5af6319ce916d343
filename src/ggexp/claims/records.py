"""Tests of the paper's claims about the data: numbers of records and cells, and accuracies.

A test yields nothing if the results lack the data set.
"""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from ggexp.claims.evidence import (
    Comparison,
    Comparisons,
    Grid,
    Results,
    claim_test,
    contrast,
    nearest,
    place,
)

#: Quantity of a tally -> its name in the evidence.
LABELS = {"training": "training records", "test": "test records", "cells": "non-empty cells"}


@claim_test
def loss_of_accuracy(
    results: Results,
    *,
    dataset: str,
    at_most: float,
    at_least: float | None = None,
    mechanisms: Sequence[str] | None = None,
) -> Comparisons:
    """Test whether the loss of accuracy lies between two bounds; the nearer one is compared.

    at_least: by default -at_most, to allow a change of at most ``at_most`` up or down.
    mechanisms: the mechanisms to include; None for all.
    """
    low = -at_most if at_least is None else at_least
    grid = _losses(results, dataset, mechanisms)
    for (mechanism, epsilon, delta), loss in grid.estimates.items():
        what, where = f"{mechanism}: loss of accuracy", place(epsilon, delta)
        yield nearest(
            [
                Comparison(f"{what} < {at_most:.2%}", where, at_most - loss.mean, loss.se),
                Comparison(f"{what} > {low:.2%}", where, loss.mean - low, loss.se),
            ]
        )


@claim_test
def no_worse(
    results: Results,
    *,
    dataset: str,
    mechanism: str,
    share: float,
    mechanisms: Sequence[str] | None = None,
) -> Comparisons:
    """Test whether a mechanism's loss of accuracy is at most 1 + share times that of the others.

    share: 0 to allow no larger loss. It is ignored if the other mechanism gains accuracy.
    mechanisms: the mechanism and the others; None for all.
    """
    grid = _losses(results, dataset, mechanisms)
    for other in grid.mechanisms if mechanism in grid.mechanisms else []:
        if other == mechanism:
            continue
        for point in product(grid.epsilons, grid.deltas(mechanism, other)):
            ours, theirs = grid.at(mechanism, *point), grid.at(other, *point)
            factor = 1 + share if theirs.mean > 0 else 1
            times = "" if share == 0 else f"{1 + share:g} × "
            what = f"loss of accuracy with {mechanism} < {times}{other}"
            yield Comparison(what, place(*point), *contrast((factor, theirs), (-1, ours)))


def _losses(results: Results, dataset: str, mechanisms: Sequence[str] | None) -> Grid:
    """Return the losses of accuracy on a data set."""
    accuracies = results.grid(dataset, "accuracy", mechanisms).estimates
    if not accuracies or results.baseline.empty:
        return Grid({}, "accuracy")
    baseline = results.baseline[results.baseline["dataset"] == dataset].set_index("model")
    original = float(baseline["accuracy"]["original"])
    losses = {p: each._replace(mean=original - each.mean) for p, each in accuracies.items()}
    return Grid(losses, "accuracy")


def tally_of_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of records and cells of a published table, in the format of a tally.

    cells: one row per cell, with its ``count``. The quantities are records (the sum of the counts),
    bins (all cells) and cells (the non-empty cells).
    """
    cell_counts = cells["count"]
    tally = {"records": cell_counts.sum(), "bins": len(cells), "cells": (cell_counts > 0).sum()}
    return pd.DataFrame(tally.items(), columns=["quantity", "count"])


@claim_test
def counts(
    results: Results, *, dataset: str, quantity: str, printed: int, unit: int = 1, sd: float = 0.0
) -> Comparisons:
    """Test whether a quantity in a data set's tally equals the printed number.

    unit: place value of the last printed digit. sd: standard deviation of the quantity over random
    splits, if it depends on the split; the numbers agree within three standard deviations.
    """
    if dataset not in results.tallies:
        return
    ours = int(results.tallies[dataset].set_index("quantity")["count"][quantity])
    tolerance = 3 * sd
    what = f"{ours:,} {LABELS.get(quantity, quantity)} here, {printed:,} in the paper"
    if unit > 1:
        what += f" (rounded to the nearest {unit:,})"
    if sd:
        what += f" (three standard deviations over random splits: {tolerance:g})"
    yield Comparison(what, "", tolerance + unit / 2 - abs(ours - printed))
