"""From a user's own file to an answer: runs of the output of `describe`, in a shorter form."""

import json
import re
import shlex
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import Project

from ggexp import Mechanism
from ggexp.guarantees.table_error import table_error
from ggexp.run.files import read_csv
from ggexp.run.storage import read_parquet, read_tally

#: Fewer repeats, and only one ε, instead of the proposal of `describe`.
REDUCED = {"repeats": 3, "epsilon": [1]}
#: Fewer mechanisms, because classifiers are trained on all of their releases.
THREE = ["geometric", "optimal", "laplace"]
#: Names of mechanisms that look like numbers, truth values or missing values.
NAMES = ["null", "007", "True"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("own"))
    lines = "Eye colour;Sex;Freq", "null;1.0;30", "null;NA;20", "2019;1.0;9"
    (project.folder / "NA.csv").write_text("\n".join(lines))
    project.describe("NA.csv")
    mechanisms = dict(zip(NAMES, project.settings["mechanisms"].values(), strict=False))
    look_alikes = project.settings["histograms"]["NA"] | {"mechanisms": NAMES, "figures": {}}

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
    people = project.settings["histograms"]["My-people"]
    assert {*THREE} < {*people["mechanisms"]}
    people |= {"mechanisms": THREE, "figures": {"accuracy": 3}}
    project.configure(
        datasets=["My-people", "NA"],
        mechanisms=mechanisms | project.settings["mechanisms"],
        histograms={"NA": look_alikes, "My-people": people},
    )
    project.run()
    return project


def test_parquet_with_odd_names_and_a_target(own):
    results = own.folder / "results/My-people"
    cells = read_parquet(results / "histograms/My-people.parquet")
    assert [*cells] == ["Age at entry", "Work.Type", "rich?", "count"]
    assert cells["count"].sum() == 119 * 2 // 3
    bins = [len(cells[name].unique()) for name in cells if name != "count"]
    tally = read_tally(results / "histograms/My-people_tally.csv")
    assert len(cells) == np.prod(bins) == tally["bins"]
    recommended = read_csv(results / "recommendation.csv").query("dataset == 'My-people'")
    assert {*recommended["metric"]} == {"l1", "kl", "accuracy"}
    private = "release" in own.settings["histograms"]["My-people"]
    prefix = "" if private else "none, noise for "
    assert {*recommended["guarantee"]} == {f"{prefix}ε-DP", f"{prefix}(ε, δ)-aDP"}
    assert recommended["advantage"].notna().all() == private
    l1 = recommended[recommended["metric"] == "l1"]
    np.testing.assert_allclose(l1["relative"], l1["mean"] / 79, rtol=1e-9)
    needed = read_csv(results / "needed_epsilon.csv").groupby("dataset")["within"].agg(list)
    assert needed.to_dict() == {name: [0.05, 0.1, 0.2] * 2 for name in ("My-people", "NA")}
    index = (results / "index.html").read_text("utf-8")
    assert 'id="claim' not in index  # claims are about the paper's data
    answer = (results / "answer.txt").read_text("utf-8")
    assert ('<p class="note not-private">' in index) != private
    assert ("Not differentially private" in answer) != private
    assert {path.name for path in (results / "figures").glob("*.png")} == {"figure_03.png"}


def test_only_the_owner_may_read_the_results(own):
    """The folder above, which the results of other runs may share, has the usual permissions."""
    results = own.folder / "results/My-people"
    paths = [results, *results.rglob("*")]
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in paths}
    assert modes == {(True, 0o700), (False, 0o600)}
    assert results / "histograms/.NA.parquet.checksum" in paths
    usual = (own.folder / "data/own").stat().st_mode
    assert results.parent.stat().st_mode == usual != results.stat().st_mode


def test_counts_without_empty_cells(own):
    results = own.folder / "results/My-people"
    cells = read_parquet(results / "histograms/NA.parquet")
    assert cells.to_dict("list") == {
        "Eye colour": ["2019", "2019", "null", "null"],
        "Sex": ["1.0", "NA", "1.0", "NA"],
        "count": [9, 0, 30, 20],
    }
    assert {*read_csv(results / "scales.csv")["mechanism"]} == {*NAMES, *THREE}
    recommended = read_csv(results / "recommendation.csv").query("dataset == 'NA'")
    assert len(recommended) == 4
    assert {*recommended["mechanism"]} <= {*NAMES}
    l1 = recommended[recommended["metric"] == "l1"]
    np.testing.assert_allclose(l1["relative"], l1["mean"] / 59, rtol=1e-9)


def test_the_card_is_about_the_table_that_its_command_publishes(tmp_path):
    """Errors are measured on two thirds of the records (training), but all are published."""
    project = Project(tmp_path)
    rng = np.random.default_rng(4)
    columns = {"sex": ["f", "m"], "region": ["n", "s", "e"], "smoker": ["yes", "no", "no"]}
    people = pd.DataFrame({name: rng.choice(levels, 240) for name, levels in columns.items()})
    people.to_csv(project.folder / "people.csv", index=False)
    project.describe("people.csv", "--target", "smoker", repeats=2, epsilon=[5])
    (settings,) = project.settings["histograms"].values()
    settings |= {"mechanisms": ["geometric"], "figures": {}}
    settings["release"]["total"] = "public"
    settings["goal"] = {"l1": 24}
    del settings["classifier"]  # whose jobs take most of the time
    project.configure(histograms={"people": settings})
    answer = project.folder / "results/people/answer.txt"
    project.run(targets=(str(answer.relative_to(project.folder)),))
    text = " ".join(answer.read_text("utf-8").split())
    (stated,) = map(float, re.findall(r"Use ε = ([\d.]+\d)", text))
    assert re.findall(r"(\d+) cells and (\d+) records", text) == [("12", "240")]
    (line,) = (line for line in answer.read_text("utf-8").splitlines() if line.startswith("  "))
    project.command(sys.executable, "-m", *shlex.split(line))
    statement = json.loads((project.folder / "people-release.json").read_text("utf-8"))
    published = pd.read_csv(project.folder / "people-release.csv")["count"]
    assert (statement["epsilon"], statement["total"]) == (stated, 240)
    assert (len(published), statement["cells"]) == (12, 12)
    assert published.sum() == pytest.approx(240)
    # the errors of the card are those of 240 records, not of the 160 on which errors were measured
    assert read_tally(answer.parent / "histograms/people_tally.csv")["training"] == 160
    noise = Mechanism(None, "pure-integer").noise(epsilon=stated / 2)
    assert table_error(noise, 12, rescale=True).l1.tail(24) <= 0.05
    (share,) = map(float, re.findall(r"records \(([\d.]+) %\)", text))
    (l1,) = map(int, re.findall(r"at most (\d+) records", text))
    assert 0 <= share - 100 * l1 / 240 < 0.1
