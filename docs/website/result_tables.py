"""Write docs/numbers.md: tables of results, and the statements that runs test with their verdicts.

No other page repeats the numbers; pages link to the sections.
"""
# ruff: noqa: D205, D401  (the docstrings of sections are the texts above their tables)

from inspect import cleandoc

import pandas as pd
import tables_of_guarantees
import tables_of_noise
import tables_of_runs
from sections import ROOT, section, table
from statements import read

from ggexp.claims.check import DESIGNS

PAGE = ROOT / "docs/numbers.md"
INTRODUCTION = """\
# Numbers

`make numbers` writes this page from the tables of full runs in `tests/data/`, from the CSV files of
the benchmarks, and from the library. Pairs are (ε, δ). ± is one standard error of the mean.
[Statements](#statements) lists what runs test, with the verdicts.
"""


@section("Other programs")
def other_programs() -> str:
    """The numbers that tests compare with ours ([related work](related-work.md))."""
    found = pd.read_csv(ROOT / "tests/data/other_libraries.csv", dtype={"version": str})
    compared = found.groupby(["program", "version", "quantity"])
    rows = [[*key, len(group)] for key, group in compared]
    return table("program | version | quantity | numbers", "s s s d", rows)


@section("Growth of a run")
def growth() -> str:
    """On one core of a two-core computer ([growth](growth.md))."""
    found = pd.read_csv(ROOT / "tests/data/growth.csv")
    rows = found[["work", "along", "size", "seconds", "memory_mb", "disk_mb"]].values
    return table(
        "command | along | size | seconds | memory (MB) | disk (MB)", "s s ,d .1f .0f .3g", rows
    )


@section("Growth of the training")
def growth_of_classifiers() -> str:
    """On one core; the seconds of scikit-learn's `SVC` are for one of the releases. It also trains
    the largest table, whose matrices do not fit into memory.
    """
    found = pd.read_csv(ROOT / "tests/data/growth_svm.csv").sort_values(["classes", "cells"])
    rows = found[["classes", "cells", "mean count", "release", "SVC", "ratio", "MB"]].values
    return table(
        "classes | training cells | mean count | seconds a release | seconds of SVC | ratio | MB",
        "s ,d .1f .3f .1f .0f ,.0f",
        rows,
    )


@section("Statements")
def statements() -> str:
    """Of runs other than the paper's. Their evidence is in the `claims.csv` of each run;
    [claims](claims.md) has those of the paper's run.
    """
    rows = [
        [f"`{claim['id']}`", claim["claim"], claim["stated_by"], claim["expected"]]
        for name in ("claims", "companions", "synthetic")
        for claim in read(name)
        if name != "claims" or claim.get("group") in DESIGNS
    ]
    return table("name | statement | stated by | verdict", "s", rows)


def page() -> str:
    """Return the page in Markdown."""
    modules = [vars(module) for module in (tables_of_runs, tables_of_noise, tables_of_guarantees)]
    functions = [make for module in [*modules, globals()] for make in module.values()]
    sections = [
        f"## {make.section_title}\n\n{cleandoc(make.__doc__)}\n\n{make()}\n"
        for make in functions
        if hasattr(make, "section_title")
    ]
    return "\n".join([INTRODUCTION, *sections])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
