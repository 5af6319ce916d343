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
RUN = [sys.executable, "-m", "ggexp.alone", "--cores", "2", "--configfile", "small.yaml"]


class Undisturbed:
    """A project, what an undisturbed run of it gives, and how long that takes."""

    def __init__(self, project: Project) -> None:
        self.project = project
        project.run()  # compiles the solver, which the runs that are measured and killed find done
        self.reset()
        start = time.monotonic()
        project.run()
        self.seconds = time.monotonic() - start
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


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_run_completes_when_run_again(undisturbed: Undisturbed, seed: int) -> None:
    project, expected = undisturbed.project, undisturbed.outputs
    victim = ("snakemake", "job", "all")[seed % 3]
    rng = np.random.default_rng([2026, seed])
    run = project.start(*RUN)
    try:
        run.communicate(timeout=rng.uniform(0.05, 0.9) * undisturbed.seconds)
    except subprocess.TimeoutExpired:
        struck = strike(run, victim, rng)
        printed, _ = run.communicate()
        assert run.returncode != 0 or not struck, printed
    # whatever is there under its final name is whole
    present = {name: data for name, data in project.outputs().items() if "/." not in f"/{name}"}
    assert present.items() <= expected.items()
    print(f"{victim} killed with {len(present)} of {len(expected)} files finished")

    again = project.command(*RUN)
    assert again.returncode == 0, again.stdout
    assert project.outputs() == expected
    undisturbed.reset()
