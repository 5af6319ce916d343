"""Runs that are killed at random moments: running again always completes, with the same bytes.

GGEXP_KILLS sets how many there are; docs/reliability.md records more than these.
"""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest
from conftest import Project

KILLS = int(os.environ.get("GGEXP_KILLS", "3"))
TARGETS = ("figure_22", "results/summary.csv", "results/baseline.csv", "results/scales.csv")
ARGUMENTS = ["--cores", "2", "--configfile", "small.yaml"]
RUN = [sys.executable, "-m", "ggexp.run.lock", *TARGETS, *ARGUMENTS]


class Undisturbed:
    """A project, and what an undisturbed run of it gives."""

    def __init__(self, project: Project) -> None:
        self.project = project
        project.run(targets=TARGETS)  # also compiles the solver, which later runs find done
        self.outputs = project.outputs()
        self.reset()

    def reset(self) -> None:
        """Put the project back to where nothing has run."""
        shutil.rmtree(self.project.folder / "results")
        shutil.rmtree(self.project.folder / ".snakemake")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    project = Project(tmp_path_factory.mktemp("killed"))
    project.add_records(figures={"accuracy": 22})
    project.configure(datasets=["people"], svm={"repeats_per_job": 2})
    return Undisturbed(project)


def jobs(run: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes of the run's jobs."""
    children = psutil.Process(run.pid).children(recursive=True)
    found = []
    for child in children:
        try:
            if any(".snakemake/scripts/" in word for word in child.cmdline()):
                found.append(child)
        except psutil.NoSuchProcess:
            pass
    return found


def strike(run: subprocess.Popen[str], victim: str, rng: np.random.Generator) -> bool:
    """Kill a part of the run, and return whether there was one."""
    if run.poll() is not None:
        return False
    if victim == "all":
        os.killpg(run.pid, signal.SIGKILL)
    elif victim == "snakemake":  # its jobs go on
        run.kill()
    else:
        while not (running := jobs(run)):
            if run.poll() is not None:
                return False
            time.sleep(0.01)
        running[rng.integers(len(running))].kill()
    return True


def wait_for(run: subprocess.Popen[str], project: Project, files: int) -> None:
    """Wait until the run has finished that many files, or has ended."""
    while run.poll() is None and len(finished_files(project)) < files:
        time.sleep(0.02)


def finished_files(project: Project) -> dict[str, bytes]:
    """What is there under its final name."""
    return {name: data for name, data in project.outputs().items() if "/." not in f"/{name}"}


# the first is in the first tier
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.faults) for seed in range(1, KILLS))]
)
def test_a_killed_run_completes_when_run_again(undisturbed: Undisturbed, seed: int) -> None:
    project, expected = undisturbed.project, undisturbed.outputs
    victim = ("snakemake", "job", "all")[seed % 3]
    rng = np.random.default_rng([2026, seed])
    run = project.start(*RUN)
    wait_for(run, project, rng.integers(len(expected) - 2))
    time.sleep(rng.uniform(0, 0.5))
    struck = strike(run, victim, rng)
    printed, _ = run.communicate()
    assert (run.returncode != 0) == struck, printed
    present = finished_files(project)
    assert present.items() <= expected.items()  # all of them whole
    print(f"{victim} killed: {struck}; {len(present)} of {len(expected)} files were finished")

    again = project.command(*RUN)
    assert again.returncode == 0, again.stdout
    assert project.outputs() == expected
    undisturbed.reset()
