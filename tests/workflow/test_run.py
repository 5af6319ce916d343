"""A run from start to end, and its results."""

import re
import shutil
import sys

import pandas as pd
import pytest
from conftest import FORMULA, ran

pytestmark = pytest.mark.slow


def test_the_summary_has_all_data_sets_and_accuracies(small_run):
    summary = small_run.read("summary.csv")
    assert list(summary["dataset"].unique()) == ["mildew", "people"]
    assert set(summary["repeats"]) == {4}
    assert b"\r" not in (small_run.folder / "results/summary.csv").read_bytes()
    people = summary.query("dataset == 'people'")
    assert list(people["metric"]) == ["l1", "kl", "kl_reverse", "accuracy"] * 2
    accuracy = people[people["metric"] == "accuracy"]["mean"]
    assert accuracy.between(0.5, 1).all()
    baseline = small_run.read("baselines/people.csv").set_index("model")["accuracy"]
    assert baseline["original"] > baseline["majority"] + 0.1
    best = small_run.read("recommendation.csv").set_index(["dataset", "metric"])["equal"]
    assert set(best["people", "accuracy"]) == {baseline["equal"]}
    assert set(best["mildew", "l1"]) == {94.125}


def test_formulas_stay_text_and_out_of_the_csv_files(finished_run):
    """Only the files of synthetic records contain them, because records repeat the text."""
    assert FORMULA in set(finished_run.read("histograms/people.parquet")["work"])
    for name, content in finished_run.outputs("*.csv").items():
        has_records = name.startswith("synthetic/records/")
        assert (FORMULA.encode() in content) == has_records, name


def test_output_to_a_file_has_plain_lines(finished_run):
    printed = (finished_run.folder / "printed.txt").read_text("utf-8")
    assert "\x1b" not in printed
    finished = [line for line in printed.splitlines() if re.match(r" *\d+ of \d+, .*elapsed", line)]
    (total,) = {re.match(r" *\d+ of (\d+)", line)[1] for line in finished}
    assert len(finished) == int(total)
    assert max(map(len, printed.splitlines())) <= 160
    text = " ".join(printed.split())
    private = {"people": False, "My_wide.table-2": True, "hidden": True, "copied": False}
    for dataset in finished_run.settings["datasets"][1:]:
        is_private = private[dataset]
        assert (f"{dataset}: Not differentially private." in text) == (not is_private)
    assert finished_run.planned() == {}


def test_warnings_are_printed_once(small_run):
    printed = (small_run.folder / "printed.txt").read_text("utf-8")
    assert printed.count("not a release (people") == 1
    assert len(re.findall(r"non-empty cells .*\(people", printed)) == 1


def test_a_configuration_may_lie_in_another_folder_than_the_run(project, tmp_path_factory):
    """Its path is relative to the folder of the command, not to --directory."""
    folder = tmp_path_factory.mktemp("elsewhere")
    assert "measure_releases" in project.planned("--directory", str(folder))


def test_one_core_gives_the_same_bytes_as_two(small_run, project):
    project.run(targets=tuple(f"results/figures/figure_{n}.csv" for n in ("06", "07")), cores=1)
    outputs = project.outputs()
    assert len(outputs) == 6
    assert outputs.items() <= small_run.outputs().items()


@pytest.mark.parametrize("program", ["snakemake", "ggexp"])
def test_jobs_keep_their_bytecode(project, program):
    """Also where a variable forbids it, as in many images."""
    for folder in (project.folder / "src").rglob("__pycache__"):
        shutil.rmtree(folder)
    command = [sys.executable, "-m", program, *["snakemake"] * (program == "ggexp")]
    options = ["results/histograms/mildew.parquet", "--cores", "1", "--configfile", "small.yaml"]
    environment = project.environment | {"PYTHONDONTWRITEBYTECODE": "1"}
    ran(*command, *options, cwd=project.folder, env=environment)
    assert [*(project.folder / "src/ggexp/datasets/__pycache__").glob("tables.*.pyc")]


def test_a_data_set_can_have_its_own_pseudo_count(small):
    name = "results/repeats/mildew.parquet"
    before = pd.read_parquet(small.folder / name).query("mechanism == 'laplace'")
    mildew = {"mechanisms": ["laplace"], "kl": {"pseudo_count": 1}}
    small.configure(histograms=small.histograms(mildew=mildew), datasets=["mildew"])
    small.run(targets=(name,))
    after = pd.read_parquet(small.folder / name)
    assert list(after["l1"]) == list(before["l1"])
    assert (after["kl"] < before["kl"]).all()
