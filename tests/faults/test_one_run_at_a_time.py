"""Two runs of make in one folder: the second is refused; after a kill -9 the next one goes on."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from conftest import Project

pytestmark = pytest.mark.slow

BARE = [sys.executable, "-m", "snakemake", "--cores", "1"]


@pytest.fixture
def made(finished: Project) -> Project:
    """A project whose paper is small, so that `make reproduce` is short."""
    path = finished.folder / "config/config.yaml"
    config = yaml.safe_load(path.read_text("utf-8"))
    config |= {"datasets": ["czech"], "epsilon": [1], "delta": [0.05], "repeats": 20}
    config["theory"] = False
    path.write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
    shutil.rmtree(finished.folder / "results/logs")
    for name in ("report.html", "manifest.json"):  # of a larger run, which is not replaced
        (finished.folder / "results" / name).unlink()
    return finished


def make(*goals: str) -> list[str]:
    """The command of make, with this environment in place of one of its own."""
    return ["make", *goals, "INSTALLED=", f"BIN={Path(sys.executable).parent}", "CORES=1"]


def wait_for_jobs(run: subprocess.Popen[str], project: Project) -> None:
    while run.poll() is None and not (project.folder / "results/logs").exists():
        time.sleep(0.05)


def assert_refused(
    ended: subprocess.CompletedProcess[str], run: subprocess.Popen[str], project: Project
) -> None:
    """Assert that a command failed because of a run that goes on, with its process."""
    assert run.poll() is None
    assert ended.returncode != 0
    assert f"{project.folder} (process " in ended.stdout
    assert "Traceback" not in ended.stdout


def test_second_run_is_refused_and_a_killed_one_goes_on(made: Project) -> None:
    run = made.start(*make("reproduce"))
    wait_for_jobs(run, made)
    second = made.command(*make("reproduce"))
    assert run.poll() is None
    assert second.returncode != 0
    assert f"another run is active in {made.folder} (process " in second.stdout
    assert "Traceback" not in second.stdout

    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    bare = made.command(*BARE)
    assert bare.returncode != 0
    assert "It can be removed with the --unlock argument" in bare.stdout
    ended = made.command(*make("reproduce"))
    assert ended.returncode == 0, ended.stdout
    assert (made.folder / "results/report.html").exists()


def test_run_with_other_targets_is_refused(made: Project) -> None:
    """Snakemake's own lock would let it in."""
    run = made.start(*BARE)
    wait_for_jobs(run, made)
    other = made.command(*BARE, "results/b/scales.csv", "--config", "results_dir=results/b")
    assert run.poll() is None
    assert other.returncode != 0
    assert f"another run is active in {made.folder} (process " in other.stdout
    assert "Traceback" not in other.stdout
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
