"""From a user's own file to an answer: runs of the output of `describe`, in a shorter form."""

import numpy as np
import pandas as pd
import pytest
from conftest import Project

from ggexp.run.files import read_csv
from ggexp.run.storage import read_parquet, read_tally

#: Fewer repeats, and only one ε, instead of the proposal of `describe`.
REDUCED = {"repeats": 3, "epsilon": [1]}
#: Fewer mechanisms, because classifiers are trained on all of their releases.
THREE = ["geometric", "optimal", "laplace"]


@pytest.mark.slow
def test_parquet_with_odd_names_and_a_target(project: Project) -> None:
    rng = np.random.default_rng(2)
    age = rng.integers(20, 70, 120).astype(float)
    age[3] = np.nan
    table = pd.DataFrame(
        {
            "Age at entry": age,
            "Work.Type": rng.choice(["a b", "c, d", 'e"f'], 120),
            "rich?": age > 45,
            "name": [f"n{i}" for i in range(120)],
        }
    )
    (project.folder / "data/own").mkdir()
    table.to_parquet(project.folder / "data/own/My people.parquet")
    project.describe("data/own/My people.parquet", "--target", "rich?", **REDUCED)
    histograms = project.settings["histograms"]
    assert {*THREE} < {*histograms["My-people"]["mechanisms"]}
    histograms["My-people"]["mechanisms"] = THREE
    project.configure(histograms=histograms)
    project.run()
    results = project.folder / "results/My-people"
    cells = read_parquet(results / "histograms/My-people.parquet")
    assert [*cells] == ["Age at entry", "Work.Type", "rich?", "count"]
    assert cells["count"].sum() == 119 * 2 // 3
    bins = [len(cells[name].unique()) for name in cells if name != "count"]
    assert (
        len(cells)
        == np.prod(bins)
        == read_tally(results / "histograms/My-people_tally.csv")["bins"]
    )
    recommended = read_csv(results / "recommendation.csv")
    assert {*recommended["metric"]} == {"l1", "kl", "accuracy"}
    private = "release" in project.settings["histograms"]["My-people"]
    prefix = "" if private else "none, noise for "
    assert {*recommended["guarantee"]} == {f"{prefix}ε-DP", f"{prefix}(ε, δ)-aDP"}
    assert recommended["advantage"].notna().all() == private
    l1 = recommended[recommended["metric"] == "l1"]
    np.testing.assert_allclose(l1["relative"], l1["mean"] / 79, rtol=1e-9)
    assert read_csv(results / "needed_epsilon.csv")["within"].tolist() == [0.05, 0.1, 0.2] * 2
    index = (results / "index.html").read_text("utf-8")
    assert '<h3 id="answer-1">My-people</h3>' in index
    assert 'id="claim' not in index  # claims are about the paper's data
    answer = (results / "answer.txt").read_text("utf-8")
    assert ('<p class="note not-private">' in index) != private
    assert ("Not differentially private" in answer) != private
    assert {path.name for path in (results / "figures").glob("*.png")} == {
        "figure_01.png",
        "figure_02.png",
        "figure_03.png",
    }  # but no figures of theory


#: Names of mechanisms that look like numbers, truth values or missing values.
NAMES = ["null", "007", "True"]


@pytest.fixture
def look_alikes(project: Project) -> Project:
    """A table without its empty cells, with names that look like numbers or missing values."""
    lines = "Eye colour;Sex;Freq", "null;1.0;30", "null;NA;20", "2019;1.0;9"
    (project.folder / "NA.csv").write_text("\n".join(lines))
    project.describe("NA.csv", **REDUCED)
    mechanisms = project.settings["mechanisms"].values()
    settings = project.settings["histograms"]["NA"] | {"mechanisms": NAMES}
    project.configure(
        mechanisms=dict(zip(NAMES, mechanisms, strict=False)), histograms={"NA": settings}
    )
    return project


@pytest.mark.slow
def test_counts_without_empty_cells(look_alikes: Project) -> None:
    look_alikes.run(targets=("results/NA/recommendation.csv",))
    results = look_alikes.folder / "results/NA"
    cells = read_parquet(results / "histograms/NA.parquet")
    assert cells.values.tolist() == [
        ["2019", "1.0", 9],
        ["2019", "NA", 0],
        ["null", "1.0", 30],
        ["null", "NA", 20],
    ]
    assert {*read_csv(results / "scales.csv")["mechanism"]} == {*NAMES}
    recommended = read_csv(results / "recommendation.csv")
    assert len(recommended) == 4
    assert {*recommended["dataset"]} == {"NA"}
    assert {*recommended["mechanism"]} <= {*NAMES}
    l1 = recommended[recommended["metric"] == "l1"]
    np.testing.assert_allclose(l1["relative"], l1["mean"] / 59, rtol=1e-9)
