"""The classifiers of individual records."""

import shutil

import pytest

pytestmark = pytest.mark.slow

ACCURACY = ("summary/accuracy/people.csv", "baselines/people.csv", "figures/figure_22.csv")
ERRORS = ("repeats/people.parquet", "summary/errors/people.csv")


def read_results(project):
    return [(project.folder / "results" / path).read_bytes() for path in (*ACCURACY, *ERRORS)]


def test_another_division_into_jobs_gives_the_same_bytes(small):
    """Jobs with fewer repeats, which compute the arrays themselves instead of reading files."""
    before = read_results(small)
    assert "classifiers/people/kernel.npy" in small.outputs("*.npy")
    for path in ("classifiers", "accuracy", *ACCURACY, *ERRORS):
        result = small.folder / "results" / path
        shutil.rmtree(result) if result.is_dir() else result.unlink()
    small.configure(execution={"repeats_per_job": 3, "shared_files": False})
    small.run(targets=tuple(f"results/{path}" for path in (*ACCURACY, *ERRORS)))
    assert len([*(small.folder / "results/logs/measure_part/people").iterdir()]) == 2
    names = {name for name in small.outputs("*.parquet") if "accuracy/people/laplace" in name}
    ends = {name.rsplit("/", 1)[1] for name in names}
    assert ends == {"repeats-0-2.parquet", "repeats-3-3.parquet"}
    assert small.outputs("*.npy") == {}
    assert read_results(small) == before
