"""Two runs in one folder: the second is refused. After a kill -9, the next run resumes."""

import os
import shutil
import signal
import sys
import time

import pytest
from conftest import make

pytestmark = pytest.mark.slow

SNAKEMAKE = [sys.executable, "-m", "snakemake", "--cores", "1"]
REPRODUCE = [sys.executable, "-m", "ggexp", "reproduce", "results/summary.csv", "--cores", "1"]


def pause(run, project):
    """Stop a run at its first job, so that it does not end before another run is refused."""
    while run.poll() is None and not (project.folder / "results/logs").exists():
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGSTOP)


def assert_refused(ended, run, project):
    """Assert that a command was refused because a run is active, and that it named the process."""
    assert run.poll() is None
    assert ended.returncode != 0
    assert f"another run is active in {project.folder} (process " in ended.stdout
    assert "Traceback" not in ended.stdout


def test_second_run_is_refused_and_a_killed_run_resumes(finished):
    finished.reduce_paper("czech", repeats=20)
    shutil.rmtree(finished.folder / "results/logs")
    run = finished.start(*REPRODUCE)
    pause(run, finished)
    second = finished.command(*make("reproduce", "CORES=1"))
    assert_refused(second, run, finished)

    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    bare = finished.command(*SNAKEMAKE)
    assert bare.returncode != 0
    assert "It can be removed with the --unlock argument" in bare.stdout

    shutil.rmtree(finished.folder / "results/logs")
    resumed = finished.start(*REPRODUCE)
    pause(resumed, finished)
    # Snakemake's own lock would allow other targets
    targets = ("results/b/scales.csv", "--config", "results_dir=results/b")
    assert_refused(finished.command(*SNAKEMAKE, *targets), resumed, finished)
    os.killpg(resumed.pid, signal.SIGCONT)
    printed, _ = resumed.communicate()
    assert resumed.returncode == 0, printed
    assert (finished.folder / "results/summary.csv").exists()
