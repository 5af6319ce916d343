import fcntl
import gc
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, settings

# Each process of the tests loads this file, therefore modules of the project are loaded when used.
ROOT = Path(__file__).parents[1]
PAPER = yaml.load((ROOT / "config/config.yaml").read_text("utf-8"), yaml.CSafeLoader)
#: A text that spreadsheet programs take for a formula.
FORMULA = "=1+1"
FEW_RELEASES = 20
#: Files and folders of the project that a run needs.
PROJECT_PARTS = (
    *("Makefile", "Snakefile", "config", "data", "examples", "profiles", "reference", "src"),
    "workflow",
)


# the same examples in each run, independent of the speed of the computer
settings.register_profile(
    "ggexp", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ggexp")


class Project:
    """A copy of the project in its own folder, which tests run, edit and break."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PROJECT_PARTS:
            source = ROOT / part
            if source.is_dir():
                # includes compiled files, such as those of the solver, but not the temporary files
                # of other processes
                ignored = shutil.ignore_patterns("downloads", "own", "*.pyc.*", "*.tmp.*")
                shutil.copytree(source, folder / part, ignore=ignored)
            else:
                shutil.copy(source, folder / part)
        self.configure(
            datasets=["mildew"], epsilon=[1], delta=[0.05], repeats=4, histograms=self.histograms()
        )

    @classmethod
    def at(cls, folder: Path) -> "Project":
        project = cls.__new__(cls)
        project.folder = folder
        return project

    def copy(self, folder: Path) -> "Project":
        """Return a copy in another folder. Files keep their times, so results are up to date."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Project.at(folder)

    def configure(self, **settings: object) -> None:
        path = self.folder / "small.yaml"
        path.write_text(yaml.safe_dump(self.settings | settings, sort_keys=False))

    def reduce_paper(self, *datasets: str, **changes: object) -> None:
        """Reduce the paper's design to one grid point, so that `make reproduce` is short."""
        path = self.folder / "config/config.yaml"
        config = yaml.safe_load(path.read_text("utf-8"))
        config |= {"datasets": [*datasets], "epsilon": [1], "delta": [0.05], "repeats": 4}
        config |= {"theory": False} | changes
        path.write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
        # a smaller run would refuse to replace a larger one
        (self.folder / "results/manifest.json").unlink()

    def describe(self, file: str, *options: str, **changes: object) -> None:
        """Replace the small design by the output of `ggexp describe` for a file, with changes."""
        command = [sys.executable, "-m", "ggexp", "describe", file, *options]
        printed = ran(*command, cwd=self.folder, env=self.environment).stdout
        settings = yaml.safe_load(printed) | changes
        (self.folder / "small.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))

    @property
    def settings(self) -> dict[str, Any]:
        path = self.folder / "small.yaml"
        return yaml.safe_load(path.read_text()) if path.exists() else {}

    def add_records(self, figures: dict[str, int] | None = None) -> None:
        rng = np.random.default_rng(5)
        age = rng.integers(18, 80, 300)
        work = rng.choice(["office", FORMULA, "?"], 300, p=[0.6, 0.35, 0.05])
        rich = np.where(age + rng.normal(0, 10, 300) > 50, "yes", "no")
        lines = (f"{a}, {w}, {r}\n" for a, w, r in zip(age, work, rich, strict=True))
        (self.folder / "people.csv").write_text("".join(lines))
        people = yaml.safe_load("""
            records:
              file: people.csv
              columns: {age: {from: 10, to: 90, bins: 8}, work: categorical, rich: categorical}
              missing: "?"
              training: 2/3
            classifier: {target: rich}
            mechanisms: [laplace, gaussian-pdp]
        """)
        people["figures"] = figures or {"accuracy": 22}
        self.configure(datasets=["mildew", "people"], histograms=self.histograms(people=people))

    def add_other_kinds(self) -> None:
        """Add a table with many cells, and data sets with other kinds of release and figures."""
        histograms = self.settings["histograms"]
        histograms["people"]["figures"] |= {"releases": 20, "errors": 21, "ranks": 24}
        # a figure of releases shows densities if there are more than 1,000 cells
        levels = [str(level) for level in range(32)]
        rows = "".join(f"{a},{b},3\n" for b in levels for a in levels)
        (self.folder / "wide.csv").write_text(f"a,b,count\n{rows}")
        # names may have dots, underscores and upper case
        kinds = yaml.safe_load("""
            My_wide.table-2:
              counts: wide.csv
              mechanisms: [laplace, GGM_1.5]
              figures: {releases: 23}
            hidden:
              like: people
              mechanisms: [laplace]
              release: {kind: threshold, expected_empty: 3}
              figures: {retained_cells: 25}
            copied:
              like: people
              mechanisms: [laplace]
              release: {total: as-printed}
              synthetic: [largest-remainder, multinomial, counts]
              figures: {marginals: 26, count_bias: 27, training: 28, mode: 29}
        """)
        table = {"factors": {"a": levels, "b": levels}, "total": 3 * len(levels) ** 2}
        kinds["My_wide.table-2"] |= table
        self.configure(
            datasets=[*self.settings["datasets"], *kinds],
            histograms=histograms | kinds,
            mechanisms={"GGM_1.5": {"order": 1.5, "calibration": "pdp"}},
        )

    def histograms(self, **more: object) -> dict[str, object]:
        return {"mildew": {"mechanisms": ["laplace", "gaussian-pdp"]}, **more}

    def snakemake(
        self, *options: str, targets: tuple[str, ...] = ("all",), cores: int = 2
    ) -> subprocess.CompletedProcess[str]:
        return self.command(
            *[sys.executable, "-m", "snakemake", *targets, *options],
            *["--logger", "ggexp", "--cores", str(cores), "--configfile", "small.yaml"],
        )

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments)
        printed, _ = process.communicate(timeout=900)
        return subprocess.CompletedProcess(arguments, process.returncode, printed)

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables for commands in the copy.

        They select the copy's own library. Variables of `make test` are removed, because a make
        inside another make prints additional lines about folders.
        """
        inherited = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        return inherited | {"PYTHONPATH": str(self.folder / "src")}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            arguments,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, *options: str, targets: tuple[str, ...] = ("all",), cores: int = 2) -> str:
        ended = self.snakemake(*options, targets=targets, cores=cores)
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    def refused(self, *options: str, targets: tuple[str, ...] = ("all",)) -> str:
        ended = self.snakemake(*options, targets=targets)
        assert ended.returncode != 0
        assert "Traceback" not in ended.stdout
        return " ".join(ended.stdout.split())

    def planned(self, *options: str, targets: tuple[str, ...] = ("all",)) -> dict[str, list[str]]:
        """Return rule -> descriptions of the jobs that a run would execute now, from a dry run."""
        printed = self.run("--dry-run", *options, targets=targets)
        jobs: dict[str, list[str]] = {}
        for rule, description in re.findall(r"^(?:local)?rule (\w+):\n((?: .*\n)+)", printed, re.M):
            jobs.setdefault(rule, []).append(description)
        # otherwise an output that could not be parsed would look like an empty plan
        assert bool(jobs) == ("\nJob stats:\n" in printed) != ("Nothing to be done" in printed)
        return {rule: planned for rule, planned in jobs.items() if rule not in targets}

    def edit(self, path: str, change: Callable[[str], str]) -> None:
        file = self.folder / path
        before = file.read_text("utf-8")
        after = change(before)
        assert after != before
        file.write_text(after, "utf-8")

    def read(self, path: str):
        from ggexp.run import files, storage

        file = self.folder / "results" / path
        return files.read_csv(file) if file.suffix == ".csv" else storage.read_parquet(file)

    def outputs(self, pattern: str = "*") -> dict[str, bytes]:
        """Return path -> content of every result, except logs and benchmarks."""
        results = self.folder / "results"
        return {
            str(path.relative_to(results)): path.read_bytes()
            for path in sorted(results.rglob(pattern))
            if path.is_file()
            and path.suffix != ".checksum"
            and path.relative_to(results).parts[0] not in ("logs", "benchmarks")
        }


def ran(*command, check=True, **options):
    return subprocess.run(command, check=check, capture_output=True, text=True, **options)


def make(*goals):
    """Return a command of make that uses this environment instead of installing .venv/."""
    own_environment = ["INSTALLED=", "DEVELOPED=", f"BIN={Path(sys.executable).parent}"]
    return ["make", *goals, *own_environment]


def git(folder, *arguments):
    """Run git in a folder, as an author without a name of its own, and return its output."""
    author = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
    return ran("git", *author, *arguments, cwd=folder).stdout.strip()


def commit_all(folder):
    """Make a git repository of a folder, and commit all of its files."""
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "all"]):
        git(folder, *arguments)


def peak_memory():
    """Return the peak memory of this process so far, in kB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


def layout_of(records, key="records"):
    """Return the settings for records. key: their path in the configuration."""
    from ggexp.datasets.layout import RecordsSettings

    return RecordsSettings.read({"file": "own.csv"} | records, key)


def examine(path, target=None, **options):
    """Return what is proposed for a file, whose error is predicted from few releases."""
    from ggexp.proposal import describe

    with patch("ggexp.releases.kinds.MAX_RELEASES", FEW_RELEASES):
        return describe.examine(path, target, **options)


def describe(path, target=None, **options):
    """Return the configuration that is proposed for a file."""
    from ggexp.proposal import configuration

    return configuration.write(examine(path, target, **options))


def proposed(path, target=None, **options):
    """Return the settings of the data set that is proposed for a file."""
    (data_set,) = yaml.safe_load(describe(path, target, **options))["histograms"].values()
    return dict(data_set)


def design_of(settings):
    """Return the grid points of the paper's configuration with changes.

    settings: data sets may lack a file, because a design does not read it.
    """
    from ggexp.experiment import configuration, design

    table = {"counts": "own.csv", "factors": {"a": ["x"]}, "total": 0}
    histograms = {
        name: data if {"counts", "records"} & {*data} else table | data
        for name, data in settings["histograms"].items()
    }
    return design.grid(configuration.check(PAPER | settings | {"histograms": histograms}))


def pattern_of(message):
    """Return a regular expression for a message in one line, in which … matches any text."""
    return ".*".join(re.escape(part.strip()) for part in message.split("…"))


def save(path, content):
    """Write a file, whose text is in UTF-8, and return its path."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def done(ended):
    """Return the output of a call of the command, which must have succeeded."""
    code, printed, messages = ended
    assert code == 0, messages
    return printed


def refused(ended, code, message):
    """Return the only line that the command printed, an error that matches a pattern."""
    assert ended[:2] == (code, "")
    assert ended[2].startswith("ggexp: error: ")
    assert re.search(message, ended[2]), ended[2]
    assert ended[2].count("\n") == 1
    return ended[2]


def stored(table):
    """Return a table after writing it to a CSV file and reading it as a run does."""
    from ggexp.run import files, storage

    with TemporaryDirectory() as folder:
        storage.write_csv(table, Path(folder, "table.csv"))
        return files.read_csv(Path(folder, "table.csv"))


def pytest_ignore_collect(collection_path, config):
    """Import no module of which a marker, such as `not slow`, leaves out all tests."""
    if collection_path.suffix != ".py":
        return None
    text = collection_path.read_text("utf-8")
    marks = re.findall(r"^pytestmark = (?:\[\s*)?pytest\.mark\.(\w+)", text, re.MULTILINE)
    return True if {*marks} & {*re.findall(r"\bnot (\w+)", config.option.markexpr)} else None


def pytest_collection_modifyitems(items):
    """Run modules with long tests first, so that short tests keep all processes busy at the end.

    Modules that use the small run precede other long ones, so that the other processes have enough
    to do while one process makes that run. Those that neither start processes nor train classifiers
    on all records take less time than the others.
    """
    run_fixtures = {"small_run", "finished_run", "every_kind"}
    starts_processes = {"Project", "subprocess"}

    def rank(item):
        fixtures = getattr(item, "fixturenames", ())
        if item.get_closest_marker("cluster"):  # mostly waits
            return 0
        if not run_fixtures.isdisjoint(fixtures):
            return 1
        if not (item.get_closest_marker("slow") or item.get_closest_marker("faults")):
            return 4
        is_short = starts_processes.isdisjoint(vars(getattr(item, "module", item)))
        return 3 if is_short and "adult_data" not in fixtures else 2

    ranks: dict[Path, int] = {}
    for item in items:
        ranks[item.path] = min(rank(item), ranks.get(item.path, 4))
    items.sort(key=lambda item: ranks[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Search only objects of tests for reference cycles: each search of all modules takes 0.3 s."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


@pytest.fixture
def call(capsys):
    from ggexp.command.main import main

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.fixture(scope="module")
def browser():
    """A browser without a network, started once for the tests of a module (2 s)."""
    from playwright.sync_api import sync_playwright  # takes 0.2 s to load, and few modules need it

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    # no host is found
    switches = ["--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=switches)


@pytest.fixture(scope="session")
def compiled_solver(tmp_path_factory):
    """Compile the solver once (16 s) for all processes and copies of the project."""
    from ggexp.svm.classifier import SharedKernelSVM  # loads numba

    rng = np.random.default_rng(1)
    points = rng.integers(0, 4, (100, 2)).astype(float)
    classes = rng.integers(0, 2, 100)
    with locked("solver", tmp_path_factory):
        for counts in (1, 1000):  # in single and in double precision
            classifier = SharedKernelSVM(points, classes, np.full(100, counts), points, classes)
            classifier.accuracies(lambda _, mean=counts: rng.poisson(mean, 100), range(1))


@pytest.fixture(scope="session")
def small_run(compiled_solver, tmp_path_factory):
    """A finished run of two data sets: a table, and records.

    It has no figures of theory, because they do not depend on data and take a while.
    """

    def make(folder):
        folder.mkdir()
        project = Project(folder)
        project.add_records()
        project.configure(theory=False)
        return project

    return finished_once("small-run", tmp_path_factory, make)


@pytest.fixture(scope="session")
def every_kind(small_run, tmp_path_factory):
    """The small run, extended by data sets of all other kinds."""

    def make(folder):
        project = small_run.copy(folder)
        (folder / "printed.txt").unlink()
        project.add_other_kinds()
        return project

    return finished_once("every-kind", tmp_path_factory, make)


def finished_once(name, tmp_path_factory, make):
    """Return a project after a run; the output of the run is in printed.txt.

    The run is made only once, and shared by the processes of pytest-xdist. Therefore tests that
    change it must use a copy.
    """
    with locked(name, tmp_path_factory) as shared:
        printed = shared / name / "printed.txt"
        if printed.exists():
            return Project.at(shared / name)
        (shared / f"{name}.begun").touch(exist_ok=False)  # fails if an earlier attempt failed
        project = make(shared / name)
        printed.write_text(project.run(), "utf-8")
        return project


@contextmanager
def locked(name, tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield shared


@pytest.fixture(params=["small_run", "every_kind"])
def finished_run(request):
    """The small run, and the run with all kinds of data sets."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def small(small_run, tmp_path):
    return small_run.copy(tmp_path)


@pytest.fixture
def finished(every_kind, tmp_path):
    return every_kind.copy(tmp_path)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture(scope="session")
def survey(tmp_path_factory):
    from survey_files import write_survey  # loads pyreadstat, which few modules need

    folder = tmp_path_factory.mktemp("survey")
    return folder, write_survey(folder)


@pytest.fixture(scope="session")
def adult_histogram(adult_data):
    """The paper's training and test records of Adult. Tests must not change them."""
    from ggexp.datasets.records import read_histogram

    layout = layout_of(PAPER["histograms"]["adult"]["records"])
    return read_histogram(adult_data, layout, dataset="adult", seed=PAPER["seed"])


@pytest.fixture(scope="session")
def adult_data(tmp_path_factory):
    from ggexp.datasets.fetch import fetch

    file = PAPER["download"]["files"]["adult.data"]
    return fetch(tmp_path_factory.mktemp("fetched") / "adult.data", file, ROOT)
