"""A full disk, a read-only folder, and a job with too little memory.

Each leads to a message that names the file and the rule. After the cause is removed, a rerun
completes.
"""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.faults


@pytest.fixture
def mount(project):
    """A function that changes the mount options of results/, a file system in memory."""
    results = project.folder / "results"
    results.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=50m", "tmpfs", results]
    if os.getuid() or subprocess.run(command, check=False).returncode:
        pytest.skip("mounting a file system in memory needs Linux and root")

    def remount(options):
        subprocess.run(["mount", "-o", f"remount,{options}", results], check=True)

    yield remount
    subprocess.run(["umount", "--lazy", results], check=True)


def test_full_disk(project, small_run, mount):
    mount("size=60k")  # enough space for the repeats, but not for the figures
    printed = project.refused(targets=("figure_06",))
    assert "results/figures/figure_06.png cannot be written: [Errno 28] No space" in printed
    assert "failed: draw_figure" in printed
    assert project.outputs().items() <= small_run.outputs().items()
    mount("size=50m")
    project.run(targets=("figure_06",))
    assert project.outputs().items() <= small_run.outputs().items()


def test_results_cannot_be_written(project, small_run, mount):
    targets = ("results/histograms/mildew.parquet",)
    mount("ro")
    printed = project.refused(targets=targets)
    assert "Read-only file system" in printed
    assert "results/" in printed
    mount("rw")
    project.run(targets=targets)
    assert project.outputs().items() <= small_run.outputs().items()


def test_job_without_memory(project):
    """Matrices of 18,000 cells do not fit into an address space of 2.6 GB."""
    rng = np.random.default_rng(6)
    project.add_records(figures={"accuracy": 22})
    people = project.folder / "people.csv"
    original = people.read_text()
    ages, answers = np.linspace(10, 90, 27_000), rng.choice(["yes", "no"], 27_000)
    many = pd.DataFrame({"age": ages, "work": "office", "rich": answers})
    many.to_csv(people, header=False, index=False)
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
