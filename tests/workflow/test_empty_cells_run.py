"""A run of data sets whose empty cells are released too, from the file of records to the figure."""

import pandas as pd
import pytest
from conftest import Project

from ggexp.run.columns import read_csv

pytestmark = pytest.mark.slow


def read(project: Project, name: str) -> pd.DataFrame:
    return read_csv(project.folder / f"results/{name}.csv")


def test_releases_with_empty_cells(finished: Project) -> None:
    by_stability = {
        "like": "people",
        "release": {"kind": "stability"},
        "classifier": {"mechanisms": ["laplace"]},
        "figures": {"retained_cells": 51},
    }
    finished.configure(
        datasets=["hidden", "by-stability"],
        overwrite=True,
        histograms=finished.settings["histograms"] | {"by-stability": by_stability},
    )
    finished.run(targets=("figure_51", "figure_25", "results/summary.csv"))
    summary = read(finished, "summary").set_index(["dataset", "mechanism"])
    errors = ["l1", "kept", "kept_records", "added"]
    assert list(summary.loc["hidden", "laplace"]["metric"]) == [*errors, "accuracy"]
    laplace = summary.loc["by-stability", "laplace"]
    assert list(laplace["metric"]) == [*errors, "accuracy"]
    assert laplace["delta"].notna().all()
    assert list(summary.loc["by-stability", "gaussian-pdp"]["metric"]) == errors
    means = laplace.set_index("metric")["mean"]
    assert means["added"] == 0 < means["kept"] <= means["kept_records"]
    assert 0.4 < means["accuracy"] <= 1
    for number in (25, 51):
        table = read(finished, f"figures/figure_{number}")
        reference = table[table["mechanism"] == "reference"].set_index("metric")["mean"]
        assert set(reference.index) == {"l1", "kept", "accuracy"}
        assert (table[table["metric"] == "l1"]["mean"] <= reference["l1"] * (1 + 1e-9)).all()
    names = {path.name for path in (finished.folder / "results/figures").iterdir()}
    assert {"figure_51.pdf", "figure_51.png"} < names
