"""Which of the faults in studies/faults.yaml the tests notice.

    python studies/faults.py                            # each by the tests of its room
    python studies/faults.py --tier first               # by `make test`
    python studies/faults.py --tier all --only lock     # by `make test-all`, of those so named

Each fault is put into a copy of the project, alone, and tests are run on it until one fails: first
the likely ones that the list names, then the others. In the end all the tests that failed must pass
without a fault. A fault that is not caught asks for a test, or makes no difference.
A text of the list that does not occur exactly once in its file ends it before anything is run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
LIST = ROOT / "studies/faults.yaml"
HEAVY = (".git", ".venv", ".snakemake", "downloads", "__pycache__", ".*_cache")
_PARALLEL = ["--numprocesses", "logical", "--dist", "loadfile"]
#: pytest's options of a tier: what `make test` and `make test-all` run; a room is run whole.
TIERS = {
    "room": [],
    "first": [*_PARALLEL, "-m", "not slow and not faults and not cluster"],
    "all": [*_PARALLEL, "-m", "not faults and not cluster"],
}
NO_TESTS = 5  # pytest's exit code where none is selected


@dataclass(frozen=True)
class Fault:
    """A fault: in a file, a text that becomes another; tests are the likely ones to notice."""

    name: str
    file: str
    before: str
    after: str
    tests: Sequence[str] = ()

    def stages(self, tier: str) -> list[Sequence[str]]:
        """Return the tests to run, one group after the other: the likely ones, then the others.

        Those of the room are of the part of the library that the fault is in; the workflow has no
        room, as all of its tests take hours.
        """
        if tier != "room":
            return [self.tests, ["tests"]]
        parts = Path(self.file).parts
        return [self.tests, [f"tests/{parts[2]}"] if parts[:2] == ("src", "ggexp") else []]

    def applied(self, text: str) -> str:
        """Return the text of the file with the fault; ValueError unless there is one place."""
        if (places := text.count(self.before)) != 1:
            raise ValueError(f"{self.name!r}: {places} places in {self.file}, expected 1")
        return text.replace(self.before, self.after)


def read_faults(path: Path = LIST) -> list[Fault]:
    """Return the faults of a list; ValueError where two have one name."""
    faults = [Fault(**entry) for entry in yaml.safe_load(path.read_text("utf-8"))]
    if len({fault.name for fault in faults}) < len(faults):
        raise ValueError(f"{path}: two faults have one name")
    return faults


def not_copied(folder: str, names: list[str]) -> set[str]:
    """Return which files of a folder a copy of the project does without; for `shutil.copytree`."""
    if Path(folder) == ROOT / "results":
        return {*names} - {"README.md"}
    return shutil.ignore_patterns(*HEAVY)(folder, names)


def run(folder: Path, tests: Sequence[str], options: Sequence[str]) -> str | None:
    """Return the first test that fails in a copy of the project, None if all pass."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",  # two versions of a module may be of one second
    }
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [*pytest, *options, *tests],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode in (0, NO_TESTS):
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", ended.stdout, re.MULTILINE)
    if failed is None:
        raise RuntimeError(f"pytest ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return failed[1]


def caught_by(fault: Fault, folder: Path, tier: str) -> str | None:
    """Return the test that notices a fault in a copy of the project, None if none does."""
    file = folder / fault.file
    right = file.read_text("utf-8")
    file.write_text(fault.applied(right), "utf-8")
    try:
        failures = (run(folder, tests, TIERS[tier]) for tests in fault.stages(tier) if tests)
        return next(filter(None, failures), None)
    finally:
        file.write_text(right, "utf-8")


def main() -> None:
    """Apply, run and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tier", choices=TIERS, default="room", help="which tests, default room")
    parser.add_argument("--only", default="", help="part of the names of the faults")
    arguments = parser.parse_args()
    faults = [fault for fault in read_faults() if arguments.only in fault.name]
    found: dict[str, str | None] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "project")
        shutil.copytree(ROOT, folder, ignore=not_copied)
        # a fault is not noticed by a test that cannot be read anyway
        if unreadable := run(folder, ["tests"], ["--collect-only"]):
            sys.exit(f"{unreadable} cannot be read in a copy of the project")
        for fault in faults:
            fault.applied((folder / fault.file).read_text("utf-8"))
        for fault in faults:
            start = time.monotonic()
            found[fault.name] = caught = caught_by(fault, folder, arguments.tier)
            seconds = time.monotonic() - start
            print(f"{fault.name}: {caught or 'NOT CAUGHT'} ({seconds:.0f} s)", flush=True)
        failing = sorted({test for test in found.values() if test})
        if failing and (failed := run(folder, failing, [])):
            sys.exit(f"{failed} fails without a fault too")
    missed = [name for name, caught in found.items() if caught is None]
    print(f"caught: {len(faults) - len(missed)} of {len(faults)}")
    if missed:
        sys.exit("not caught: " + "; ".join(missed))


if __name__ == "__main__":
    main()
