"""From a file of one's own to an answer: what `describe` prints is run as it is."""

import numpy as np
import pandas as pd
from conftest import Project

from ggexp.run.storage import read_frame

#: In place of what `describe` proposes: fewer repeats at one ε.
FEW = {"repeats": 3, "epsilon": [1]}


def test_parquet_with_odd_names_and_a_target(project: Project) -> None:
    rng = np.random.default_rng(2)
    age = rng.integers(20, 70, 120).astype(float)
    age[3] = np.nan
    table = pd.DataFrame(
        {
            "Age at entry": age,
            "Work.Type": rng.choice(["a b", "c, d", 'e"f'], 120),
            "rich?": rng.random(120) < 0.5,
            "name": [f"n{i}" for i in range(120)],
        }
    )
    (project.folder / "data/own").mkdir()
    table.to_parquet(project.folder / "data/own/My people.parquet")
    project.describe("data/own/My people.parquet", "--target", "rich?", **FEW)
    project.run(targets=("all",))
    results = project.folder / "results/My-people"
    cells = read_frame(results / "histograms/My-people.parquet")
    assert [*cells] == ["Age at entry", "Work.Type", "rich?", "count"]
    assert cells["count"].sum() == 119 * 2 // 3
    recommended = read_frame(results / "recommendation.csv")
    assert {*recommended["metric"]} == {"l1", "kl", "accuracy"}
    assert {*recommended["guarantee"]} == {"ε-DP", "(ε, δ)-aDP"}
    l1 = recommended[recommended["metric"] == "l1"]
    np.testing.assert_allclose(l1["relative"], l1["mean"] / 79, rtol=1e-9)
    assert read_frame(results / "needed_epsilon.csv")["within"].tolist() == [0.05, 0.1, 0.2] * 2
    index = (results / "index.html").read_text("utf-8")
    assert '<h3 id="answer-1">My-people</h3>' in index
    assert {path.name for path in (results / "figures").glob("*.png")} == {
        "figure_20.png",
        "figure_21.png",
        "figure_22.png",
    }  # none of theory, which nobody asked for


def test_counts_without_their_empty_cells(project: Project) -> None:
    (project.folder / "t.csv").write_text("Eye colour;Sex;Freq\nblue;f;30\nblue;m;20\ngreen;f;9\n")
    project.describe("t.csv", **FEW)
    project.run(targets=("all",))
    results = project.folder / "results/t"
    cells = read_frame(results / "histograms/t.parquet")
    assert cells.values.tolist() == [
        ["blue", "f", 30],
        ["blue", "m", 20],
        ["green", "f", 9],
        ["green", "m", 0],
    ]
    assert len(read_frame(results / "recommendation.csv")) == 4


def test_records_with_a_mistake_end_before_any_job(project: Project) -> None:
    project.add_records()
    project.edit("people.csv", lambda text: text + "101, office, yes\n")
    project.configure(datasets=["people"])
    ended = project.snakemake()
    assert ended.returncode != 0
    assert "people.csv, line 301: age must be within its bins, 10 to 90, got 101.0" in ended.stdout
    assert "Traceback" not in ended.stdout
    assert not (project.folder / "results").exists()
