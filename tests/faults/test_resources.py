"""A full disk, a read-only folder, and a job with too little memory.

Each leads to a message that names the file and the rule. After the cause is removed, a rerun
completes.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from conftest import Project

pytestmark = pytest.mark.faults

Mount = Callable[[str], None]


@pytest.fixture
def mount(project: Project) -> Iterator[Mount]:
    """A function that changes the mount options of results/, a file system in memory."""
    results = project.folder / "results"
    results.mkdir()
    if (
        os.getuid()
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=50m", "tmpfs", results], check=False
        ).returncode
    ):
        pytest.skip("mounting a file system in memory needs Linux and root")

    def remount(options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", results], check=True)

    yield remount
    subprocess.run(["umount", "--lazy", results], check=True)


def test_full_disk(project: Project, small_run: Project, mount: Mount) -> None:
    mount("size=60k")  # enough space for the repeats, but not for the figures
    printed = project.refused(targets=("figure_06",))
    assert "results/figures/figure_06.png cannot be written: [Errno 28] No space" in printed
    assert "failed: draw_figure" in printed
    assert project.outputs().items() <= small_run.outputs().items()
    mount("size=50m")
    project.run(targets=("figure_06",))
    assert project.outputs().items() <= small_run.outputs().items()


def test_results_cannot_be_written(project: Project, small_run: Project, mount: Mount) -> None:
    targets = ("results/histograms/mildew.parquet",)
    mount("ro")
    printed = project.refused(targets=targets)
    assert "Read-only file system" in printed
    assert "results/" in printed
    mount("rw")
    project.run(targets=targets)
    assert project.outputs().items() <= small_run.outputs().items()


def test_job_without_memory(project: Project) -> None:
    """Matrices of 18,000 cells do not fit into an address space of 2.6 GB."""
    rng = np.random.default_rng(6)
    project.add_records(figures={"accuracy": 22})
    people = project.folder / "people.csv"
    original = people.read_text()
    lines = (
        f"{age}, office, {answer}\n"
        for age, answer in zip(
            np.linspace(10, 90, 27_000), rng.choice(["yes", "no"], 27_000), strict=True
        )
    )
    people.write_text("".join(lines))
    settings = project.settings["histograms"]["people"]
    settings["records"]["columns"]["age"]["bins"] = 50_000
    project.configure(datasets=["people"], histograms={"people": settings})
    run = f"{sys.executable} -m snakemake figure_22 --cores 1 --configfile small.yaml"
    ended = project.command("bash", "-c", f"ulimit -v 2600000; {run}")
    assert ended.returncode != 0
    assert "error: out of memory" in ended.stdout
    assert "Error in rule prepare_classifiers" in ended.stdout
    assert "Traceback" not in ended.stdout
    people.write_text(original)
    project.run(targets=("results/baselines/people.csv",))
