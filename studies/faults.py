"""Test which of the faults in studies/faults.yaml, or another list, the tests detect.

    python studies/faults.py
    python studies/faults.py tests/data/mutants.yaml

The faults are put into a copy of the project one at a time, and tests run until one fails: first
those that the list names, then the others in the test folder of the faulty code. At the end, all
failed tests must pass without a fault. A fault that no test detects needs a new test, unless it
makes no difference. The text that a fault replaces must occur exactly once in its file.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
LIST = ROOT / "studies/faults.yaml"
NOT_COPIED = (".git", ".venv", ".snakemake", "downloads", "__pycache__", ".*_cache")
LIMIT = 900  # seconds for the tests of a fault, which may let one run without end
NO_END = f"no end within {LIMIT} s"


@dataclass(frozen=True)
class Fault:
    """A fault: a text in a file and its replacement, and the tests most likely to detect it."""

    name: str
    file: str
    before: str
    after: str
    tests: Sequence[str] = ()

    def groups(self) -> list[list[str]]:
        """Return groups of tests: the likely ones, and the other tests of the faulty room.

        The likely ones, if the list names none, are in tests/ROOM/test_MODULE.py.
        """
        *_, room, module = Path(self.file).with_suffix("").parts
        likely = [*self.tests] or [f"tests/{room}/test_{module}.py"]
        return [likely, [f"tests/{room}"] if (ROOT / "tests" / room).is_dir() else []]

    def applied(self, text: str) -> str:
        """Return the file's text with the fault.

        Raises ValueError unless the text to replace occurs exactly once.
        """
        if (count := text.count(self.before)) != 1:
            raise ValueError(f"{self.name!r}: {count} places in {self.file}, expected 1")
        return text.replace(self.before, self.after)


def read_faults(path: Path = LIST) -> list[Fault]:
    """Return the faults of a list. Raises ValueError if two have the same name."""
    faults = [Fault(**entry) for entry in yaml.safe_load(path.read_text("utf-8"))]
    if len({fault.name for fault in faults}) < len(faults):
        raise ValueError(f"{path}: two faults have one name")
    return faults


def not_copied(folder: str, names: list[str]) -> set[str]:
    """Return the names in a folder that `shutil.copytree` should not copy."""
    if Path(folder) == ROOT / "results":
        return {*names} - {"README.md"}
    return shutil.ignore_patterns(*NOT_COPIED)(folder, names)


def run(folder: Path, tests: Sequence[str], *options: str) -> list[str]:
    """Return the tests that fail in a copy of the project. options: of pytest."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        # because two versions of a module may be written within one second
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    pytest = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider"]
    completed = subprocess.run(
        [*pytest, *options, *tests],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", completed.stdout, re.MULTILINE)
    failed += re.findall(r"while loading conftest '(.*?)'", completed.stderr)
    if not failed and completed.returncode:
        raise RuntimeError(
            f"pytest exited with {completed.returncode}:\n{completed.stdout}{completed.stderr}"
        )
    return failed


def caught_by(fault: Fault, folder: Path) -> str:
    """Return a test that detects a fault in a copy of the project, `NO_END`, or an empty text."""
    file = folder / fault.file
    original = file.read_text("utf-8")
    file.write_text(fault.applied(original), "utf-8")
    try:
        found = (run(folder, tests, "-x") for tests in fault.groups() if tests)
        return next((failed[0] for failed in found if failed), "")
    except subprocess.TimeoutExpired:
        return NO_END
    finally:
        file.write_text(original, "utf-8")


def main() -> None:
    """Run the tests on each fault and print the results."""
    faults = read_faults(*map(Path, sys.argv[1:]))
    caught: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "project")
        shutil.copytree(ROOT, folder, ignore=not_copied)
        # a test file that fails to import would seem to detect every fault
        if unreadable := run(folder, ["tests"], "--collect-only"):
            sys.exit(f"{unreadable[0]} cannot be imported in a copy of the project")
        for fault in faults:
            fault.applied((folder / fault.file).read_text("utf-8"))
        for fault in faults:
            test = caught[fault.name] = caught_by(fault, folder)
            print(f"{fault.name}: {test or 'NOT CAUGHT'}", flush=True)
        failing = sorted({*caught.values()} - {"", NO_END})
        if failing and (failed_again := run(folder, failing)):
            sys.exit(f"{failed_again[0]} also fails without a fault")
    missed = [name for name, test in caught.items() if not test]
    print(f"caught: {len(faults) - len(missed)} of {len(faults)}")
    if missed:
        sys.exit("not caught: " + "; ".join(missed))


if __name__ == "__main__":
    main()
