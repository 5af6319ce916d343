"""Runs that are killed at random moments: running again always completes, with the same bytes.

GGEXP_KILLS sets how many there are; docs/reliability.md records more than these.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from conftest import Project

KILLS = int(os.environ.get("GGEXP_KILLS", "3"))
TARGETS = {
    "mildew": ("figure_07", "results/summary/errors/mildew.csv"),
    "people": ("figure_22", "results/summary/errors/people.csv", "results/baselines/people.csv"),
}


def is_made(name: str, dataset: str) -> bool:
    """Whether a file of the small run is one that the run of these targets makes too."""
    figure = TARGETS[dataset][0]
    of_the_index = ("pages/", "margins/", "contents/")
    return figure in name or (dataset in name and not name.startswith(of_the_index))


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


# the first, of a run without support vector machines, is in the first tier
@pytest.mark.parametrize(
    ("dataset", "seed"),
    [
        ("mildew", 0),
        *(pytest.param("people", seed, marks=pytest.mark.faults) for seed in range(1, KILLS)),
    ],
)
def test_a_killed_run_completes_when_run_again(
    small_run: Project, tmp_path: Path, dataset: str, seed: int
) -> None:
    project = small_run.copy(tmp_path)
    command = [sys.executable, "-m", "ggexp.run.lock", *TARGETS[dataset]]
    command += ["--cores", "2", "--configfile", "small.yaml"]
    expected = {name: data for name, data in project.outputs().items() if is_made(name, dataset)}
    for part in ("results", ".snakemake"):  # nothing has run, but the solver is compiled
        shutil.rmtree(project.folder / part)
    victim = ("all", "snakemake", "job")[seed % 3]
    rng = np.random.default_rng([2026, seed])
    run = project.start(*command)
    wait_for(run, project, rng.integers(len(expected) - 2))
    time.sleep(rng.uniform(0, 0.5))
    struck = strike(run, victim, rng)
    printed, _ = run.communicate()
    assert (run.returncode != 0) == struck, printed
    present = finished_files(project)
    assert present.items() <= expected.items()  # all of them whole
    print(f"{victim} killed: {struck}; {len(present)} of {len(expected)} files were finished")

    again = project.command(*command)
    assert again.returncode == 0, again.stdout
    assert project.outputs() == expected
