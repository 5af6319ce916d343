"""Mutations of results and of the library, and a check that they change a claim's verdict.

A statement whose verdict no mutation changes would not be a claim. A mutation is a function of the
results and a monkeypatch; it returns changed results, or patches the library and returns the same
results.
"""

from dataclasses import replace

import numpy as np
from conftest import ROOT

from ggexp.claims.check import DESIGNS, compare, conclude, conclude_in_reading, read_claims
from ggexp.mechanisms import calibration

#: Claims whose mutations take longer than a second; they are tested with the slow tests.
SLOW = {
    *("redrawing", "clamping", "queries-crossing", "audit-claims", "releases-worst"),
    *("releases-need", "guess-worst-prior", "cs208-zcdp-tail", "corollary-7", "concentrated"),
    *("noisy-max", "noisy-max-laplace", "definition-6-least"),
}


def claims(file, prefix=""):
    """Return the claims of a file in reference/ whose ids have the prefix, by id."""
    all_claims = read_claims(ROOT / "reference" / file)
    return {claim["id"]: claim for claim in all_claims if claim["id"].startswith(prefix)}


def results_for(claim, request):
    """Return the results of the design that a claim is about, from the fixtures."""
    fixtures = ("equal_privacy", "equal_privacy_replaced", "empty_cells")
    by_design = dict(zip(DESIGNS, fixtures, strict=True))
    return request.getfixturevalue(by_design.get(claim["group"], "full_run"))


def check(claim, mutation, new_verdict, results, monkeypatch):
    """Assert that a claim has its verdict, and that a mutation changes it."""
    comparisons = compare(claim, results)
    assert conclude(claim, comparisons)[0] == claim["expected"]
    assert conclude_in_reading(claim, comparisons)[0] != new_verdict
    with monkeypatch.context() as patch:
        changed_comparisons = compare(claim, mutation(results, patch))
    assert conclude_in_reading(claim, changed_comparisons)[0] == new_verdict


# ---- mutations


def together(*mutations):
    def mutate(results, patch):
        for mutation in mutations:
            results = mutation(results, patch)
        return results

    return mutate


def changed(table, where, changes):
    """Return a table with changed values in some columns of the selected rows.

    where: column -> value of the selected rows, or condition on the column. changes: column ->
    function of the selected rows, which returns the new values.
    """
    selected = np.full(len(table), True)
    for name, value in where.items():
        selected &= value(table[name]) if callable(value) else table[name] == value
    assert selected.any()
    table = table.copy()
    for column, change in changes.items():
        values = change(table[selected])
        if np.asarray(values).dtype.kind == "f":  # counts may become fractions
            table[column] = table[column].astype(float)
        table.loc[selected, column] = values
    return table


def figure(name, where=None, **changes):
    """Change columns of a figure's table: column=function of the selected rows."""

    def mutate(results, patch):
        table = changed(results.figures[name], where or {}, changes)
        return replace(results, figures={**results.figures, name: table})

    return mutate


def column(name, column, factor, **where):
    """Multiply a column of a figure's table, in the selected rows."""
    return figure(name, where, **{column: lambda rows: factor * rows[column]})


def scales(column, factor, **where):
    """Multiply a column of the scales, in the selected rows."""

    def mutate(results, patch):
        change = {column: lambda rows: factor * rows[column]}
        return replace(results, scales=changed(results.scales, where, change))

    return mutate


def summary(dataset, metric, change, columns=("mean",), **where):
    """Change columns of a metric in the summary; change: function of a column and the rows."""
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
    """Change the value that a function returns, or the first value of a tuple, for `patched`."""

    def changing(function):
        def mutated(*arguments, **named):
            value = function(*arguments, **named)
            if isinstance(value, tuple):
                return (change(value[0]), *value[1:])
            return change(value)

        return mutated

    return changing


def multiplied(module, name, factor):
    """Multiply the value that a function of the library returns."""
    return patched(module, name, returned(lambda value: factor * value))


def multiplied_field(module, name, field, factor):
    """Multiply a field of the named tuple that a function of the library returns."""

    def changing(function):
        def mutated(*arguments, **named):
            value = function(*arguments, **named)
            return value._replace(**{field: factor * getattr(value, field)})

        return mutated

    return patched(module, name, changing)


def rule(name, change):
    """Change the scale of a calibration rule; change: function of scale, order and δ."""

    def changing(calibrate):
        def mutated(calibration, *, order, epsilon, delta=None, **others):
            noise = calibrate(calibration, order=order, epsilon=epsilon, delta=delta, **others)
            if getattr(calibration, "name", calibration) != name:
                return noise
            return replace(noise, scale=change(noise.scale, order, delta))

        return mutated

    return patched(calibration, "calibrate", changing)


def scaled(factor, *orders):
    """Multiply the scales of these orders, or of all orders, for `rule`."""
    return lambda b, order, delta: b * (1 if orders and order not in orders else factor)
