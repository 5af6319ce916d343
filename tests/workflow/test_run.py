"""A run from start to end, and what is there afterwards."""

import io
import time

import pandas as pd
from conftest import Project

from ggexp.run.columns import read_csv

KEYS = ["dataset", "mechanism", "epsilon", "delta"]


def test_results_are_as_promised(finished: Project) -> None:
    outputs = finished.outputs()
    assert set(outputs) == {
        "figures/figure_06.csv",
        "figures/figure_06.pdf",
        "figures/figure_06.png",
        "figures/figure_07.csv",
        "figures/figure_07.pdf",
        "figures/figure_07.png",
        "histograms/mildew.parquet",
        "repeats/mildew/gaussian-pdp/epsilon-1.0_delta-0.05.parquet",
        "repeats/mildew/laplace/epsilon-1.0.parquet",
        "scales.csv",
        "summary.csv",
        "summary/errors/mildew.csv",
    }
    assert outputs["summary.csv"] == outputs["summary/errors/mildew.csv"]
    assert b"\r" not in outputs["summary.csv"]

    summary = read_csv(finished.folder / "results/summary.csv")
    assert list(summary.columns) == [*KEYS, "metric", "repeats", "mean", "sd", "se"]
    assert list(summary["mechanism"]) == ["laplace"] * 3 + ["gaussian-pdp"] * 3
    assert list(summary["metric"]) == ["l1", "kl", "kl_reverse"] * 2
    assert set(summary["repeats"]) == {4}
    assert list(summary["delta"].isna()) == [True] * 3 + [False] * 3

    repeats = pd.concat(
        pd.read_parquet(io.BytesIO(outputs[name])) for name in outputs if "repeats/" in name
    )
    assert list(repeats.columns) == [*KEYS, "repeat", "l1", "kl", "kl_reverse"]
    means = repeats.groupby("mechanism")["l1"].mean()
    ours = summary[summary["metric"] == "l1"].set_index("mechanism")["mean"]
    pd.testing.assert_series_equal(ours.sort_index(), means, check_names=False, rtol=1e-9)

    scales = read_csv(finished.folder / "results/scales.csv")
    columns = ["mechanism", "order", "calibration", "epsilon", "delta", "scale", "sd"]
    assert list(scales.columns) == columns

    points = read_csv(finished.folder / "results/figures/figure_06.csv")
    assert len(points) == 2 * 64
    assert (points["low"] <= points["high"]).all()


def test_one_core_gives_the_same_bytes_as_two(finished: Project, project: Project) -> None:
    start = time.monotonic()
    printed = project.run("--verbose", cores=1)
    seconds = time.monotonic() - start
    outputs = project.outputs()
    assert outputs == finished.outputs()
    # looks for jobs to start: at first, when one has ended, and once a second
    assert 0 < printed.count("Ready jobs:") <= 1 + printed.count("Finished jobid:") + seconds


def test_a_finished_run_has_nothing_to_do(finished: Project) -> None:
    assert finished.planned() == set()


def test_one_data_set_may_have_its_own_pseudo_count(finished: Project, project: Project) -> None:
    name = "repeats/mildew/laplace/epsilon-1.0.parquet"
    mildew = {"mechanisms": ["laplace"], "kl": {"pseudo_count": 1}}
    project.configure(histograms={"mildew": mildew})
    project.run(targets=(f"results/{name}",))
    ours, usual = (pd.read_parquet(io.BytesIO(one.outputs()[name])) for one in (project, finished))
    assert list(ours["l1"]) == list(usual["l1"])
    assert (ours["kl"] < usual["kl"]).all()
