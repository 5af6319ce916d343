"""Data sets whose empty cells are released too, from the file of records to the figure."""

import pytest
from conftest import TARGETS, Project

from ggexp.run.columns import read_csv

pytestmark = pytest.mark.slow

ALL = (*TARGETS, "records", "claims", "results/baseline.csv")


def test_the_empty_cells_of_records(project: Project) -> None:
    project.add_records()
    people = project.settings["histograms"]["people"]
    histograms = {
        "by-threshold": {"cells": "threshold", "expected_empty": 3, "figures": {"survivors": 50}},
        "by-stability": {
            "cells": "stability",
            "machines": ["laplace"],
            "figures": {"survivors": 51},
        },
    }
    project.configure(
        datasets=["mildew", *histograms],
        histograms=project.histograms(
            people=people, **{name: {"like": "people", **own} for name, own in histograms.items()}
        ),
    )
    project.run(targets=ALL)
    results = project.folder / "results"
    summary = read_csv(results / "summary.csv").set_index(["dataset", "mechanism"])
    errors = ["l1", "kept", "kept_records", "added"]
    assert list(summary.loc["by-threshold", "laplace"]["metric"]) == [*errors, "accuracy"]
    laplace = summary.loc["by-stability", "laplace"]
    assert list(laplace["metric"]) == [*errors, "accuracy"]
    assert laplace["delta"].notna().all()
    assert list(summary.loc["by-stability", "gaussian-pdp"]["metric"]) == errors
    means = laplace.set_index("metric")["mean"]
    assert means["added"] == 0 < means["kept"] <= means["kept_records"]
    assert 0.4 < means["accuracy"] <= 1
    for number in (50, 51):
        table = read_csv(results / f"figures/figure_{number}.csv")
        reference = table[table["mechanism"] == "reference"].set_index("metric")["mean"]
        assert set(reference.index) == {"l1", "kept", "accuracy"}
        assert (table[table["metric"] == "l1"]["mean"] <= reference["l1"] * (1 + 1e-9)).all()
        for kind in ("pdf", "png"):
            assert (results / f"figures/figure_{number}.{kind}").exists()
    assert project.planned() == set()
