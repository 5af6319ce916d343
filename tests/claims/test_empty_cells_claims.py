"""Each claim about empty cells: its verdict in a full run, what changes it, and what does not."""

import pytest
from mutations import Case, by_tier, check, claims, summary, times

CLAIMS = claims("claims.yaml", "empty-")
ALL_CELLS, STABILITY, FIVE = "adult-threshold", "adult-stability", "five-columns-threshold"


def multiplied(factor, dataset, metric, **where):
    return summary(dataset, metric, times(factor), **where)


CASES = {
    "empty-nothing-left": Case(
        multiplied(2, ALL_CELLS, "kept", mechanism="ggm-3"),
        "partly",
        multiplied(1.5, ALL_CELLS, "kept"),
    ),
    "empty-laplace-two-cells": Case(
        multiplied(3, ALL_CELLS, "kept", mechanism="laplace"),
        "partly",
        multiplied(1.2, ALL_CELLS, "kept", mechanism="laplace"),
    ),
    "empty-laplace-l1": Case(
        multiplied(0.9, ALL_CELLS, "l1", mechanism="laplace"),
        "confirmed",
        multiplied(0.9, ALL_CELLS, "l1"),
    ),
    "empty-stability-laplace-l1": Case(
        multiplied(1.1, STABILITY, "l1", mechanism="laplace", epsilon=2),
        "partly",
        multiplied(0.9, STABILITY, "l1"),
    ),
    "empty-five-columns": Case(
        multiplied(2, FIVE, "l1", mechanism="laplace"),
        "refuted",
        multiplied(1.1, FIVE, "l1", mechanism="laplace"),
    ),
}


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


@pytest.mark.parametrize("name", by_tier(CLAIMS))
def test_mutations(empty_cells, monkeypatch, name):
    check(CLAIMS[name], CASES[name], empty_cells, monkeypatch)
