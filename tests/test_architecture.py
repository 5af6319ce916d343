"""Folders import each other in one direction; every import has a file (docs/architecture.md)."""

import re
import subprocess
import sys
from collections import Counter
from runpy import run_path

from conftest import ROOT

from ggexp.run import fingerprint
from ggexp.run.fingerprint import reached

SOURCES = sorted((ROOT / "src/ggexp").rglob("*.py"))
SCRIPTS = sorted((ROOT / "workflow/scripts").glob("*.py"))
NUMBERS = [file for file in SOURCES + SCRIPTS if file.name.startswith("tabulate_")]
DRAWINGS = [file for file in SOURCES if file.name.startswith("draw_")]
#: Modules that import nothing from the package.
BASE = {"checks", "ranges", "section", "streams", "progress", "words"}
#: The folders that each folder may import, in addition to itself and the base modules.
ALLOWED = {
    "mechanisms": set(),
    "guarantees": {"mechanisms"},
    "datasets": set(),
    "svm": set(),
    "releases": {"tables", "guarantees", "datasets", "mechanisms"},
    "tables": {"mechanisms"},
    "experiment": {"releases", "svm", "datasets", "guarantees", "mechanisms"},
    "figures": {"experiment", "releases", "guarantees", "svm", "datasets", "mechanisms"},
    "claims": {"experiment", "releases", "guarantees", "svm", "datasets", "mechanisms"},
    "companions": {
        *("figures", "claims", "experiment", "releases", "guarantees", "datasets", "mechanisms")
    },
    "multiverse": {"claims", "experiment", "releases", "svm", "datasets", "mechanisms"},
    "proposal": {"experiment", "releases", "datasets", "mechanisms"},
    "run": set(),
    "plan": {
        *("run", "companions", "figures", "experiment", "releases", "svm", "datasets", "mechanisms")
    },
    "command": {
        *("run", "companions", "claims", "figures", "proposal", "experiment", "releases"),
        *("tables", "guarantees", "svm", "datasets", "mechanisms"),
    },
    "__main__": {"run", "command"},
}


def imported(file):
    """Return the modules that a file imports. It is parsed once, also for `reached`."""
    _, imports = fingerprint._read(file, fingerprint.PACKAGE)
    return {*imports}


def folder(name):
    return name.split(".")[1] if "." in name else ""


def module(file):
    parts = file.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_folders_import_only_allowed_folders():
    for file in SOURCES:
        own = folder(module(file))
        needed = {folder(name) for name in imported(file)} - {"", own}
        allowed = set() if own in BASE else ALLOWED.get(own, set()) | BASE
        assert needed <= allowed, file


def test_only_the_audit_depends_on_the_companions():
    """No job of the paper's designs reruns after an edit of a companion."""
    parts = ("experiment", "releases", "figures", "claims", "multiverse")
    named = [module(file) for file in SOURCES if folder(module(file)) in parts]
    scripts = {
        file.name
        for file in SCRIPTS
        if any(folder(name) == "companions" for name in reached(file, also=named))
    }
    assert scripts == {"audit.py"}


def test_only_some_rules_name_the_companions():
    """In the plan the list of all figures, in companions.smk the tests of claims."""
    files = {
        file.name
        for folder in ("workflow", "src/ggexp/plan")
        for file in (ROOT / folder).rglob("*.*")
        if file.suffix != ".pyc" and "ggexp.companions" in file.read_text("utf-8")
    }
    assert files == {"figures.py", "companions.smk", "audit.py"}


def test_no_job_depends_on_the_plan_and_the_display_only_on_the_folder_run():
    needed = {folder(name) for file in SCRIPTS for name in reached(file)}
    assert "plan" not in needed
    assert {"experiment", "run"} < needed
    display = (ROOT / "src/snakemake_logger_plugin_ggexp").glob("*.py")
    assert {folder(name) for file in display for name in imported(file)} == {"", "run"}


def test_modules_that_only_companions_import_are_companions():
    rooms = ("mechanisms", "guarantees", "experiment", "releases")
    importers: dict[str, set[str]] = {}
    for file in SOURCES + SCRIPTS:
        for name in imported(file):
            if folder(name) in rooms and name.count(".") > 1:
                importer = module(file) if file in SOURCES else "ggexp.scripts"
                importers.setdefault(name, set()).add(folder(importer))
    assert len(importers) > 30
    assert not [name for name in importers if importers[name] == {"companions"}]


def test_imports_have_no_cycles_and_a_file_each():
    graph = {module(file): imported(file) for file in SOURCES}
    packages = {module(file) for file in SOURCES if file.name == "__init__.py"}

    def visit(name, importers):
        assert name not in importers, (*importers, name)
        for needed in sorted(graph[name] - packages):
            visit(needed, (*importers, name))

    for name in graph:
        visit(name, ())
    for file in SCRIPTS:
        assert "ggexp.run.job" in imported(file), file  # raises an error if a name has no file


def test_no_two_classes_have_the_same_name():
    texts = "".join(file.read_text("utf-8") for file in SOURCES)
    names = Counter(re.findall(r"^class (\w+)", texts, re.MULTILINE))
    assert names["Table"] == 1
    assert [name for name, number in names.items() if number > 1] == []


def test_a_survey_passes_each_room_at_most_twice():
    """From its file to a proposal, and to three published tables (benchmarks/walk.py)."""
    for name, entries in run_path(str(ROOT / "benchmarks/walk.py"))["walks"]().items():
        rooms = Counter(room for room, _ in entries)
        assert {"datasets", "releases", "mechanisms"} < rooms.keys()
        assert [room for room, number in rooms.items() if number > 2] == [], (name, entries)


def test_jobs_that_sample_start_without_scipy():
    """There are many such jobs, and loading scipy would take longer than their work."""
    files = ("workflow/scripts/measure_releases.py", "src/ggexp/figures/tabulate_releases.py")
    texts = "\n".join((ROOT / file).read_text("utf-8") for file in files)
    imports = "\n".join(re.findall(r"^(?:from|import) .*", texts, re.MULTILINE))
    check = "import sys\nassert 'numpy' in sys.modules and 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", f"{imports}\n{check}"], check=True)


def drawing_code(file):
    """Return the file and the modules that it needs, if they draw or import matplotlib."""
    files = {name: ROOT / f"src/{name.replace('.', '/')}" for name in reached(file)}
    files = {name: path.with_suffix(".py") for name, path in files.items() if not path.is_dir()}
    code = {name: path.read_text("utf-8") for name, path in ({file.stem: file} | files).items()}
    uses = re.compile(r"^\s*(from|import) matplotlib\b", re.MULTILINE)
    return {name for name in code if uses.search(code[name]) or ".draw_" in name}


def test_numbers_of_figures_do_not_depend_on_drawing_code():
    """Otherwise an edit of drawing code would compute them again."""
    for file in NUMBERS:
        assert drawing_code(file) == set(), file
    for file in DRAWINGS:
        assert {file.stem, "ggexp.figures.style"} <= drawing_code(file), file
