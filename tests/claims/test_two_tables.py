"""Verdicts on claims that compare two data sets, with results made up for each test."""

import pandas as pd
import pytest

from ggexp.claims.evidence import Results, judge
from ggexp.claims.experiment import similar, stands_between, steps
from ggexp.claims.records import tally_of_table
from ggexp.claims.two_tables import nearer, nears_faster

MECHANISMS = ["laplace", "gaussian-pdp"]


def results(se=0.1, **datasets):
    """Return results with means of l1: data set -> mechanism -> {(ε, δ): mean}.

    moths has 10 records, any other data set 100.
    """
    rows = [
        (dataset, name.replace("_", "-"), epsilon, delta, "l1", 100, mean, mean, se)
        for dataset, mechanisms in datasets.items()
        for name, points in mechanisms.items()
        for (epsilon, delta), mean in points.items()
    ]
    columns = ["dataset", "mechanism", "epsilon", "delta", "metric", "repeats", "mean", "sd", "se"]
    tallies = {
        dataset: tally_of_table(pd.DataFrame({"count": [0, 10 if dataset == "moths" else 100]}))
        for dataset in datasets
    }
    return Results(pd.DataFrame(rows, columns=columns), pd.DataFrame(), tallies=tallies)


def verdict(comparisons):
    return judge(comparisons, 3)[0] if comparisons else None


def test_a_table_is_counted():
    tally = tally_of_table(pd.DataFrame({"count": [3, 0, 4]})).set_index("quantity")["count"]
    assert tally.to_dict() == {"records": 7, "bins": 3, "cells": 2}


def test_nearer_is_relative_to_the_records():
    moths = {"laplace": {(1, None): 5}, "ggm_3": {(1, 0.1): 5}}
    claim = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    bees = {"laplace": {(1, None): 40}, "ggm_3": {(1, 0.1): 99}}  # ggm-3 is not in the claim
    assert verdict(nearer(results(moths=moths, bees=bees), **claim)) == "confirmed"
    bees = {"laplace": {(1, None): 60}}
    comparisons = nearer(results(moths=moths, bees=bees), **claim)
    assert verdict(comparisons) == "refuted"
    assert comparisons[0].difference == pytest.approx(5 / 10 - 60 / 100)
    assert nearer(results(moths=moths), **claim) == []


def test_nears_faster():
    claim = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    slow = {(0.5, 0.1): 20, (0.5, 0.2): 18, (2, 0.1): 10, (2, 0.2): 9}
    fast = {(0.5, 0.1): 20, (0.5, 0.2): 10, (2, 0.1): 5, (2, 0.2): 2}
    laplace = {(0.5, None): 30, (2, None): 20}
    moths = {"gaussian_pdp": slow, "laplace": laplace}
    bees = {"gaussian_pdp": fast, "laplace": {point: 10 * mean for point, mean in laplace.items()}}
    tables = results(moths=moths, bees=bees, se=0.01)
    epsilon = nears_faster(tables, **claim, along="epsilon")
    assert [comparison.where for comparison in epsilon] == [
        "(0.5, 0.1) to (2, 0.1)",
        "(0.5, 0.2) to (2, 0.2)",
        "ε=0.5 to ε=2",
    ]
    assert epsilon[2].difference == pytest.approx(0)  # the units cancel
    assert verdict(epsilon) == "partly"
    delta = nears_faster(tables, **claim, along="delta")
    assert len(delta) == 2  # Laplace noise has no δ
    assert verdict(delta) == "confirmed"
    swapped = claim | {"datasets": ["moths", "bees"]}
    assert verdict(nears_faster(tables, **swapped, along="delta")) == "refuted"
    assert nears_faster(results(moths=moths), **claim, along="delta") == []


def test_the_error_of_a_share():
    claim = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    table = {"laplace": {(1, None): 20, (2, None): 10}}
    (comparison,) = nears_faster(results(moths=table, bees=table, se=0.5), **claim, along="epsilon")
    assert comparison.error == pytest.approx(
        (0.5 * 2**0.5) * ((0.5 / 20) ** 2 + (0.5 / 10) ** 2) ** 0.5
    )


def test_a_mean_of_0_is_undecided():
    claim = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    table = {"laplace": {(1, None): 20, (2, None): 0}}
    tables = results(moths=table, bees=table)
    assert verdict(nears_faster(tables, **claim, along="epsilon")) == "undecided"


def test_stands_between():
    claim = {"dataset": "moths", "metric": "l1", "mechanism": "x", "above": ["a"], "below": ["b"]}

    def verdict_of(x, **others):
        points = {name: {(1, 0.1): mean} for name, mean in (("x", x), *others.items())}
        return verdict(stands_between(results(moths=points), **claim))

    assert verdict_of(2, a=1, b=3) == "confirmed"
    assert verdict_of(4, a=1, b=3) == "partly"
    assert verdict_of(2, a=3, b=1) == "refuted"
    assert verdict_of(2, c=1) is None


def test_similar_at_large_epsilon_and_delta():
    points = {"a": {(1, 0.1): 1, (2, 0.01): 1, (2, 0.1): 9.9}}
    points["b"] = dict.fromkeys(points["a"], 10)
    claim = {"dataset": "moths", "metric": "l1", "mechanisms": ["a", "b"]}
    claim |= {"within": 0.1, "epsilon": 2, "delta": 0.1}
    assert verdict(similar(results(moths=points), **claim, both=True)) == "confirmed"
    assert verdict(similar(results(moths=points), **claim)) == "partly"


def test_steps_of_some_mechanisms():
    flat, up = (
        {(0.5, 0.1): 30, (1, 0.1): 20, (2, 0.1): 10},
        {(0.5, 0.1): 1, (1, 0.1): 2, (2, 0.1): 3},
    )
    tables = results(moths={"laplace": flat, "ggm_3": up})
    claim = {"dataset": "moths", "metric": "l1", "below": 1.5}
    assert verdict(steps(tables, **claim, mechanisms=["laplace", "ggm-3"])) == "partly"
    assert verdict(steps(tables, **claim, mechanisms=["laplace"])) == "confirmed"
    assert steps(tables, **claim, mechanisms=["gaussian"]) == []  # this mechanism was not run
