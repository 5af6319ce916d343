"""The package `ggexp`: its short names, its version and its help."""

import subprocess
import sys
import tomllib

from conftest import ROOT

import ggexp


def test_the_version_is_the_project_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert ggexp.__version__ == project["version"]
    assert "__version__" in dir(ggexp)


def test_short_names_are_the_functions() -> None:
    """Also for a name that is a module too, and in either order of imports."""
    check = """
import sys
from ggexp import simulate, l1, kl_dirichlet, release, GridPoint
assert callable(simulate) and simulate.__module__ == "ggexp.releases.simulate"
assert release.__module__ == simulate.__module__
assert {l1.__module__, kl_dirichlet.__module__} == {"ggexp.experiment.metrics"}
import ggexp, ggexp.releases.simulate
from ggexp.releases import simulate as module
assert ggexp.simulate is simulate is module.simulate
"""
    first = "import ggexp.releases.simulate\n"
    for code in (check, first + check):
        subprocess.run([sys.executable, "-c", code], check=True)


def test_short_names_work_as_the_first_import() -> None:
    """In a new process for each name, because a module stays imported after its first use."""
    for name in ("bounded", "best_order"):
        subprocess.run([sys.executable, "-c", f"from ggexp import {name}"], check=True)
    assert not hasattr(ggexp, "gaussian")
