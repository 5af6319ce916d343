"""A small run of several tables of the same records, with the same bytes on any cores."""

import shutil
from pathlib import Path

import pytest
from conftest import Project

from ggexp.run.files import read_csv

pytestmark = pytest.mark.slow

TARGETS = (
    "results/tables/summary/people.csv",
    "results/tables/summary/mildew.csv",
    "results/figures/figure_s10.png",
)


def test_several_tables(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.add_records()
    histograms = project.settings["histograms"]
    histograms["mildew"]["several_tables"] = {
        "publish": ["two-way", "listed"],
        "tables": [["la10", "locc"], ["p53a"]],
    }
    publish = ["one-way", "two-way", "tree", "tree-of-target", "threshold", "stability"]
    histograms["people"]["several_tables"] = {"publish": publish}
    mechanisms = {"gaussian-pdp": {"order": 2, "calibration": "adp-exact"}}
    project.configure(repeats=2, histograms=histograms, mechanisms=mechanisms)
    project.run(targets=TARGETS)
    results = project.folder / "results"
    summary = read_csv(results / "tables/summary/people.csv").dropna(subset="mean")
    assert set(summary["mechanism"]) == {"noiseless", "laplace", "gaussian-pdp"}
    of_gaussian = summary[summary["mechanism"] == "gaussian-pdp"]
    assert set(of_gaussian["method"].str.partition(" ")[0]) == {*publish}
    assert (summary.loc[summary["metric"] == "accuracy", "mean"].between(0, 1)).all()
    assert "threshold records" in set(read_csv(results / "figures/figure_s10.csv")["method"])
    before = project.outputs("tables/**/*")
    for path in ("summary", "errors/people/gaussian-pdp", "errors/mildew/gaussian-pdp"):
        shutil.rmtree(results / "tables" / path)
    assert len(before) - len(project.outputs("tables/**/*")) == 4
    project.run(targets=TARGETS[:2], cores=1)
    assert project.outputs("tables/**/*") == before
