"""Mutations of results and of the library, and a check that they change a claim's verdict.

A statement whose verdict no mutation changes would not be a claim. A mutation is a function of the
results and a monkeypatch; it returns changed results, or patches the library and returns the same
results.
"""

from dataclasses import replace
from functools import cache

import pandas as pd
from conftest import ROOT

from ggexp.claims.check import DESIGNS, compare, conclude, conclude_in_reading, read_claims
from ggexp.claims.evidence import Results
from ggexp.claims.experiment import tally_of_table
from ggexp.mechanisms import calibration
from ggexp.run.files import read_csv

DATA = ROOT / "tests/data"
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


def tables_of(folder):
    """Return name -> table of a full run, from small copies (tests/data/README.md)."""
    return {path.stem: read_csv(path) for path in (DATA / folder).glob("*.csv")}


@cache
def full_run(design="full_run"):
    """Return the results of a full run, of the paper's design or of a folder with another one."""
    tables = tables_of(design)
    parts = {name: tables.get(name, pd.DataFrame()) for name in ("summary", "scales")}
    if design != "full_run":
        return Results(**parts, baseline=tables.get("baseline"), seed=20260101)
    sd_errors = pd.read_csv(DATA / "sd_errors.csv")
    counted = {name: pd.read_csv(ROOT / f"data/{name}.csv") for name in ("mildew", "czech")}
    return Results(
        parts["summary"].merge(sd_errors, "left"),
        parts["scales"],
        baseline=tables["baseline"],
        equal=tables["equal_counts"],
        tallies={name: tally_of_table(table) for name, table in counted.items()}
        | {"adult": tables["adult_tally"]},
        figures={number: tables[f"figure_{number:02}"] for number in (1, 2, 3, 4, 5)},
        seed=20260101,
    )


def results_for(claim):
    """Return the results of the design that a claim is about."""
    folders = ("equal_privacy", "equal_privacy_replaced", "empty_cells")
    return full_run(dict(zip(DESIGNS, folders, strict=True)).get(claim["group"], "full_run"))


def check(claim, mutation, new_verdict, results, monkeypatch):
    """Assert that a claim has its verdict, and that a mutation changes it."""
    comparisons = compare(claim, results)
    assert conclude(claim, comparisons)[0] == claim["expected"]
    assert conclude_in_reading(claim, comparisons)[0] != new_verdict
    with monkeypatch.context() as patch:
        changed_comparisons = compare(claim, mutation(results, patch))
    assert conclude_in_reading(claim, changed_comparisons)[0] == new_verdict


def together(*mutations):
    def mutate(results, patch):
        for mutation in mutations:
            results = mutation(results, patch)
        return results

    return mutate


def changed(table, change, where):
    """Return a table with a changed column in the rows with these values.

    change: an assignment in pandas' syntax, "sd = 2 * sd", or a function of the table.
    """
    selected = (table[[*where]] == pd.Series(where, dtype=object)).all(axis=1)
    assert selected.any()
    after = change(table) if callable(change) else table.eval(change)
    return after.where(selected, table)


def figure(name, change, **where):
    """Change a column of a figure's table in the rows with these values."""

    def mutate(results, patch):
        table = changed(results.figures[name], change, where)
        return replace(results, figures={**results.figures, name: table})

    return mutate


def scales(change, **where):
    return lambda results, _: replace(results, scales=changed(results.scales, change, where))


def summary(dataset, metric, change, **where):
    where |= {"dataset": dataset, "metric": metric}
    return lambda results, _: replace(results, summary=changed(results.summary, change, where))


def patched(module, name, change):
    """Replace a function or property of the library by change(function)."""

    def mutate(results, patch):
        patch.setattr(module, name, change(getattr(module, name)))
        return results

    return mutate


def returned(module, name, change):
    """Change the value that a function of the library returns."""

    def changing(function):
        return lambda *arguments, **named: change(function(*arguments, **named))

    return patched(module, name, changing)


def multiplied(module, name, factor, field=None):
    """Multiply the value that a function returns, or a field of a tuple (the first by default)."""

    def change(value):
        if not isinstance(value, tuple):
            return factor * value
        if field is None:
            return (factor * value[0], *value[1:])
        return value._replace(**{field: factor * getattr(value, field)})

    return returned(module, name, change)


def given(module, name, **changes):
    """Change arguments that a function of the library is given by name."""

    def changing(function):
        def mutated(*arguments, **named):
            new = {key: change(named[key]) for key, change in changes.items()}
            return function(*arguments, **named | new)

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
