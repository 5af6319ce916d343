"""Verdicts on one data set beside another, in results made up for each."""

import pandas as pd
import pytest

from ggexp.claims.evidence import Results, judge
from ggexp.claims.experiment import similar, stands_between, steps
from ggexp.claims.records import tally_of_table
from ggexp.claims.two_tables import nearer, nears_faster

MECHANISMS = ["laplace", "gaussian-pdp"]


def results(se=0.1, **datasets):
    """Means of l1: data set -> mechanism -> {(ε, δ): mean}; 10 records each, more at bees."""
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
    about = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    bees = {"laplace": {(1, None): 40}, "ggm_3": {(1, 0.1): 99}}  # of which nothing is claimed
    assert verdict(nearer(results(moths=moths, bees=bees), **about)) == "confirmed"
    bees = {"laplace": {(1, None): 60}}
    found = nearer(results(moths=moths, bees=bees), **about)
    assert verdict(found) == "refuted"
    assert found[0].difference == pytest.approx(5 / 10 - 60 / 100)
    assert nearer(results(moths=moths), **about) == []


def test_nears_faster():
    about = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    slow = {(0.5, 0.1): 20, (0.5, 0.2): 18, (2, 0.1): 10, (2, 0.2): 9}
    fast = {(0.5, 0.1): 20, (0.5, 0.2): 10, (2, 0.1): 5, (2, 0.2): 2}
    of_laplace = {(0.5, None): 30, (2, None): 20}
    one = {"gaussian_pdp": slow, "laplace": of_laplace}
    other = {"gaussian_pdp": fast, "laplace": {at: 10 * m for at, m in of_laplace.items()}}
    both = results(moths=one, bees=other, se=0.01)
    epsilon = nears_faster(both, **about, along="epsilon")
    assert [comparison.where for comparison in epsilon] == [
        "(0.5, 0.1) to (2, 0.1)",
        "(0.5, 0.2) to (2, 0.2)",
        "ε=0.5 to ε=2",
    ]
    assert epsilon[2].difference == pytest.approx(0)  # whatever the units
    assert verdict(epsilon) == "partly"
    delta = nears_faster(both, **about, along="delta")
    assert len(delta) == 2  # Laplace has none
    assert verdict(delta) == "confirmed"
    swapped = about | {"datasets": ["moths", "bees"]}
    assert verdict(nears_faster(both, **swapped, along="delta")) == "refuted"
    assert nears_faster(results(moths=one), **about, along="delta") == []


def test_the_error_of_a_share():
    about = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    table = {"laplace": {(1, None): 20, (2, None): 10}}
    (found,) = nears_faster(results(moths=table, bees=table, se=0.5), **about, along="epsilon")
    assert found.error == pytest.approx((2 * (0.5 / 20) ** 2 + 2 * (0.5 / 10) ** 2) ** 0.5)


def test_no_error_at_all_decides_nothing():
    about = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": MECHANISMS}
    table = {"laplace": {(1, None): 20, (2, None): 0}}
    both = results(moths=table, bees=table)
    assert verdict(nears_faster(both, **about, along="epsilon")) == "undecided"


def test_stands_between():
    about = {"dataset": "moths", "metric": "l1", "mechanism": "x", "above": ["a"], "below": ["b"]}

    def found(x, **others):
        points = {name: {(1, 0.1): mean} for name, mean in (("x", x), *others.items())}
        return verdict(stands_between(results(moths=points), **about))

    assert found(2, a=1, b=3) == "confirmed"
    assert found(4, a=1, b=3) == "partly"
    assert found(2, a=3, b=1) == "refuted"
    assert found(2, c=1) is None


def test_similar_at_both():
    points = {"a": {(1, 0.1): 1, (2, 0.01): 1, (2, 0.1): 9.9}}
    points["b"] = dict.fromkeys(points["a"], 10)
    about = {"dataset": "moths", "metric": "l1", "mechanisms": ["a", "b"]}
    about |= {"within": 0.1, "epsilon": 2, "delta": 0.1}
    assert verdict(similar(results(moths=points), **about, both=True)) == "confirmed"
    assert verdict(similar(results(moths=points), **about)) == "partly"


def test_some_mechanisms_alone():
    flat, up = (
        {(0.5, 0.1): 30, (1, 0.1): 20, (2, 0.1): 10},
        {(0.5, 0.1): 1, (1, 0.1): 2, (2, 0.1): 3},
    )
    tables = results(moths={"laplace": flat, "ggm_3": up})
    about = {"dataset": "moths", "metric": "l1", "below": 1.5}
    assert verdict(steps(tables, **about, mechanisms=["laplace", "ggm-3"])) == "partly"
    assert verdict(steps(tables, **about, mechanisms=["laplace"])) == "confirmed"
    assert steps(tables, **about, mechanisms=["gaussian"]) == []  # a claim about another design
