"""A run of one table from its file to a summary and the numbers of a figure, in a few seconds."""

import pandas as pd
import pytest


def test_a_run_of_one_table(project):
    project.configure(theory=False)
    project.run(targets=("results/summary.csv", "results/figures/figure_07.csv"))
    summary = project.read("summary.csv")
    assert set(summary["repeats"]) == {4}
    pd.testing.assert_frame_equal(summary, project.read("summary/errors/mildew.csv"))
    repeats = project.read("repeats/mildew.parquet").groupby("mechanism", sort=False)["l1"]
    means = summary.loc[summary["metric"] == "l1", "mean"]
    assert means.tolist() == pytest.approx(repeats.mean().tolist(), rel=1e-9)
    drawn = project.read("figures/figure_07.csv")
    assert set(drawn.loc[drawn["metric"] == "l1", "equal"]) == {94.125}
