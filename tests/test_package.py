"""The package `ggexp`: its short names, its version and its help."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module

from conftest import ROOT

import ggexp


def test_the_version_is_the_project_s():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert ggexp.__version__ == project["version"]
    assert "__version__" in dir(ggexp)


def test_the_package_has_what_its_docstring_lists():
    listed = re.findall(r"(?m)^    ([\w.]+(?:, [\w.]+)*)(?:  |$)", ggexp.__doc__ or "")
    names = [name for line in listed for name in line.removeprefix("ggexp.").split(", ")]
    names = [name.removeprefix("ggexp.") for name in names]
    assert len(names) > 30
    for name in names:
        assert hasattr(ggexp, name) or import_module(f"ggexp.{name}")
    pattern = r"distribution: ([\w, ]+) \(([\w, ]+), …\)"
    ((promised, inner),) = re.findall(pattern, ggexp.__doc__ or "")
    noise = ggexp.GeneralizedGaussian(3, scale=2)
    assert all(hasattr(noise, name) for name in promised.split(", "))
    assert all(hasattr(noise.scipy, name) for name in inner.split(", "))
    assert not hasattr(noise, "pdf")


def test_short_names_are_the_functions():
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
    # in a new process for each name, because a module stays imported after its first use
    short = [f"from ggexp import {name}" for name in ("bounded", "best_order")]
    for code in (check, first + check, *short):
        subprocess.run([sys.executable, "-c", code], check=True)
    assert not hasattr(ggexp, "gaussian")
