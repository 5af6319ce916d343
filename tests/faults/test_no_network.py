"""Without a network: setup from the folder that `make wheelhouse` made, and a run."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from conftest import make, ran
from described_files import THEORY, check_files
from test_setup import FIND, copy_set_up

pytestmark = pytest.mark.faults

HAS_NAMESPACES = os.getuid() == 0 and shutil.which("unshare") is not None
#: Run a command in a new network namespace, whose only interface is loopback.
NO_NETWORK = ["unshare", "--net"]
INTERFACES = "import socket; print([name for _, name in socket.if_nameindex()])"


def run(folder, *command):
    return ran(*command, cwd=folder)


@pytest.mark.skipif(not HAS_NAMESPACES, reason="a network namespace needs Linux and root")
def test_set_up_from_wheels(tmp_path):
    """Set up with only a few packages, of which one has no wheel."""
    copy_set_up(tmp_path, "connection-pool")
    (tmp_path / "tests/archive").mkdir(parents=True)
    shutil.copy(tmp_path / "setup.lock", tmp_path / "tests/archive/validator.lock")
    run(tmp_path, *make("wheelhouse", f"PYTHON={sys.executable}"))
    (wheels,) = tmp_path.glob("wheels-*")
    assert f"{sys.platform}-{os.uname().machine}" in wheels.name
    suffixes = [path.suffix for path in wheels.iterdir()]
    assert sorted(suffixes) == [".gz", *[".whl"] * 8]  # uv and setuptools too

    assert run(tmp_path, *NO_NETWORK, sys.executable, "-c", INTERFACES).stdout == "['lo']\n"
    set_up = ["make", ".venv/.installed", f"WHEELHOUSE={wheels.name}", f"PYTHON={sys.executable}"]
    ended = run(tmp_path, *NO_NETWORK, *set_up)
    assert "so pip does" not in ended.stderr
    code = f"import connection_pool, hatchling; {FIND}"
    origin = run(tmp_path, ".venv/bin/python", "-c", code).stdout
    assert Path(origin.strip()) == tmp_path / "src/ggexp/__init__.py"


def test_the_papers_design_with_few_repeats(compiled_solver, project):
    """All twelve figures, because the Adult records are in the repository.

    With a network if there are no network namespaces, because it is the only run of all of them.
    """
    prefix = NO_NETWORK if HAS_NAMESPACES else []
    ended = project.command(*prefix, *make("smoke", "CORES=2"))
    assert ended.returncode == 0, ended.stdout
    figures = {path.stem for path in (project.folder / "results/smoke/figures").glob("*.png")}
    assert figures == {f"figure_{number:02}" for number in range(1, 13)}
    assert (project.folder / "results/smoke/index.html").exists()
    for file in THEORY:
        check_files(project, file, "results/smoke")
