"""What the tests of claims share: mutations, and what they do to the verdict of a claim.

A claim that no change moves would not be a claim. A mutation is a function of the results and a
monkeypatch; it returns other results, or patches the library and returns the same.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from conftest import ROOT

from ggexp.claims.check import compare, conclude, read_claims
from ggexp.mechanisms import calibration

#: Claims whose mutations take longer than a second: they are in the second tier.
SLOW = {
    *("redrawing", "clamping", "queries-crossing", "audit-claims", "releases-worst"),
    *("releases-need", "guess-worst-prior", "cs208-zcdp-tail", "corollary-7", "concentrated"),
    *("noisy-max", "noisy-max-laplace", "definition-6-least"),
}


class Case(NamedTuple):
    """A mutation that changes the verdict, to which, and one that changes no more than numbers.

    keeps: None where the claim is of one number to its last digit, which no other number keeps.
    """

    changes: object
    to: str
    keeps: object


def claims(file, beginning=""):
    """The claims of a file of reference/ whose id begins so, by id."""
    found = read_claims(ROOT / "reference" / file)
    return {claim["id"]: claim for claim in found if claim["id"].startswith(beginning)}


def verdict(claim, comparisons):
    return conclude(claim, comparisons)[0]


def check(claim, case, results, monkeypatch):
    """One mutation changes the verdict of a claim, the other its comparisons alone."""

    def mutated(mutation):
        with monkeypatch.context() as patch:
            return compare(claim, mutation(results, patch))

    unchanged = compare(claim, results)
    assert verdict(claim, unchanged) == claim["expected"]
    assert verdict(claim, mutated(case.changes)) == case.to != claim["expected"]
    if case.keeps is not None:
        kept = mutated(case.keeps)
        assert verdict(claim, kept) == claim["expected"]
        assert kept != unchanged, "the mutation that keeps the verdict is of something else"


# ---- mutations


def together(*mutations):
    def mutate(results, patch):
        for mutation in mutations:
            results = mutation(results, patch)
        return results

    return mutate


def another_seed(results, patch):
    return replace(results, seed=results.seed + 1)


def changed(table, where, changes):
    """Change columns of the rows in which others have these values, or meet these conditions.

    where: column -> value, or function of the column. changes: column -> function of the rows.
    """
    here = np.full(len(table), True)
    for name, value in where.items():
        here &= value(table[name]) if callable(value) else table[name] == value
    assert here.any()
    table = table.copy()
    for column, change in changes.items():
        values = change(table[here])
        if np.asarray(values).dtype.kind == "f":  # counts may become fractions
            table[column] = table[column].astype(float)
        table.loc[here, column] = values
    return table


def figure(name, where=None, **changes):
    """Change columns of a figure's table: column=function of the rows."""

    def mutate(results, patch):
        table = changed(results.figures[name], where or {}, changes)
        return replace(results, figures={**results.figures, name: table})

    return mutate


def scales(column, factor, **where):
    """Multiply a column of the scales."""

    def mutate(results, patch):
        change = {column: lambda rows: factor * rows[column]}
        return replace(results, scales=changed(results.scales, where, change))

    return mutate


def summary(dataset, metric, change, columns=("mean",), **where):
    """Change columns of the summary's rows of a metric: a function of a column and the rows."""
    where |= {"dataset": dataset, "metric": metric}
    changes = {column: lambda rows, column=column: change(rows[column], rows) for column in columns}

    def mutate(results, patch):
        return replace(results, summary=changed(results.summary, where, changes))

    return mutate


def times(factor):
    """Multiply values, for `summary`."""
    return lambda values, rows: factor * values


def plus(more):
    return lambda values, rows: values + more


def patched(module, name, change):
    """Replace a function or property of the library by change(function)."""

    def mutate(results, patch):
        patch.setattr(module, name, change(getattr(module, name)))
        return results

    return mutate


def returned(change):
    """Change what a function returns, or the first of several numbers, for `patched`."""

    def changing(function):
        def wrong(*arguments, **named):
            found = function(*arguments, **named)
            if isinstance(found, tuple):
                return (change(found[0]), *found[1:])
            return change(found)

        return wrong

    return changing


def multiplied(module, name, factor):
    """Multiply what a function of the library returns."""
    return patched(module, name, returned(lambda value: factor * value))


def rule(name, change):
    """Change the scale of a calibration rule: a function of scale, order and δ."""

    def changing(scale):
        def wrong(calibration, *, order, epsilon, delta=None):
            b = scale(calibration, order=order, epsilon=epsilon, delta=delta)
            return change(b, order, delta) if calibration == name else b

        return wrong

    return patched(calibration, "scale", changing)


def scaled(factor, *orders):
    """Multiply a scale of these orders, or of all, for `rule`."""
    return lambda b, order, delta: b * (1 if orders and order not in orders else factor)
