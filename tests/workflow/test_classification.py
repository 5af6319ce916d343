"""Data sets of individual records: their classifiers, and a file that is not what it should be."""

import shutil

import pytest
from conftest import Project

pytestmark = pytest.mark.slow

#: What classifiers found, and the figure of it.
ACCURACY = ("summary/accuracy/people.csv", "baselines/people.csv", "figures/figure_22.csv")


def found(project: Project) -> list[bytes]:
    return [(project.folder / "results" / path).read_bytes() for path in ACCURACY]


def train_again(project: Project, **execution: object) -> None:
    """With jobs that are cut otherwise, and nothing left of those that there are."""
    for path in ("classifiers", "accuracy", *ACCURACY):
        there = project.folder / "results" / path
        shutil.rmtree(there) if there.is_dir() else there.unlink()
    project.configure(execution=execution)
    project.run(targets=tuple(f"results/{path}" for path in ACCURACY))


def test_jobs_of_few_repeats_give_the_same_bytes(small: Project) -> None:
    before = found(small)
    train_again(small, repeats_per_job=3)
    names = {name for name in small.outputs("*.parquet") if "accuracy/people/laplace" in name}
    assert {name.rsplit("/", 1)[1] for name in names} == {
        "repeats-0-2.parquet",
        "repeats-3-3.parquet",
    }
    assert found(small) == before


def test_classifiers_made_in_each_job_give_the_same_bytes(small: Project) -> None:
    before = found(small)
    assert "classifiers/people/kernel.npy" in small.outputs("*.npy")
    train_again(small, shared_files=False)
    assert small.outputs("*.npy") == {}
    assert found(small) == before


def test_figures_of_errors_wait_for_no_classifier(project: Project) -> None:
    project.add_records()
    errors = project.planned(targets=("figure_20", "figure_21"))
    assert "measure_releases" in errors
    assert "measure_accuracy" not in errors
    assert "measure_accuracy" in project.planned(targets=("figure_22",))


def test_a_file_that_is_put_there_by_hand_is_verified(project: Project) -> None:
    project.configure(datasets=["adult"], histograms={"adult": {"mechanisms": ["laplace"]}})
    (project.folder / "data/downloads").mkdir(exist_ok=True)
    (project.folder / "data/downloads/adult.data").write_text("39, State-gov, 77516\n")
    ended = project.snakemake(targets=("results/histograms/adult.parquet",))
    assert ended.returncode != 0
    assert "data/downloads/adult.data: its sha256 is" in ended.stdout
