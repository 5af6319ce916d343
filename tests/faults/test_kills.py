"""Runs that are killed at random moments: a rerun always completes, with the same bytes.

GGEXP_KILLS is the number of killed runs; docs/reliability.md reports larger numbers.
"""

import os
import shutil
import signal
import sys
import time

import numpy as np
import psutil
import pytest

pytestmark = pytest.mark.faults

KILLS = int(os.environ.get("GGEXP_KILLS", "3"))
#: The names of results; those that are being written have hidden names.
FINISHED = "[!.]*"
TARGETS = {
    "mildew": ("results/summary/errors/mildew.csv",),
    "people": ("figure_22", "results/summary/errors/people.csv", "results/baselines/people.csv"),
}


def jobs(run):
    children = psutil.Process(run.pid).children(recursive=True)
    processes = []
    for child in children:
        try:
            if any(".snakemake/scripts/" in word for word in child.cmdline()):
                processes.append(child)
        except psutil.NoSuchProcess:
            pass
    return processes


def strike(run, victim, rng):
    """Kill a whole run, its Snakemake or one of its jobs; return False if it had already ended."""
    if run.poll() is not None:
        return False
    if victim == "all":
        os.killpg(run.pid, signal.SIGKILL)
    elif victim == "snakemake":  # its jobs continue
        run.kill()
    else:
        while not (running := jobs(run)):
            if run.poll() is not None:
                return False
            time.sleep(0.01)
        running[rng.integers(len(running))].kill()
    return True


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_run_completes_when_run_again(small_run, tmp_path, seed):
    dataset = [*TARGETS][seed % 2]  # only people have support vector machines
    project = small_run.copy(tmp_path)
    command = [sys.executable, "-m", "ggexp", "snakemake", *TARGETS[dataset]]
    command += ["--cores", "2", "--configfile", "small.yaml"]
    # a run of these targets makes the files of the data set, except those of the index
    index_folders = ("margins/", "contents/")
    expected = {
        name: data
        for name, data in project.outputs().items()
        if TARGETS[dataset][0] in name or (dataset in name and not name.startswith(index_folders))
    }
    for folder in ("results", ".snakemake"):  # the copy keeps only the compiled solver
        shutil.rmtree(project.folder / folder)
    victim = ("all", "snakemake", "job")[seed % 3]
    rng = np.random.default_rng([2026, seed])
    run = project.start(*command)
    files = rng.integers(len(expected) - 2)
    while run.poll() is None and len(project.outputs(FINISHED)) < files:
        time.sleep(0.02)
    time.sleep(rng.uniform(0, 0.5))
    killed = strike(run, victim, rng)
    printed, _ = run.communicate()
    assert (run.returncode != 0) == killed, printed
    present = project.outputs(FINISHED)
    assert present.items() <= expected.items()  # no file is incomplete
    print(f"{victim} killed: {killed}; {len(present)} of {len(expected)} files were finished")

    again = project.command(*command)
    assert again.returncode == 0, again.stdout
    assert project.outputs() == expected
