"""Built packages: a source distribution of the project, a wheel that works without a clone."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata

import pandas as pd
import pytest
from conftest import ROOT, Project, git, ran, save
from packaging.requirements import Requirement

pytestmark = pytest.mark.slow

#: Folders and files of the project, besides the library, that the wheel contains.
BUNDLED = (
    *("Snakefile", "requirements.lock", "config/*", "profiles/*/*", "reference/*", "workflow/**/*"),
    *("data/*.csv", "data/*.xz", "data/README.md", "examples/hair-eye.csv"),
)
IMPORT_ALL = """
import importlib, pkgutil, sys, ggexp
assert not {"pandas", "scipy", "snakemake"} & {*sys.modules}
for module in pkgutil.walk_packages(ggexp.__path__, "ggexp."):
    importlib.import_module(module.name)
"""
TYPED = """
from ggexp import Mechanism

reveal_type(Mechanism(order=3, calibration="pdp").noise(epsilon=1.0, delta=0.05).scale)
Mechanism(order=3, calibration=0.05)
"""


def build(source, target):
    ran(sys.executable, "-m", "hatchling", "build", "--directory", target, cwd=source)
    (archive,) = target.glob("*.tar.gz")
    (wheel,) = target.glob("*.whl")
    ran("tar", "-xf", archive, cwd=target)
    return target / archive.name.removesuffix(".tar.gz"), wheel


def names(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in files}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("built"))


def test_the_source_distribution_is_the_whole_project(built):
    if not (ROOT / ".git").exists():
        pytest.skip("only git lists the files of the project")
    listed = git(ROOT, "ls-files", "-z").split("\0")
    tracked = {name for name in listed if name and (ROOT / name).exists()}
    assert tracked <= names(built[0])


def test_a_second_build_is_equal_and_has_no_private_files(built, tmp_path):
    source = shutil.copytree(built[0], tmp_path / "source")
    for name in ("data/own/patients.csv", "data/downloads/adult.data", "results/summary.csv"):
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text("private")
    unpacked, wheel = build(source, tmp_path / "again")
    assert names(unpacked) == names(built[0])
    assert wheel.read_bytes() == built[1].read_bytes()


def test_the_wheel_contains_the_library_and_what_a_run_needs(built):
    listed = zipfile.ZipFile(built[1]).namelist()
    packages = ("ggexp/", "snakemake_logger_plugin_ggexp/")
    library = {name for name in listed if name.startswith(packages)}
    suffixes = (".py", ".pyi", "py.typed", ".yaml", ".j2")
    expected = {name for name in names(built[0] / "src") if name.endswith(suffixes)}
    for pattern in BUNDLED:
        files = [path for path in built[0].glob(pattern) if path.is_file()]
        assert files, pattern
        expected |= {f"ggexp/project/{path.relative_to(built[0]).as_posix()}" for path in files}
    assert library == expected
    described = re.compile(
        r"ggexp-\d+\.\d+\.\d+(\.dev\d+)?\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)"
    )
    assert all(described.fullmatch(name) for name in {*listed} - library)


@pytest.fixture(scope="module")
def run_installed(built, tmp_path_factory):
    """Return a function that runs commands with only the wheel and its requirements installed."""
    return installed(built[1], tmp_path_factory.mktemp("environment"), {"", "workflow"})


@pytest.fixture(scope="module")
def run_library(built, tmp_path_factory):
    """Return such a function without the requirements of runs."""
    return installed(built[1], tmp_path_factory.mktemp("library"), {""})


def installed(wheel, folder, extras):
    """Install the wheel with some extras ("": none); return a function that runs its programs."""
    venv.create(folder, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(wheel)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    link_requirements(site, extras)

    def run(program, *arguments, cwd=folder):
        command = [str(folder / "bin" / program), *arguments]
        environment = {"PATH": os.defpath, "HOME": str(folder)}
        completed = ran(*command, cwd=cwd, env=environment, check=False)
        assert completed.returncode == 0, completed.stderr
        return completed.stdout

    return run


def link_requirements(site, extras):
    """Link the direct and indirect requirements of the wheel from the current environment.

    Therefore no package index is needed, and packages that the wheel does not require are missing.
    """
    (wheel,) = metadata.distributions(path=[str(site)])
    pending, done = [wheel], {wheel.name}
    while pending:
        package = pending.pop()
        chosen = extras if package is wheel else {""}
        for text in package.requires or []:
            required = Requirement(text)
            if required.name in done or not any(
                required.marker is None or required.marker.evaluate({"extra": extra})
                for extra in chosen
            ):
                continue
            done.add(required.name)
            distribution = metadata.distribution(required.name)
            pending.append(distribution)
            for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
                if not (site / top).exists():
                    (site / top).symlink_to(str(distribution.locate_file(top)))


def test_the_commands_that_start_no_run(run_library, tmp_path):
    counts = shutil.copy(ROOT / "data/mildew.csv", tmp_path)
    assert "results_dir: results/mildew" in run_library("ggexp", "describe", counts)
    guarantee = ("--epsilon", "0.5", "--delta", "0.01")
    assert " 1.152." in run_library("ggexp", "compare", *guarantee)
    factors = ("--factors", "la10,locc,mp58,c365,p53a,a367", "--levels-from-file")
    design = (*factors, "--count", "count")
    run_library("ggexp", "sanitize", counts, *design, *guarantee)
    assert (tmp_path / "mildew-release.csv").exists()
    pd.read_csv(counts).to_excel(tmp_path / "other.xlsx", index=False)
    run_library("ggexp", "sanitize", str(tmp_path / "other.xlsx"), *design, *guarantee)
    assert (tmp_path / "other-release.csv").exists()
    assert "students.csv" in run_library("ggexp", "example", cwd=tmp_path)
    goal = ("--cells", "64", "--n", "70", "--l1", "5%", "--confidence", "95%")
    assert "ε" in run_library("ggexp", "need", *goal)
    assert run_library("ggexp", "error", "--cells", "64", "--epsilon", "1")
    assert run_library("ggexp", "noise", "--calibration", "pure", "--epsilon", "1")
    assert run_library("ggexp", "compose", "--release", "epsilon=0.1,count=10", "--delta", "1e-6")


@pytest.mark.parametrize("command", [["run", "counts.csv"], ["reproduce"], ["snakemake", "-n"]])
def test_a_command_that_starts_a_run_says_what_to_install(run_library, command, tmp_path):
    shutil.copy(ROOT / "data/mildew.csv", tmp_path / "counts.csv")
    with pytest.raises(AssertionError) as refused:
        run_library("ggexp", *command, cwd=tmp_path)
    (line,) = re.findall(r"^ggexp: error: .*", str(refused.value), re.MULTILINE)
    assert f"ggexp {command[0]}" in line
    assert "[workflow]" in line
    assert [path.name for path in tmp_path.iterdir()] == ["counts.csv"]


def test_runs_in_an_empty_folder(run_installed, tmp_path):
    table = pd.DataFrame({"hair": ["black", "blond"], "count": [20, 94]})
    table.to_excel(tmp_path / "table.xlsx", index=False)
    settings = ("--config", "repeats=2", "epsilon=[1]", "histograms={table: {figures: {}}}")
    run_installed("ggexp", "run", "table.xlsx", "--cores", "2", *settings, cwd=tmp_path)
    assert (tmp_path / "results/table/index.html").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"table.xlsx", "results", ".snakemake"}
    records = ("results/histograms/adult.parquet", "--cores", "2")
    run_installed("ggexp", "snakemake", *records, cwd=tmp_path)
    assert (tmp_path / "data/downloads/adult.data").stat().st_size == 3_974_305


def test_results_are_the_same_bytes_in_a_clone_and_without_one(run_installed, tmp_path):
    installation = run_installed("python", "-c", "import sys; print(sys.prefix)").strip().encode()
    project = Project(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    settings = ("--cores", "2", "--config", "datasets=[mildew,czech]", "repeats=2", "epsilon=[1]")
    options = (*settings, "delta=[0.05]", "theory=false")
    run_installed("ggexp", "reproduce", *options, cwd=empty)
    ended = project.command(sys.executable, "-m", "snakemake", *options)
    assert ended.returncode == 0, ended.stdout
    clone, wheel = project.outputs(), Project.at(empty).outputs()
    run_installed("ggexp", "reproduce", *options, "--report", "report.html", cwd=empty)
    # lists what the rules read
    assert installation in (empty / "report.html").read_bytes()
    assert clone.keys() == wheel.keys()
    assert "histograms/czech.parquet" in clone
    # these two name the commit and the packages
    differing = {name for name in clone if clone[name] != wheel[name]}
    assert differing <= {"manifest.json", "index.html"}
    assert not [
        name for name in wheel for place in (installation, bytes(empty)) if place in wheel[name]
    ]
    data = [json.loads(results["manifest.json"])["data"] for results in (clone, wheel)]
    assert [*data[0].items()] == [*data[1].items()]
    # the paper's tables are public
    (empty / "new").touch()
    assert (empty / "results/summary.csv").stat().st_mode == (empty / "new").stat().st_mode


def test_every_module_can_be_imported_and_is_typed(run_installed, tmp_path):
    run_installed("python", "-c", IMPORT_ALL)
    script = save(tmp_path / "script.py", TYPED)
    python = run_installed("python", "-c", "import sys; print(sys.executable)").strip()
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, str(script)]
    output = subprocess.run(mypy, cwd=tmp_path, check=False, capture_output=True, text=True).stdout
    assert re.search(r'Revealed type is "(builtins\.)?float"', output)
    assert output.count("error:") == 1
    assert "[arg-type]" in output
