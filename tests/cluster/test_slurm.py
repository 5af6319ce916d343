"""Jobs of every kind, run by a real SLURM, give the same bytes as a local run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import Project

SLURM = Path(__file__).with_name("slurm.sh")
#: The environment with the executor, which `make test-cluster` installs.
ENVIRONMENT = Path(sys.prefix, "cluster")
#: The errors of a table, and a figure of synthetic records.
TARGETS = ("results/summary/errors/mildew.csv", "figure_28")
#: The rules of which the targets need no job: those that run on the same computer as Snakemake, one
#: that depends on some of them, and one that only other figures need.
NOT_SUBMITTED = {"merge_tables", "compare_mechanisms", "check_claims", "write_index"}


def missing_requirement():
    """Return a requirement of the tests that is not met here, or an empty text."""
    if os.getuid() or not shutil.which("apt-get"):
        return "starting a SLURM needs Debian (apt-get) and root"
    if not ENVIRONMENT.exists():
        return "`make test-cluster` installs the executor"
    return ""


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(bool(missing_requirement()), reason=missing_requirement()),
]


@pytest.fixture(scope="module")
def slurm():
    subprocess.run([SLURM, "start"], check=True)
    yield
    subprocess.run([SLURM, "stop"], check=True)


def submit(project, *options, python):
    profile = yaml.safe_load((project.folder / "profiles/slurm/config.yaml").read_text("utf-8"))
    defaults = profile["default-resources"] | {"slurm_partition": "main"}
    run = project.start(
        *[str(python), "-m", "snakemake", "--workflow-profile", "profiles/slurm", *options],
        *["--cores", str(os.cpu_count()), "--default-resources"],
        *[f"{name}={value}" for name, value in defaults.items()],
        # sacct would wait forever, because there is no accounting
        *["--slurm-status-command", "squeue"],
        # more seconds than most jobs take: if no job has ended, the next check is 10 s later still
        *["--slurm-init-seconds-before-status-checks", "8"],
    )
    printed, _ = run.communicate(timeout=1500)
    assert run.returncode == 0, printed


def requests(folder):
    """Return rule or group -> memory (MB) and time (s) of each of its requests from a folder."""
    squeue = ["squeue", "--states=all", "--noheader", "--sort=i", "--format=%Z|%k|%m|%l"]
    listed = subprocess.run(squeue, capture_output=True, text=True, check=True).stdout
    requested: dict[str, list[tuple[int, int]]] = {}
    for line in listed.splitlines():
        job_folder, name, memory, limit = line.split("|")
        if job_folder == str(folder):
            assert memory.endswith("M")
            units = reversed(limit.split(":"))  # seconds, minutes, hours
            seconds = sum(int(count) * 60**power for power, count in enumerate(units))
            requested.setdefault(name, []).append((int(memory[:-1]), seconds))
    return requested


def rules(project):
    return {name.removesuffix(".log") for name in os.listdir(project.folder / "results/logs")}


FAIL_ONCE = """
import os
from pathlib import Path

if not (marker := Path(f"failed-{snakemake.rule}")).exists():
    marker.touch()
    os._exit(1)
"""


@pytest.mark.usefixtures("slurm")
def test_all_kinds_of_data_sets(every_kind, tmp_path):
    """The paths of the folder and of Python have spaces. A rule and a group fail at first."""
    folder = tmp_path / "a b ü"
    folder.mkdir()
    (folder / ".venv").symlink_to(ENVIRONMENT)
    project = Project(folder)
    project.add_records()
    project.add_other_kinds()
    project.configure(theory=False)
    for rule in ("make_table_histogram", "make_records"):
        project.edit(f"workflow/scripts/{rule}.py", lambda text: FAIL_ONCE + text)
    python = folder / ".venv/bin/python"
    submit(project, *TARGETS, "--configfile", "small.yaml", python=python)
    outputs = project.outputs()
    assert "figures/figure_28.png" in outputs
    assert rules(every_kind) - rules(project) == NOT_SUBMITTED
    assert outputs.items() <= every_kind.outputs().items()
    # the failed jobs were submitted again, with twice the memory and time
    requested = requests(folder)
    resubmitted = {
        name
        for name, sizes in requested.items()
        if any((2 * memory, 2 * seconds) in sizes for memory, seconds in sizes)
    }
    assert len(resubmitted) == 2, requested
