"""The set-up: lock files agree, and packages are installed by uv, or by pip if uv fails."""

import hashlib
import os
import re
import shutil
import sys
import tomllib
import venv
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, ran


def pins(lock):
    """Return package -> version from a lock file; all packages must have a hash."""
    text = (ROOT / lock).read_text("utf-8")
    hashed = re.findall(r"^([\w.-]+)==(\S+)[^\\\n]*\\\n +--hash=sha256:", text, re.MULTILINE)
    assert len(hashed) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE)) > 0
    return dict(hashed)


@pytest.mark.parametrize("lock", ["requirements.lock", "cluster.lock", "docs.lock"])
def test_versions_agree_with_those_for_development(lock):
    development, locked = pins("dev.lock"), pins(lock)
    common = development.keys() & locked.keys()
    assert {name: locked[name] for name in common} == {name: development[name] for name in common}


def test_a_run_needs_fewer_packages_than_development_and_none_of_its_tools():
    run = pins("requirements.lock").keys()
    assert run < pins("dev.lock").keys()
    assert "hatchling" in run  # builds this project
    assert not run & {"playwright", "mypy", "hypothesis", "ipykernel", "debugpy", "jedi", "pytest"}


def test_a_new_lock_makes_a_new_conda_environment():
    text = (ROOT / "workflow/envs/ggexp.yaml").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"python{project['requires-python']}" in yaml.safe_load(text)["dependencies"]
    lock = (ROOT / "requirements.lock").read_bytes()
    assert f"\n# sha256 {hashlib.sha256(lock).hexdigest()}\n" in text


#: Finds the library.
FIND = "from importlib.util import find_spec; print(find_spec('ggexp').origin)"


@pytest.mark.slow
@pytest.mark.parametrize("is_clone", [True, False])
def test_the_library_is_installed_into_a_conda_environment(tmp_path, is_clone):
    """The script is run as Snakemake does."""
    environment = {"PATH": f"{tmp_path / 'new/bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    venv.create(tmp_path / "new", symlinks=True, with_pip=True)
    clone = tmp_path / "clone"
    clone.mkdir()
    copy_set_up(clone)
    source = str(clone)
    if not is_clone:
        ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=clone)
        (wheel,) = (clone / "dist").glob("*.whl")
        source = "ggexp==" + wheel.name.split("-")[1]
        environment["PIP_FIND_LINKS"] = str(wheel.parent)
    script = ROOT / "workflow/envs/ggexp.post-deploy.sh"
    ran("sh", str(script), env=environment | {"GGEXP_SOURCE": source}, cwd=tmp_path)
    printed = ran("python", "-c", f"import tomlkit; {FIND}", env=environment).stdout
    assert printed.startswith(str(clone / "src") if is_clone else str(tmp_path / "new"))


def copy_set_up(folder, *packages):
    """Copy the files of the set-up, with only the build system and ``packages`` to install."""
    for part in ("Makefile", "pyproject.toml", "README.md", "LICENSE", "setup.lock"):
        shutil.copy(ROOT / part, folder)
    shutil.copytree(ROOT / "src", folder / "src")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    for part in build["targets"]["wheel"]["force-include"]:
        (folder / part).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    names = ["hatchling", "packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers"]
    names += packages
    locked = (ROOT / "requirements.lock").read_text("utf-8")
    entries = re.findall(rf"^(?:{'|'.join(names)})==.*\n(?: +--hash.*\n)+", locked, re.MULTILINE)
    assert len(entries) == len(names)
    (folder / "requirements.lock").write_text("".join(entries), "utf-8")


@pytest.mark.slow
def test_set_up_if_uv_fails(tmp_path, monkeypatch):
    """The set-up with uv is tested by test_no_network.py."""
    copy_set_up(tmp_path)
    for name, value in {"UV_OFFLINE": "1", "UV_NO_CACHE": "1"}.items():
        monkeypatch.setenv(name, value)
    made = ran("make", ".venv/.installed", f"PYTHON={sys.executable}", cwd=tmp_path)
    assert "so pip does" in made.stderr, made.stderr
    printed = ran(".venv/bin/python", "-c", f"import hatchling; {FIND}", cwd=tmp_path).stdout
    assert Path(printed.strip()) == tmp_path / "src/ggexp/__init__.py"
