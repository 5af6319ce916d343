"""A small run at equal privacy: the best order, bounded noise, fewer classifiers, ranks."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import Project, design_of

from ggexp.experiment.metrics import l1
from ggexp.releases.sanitize import release
from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet

pytestmark = pytest.mark.slow

MECHANISMS = {
    "gg-best": {"order": "best", "calibration": "adp-exact"},
    "truncated-laplace": {"order": 1, "calibration": "adp-truncated"},
}
TABLES = (
    *("scales.csv", "summary.csv"),
    *("figures/figure_24.csv", "figures/figure_26.csv", "figures/figure_27.csv"),
)


@pytest.fixture(scope="module")
def equal(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished run of the two `MECHANISMS` on a table and on records."""
    project = Project(tmp_path_factory.mktemp("equal"))
    project.add_records({"accuracy": 22, "ranks": 24})
    histograms = project.settings["histograms"]
    for settings in histograms.values():
        settings["mechanisms"] = [*MECHANISMS]
    histograms["mildew"]["figures"] = {"releases": 26, "errors": None, "ranks": 27}
    project.configure(
        histograms=histograms,
        mechanisms=MECHANISMS,
        datasets=["mildew", "people"],
        epsilon=[0.5],
        delta=[0.1],
        classifier={"repeats": 2},
    )
    project.run(targets=("figure_24", *(f"results/{table}" for table in TABLES)))
    return project


def read(project: Project, path: str) -> pd.DataFrame:
    file = project.folder / "results" / path
    return read_csv(file) if file.suffix == ".csv" else read_parquet(file)


def test_scales_have_the_best_order(equal: Project) -> None:
    best, truncated = read(equal, "scales.csv").to_dict("records")
    assert best["order"] == 1.985
    assert best["sd"] == pytest.approx(1.5563, abs=1e-4)
    assert (truncated["order"], truncated["scale"]) == (1, 2)
    assert truncated["sd"] == pytest.approx(1.363, abs=5e-4)


def test_jobs_add_the_bounded_noise_of_the_design(equal: Project) -> None:
    settings = equal.settings | {"seed": 20260101, "neighbours": "add-remove", "repeats": 4}
    design = design_of(settings)
    counts = read(equal, "histograms/mildew.parquet")["count"].to_numpy()
    for noisy in design.points["mildew"]:
        point = noisy.point
        repeats = read(equal, f"repeats/{point.path}.parquet")
        for row in repeats.itertuples():
            assert hasattr(noisy.noise, "bound") == (point.mechanism != "gg-best")
            stream = {"seed": 20260101, "repeat": row.repeat}
            assert row.l1 == l1(counts, release(counts, noisy, **stream))
    first = read(equal, "figures/figure_26.csv").query("mechanism == 'truncated-laplace'")
    assert (first["original"] == counts).all()
    np.testing.assert_allclose(
        first["sanitized"], release(counts, noisy, **(stream | {"repeat": 0})), rtol=1e-9
    )


def test_classifiers_are_trained_only_on_the_first_repeats(equal: Project) -> None:
    summary = read(equal, "summary.csv")
    repeats = summary.groupby(["dataset", "metric"])["repeats"].unique().map(list).to_dict()
    assert repeats["people", "accuracy"] == [2]
    assert repeats["people", "l1"] == repeats["mildew", "l1"] == [4]
    files = equal.outputs("repeats-*.parquet")
    assert len(files) == 2
    assert all(path.endswith("repeats-0-1.parquet") for path in files)


def test_exactly_the_requested_figures_are_drawn(equal: Project) -> None:
    planned = equal.planned(targets=("tables", "records"))
    numbers = re.findall(r"wildcards: number=(\w+)", "".join(planned["draw_figure"]))
    assert {*numbers, "24"} == {"22", "24", "26", "27"}
    ranks = read(equal, "figures/figure_24.csv")
    assert list(ranks["error"].unique()) == ["l1", "kl", "misclassification"]
    assert list(read(equal, "figures/figure_27.csv")["error"].unique()) == ["l1", "kl"]
    summary = read(equal, "summary.csv").query("dataset == 'people' and metric == 'accuracy'")
    misclassification = ranks[ranks["error"] == "misclassification"]
    np.testing.assert_allclose(misclassification["mean"], 1 - summary["mean"])


def test_more_classifiers_start_with_the_same_repeats(equal: Project) -> None:
    folder = "accuracy/people/gg-best/epsilon-0.5_delta-0.1"
    two = read(equal, f"{folder}/repeats-0-1.parquet")["accuracy"]
    equal.configure(classifier={"repeats": None})
    equal.run(targets=(f"results/{folder}/repeats-0-3.parquet",))
    four = read(equal, f"{folder}/repeats-0-3.parquet")["accuracy"]
    assert len(four) == 4
    assert list(four[:2]) == list(two)
