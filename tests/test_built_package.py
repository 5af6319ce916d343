"""What is given away: a source distribution of all, and a wheel that works without Snakemake."""

import json
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement

pytestmark = pytest.mark.slow

#: The modules that need the extra `workflow`, and the package that each misses first.
OF_THE_WORKFLOW = {
    "ggexp.datasets.fetch": "pooch",
    "ggexp.experiment.configuration": "jsonschema",
    "ggexp.run.archive": "rocrate",
    "ggexp.run.captions": "jinja2",
    "ggexp.run.crate": "rocrate",
    "ggexp.run.display": "rich",
    "ggexp.run.index": "jinja2",
    "ggexp.run.pages": "jinja2",
}
IMPORT_ALL = """
import importlib, json, pkgutil, ggexp
missing = {}
for module in pkgutil.walk_packages(ggexp.__path__, "ggexp."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        missing[module.name] = error.name
print(json.dumps(missing))
"""
TYPED = """
from ggexp import Mechanism

reveal_type(Mechanism(order=3, calibration="pdp").scale(epsilon=1.0, delta=0.05))
Mechanism(order=3, calibration=0.05)
"""


def build(source: Path, target: Path) -> tuple[Path, Path]:
    """Build both from a folder of sources: the source distribution, unpacked, and the wheel."""
    hatchling = [sys.executable, "-m", "hatchling", "build", "--directory", str(target)]
    subprocess.run(hatchling, cwd=source, check=True, capture_output=True)
    (archive,) = target.glob("*.tar.gz")
    (wheel,) = target.glob("*.whl")
    subprocess.run(["tar", "-xf", str(archive)], cwd=target, check=True)
    return target / archive.name.removesuffix(".tar.gz"), wheel


def names(folder: Path) -> set[str]:
    """The files below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in found}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(ROOT, tmp_path_factory.mktemp("built"))


def test_the_source_distribution_is_the_whole_project(built: tuple[Path, Path]) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("only git knows what belongs to the project")
    git = ["git", "ls-files", "-z"]
    listed = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    tracked = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    assert tracked <= names(built[0])


def test_it_builds_the_same_again_without_what_is_private(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    source = shutil.copytree(built[0], tmp_path / "source")
    for name in ("data/own/patients.csv", "data/downloads/adult.data", "results/summary.csv"):
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text("private")
    unpacked, wheel = build(source, tmp_path / "again")
    assert names(unpacked) == names(built[0])
    assert wheel.read_bytes() == built[1].read_bytes()


def test_the_wheel_holds_the_library_alone(built: tuple[Path, Path]) -> None:
    listed = zipfile.ZipFile(built[1]).namelist()
    of_the_library = {name for name in listed if name.startswith("ggexp/")}
    suffixes = (".py", ".pyi", "py.typed", "files.yaml")
    assert of_the_library == {name for name in names(built[0] / "src") if name.endswith(suffixes)}
    described = re.compile(
        r"ggexp-[\d.]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)"
    )
    assert all(described.fullmatch(name) for name in {*listed} - of_the_library)


@pytest.fixture(scope="module")
def alone(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Run a command of an environment that has the wheel, and what it requires, and no more."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(built[1])], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    link_requirements(site)

    def run(program: str, *arguments: str) -> str:
        command = [str(folder / "bin" / program), *arguments]
        ended = subprocess.run(
            command, cwd=folder, env={}, check=False, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def link_requirements(site: Path) -> None:
    """Put beside the wheel what it requires, directly or not, as it is installed here.

    So no index is asked, and what the wheel does not require stays missing.
    """
    (wheel,) = metadata.distributions(path=[str(site)])
    waiting, done = [wheel], {wheel.name}
    while waiting:
        for text in waiting.pop().requires or []:
            required = Requirement(text)
            if required.name in done or (
                required.marker and not required.marker.evaluate({"extra": ""})
            ):
                continue
            done.add(required.name)
            distribution = metadata.distribution(required.name)
            waiting.append(distribution)
            for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
                if not (site / top).exists():
                    (site / top).symlink_to(str(distribution.locate_file(top)))


def test_the_example_of_the_guide(alone: Callable[..., str], tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide.md").read_text("utf-8"), re.S)
    (tmp_path / "guide.txt").write_text(block)
    told = alone("python", "-m", "doctest", "-v", str(tmp_path / "guide.txt"))
    assert re.search(r"[1-9]\d* passed", told)


def test_the_command(alone: Callable[..., str], tmp_path: Path) -> None:
    counts = shutil.copy(ROOT / "data/mildew.csv", tmp_path)
    assert "results_dir: results/mildew" in alone("ggexp", "describe", counts)
    guarantee = ("--epsilon", "0.5", "--delta", "0.01")
    assert " 1.152." in alone("ggexp", "compare", *guarantee)
    alone("ggexp", "sanitize", counts, "--order", "2", "--calibration", "adp-exact", *guarantee)
    assert (tmp_path / "mildew-release.csv").exists()


def test_every_module_but_those_of_the_workflow(alone: Callable[..., str]) -> None:
    assert json.loads(alone("python", "-c", IMPORT_ALL)) == OF_THE_WORKFLOW
    assert (
        alone("python", "-c", "from importlib.util import find_spec as f; print(f('snakemake'))")
        == "None\n"
    )


def test_types_are_there(alone: Callable[..., str], tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(TYPED)
    python = alone("python", "-c", "import sys; print(sys.executable)").strip()
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, str(script)]
    told = subprocess.run(mypy, cwd=tmp_path, check=False, capture_output=True, text=True).stdout
    assert re.search(r'Revealed type is "(builtins\.)?float"', told)
    assert told.count("error:") == 1
    assert "[arg-type]" in told
