"""Jobs of every kind, run through a real SLURM, give the bytes of the local run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from conftest import Project

SLURM = Path(__file__).with_name("slurm.sh")
#: The environment with the executor, which `make test-cluster` installs.
ENVIRONMENT = Path(sys.prefix, "cluster")
#: Figures of counts and of synthetic records, which take jobs of every kind ...
TARGETS = ("figure_07", "figure_28")
#: ... but those of the rules that run where Snakemake does, and of one that needs all of these.
OTHERS = {
    *("tabulate_scales", "merge_tables", "recommend_mechanism", "check_claims", "write_manifest"),
    *("describe_files", "write_index", "measure_margins"),
}


def lacking() -> str:
    """What is missing here, or nothing."""
    if os.getuid() or not shutil.which("apt-get"):
        return "a SLURM of our own takes Debian (apt-get) and root"
    if not ENVIRONMENT.exists():
        return "`make test-cluster` installs the executor"
    return ""


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(bool(lacking()), reason=lacking()),
]


@pytest.fixture(scope="module")
def slurm() -> Iterator[None]:
    """A SLURM of one node, which is idle."""
    subprocess.run([SLURM, "start"], check=True)
    yield
    subprocess.run([SLURM, "stop"], check=True)


def submit(project: Project, *options: str, python: Path) -> None:
    """Run by the profile of the cluster, to the end."""
    profile = yaml.safe_load((project.folder / "profiles/slurm/config.yaml").read_text("utf-8"))
    defaults = profile["default-resources"] | {"slurm_partition": "main"}
    run = project.start(
        *[str(python), "-m", "snakemake", "--workflow-profile", "profiles/slurm", *options],
        *["--cores", str(os.cpu_count()), "--default-resources"],
        *[f"{name}={value}" for name, value in defaults.items()],
        # without accounting sacct would wait forever
        *["--slurm-status-command", "squeue"],
        # longer than most jobs take: whenever none has ended, the next look is 10 s later still
        *["--slurm-init-seconds-before-status-checks", "8"],
    )
    printed, _ = run.communicate(timeout=1500)
    assert run.returncode == 0, printed
    assert "has been submitted with SLURM jobid" in printed


def requests(folder: Path) -> dict[str, list[tuple[int, int]]]:
    """The megabytes and the seconds that each rule or group of a folder asked for, in turn."""
    squeue = ["squeue", "--states=all", "--noheader", "--sort=i", "--format=%Z|%k|%m|%l"]
    listed = subprocess.run(squeue, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[tuple[int, int]]] = {}
    for line in listed.splitlines():
        place, name, memory, limit = line.split("|")
        if place == str(folder):
            assert memory.endswith("M")
            units = reversed(limit.split(":"))  # seconds, minutes, hours
            seconds = sum(int(count) * 60**power for power, count in enumerate(units))
            found.setdefault(name, []).append((int(memory[:-1]), seconds))
    return found


FAIL_ONCE = """
import os
from pathlib import Path

if not (marker := Path(f"failed-{snakemake.rule}")).exists():
    marker.touch()
    os._exit(1)
"""


@pytest.mark.usefixtures("slurm")
def test_all_kinds_of_data_sets(every_kind: Project, tmp_path: Path) -> None:
    """In a folder, and by a Python, whose paths have spaces; a rule and a group fail at first."""
    folder = tmp_path / "a b ü"
    folder.mkdir()
    (folder / ".venv").symlink_to(ENVIRONMENT)
    project = Project(folder)
    project.add_some_kinds()
    project.add_other_kinds()
    project.configure(theory=False)
    planned = project.planned(targets=TARGETS).keys()
    assert project.planned().keys() - planned == OTHERS
    for rule in ("make_table_histogram", "measure_releases"):
        project.edit(f"workflow/scripts/{rule}.py", lambda text: FAIL_ONCE + text)
    python = folder / ".venv/bin/python"
    submit(project, *TARGETS, "--configfile", "small.yaml", python=python)
    made = project.outputs()
    assert {f"figures/{name}.png" for name in TARGETS} <= {*made}
    assert made.items() <= every_kind.outputs().items()
    # what failed was asked for again, with twice the memory and time
    asked = requests(folder)
    again = {
        name
        for name, sizes in asked.items()
        if any((2 * memory, 2 * seconds) in sizes for memory, seconds in sizes)
    }
    assert len(again) == 2, asked
