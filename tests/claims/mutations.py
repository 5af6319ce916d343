"""Changes of results and of the library (mutations.yaml), each of which changes a claim's verdict.

A change has one of these forms. A claim may have several changes, which are made one after another.

- table: a table of the results, "figures/2" or "summary/mildew/l1", of which the parts after the
  table's name are a data set and a metric. set: an assignment in pandas' syntax, or the new values
  of a column for values of a column, {column: {by: {value: new}}}. where: the rows that change.
- function: an object of the library, or of numpy. The value that it returns is multiplied (times;
  field: of a record; the first item of other tuples) or gets a power (power), the arguments
  are multiplied (given), or REPLACED has what replaces it (by: a name there).
- rule: a calibration rule, whose scales are multiplied (times), for all orders or some (orders).
"""

from dataclasses import replace
from functools import cache, partial
from pkgutil import resolve_name

import pandas as pd
import yaml
from conftest import ROOT

from ggexp.claims.check import DESIGNS, read_claims
from ggexp.claims.evidence import Results
from ggexp.claims.experiment import tally_of_table
from ggexp.mechanisms import calibration
from ggexp.run.files import read_csv

DATA = ROOT / "tests/data"
MUTATIONS = yaml.load((ROOT / "tests/claims/mutations.yaml").read_text("utf-8"), yaml.CSafeLoader)
SLOW = MUTATIONS.pop("slow")


@cache
def claims(file):
    """Return the claims of a file in reference/, by id."""
    return {claim.id: claim for claim in read_claims(ROOT / "reference" / file)}


# A mean of 0 is the smallest at every grid point, a large mean at none.
for name, claim in claims("claims.yaml").items():
    if claim.group in DESIGNS and claim.test == "smallest":
        mean, verdict = ("1e9", "refuted") if claim.expected == "confirmed" else ("0", "confirmed")
        dataset, metric, mechanism = map(claim.parameters.get, ("dataset", "metric", "mechanism"))
        change = {"table": f"summary/{dataset}/{metric}", "set": f"mean = {mean}"}
        case = [verdict, change | {"where": {"mechanism": mechanism}}]
        MUTATIONS["designs"].setdefault(name, case)


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
        losses=read_csv(ROOT / "reference/losses.csv"),
        tallies={name: tally_of_table(table) for name, table in counted.items()}
        | {"adult": tables["adult_tally"]},
        figures={number: tables[f"figure_{number:02}"] for number in range(1, 6)},
        seed=20260101,
    )


def results_for(claim):
    """Return the results of the design that a claim is about."""
    folders = ("equal_privacy", "equal_privacy_replaced", "empty_cells")
    return full_run(dict(zip(DESIGNS, folders, strict=True)).get(claim.group, "full_run"))


def changed(results, patch, change):
    """Return the results after a change, or the same results, if the library is changed."""
    match change:
        case {"table": path}:
            name, *parts = path.split("/")
            tables = getattr(results, name)
            if not isinstance(tables, dict):
                where = dict(zip(("dataset", "metric"), parts, strict=False))
                table = changed_table(tables, change["set"], where | change.get("where", {}))
                return replace(results, **{name: table})
            (key,) = (int(part) if part.isdigit() else part for part in parts)
            table = changed_table(tables[key], change["set"], change.get("where", {}))
            return replace(results, **{name: {**tables, key: table}})
        case {"function": path}:
            path = path if path.startswith("numpy.") else f"ggexp.{path}"
            parent, name = path.rsplit(".", 1)
            owner = resolve_name(parent)
            patch.setattr(owner, name, replacement(getattr(owner, name), change))
        case {"rule": _}:
            patch.setattr(calibration, "calibrate", replacement(calibration.calibrate, change))
    return results


def changed_table(table, change, where):
    selected = (table[[*where]] == pd.Series(where, dtype=object)).all(axis=1)
    assert selected.any()
    if isinstance(change, str):
        return table.eval(change).where(selected, table)
    ((column, by),) = change.items()
    ((key, values),) = by.items()
    new = table[key].map(values)
    return table.assign(**{column: new.where(selected & new.notna(), table[column])})


def replacement(original, change):
    """Return what replaces a function, a property or a constant of the library."""
    new = REPLACED[change["by"]] if "by" in change else partial(called, change)
    if not callable(new):
        return new
    return lambda *arguments, **named: new(original, *arguments, **named)


def called(change, function, *arguments, **named):
    """Return a function's value for changed arguments, or its changed value."""
    given = {name: factor * named[name] for name, factor in change.get("given", {}).items()}
    value = function(*arguments, **named | given)
    match change:
        case {"power": power}:
            return value**power
        case {"rule": rule, "times": factor}:
            order, name = named["order"], getattr(arguments[0], "name", arguments[0])
            is_changed = name == rule and order in change.get("orders", [order])
            return replace(value, scale=factor * value.scale) if is_changed else value
        case {"field": field, "times": factor}:
            new = {field: factor * getattr(value, field)}
            return value._replace(**new) if isinstance(value, tuple) else replace(value, **new)
        case {"times": factor}:
            return (factor * value[0], *value[1:]) if isinstance(value, tuple) else factor * value
    return value


#: Name -> the replacement of a property or constant, or a function that is called instead of a
#: function of the library, with that function and its arguments.
REPLACED = {
    "one": 1,
    "less noise at high orders": property(lambda noise: 1 / noise.order),
    "norms increase with the order": lambda norm, order, x: order * norm(order, x),
    "a probability 10 % larger, at most 1": lambda mass, *at: min(1, 1.1 * mass(*at)),
    "a probability 28 % larger, at most 1": lambda mass, *at: min(1, 1.28 * mass(*at)),
    "0.767 at any radius": lambda _, *, radius, **arguments: 0.767 / radius,
    "1.25 at any radius": lambda _, *, radius, **arguments: 1.25 / radius,
    "a budget with a smaller ε": (
        lambda function, budget: function(replace(budget, epsilon=0.8 * budget.epsilon))
    ),
}
