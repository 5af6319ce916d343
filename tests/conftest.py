import fcntl
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, settings

from ggexp.claims.evidence import Results
from ggexp.claims.records import tally_of_table
from ggexp.command.main import main
from ggexp.run.columns import read_csv
from ggexp.run.storage import write_csv
from ggexp.svm.classifier import SharedKernelSVM

ROOT = Path(__file__).parents[1]
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
SCHEMA = yaml.safe_load((ROOT / "config/schema.yaml").read_text("utf-8"))
FORMULA = "=1+1"  # to a program for tables
PARTS = (
    *("Makefile", "Snakefile", "config", "data", "examples", "profiles", "reference", "src"),
    "workflow",
)


# the same examples each time, however fast the computer is
settings.register_profile(
    "ggexp", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ggexp")


class Project:
    """A copy of the project in a folder of its own, to run, to edit and to break."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                # with what is compiled there, the solver above all, but not what another process
                # is writing there now
                ignored = shutil.ignore_patterns("downloads", "own", "*.pyc.*", "*.tmp.*")
                shutil.copytree(source, folder / part, ignore=ignored)
            else:
                shutil.copy(source, folder / part)
        self.configure(
            datasets=["mildew"],
            epsilon=[1],
            delta=[0.05],
            repeats=4,
            histograms=self.histograms(),
        )

    @classmethod
    def at(cls, folder: Path) -> "Project":
        """The project that is in a folder already."""
        project = cls.__new__(cls)
        project.folder = folder
        return project

    def copy(self, folder: Path) -> "Project":
        """The same in another folder; files keep their times, so what has run is up to date."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Project.at(folder)

    def configure(self, **settings: object) -> None:
        """Change settings of the small design of these tests."""
        path = self.folder / "small.yaml"
        path.write_text(yaml.safe_dump(self.settings | settings, sort_keys=False))

    def describe(self, file: str, *options: str, **changes: object) -> None:
        """Take what `ggexp describe` prints of a file as the small design, with some changes."""
        printed = subprocess.run(
            [sys.executable, "-m", "ggexp", "describe", file, *options],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            check=True,
        ).stdout
        settings = yaml.safe_load(printed) | changes
        (self.folder / "small.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the small design."""
        path = self.folder / "small.yaml"
        return yaml.safe_load(path.read_text()) if path.exists() else {}

    def add_records(self, figures: dict[str, int] | None = None) -> None:
        """Add the data set people: individual records with a target to classify."""
        rng = np.random.default_rng(5)
        age = rng.integers(18, 80, 300)
        work = rng.choice(["office", FORMULA, "?"], 300, p=[0.6, 0.35, 0.05])
        rich = np.where(age + rng.normal(0, 10, 300) > 50, "yes", "no")
        lines = (f"{a}, {w}, {r}\n" for a, w, r in zip(age, work, rich, strict=True))
        (self.folder / "people.csv").write_text("".join(lines))
        records = {
            "file": "people.csv",
            "columns": {
                "age": {"from": 10, "to": 90, "bins": 8},
                "work": "categorical",
                "rich": "categorical",
            },
            "missing": "?",
            "training": "2/3",
        }
        people = {
            "records": records,
            "classifier": {"target": "rich"},
            "mechanisms": ["laplace", "gaussian-pdp"],
            "figures": figures or {"releases": 20, "errors": 21, "accuracy": 22},
        }
        self.configure(datasets=["mildew", "people"], histograms=self.histograms(people=people))

    def add_some_kinds(self) -> None:
        """Add records, and a table of many cells."""
        self.add_records({"releases": 20, "errors": 21, "accuracy": 22, "ranks": 24})
        # more than 1,000 cells, which a figure of releases shows as densities
        levels = [str(level) for level in range(32)]
        rows = "".join(f"{a},{b},3\n" for b in levels for a in levels)
        (self.folder / "wide.csv").write_text(f"a,b,count\n{rows}")
        wide = {
            "counts": "wide.csv",
            "factors": {"a": levels, "b": levels},
            "total": 3 * len(levels) ** 2,
            "mechanisms": ["laplace"],
            "figures": {"releases": 23},
        }
        self._add({"wide": wide})

    def add_other_kinds(self) -> None:
        """Add a release of empty cells, and one that is made into records."""
        kinds = {
            "hidden": {
                "like": "people",
                "mechanisms": ["laplace"],
                "release": {"kind": "threshold", "expected_empty": 3},
                "figures": {"survivors": 25},
            },
            "copied": {
                "like": "people",
                "mechanisms": ["laplace"],
                "synthetic": ["largest-remainder", "multinomial", "counts"],
                "figures": {"marginals": 26, "gains": 27, "training": 28, "mode": 29},
            },
        }
        self._add(kinds)

    def _add(self, kinds: dict[str, object]) -> None:
        settings = self.settings
        self.configure(
            datasets=[*settings["datasets"], *kinds],
            histograms=settings["histograms"] | kinds,
        )

    def histograms(self, **more: object) -> dict[str, object]:
        """The settings of the small design's histograms, and more."""
        return {"mildew": {"mechanisms": ["laplace", "gaussian-pdp"]}, **more}

    def snakemake(
        self, *options: str, targets: tuple[str, ...] = ("all",), cores: int = 2
    ) -> subprocess.CompletedProcess[str]:
        """Run snakemake in the copy, with the copy's own library."""
        return self.command(
            *[sys.executable, "-m", "snakemake", *targets, *options],
            *["--cores", str(cores), "--configfile", "small.yaml"],
        )

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the copy to its end."""
        process = self.start(*arguments)
        printed, _ = process.communicate(timeout=900)
        return subprocess.CompletedProcess(arguments, process.returncode, printed)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a shell in the copy: the copy's own library, no mirror, no outer make.

        Within another make, such as `make test`, make tells of folders in lines of its own.
        """
        outer = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        return outer | {"PYTHONPATH": str(self.folder / "src"), "GGEXP_MIRROR": ""}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command in the copy, with the copy's own library, in a session of its own."""
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
        """Run to the end and return what was printed."""
        ended = self.snakemake(*options, targets=targets, cores=cores)
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    def planned(self, *options: str, targets: tuple[str, ...] = ("all",)) -> dict[str, list[str]]:
        """What a dry run tells of the jobs that a run would execute now, by their rules."""
        printed = self.run("--dry-run", *options, targets=targets)
        jobs: dict[str, list[str]] = {}
        for rule, told in re.findall(r"^(?:local)?rule (\w+):\n((?: .*\n)+)", printed, re.M):
            jobs.setdefault(rule, []).append(told)
        # else nothing would be planned where nothing could be read
        assert bool(jobs) == ("\nJob stats:\n" in printed) != ("Nothing to be done" in printed)
        return {rule: told for rule, told in jobs.items() if rule not in targets}

    def edit(self, path: str, change: Callable[[str], str]) -> None:
        """Change a file of the copy."""
        file = self.folder / path
        before = file.read_text("utf-8")
        after = change(before)
        assert after != before
        file.write_text(after, "utf-8")

    def outputs(self, pattern: str = "*") -> dict[str, bytes]:
        """The bytes of every result, but for logs and recorded times."""
        results = self.folder / "results"
        return {
            str(path.relative_to(results)): path.read_bytes()
            for path in sorted(results.rglob(pattern))
            if path.is_file() and path.relative_to(results).parts[0] not in ("logs", "benchmarks")
        }


def peak_memory() -> int:
    """The most memory that this process has taken yet, in kB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


def load_study(name: str) -> ModuleType:
    """Return a program of studies/ as a module, which may import its neighbours."""
    if str(ROOT / "studies") not in sys.path:
        sys.path.append(str(ROOT / "studies"))
    spec = spec_from_file_location(name, ROOT / f"studies/{name}.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts(message: str) -> str:
    """A pattern of a message in one line: its parts, with any words where … stands."""
    return ".*".join(re.escape(part.strip()) for part in message.split("…"))


def assert_one_error(told: str, message: str) -> None:
    """Assert that the command told an error in one line, in which a message is found."""
    assert told.startswith("ggexp: error: ")
    assert re.search(message, told), told
    assert told.count("\n") == 1


def stored(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table as the next step of a run reads it from its CSV file."""
    with TemporaryDirectory() as folder:
        write_csv(table, Path(folder, "table.csv"))
        return read_csv(Path(folder, "table.csv"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put modules with long tests first, so that the short ones fill up the processes in the end.

    Those of the small run precede the others: while a process makes it, others have enough to do.
    """
    runs = {"small_run", "finished_run", "every_kind"}

    def turn(item: pytest.Item) -> int:
        if item.get_closest_marker("cluster"):  # waits most of its time
            return 0
        if not runs.isdisjoint(getattr(item, "fixturenames", ())):
            return 1
        return 2 if item.get_closest_marker("slow") or item.get_closest_marker("faults") else 3

    turns: dict[Path, int] = {}
    for item in items:
        turns[item.path] = min(turn(item), turns.get(item.path, 3))
    items.sort(key=lambda item: turns[item.path])


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """A function that calls the command: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return call


@pytest.fixture(scope="session")
def compiled_solver(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The solver is compiled, which takes 16 s, for all processes and copies of the project."""
    rng = np.random.default_rng(1)
    points = rng.integers(0, 4, (100, 2)).astype(float)
    classes = rng.integers(0, 2, 100)
    with locked("solver", tmp_path_factory):
        for counts in (1, 10):  # by a held matrix, and by a product
            classifier = SharedKernelSVM(points, classes, np.full(100, counts), points, classes)
            classifier.accuracies(lambda _, mean=counts: rng.poisson(mean, 100), range(1))


@pytest.fixture(scope="session")
def small_run(compiled_solver: None, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished run of three data sets: a table, records, and a table of many cells.

    Without the figures of theory, which depend on no data and take a while.
    """

    def make(folder: Path) -> Project:
        folder.mkdir()
        project = Project(folder)
        project.add_some_kinds()
        project.configure(theory=False)
        return project

    return finished_once("small-run", tmp_path_factory, make)


@pytest.fixture(scope="session")
def every_kind(small_run: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The small run, continued with data sets of all other kinds."""

    def make(folder: Path) -> Project:
        project = small_run.copy(folder)
        (folder / "printed.txt").unlink()
        project.add_other_kinds()
        return project

    return finished_once("every-kind", tmp_path_factory, make)


def finished_once(
    name: str, tmp_path_factory: pytest.TempPathFactory, make: Callable[[Path], Project]
) -> Project:
    """Return a project that has run, with its report, and what it printed in printed.txt.

    Made once: the processes of pytest-xdist share it, and runs of pytest that GGEXP_SMALL_RUN gives
    the same folder. So a test that changes it takes a copy.
    """
    with locked(name, tmp_path_factory) as shared:
        printed = shared / name / "printed.txt"
        if printed.exists():
            return Project.at(shared / name)
        (shared / f"{name}.begun").touch(exist_ok=False)  # fails where the first to ask has failed
        project = make(shared / name)
        report = ("--report", "results/report.html", "--report-after-run")
        printed.write_text(project.run(*report), "utf-8")
        return project


@contextmanager
def locked(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give one process of pytest-xdist after another the folder that they share."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    shared = Path(os.environ.get("GGEXP_SMALL_RUN", shared))
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield shared


@pytest.fixture(params=["small_run", pytest.param("every_kind", marks=pytest.mark.slow)])
def finished_run(request: pytest.FixtureRequest) -> Project:
    """The small run, and in the long tier the one with all kinds too."""
    project: Project = request.getfixturevalue(request.param)
    return project


@pytest.fixture
def small(small_run: Project, tmp_path: Path) -> Project:
    """A copy of the small run, to edit and to break."""
    return small_run.copy(tmp_path)


@pytest.fixture
def finished(every_kind: Project, tmp_path: Path) -> Project:
    """A copy of the run of every kind, to edit and to break."""
    return every_kind.copy(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project in which nothing has run yet."""
    return Project(tmp_path)


@pytest.fixture(scope="session")
def full_run() -> Results:
    """What a full run found, from the small copy of its tables (tests/data/README.md)."""
    copy = ROOT / "tests/data/full_run"
    tables = {path.stem: read_csv(path) for path in copy.glob("*.csv")}
    return Results(
        summary=tables["summary"],
        scales=tables["scales"],
        baseline=tables["baseline"],
        tallies={
            "adult": tables["adult_tally"],
            **{
                dataset: tally_of_table(pd.read_csv(ROOT / f"data/{dataset}.csv"))
                for dataset in ("mildew", "czech")
            },
        },
        figures={number: tables[f"figure_{number:02}"] for number in (1, 2, 3, 4, 5)},
        seed=20260101,
    )


@pytest.fixture(scope="session")
def equal_privacy() -> Results:
    """What a full run at equal privacy found (tests/data/README.md)."""
    names = ("summary", "scales", "baseline")
    copy = ROOT / "tests/data/equal_privacy"
    return Results(**{name: read_csv(copy / f"{name}.csv") for name in names}, seed=20260101)


@pytest.fixture(scope="session")
def empty_cells() -> Results:
    """What a full run of config/empty-cells.yaml found (tests/data/README.md)."""
    copy = ROOT / "tests/data/empty_cells"
    tables = {name: read_csv(copy / f"{name}.csv") for name in ("summary", "baseline")}
    return Results(**tables, scales=pd.DataFrame(), seed=20260101)
