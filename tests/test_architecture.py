"""Imports run one way between the rooms, and each finds a file (docs/architecture.md)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ggexp.run.fingerprint import imported, reached

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src/ggexp").rglob("*.py"))
SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))
#: What makes the numbers of figures, and what draws them.
NUMBERS = [file for file in SOURCES + SCRIPTS if file.name.startswith("tabulate_")]
DRAWINGS = [file for file in SOURCES if file.name.startswith("draw_")]
#: The ground floor: modules of their own, which import nothing of the package.
GROUND = {"checks", "streams", "progress", "workload"}
#: What each room may import besides itself and the ground floor.
BELOW = {
    "mechanisms": set(),
    "guarantees": {"mechanisms"},
    "datasets": set(),
    "svm": set(),
    "releases": {"datasets", "mechanisms"},
    "experiment": {"releases", "svm", "datasets", "guarantees", "mechanisms"},
    "figures": {"experiment", "releases", "guarantees", "svm", "datasets", "mechanisms"},
    "claims": {"experiment", "releases", "guarantees", "svm", "datasets", "mechanisms"},
    "run": set(),
    "command": {
        *("run", "claims", "figures", "experiment", "releases", "guarantees", "svm", "datasets"),
        "mechanisms",
    },
    "__main__": {"command"},
}


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def module(file: Path) -> str:
    parts = file.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("file", SOURCES, ids=module)
def test_imports_run_down(file: Path) -> None:
    here = room(module(file))
    others = {room(name) for name in imported(file)} - {"", here}
    allowed = set() if here in GROUND else BELOW.get(here, set()) | GROUND
    assert others <= allowed


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module(file): imported(file) for file in SOURCES}
    packages = {module(file) for file in SOURCES if file.name == "__init__.py"}

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, (*above, name)
        for other in sorted(graph[name] - packages):
            visit(other, (*above, name))

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_every_import_finds_a_file(file: Path) -> None:
    assert "ggexp.run.job" in imported(file)  # raises where a name has no file


@pytest.mark.parametrize(
    "file", ["workflow/scripts/measure_releases.py", "src/ggexp/figures/tabulate_releases.py"]
)
def test_jobs_that_sample_start_without_scipy(file: str) -> None:
    """They are many, and loading it takes longer than their work."""
    text = (ROOT / file).read_text("utf-8")
    imports = "\n".join(line for line in text.splitlines() if line.startswith(("from ", "import ")))
    check = "import sys\nassert 'numpy' in sys.modules and 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", f"{imports}\n{check}"], check=True)


def drawing_code(file: Path) -> set[str]:
    """The modules that a file needs, itself among them, which draw or import matplotlib."""
    code = {file.stem: file.read_text("utf-8")} | reached(file)
    uses = re.compile(r"^\s*(from|import) matplotlib\b", re.MULTILINE)
    return {name for name in code if uses.search(code[name]) or ".draw_" in name}


@pytest.mark.parametrize("file", NUMBERS, ids=lambda file: file.name)
def test_numbers_of_figures_do_not_depend_on_how_they_are_drawn(file: Path) -> None:
    """Otherwise an edit of a drawing computes them anew."""
    assert drawing_code(file) == set()


@pytest.mark.parametrize("file", DRAWINGS, ids=lambda file: file.name)
def test_drawings_are_found_as_such(file: Path) -> None:
    assert {file.stem, "ggexp.figures.style"} <= drawing_code(file)
