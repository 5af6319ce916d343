"""No network: packages from the folder that `make wheelhouse` made, and a run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Project
from test_setup import copy_set_up

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(
        os.getuid() != 0 or shutil.which("unshare") is None,
        reason="a network namespace takes Linux and root",
    ),
]

ALONE = ["unshare", "--net"]  # in a network namespace of its own, whose only interface is loopback
INTERFACES = "import socket; print([name for _, name in socket.if_nameindex()])"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


def test_set_up_from_wheels(tmp_path: Path) -> None:
    """Few packages stand for all, one of them without a wheel."""
    copy_set_up(tmp_path, "connection-pool")
    (tmp_path / "tests/archive").mkdir(parents=True)
    shutil.copy(tmp_path / "setup.lock", tmp_path / "tests/archive/validator.lock")
    here = ["INSTALLED=", f"BIN={Path(sys.executable).parent}"]
    run(tmp_path, "make", "wheelhouse", *here, f"PYTHON={sys.executable}")
    (wheels,) = tmp_path.glob("wheels-*")
    assert f"{sys.platform}-{os.uname().machine}" in wheels.name
    kinds = [path.suffix for path in wheels.iterdir()]
    assert sorted(kinds) == [".gz", *[".whl"] * 8]  # uv and setuptools too

    assert run(tmp_path, *ALONE, sys.executable, "-c", INTERFACES).stdout == "['lo']\n"
    set_up = ["make", ".venv/.installed", f"WHEELHOUSE={wheels.name}", f"PYTHON={sys.executable}"]
    made = run(tmp_path, *ALONE, *set_up)
    assert "so pip does" not in made.stderr
    code = (
        "import connection_pool, hatchling\n"
        "from importlib.util import find_spec; print(find_spec('ggexp').origin)"
    )
    found = run(tmp_path, ".venv/bin/python", "-c", code).stdout
    assert Path(found.strip()) == tmp_path / "src/ggexp/__init__.py"


def test_run(project: Project) -> None:
    command = [sys.executable, "-m", "snakemake", "figure_07", "--cores", "2"]
    ended = project.command(*ALONE, *command, "--configfile", "small.yaml")
    assert ended.returncode == 0, ended.stdout
    assert (project.folder / "results/figures/figure_07.png").exists()
