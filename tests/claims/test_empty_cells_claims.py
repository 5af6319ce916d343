"""Each claim about empty cells: its verdict in a full run, a change of it, and one that is none."""

import pytest
from test_mutations import ALL, Case, summary, verdict

CLAIMS = {claim["id"]: claim for claim in ALL if claim["id"].startswith("empty-")}
ALL_CELLS, STABILITY, FIVE = "adult-threshold", "adult-stability", "five-columns-threshold"


def times(factor, dataset, metric, **where):
    return summary(dataset, metric, lambda t: factor * t["value"], **where)


CASES = {
    "empty-nothing-left": Case(
        times(2, ALL_CELLS, "kept", mechanism="ggm-3"), "partly", times(1.5, ALL_CELLS, "kept")
    ),
    "empty-laplace-two-cells": Case(
        times(3, ALL_CELLS, "kept", mechanism="laplace"),
        "partly",
        times(3, ALL_CELLS, "kept", mechanism="ggm-3"),
    ),
    "empty-laplace-l1": Case(
        times(0.9, ALL_CELLS, "l1", mechanism="laplace"), "confirmed", times(0.9, ALL_CELLS, "l1")
    ),
    "empty-stability-laplace-l1": Case(
        times(1.1, STABILITY, "l1", mechanism="laplace", epsilon=2),
        "partly",
        times(0.9, STABILITY, "l1"),
    ),
    "empty-five-columns": Case(
        times(2, FIVE, "l1", mechanism="laplace"),
        "refuted",
        times(2, FIVE, "l1", mechanism="ggm-3"),
    ),
}


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


@pytest.mark.parametrize("name", CLAIMS)
def test_mutations(empty_cells, monkeypatch, name):
    claim, case = CLAIMS[name], CASES[name]
    assert verdict(claim, empty_cells) == claim["expected"]
    assert verdict(claim, case.changes(empty_cells, monkeypatch)) == case.to != claim["expected"]
    assert verdict(claim, case.keeps(empty_cells, monkeypatch)) == claim["expected"]
