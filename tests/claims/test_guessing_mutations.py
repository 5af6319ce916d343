"""Mutations for the claims of a guesser and of the first version, as in test_mutations.py."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from ggexp.claims.evidence import Results
from ggexp.claims.registry import check_claims, read_claims
from ggexp.figures import tabulate_first_version, tabulate_guesser
from ggexp.guarantees import advantage, precision

CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(Path(__file__).parents[2] / "reference/guarantees.yaml")
    if claim["id"].startswith(("guess-", "first-"))
}


@pytest.fixture(scope="module")
def results():
    figures = {
        figure: tabulate_first_version.tabulate(figure, seed=1) for figure in ("f1", "f2", "f3")
    }
    figures["s6"] = tabulate_guesser.tabulate("s6", seed=1)
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures)


def figure(name, column, change, keep=lambda table: table["epsilon"] > -1):
    """Change a column of a figure's table by a function of the rows that a condition keeps."""

    def mutate(results, patch):
        table = results.figures[name].copy()
        rows = keep(table)
        assert rows.any()
        table.loc[rows, column] = change(table[rows])
        return replace(results, figures={**results.figures, name: table})

    return mutate


def library(module, name, change):
    """Change what a function of the library returns."""

    def mutate(results, patch):
        right = getattr(module, name)
        patch.setattr(module, name, lambda **arguments: change(right(**arguments)))
        return results

    return mutate


def mass(factor):
    """Change the probabilities that a normal prior has within a distance."""

    def mutate(results, patch):
        right = precision.Normal.mass
        patch.setattr(precision.Normal, "mass", lambda self, d: min(1, factor * right(self, d)))
        return results

    return mutate


def wider(factor):
    """Let all normal priors have another standard deviation."""

    def mutate(results, patch):
        right = precision.Normal.mass
        patch.setattr(precision.Normal, "mass", lambda self, d: right(self, d / factor))
        return results

    return mutate


def printed(scaled):
    """Let Eqn 1 give what is printed, at whatever radius."""

    def mutate(results, patch):
        patch.setattr(precision, "epsilon_within", lambda **given: scaled / given["radius"])
        return results

    return mutate


def laplace(table):
    return table["mechanism"] == "laplace"


def gaussian(table):
    return table["mechanism"] == "gaussian"


def swapped(name):
    """Exchange the names of the two mechanisms, in a figure without δ."""
    names = {"laplace": "gaussian", "gaussian": "laplace"}
    return figure(name, "mechanism", lambda t: t["mechanism"].map(names))


def on_bounds(table):
    return gaussian(table) & (table["left"] == table["right"])


class Case(NamedTuple):
    changes: object
    to: str
    keeps: object


def epsilon_times(factor):
    return library(advantage, "epsilon_for", lambda epsilon: factor * epsilon)


CASES = {
    "guess-and": Case(epsilon_times(1.01), "refuted", epsilon_times(1.0003)),
    "guess-or": Case(epsilon_times(1.0016), "confirmed", epsilon_times(0.999)),
    "guess-salary-prior": Case(mass(1.28), "confirmed", mass(1.2)),
    "guess-salary": Case(printed(0.767), "confirmed", wider(1.02)),
    "guess-ship-prior": Case(mass(1.1), "refuted", mass(1.01)),
    "guess-ship": Case(printed(1.25), "confirmed", wider(1.02)),
    "guess-worst-prior": Case(
        figure("s6", "advantage", lambda t: 0.0, lambda t: t["prior"] == "worst prior"),
        "refuted",
        figure("s6", "advantage", lambda t: t["advantage"] / 2),
    ),
    "first-truncated-wider": Case(
        swapped("f1"), "refuted", figure("f1", "x", lambda t: 2 * t["x"], gaussian)
    ),
    "first-truncated-further": Case(
        swapped("f1"),
        "refuted",
        figure("f1", "density", lambda t: 1.001 * t["density"], laplace),
    ),
    "first-disperses-delta": Case(
        figure("f2", "sd", lambda t: t["sd"] * t["delta"] ** 2, gaussian),
        "refuted",
        figure("f2", "sd", lambda t: 3 * t["sd"]),
    ),
    "first-disperses-epsilon": Case(
        figure("f2", "sd", lambda t: t["sd"] * t["epsilon"] ** 2, gaussian),
        "refuted",
        figure("f2", "sd", lambda t: 3 * t["sd"]),
    ),
    "first-comparable": Case(
        figure("f2", "sd", lambda t: 0.85 * t["sd"], lambda t: gaussian(t) & (t["epsilon"] == 2)),
        "confirmed",
        figure("f2", "sd", lambda t: 3 * t["sd"]),
    ),
    "first-further": Case(
        figure("f2", "density", lambda t: t["density"] / 2, laplace),
        "partly",
        figure("f2", "density", lambda t: 1.1 * t["density"], laplace),
    ),
    "first-bounding-evens": Case(
        figure("f3", "bounded_sd", lambda t: 1.0),
        "confirmed",
        figure("f3", "bounded_sd", lambda t: 2 * t["bounded_sd"]),
    ),
    "first-higher-bars": Case(
        figure("f3", "probability", lambda t: t["probability"] + 0.05, on_bounds),
        "confirmed",
        figure("f3", "probability", lambda t: np.sqrt(t["probability"])),
    ),
}


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


def verdict(claim, results):
    (row,) = check_claims([claim], results).to_dict("records")
    return row["verdict"]


@pytest.mark.parametrize("name", CLAIMS)
def test_mutations(results, monkeypatch, name):
    claim, case = CLAIMS[name], CASES[name]
    assert verdict(claim, results) == claim["expected"]
    with monkeypatch.context() as patch:
        assert verdict(claim, case.changes(results, patch)) == case.to != claim["expected"]
    with monkeypatch.context() as patch:
        assert verdict(claim, case.keeps(results, patch)) == claim["expected"]


@pytest.mark.parametrize("name", CLAIMS)
def test_without_its_figure_a_claim_is_left_out(results, name):
    empty = replace(results, figures={})
    found = check_claims([CLAIMS[name]], empty)
    assert found.empty == ("Figure" in CLAIMS[name]["source"])
