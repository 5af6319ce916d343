"""The smoke design through a real SLURM gives the bytes of the local run that `make smoke` made."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Project

SLURM = Path(__file__).with_name("slurm.sh")
LOCAL = ROOT / "results/smoke"


def lacking() -> str:
    """What is missing here, or nothing."""
    if os.getuid() or not shutil.which("apt-get"):
        return "a SLURM of our own takes Debian (apt-get) and root"
    if not importlib.util.find_spec("snakemake_executor_plugin_slurm"):
        return "snakemake-executor-plugin-slurm is not installed"
    if not (LOCAL / "manifest.json").exists():
        return "there is no finished run of `make smoke` to compare with"
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


def results(folder: Path) -> dict[str, Any]:
    """The bytes of every result, but for logs, recorded times, the report, and its place.

    That are the manifest and the pages made of it: the run on the cluster is in a copy without git,
    and the executor was installed after the local one.
    """
    found: dict[str, Any] = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.relative_to(folder).parts[0] not in ("logs", "benchmarks", "report.html")
    }
    found["manifest.json"] = json.loads(found["manifest.json"]) | {"commit": None, "packages": None}
    del found["pages/versions.html"], found["index.html"]
    return found


@pytest.mark.usefixtures("slurm")
def test_smoke_design(project: Project) -> None:
    downloads = ROOT / "data/downloads"
    if downloads.exists():  # nodes of a cluster often have no internet
        shutil.copytree(downloads, project.folder / "data/downloads")
    run = project.start(
        *[sys.executable, "-m", "snakemake", "--workflow-profile", "profiles/slurm"],
        *["--configfile", "config/smoke.yaml", "--cores", str(os.cpu_count())],
        *["--default-resources", "slurm_partition=main"],
        # without accounting sacct would wait forever
        *["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5"],
    )
    printed, _ = run.communicate(timeout=1500)
    assert run.returncode == 0, printed
    assert "has been submitted with SLURM jobid" in printed
    assert results(project.folder / "results/smoke") == results(LOCAL)
