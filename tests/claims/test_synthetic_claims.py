"""Claims on synthetic records: verdicts on a run's tables, and mutations as in test_mutations.

The tables are those of `make synthetic` (tests/data/README.md).
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from ggexp.claims import synthetic
from ggexp.claims.evidence import Results
from ggexp.claims.registry import check_claims, read_claims

ROOT = Path(__file__).parents[2]
CLAIMS = {claim["id"]: claim for claim in read_claims(ROOT / "reference/synthetic.yaml")}


@pytest.fixture(scope="module")
def results():
    tables = {
        path.stem: pd.read_csv(path) for path in (ROOT / "tests/data/synthetic").glob("*.csv")
    }
    return Results(
        summary=tables["releases"],
        scales=pd.DataFrame(),
        baseline=tables["baseline"],
        figures={name: tables[name] for name in ("records", "gains", "modes")},
    )


def figure(name, change, columns=("mean",), **where):
    """Change columns of a table's rows that have these values: a function of column and rows."""

    def mutate(results, patch):
        table = results.figures[name].copy()
        here = np.logical_and.reduce(
            [table[column] == value for column, value in where.items()]
            or [np.full(len(table), True)]
        )
        assert here.any()
        for column in columns:
            table.loc[here, column] = change(table.loc[here, column], table[here])
        return replace(results, figures={**results.figures, name: table})

    return mutate


def records(dataset, metric, change, method, **where):
    return figure(
        "records", change, dataset=f"{dataset}-records", metric=metric, method=method, **where
    )


def clamping(change):
    """Change what the library says that clamping adds."""

    def mutate(results, patch):
        right = synthetic.clamping_bias
        patch.setattr(
            synthetic, "clamping_bias", lambda *of, rounded: change(right(*of, rounded=rounded))
        )
        return results

    return mutate


def releases(change):
    def mutate(results, patch):
        table = results.summary
        return replace(results, summary=table.assign(mean=table["mean"] + change))

    return mutate


class Case(NamedTuple):
    changes: object
    to: str
    keeps: object


def rounding(dataset):
    factor = 3.0
    return Case(
        records(dataset, "two_way_added", lambda x, _: x.abs() * 0 + 0.5, "largest-remainder"),
        "refuted",
        records(dataset, "two_way", lambda x, _: factor * x, "release"),
    )


def drawing(dataset):
    return Case(
        records(dataset, "two_way_added", lambda x, _: -x, "multinomial", mechanism="laplace"),
        "partly",
        records(dataset, "two_way_added", lambda x, _: 2 * x, "multinomial"),
    )


CASES = {
    "clamping-gain": Case(clamping(lambda x: 1.001 * x), "refuted", clamping(lambda x: x + 1e-6)),
    "small-cells-gain": Case(
        figure("gains", lambda x, _: -x, method="counts", mechanism="laplace"),
        "partly",
        figure("gains", lambda x, _: -x, method="largest-remainder"),
    ),
    "gains-as-computed": Case(
        figure("gains", lambda x, _: 1.3 * x, ("expected",), dataset="adult-records"),
        "partly",
        figure("gains", lambda x, rows: rows["expected"], method="counts"),
    ),
    "mildew-too-many-records": Case(
        records("mildew", "records", lambda x, _: 70.0, "counts", epsilon=2),
        "partly",
        records("mildew", "records", lambda x, _: 2 * x, "counts"),
    ),
    "czech-too-many-records": Case(
        records("czech", "records", lambda x, _: 1.2 * x, "counts", epsilon=0.5),
        "partly",
        records("czech", "records", lambda x, _: 1.05 * x, "counts"),
    ),
    "adult-too-many-records": Case(
        records("adult", "records", lambda x, _: 20_009 - (x - 20_009), "counts"),
        "refuted",
        records("adult", "records", lambda x, _: x, "multinomial"),
    ),
    "mildew-rounding": rounding("mildew"),
    "czech-rounding": rounding("czech"),
    "adult-rounding": rounding("adult"),
    "mildew-drawing": drawing("mildew"),
    "czech-drawing": drawing("czech"),
    "adult-drawing": drawing("adult"),
    "synthetic-training": Case(
        records("adult", "accuracy", lambda x, _: x + 0.01, "counts", mechanism="laplace"),
        "partly",
        releases(0.0002),
    ),
    "mode-largest-count": Case(
        figure("modes", lambda x, _: 10 * x, ("wrong",), mechanism="laplace"),
        "partly",
        figure("modes", lambda x, _: 10 * x, ("wrong",), mechanism="ggm-3"),
    ),
    "mode-one-sided": Case(
        figure("modes", lambda x, _: x / 1e3, ("wrong",), mechanism="laplace"),
        "refuted",
        figure("modes", lambda x, _: x / 1e3, ("wrong",), mechanism="exponential"),
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


def test_claims_about_what_was_not_run_are_left_out():
    nothing = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    table = check_claims(CLAIMS.values(), nothing)
    assert list(table["id"]) == ["clamping-gain"]  # it needs no run
