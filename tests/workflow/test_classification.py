"""Data sets of individual records: their files, their accuracy, and what happens without a file."""

import shutil

import pytest
from conftest import TARGETS, Project

from ggexp.run.columns import read_csv

pytestmark = pytest.mark.slow

ALL = (*TARGETS, "records", "results/baseline.csv")


@pytest.fixture(scope="module")
def classified(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished run with a data set of records."""
    project = Project(tmp_path_factory.mktemp("records"))
    project.add_records()
    project.run(targets=ALL)
    return project


def test_accuracy_is_in_the_results(classified: Project) -> None:
    outputs = classified.outputs()
    summary = read_csv(classified.folder / "results/summary.csv")
    assert list(summary["dataset"].unique()) == ["mildew", "people"]
    people = summary[summary["dataset"] == "people"]
    assert list(people["metric"]) == ["l1", "kl", "kl_reverse", "accuracy"] * 2
    accuracy = people[people["metric"] == "accuracy"]["mean"]
    assert accuracy.between(0.5, 1).all()

    baseline = read_csv(classified.folder / "results/baseline.csv")
    baseline = baseline.set_index("model")["accuracy"]
    assert baseline["original"] > baseline["majority"] + 0.1
    assert {f"figures/figure_22.{kind}" for kind in ("csv", "pdf", "png")} < outputs.keys()


def test_jobs_of_few_repeats_give_the_same_bytes(classified: Project) -> None:
    before = classified.outputs("*.csv")
    classified.configure(svm={"repeats_per_job": 3})
    classified.run(targets=ALL)
    names = [name for name in classified.outputs("*.parquet") if "accuracy/people/laplace" in name]
    assert [name.rsplit("/", 1)[1] for name in names] == [
        "repeats-0-2.parquet",
        "repeats-0-3.parquet",  # of the run before
        "repeats-3-3.parquet",
    ]
    assert classified.outputs("*.csv") == before


def test_machines_made_in_each_job_give_the_same_bytes(classified: Project) -> None:
    before = classified.outputs("*.csv")
    assert "machines/people/kernel.npy" in classified.outputs("*.npy")
    classified.configure(svm={"shared_files": False})
    shutil.rmtree(classified.folder / "results/machines")
    classified.run(targets=ALL)
    assert classified.outputs("*.npy") == {}
    assert classified.outputs("*.csv") == before


@pytest.mark.parametrize(("figure", "trains"), [(20, False), (21, False), (22, True)])
def test_figures_of_errors_wait_for_no_machine(project: Project, figure: int, trains: bool) -> None:
    project.add_records()
    plan = project.run("--dry-run", targets=(f"figure_{figure}",))
    assert "sanitize_histogram" in plan or figure != 21
    assert ("classify_releases" in plan) == trains


def test_without_a_file_the_others_finish(project: Project) -> None:
    """The fetch fails with one message that tells how to go on, and is tried again next time."""
    adult = {"mechanisms": ["laplace"]}
    nobody = "http://127.0.0.1:9/adult.data"
    project.configure(
        datasets=["mildew", "adult"],
        histograms=project.histograms(adult=adult),
        download={"files": {"adult.data": {"addresses": [nobody]}}},
    )
    ended = project.snakemake(targets=ALL)
    assert ended.returncode != 0
    assert "3,974,305 bytes and the sha256 5b00264637db" in ended.stdout
    assert f"{nobody}: ConnectionError" in ended.stdout
    assert "GGEXP_MIRROR" in ended.stdout
    assert "put the file at data/downloads/adult.data" in ended.stdout
    assert "Traceback" not in ended.stdout
    outputs = project.outputs()
    assert {"figures/figure_06.png", "figures/figure_07.png"} < set(outputs)
    assert "summary/errors/mildew.csv" in outputs

    # a file that is put there by hand is verified
    (project.folder / "data/downloads").mkdir(exist_ok=True)
    (project.folder / "data/downloads/adult.data").write_text("39, State-gov, 77516\n")
    ended = project.snakemake(targets=ALL)
    assert ended.returncode != 0
    assert "data/downloads/adult.data: its sha256 is" in ended.stdout
